"""``touchjudge deck enrol NAME --faces``: a deck that is misread is learnt from photographs of its cards."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import Progress
from rich.table import Table

from api.console import notes, output
from api.errors import FAILURE_STATUS, CommandError, MisuseError, os_error_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.enrolled import EnrolledDetector
    from models.face_file import StoredDeck
    from models.face_looks import FaceCrop
    from models.face_measure import FaceReport
    from models.laid_out import LaidOut

CLIP_SUFFIXES = frozenset({".mp4", ".mov", ".mkv", ".avi", ".webm", ".m4v", ".ts"})
FRAMES_OF_A_CLIP = 4
"""Evenly spread; the second half is kept out for measuring."""
LARGEST_SIDE_PX = 4000
"""Of a photograph; 13 cards side by side then have more pixels than the reader uses."""
SHOWN_SIDE_PX = 2000
MOST_LEARNT = 4
"""Photographs that a deck is learnt from: more only fill its file."""
LEAST_PX_PER_MM = 1.2
"""Below it a corner index is too coarse to learn."""
SHARE_MEASURED = 0.2
"""Of the usual number of views a card."""
SHOWN_CONFUSIONS = 8
_FOUND_BGR, _FILLED_BGR, _DOUBTED_BGR = (40, 130, 20), (0, 110, 230), (40, 30, 220)


@dataclass(frozen=True, slots=True, eq=False)
class Understood:
    """One picture and what was made of it."""

    name: str
    image_bgr: "NDArray[np.uint8]"
    laid: "LaidOut"

    def crops(self) -> "tuple[FaceCrop, ...]":
        """Its 52 cards."""
        return self.laid.crops(self.image_bgr)


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceOptions:
    """What the command line gave. target: where the deck is kept. draw: where the places found are shown."""

    name: str
    faces: tuple[Path, ...]
    measure: tuple[Path, ...]
    target: Path
    draw: Path


def enrol_faces(options: FaceOptions) -> int:
    """Learn a deck, keep it, measure it; exit status 1 where it fails its measurement."""
    from models.enrolled import EnrolledDetector
    from models.face_file import FaceFileError, StoredDeck, decoded, encoded, save_faces
    from models.faces import DeckFaces

    reader = EnrolledDetector()
    learnt, kept_out = _understood(options, reader)
    stored = tuple(encoded(crop) for each in learnt for crop in each.crops())
    try:
        crops = [decoded(*crop) for crop in stored]
    except FaceFileError as error:
        raise CommandError(str(error)) from None
    with _progress() as progress:
        task = progress.add_task(f"learning {options.name}", total=len(crops))
        faces = DeckFaces.learnt(
            crops,
            reader.features,
            reader.faces,
            progress=lambda done, _all: progress.update(task, completed=done),
        )
    deck = StoredDeck(options.name, stored, faces, reader.reader_sha256)
    try:
        save_faces(deck, options.target)
    except OSError as error:
        raise CommandError(f"cannot write {options.target}: {os_error_line(error)}") from None
    return _measured(deck, options, reader, [crop for each in kept_out for crop in each.crops()] or crops)


def _progress() -> Progress:
    err = notes()
    return Progress(console=err, transient=True, disable=not err.is_terminal)


def _understood(
    options: FaceOptions, reader: "EnrolledDetector"
) -> tuple[list[Understood], list[Understood]]:
    """The pictures to learn from and those to measure with, each drawn for a person to check."""
    pictures = [picture for path in options.faces for picture in _pictures(path)]
    held = [picture for path in options.measure for picture in _pictures(path)]
    if not held and len(pictures) > 1:
        half = (len(pictures) + 1) // 2
        pictures, held = pictures[:half], pictures[half:]
    seen = [_understand(name, image, reader) for name, image in pictures[:MOST_LEARNT] + held]
    for number, each in enumerate(seen, 1):
        path = options.draw if len(seen) == 1 else options.draw.with_stem(f"{options.draw.stem}-{number}")
        _draw(each, path)
    count = min(len(pictures), MOST_LEARNT)
    return seen[:count], seen[count:]


def _pictures(path: Path) -> "list[tuple[str, NDArray[np.uint8]]]":
    """The photograph, or frames of the clip, with what to call them."""
    from api.images import read_image_bgr

    if path.suffix.lower() not in CLIP_SUFFIXES:
        return [(str(path), _bounded(read_image_bgr(path)))]
    return _frames(path)


def _frames(path: Path) -> "list[tuple[str, NDArray[np.uint8]]]":
    """Frames evenly spread over a clip: it is read twice, so that few are held."""
    from api.opening import opened_source

    with opened_source(str(path)) as source:
        count = sum(1 for _ in source)
    if count < FRAMES_OF_A_CLIP:
        raise CommandError(f"{path}: {count} frames (want a clip of some seconds)")
    wanted = {round((i + 0.5) * count / FRAMES_OF_A_CLIP) for i in range(FRAMES_OF_A_CLIP)}
    with opened_source(str(path)) as source:
        return [
            (f"{path}, frame {number}", _bounded(frame.image_bgr))
            for number, frame in enumerate(source)
            if number in wanted
        ]


def _bounded(image: "NDArray[np.uint8]") -> "NDArray[np.uint8]":
    import cv2
    import numpy as np

    factor = LARGEST_SIDE_PX / max(image.shape[:2])
    if factor >= 1:
        return image
    return np.asarray(cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA), np.uint8)


def _understand(name: str, image: "NDArray[np.uint8]", reader: "EnrolledDetector") -> Understood:
    import numpy as np

    from models.card_rows import NoRowsError
    from models.face_looks import CARD_WH_MM
    from models.geometry import quad_areas
    from models.laid_out import WrongOrderError, understand

    with notes().status(f"looking for the 52 cards in {name}"):
        try:
            laid = understand(image, reader)
        except (NoRowsError, WrongOrderError) as error:
            raise CommandError(f"{name}: {error}") from None
    px_per_mm = float(np.sqrt(np.median(quad_areas(laid.rows.quads_px)) / (CARD_WH_MM[0] * CARD_WH_MM[1])))
    if px_per_mm < LEAST_PX_PER_MM:
        wanted = f"want {LEAST_PX_PER_MM:g} or more: go nearer, or take a larger picture"
        raise CommandError(f"{name}: the cards have {px_per_mm:.1f} px per mm ({wanted})")
    return Understood(name, image, laid)


def _draw(each: Understood, path: Path) -> None:
    """The picture with each card's outline and the name that it was taken for."""
    import cv2
    import numpy as np

    from api.images import encode_png
    from models.classes import CARD_NAMES

    factor = min(1.0, SHOWN_SIDE_PX / max(each.image_bgr.shape[:2]))
    drawn = cv2.resize(each.image_bgr, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    doubted = dict(each.laid.contradicted)
    rows = each.laid.rows
    for name, quad, is_found in zip(CARD_NAMES[:52], rows.quads_px * factor, rows.is_found, strict=True):
        colour = _DOUBTED_BGR if name in doubted else _FOUND_BGR if is_found else _FILLED_BGR
        cv2.polylines(drawn, [np.rint(quad).astype(np.int32)], True, colour, 2, cv2.LINE_AA)
        scale = float(np.linalg.norm(quad[1] - quad[0])) / 75
        x, y = np.rint(quad.mean(axis=0)).astype(int).tolist()
        text = f"{name}?{doubted[name]}" if name in doubted else name
        (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, scale, 2)
        for thickness, ink in ((5, (255, 255, 255)), (2, colour)):
            at = (x - width // 2, y)
            cv2.putText(drawn, text, at, cv2.FONT_HERSHEY_SIMPLEX, scale, ink, thickness, cv2.LINE_AA)
    try:
        path.write_bytes(encode_png(np.asarray(drawn, np.uint8)))
    except OSError as error:
        raise CommandError(f"cannot write {path}: {os_error_line(error)}") from None
    _tell_understood(each, path)


def _tell_understood(each: Understood, path: Path) -> None:
    found = int(each.laid.rows.is_found.sum())
    filled = "" if found == 52 else f", {52 - found} between them worked out"
    output().print(f"{each.name}: {found} cards found{filled}; check the names in {path}", markup=False)
    if each.laid.contradicted:
        listed = ", ".join(f"{card} looks like {other}" for card, other in each.laid.contradicted[:6])
        more = len(each.laid.contradicted) - 6
        notes().print(
            f"to the reader {listed}{f' and {more} more' if more > 0 else ''}: are they at their places?",
            markup=False,
        )


def _measured(
    deck: "StoredDeck", options: FaceOptions, reader: "EnrolledDetector", crops: "Sequence[FaceCrop]"
) -> int:
    from models.enrolled import EnrolledDetector
    from models.face_measure import PassMark, measure

    after = EnrolledDetector(decks=(deck.faces,))
    with notes().status(f"measuring {options.name}"):
        report = measure(crops, reader, after, PassMark(), share=SHARE_MEASURED)
    is_other = len(crops) < 52 or options.measure or len(options.faces) > 1
    how = (
        "measured on pictures that were kept out"
        if is_other or any(path.suffix.lower() in CLIP_SUFFIXES for path in options.faces)
        else "measured on altered views of the same picture: kinder than another one (give --measure)"
    )
    _tell(report, options, how)
    return 0 if report.has_passed else FAILURE_STATUS


def _tell(report: "FaceReport", options: FaceOptions, how: str) -> None:
    from models.face_measure import CONFUSED_PAIRS

    table = Table("seen", "views", "right before", "right", "wrong", "??", box=None, pad_edge=False)
    for each in report.figures:
        shares = (each.right_before, each.right, each.wrong, 1 - each.right - each.wrong)
        table.add_row(each.look.name.lower(), str(each.views), *(f"{share:.3f}" for share in shares))
    table.caption = how
    out = output()
    out.print(table)
    pairs = ", ".join(f"{one}/{other} {report.confused(one, other)}" for one, other in CONFUSED_PAIRS)
    out.print(f"confused: {pairs}", markup=False)
    for card, given, count in report.confusions[:SHOWN_CONFUSIONS]:
        out.print(f"  {card} taken for {given}: {count}", markup=False)
    mark = report.mark
    word = "pass" if report.has_passed else "fail"
    out.print(
        f"{word}: want {mark.right:g} of whole cards and {mark.right_strips:g} of covered ones right,"
        f" at most {mark.wrong:g} wrong; kept in {options.target}",
        markup=False,
    )


def face_file_of(name: str, table: Path | None, out: Path | None) -> Path:
    """Where a deck of that name is kept; ``MisuseError`` for a name or a file that cannot be."""
    from models.face_file import SUFFIX, is_deck_name

    if not is_deck_name(name):
        raise MisuseError(f"{name[:40]!r}: want a deck's name of letters, digits, - and _")
    if table is not None and out is not None:
        raise MisuseError("want either --table or --out")
    if out is None:
        return (table.parent if table is not None else Path()) / f"{name}{SUFFIX}"
    if not out.name.endswith(SUFFIX):
        raise MisuseError(f"--out {out}: want a name that ends in {SUFFIX}")
    return out

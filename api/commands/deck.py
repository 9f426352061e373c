"""``touchjudge deck``: each player's back is remembered, and the faces of decks that are misread."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from api.commands.deck_faces import FaceOptions, enrol_faces, face_file_of
from api.console import notes, output
from api.errors import CommandError, MisuseError, os_error_line
from api.record_file import refuse_inputs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from models.backs import BackBook, BackMatch, BackSignature, TooAlikeError
    from models.face_file import StoredDeck

app = typer.Typer(
    no_args_is_help=True, help="Remember each player's card back, and the faces of decks that are misread."
)

DEFAULT_FILE = Path("decks.toml")
LEAST_CARD_PX = 63.0
"""Shorter side of a back that is remembered: 1 px per mm; smaller ones show too little of their pattern."""
LEAST_LEVEL = 25
"""Of 255: a back whose brightest part is darker than this cannot be remembered."""
LEAST_PATTERN = 0.05
"""Part of a back that has a pattern, or at least shades: photographs of plain decks have 0.08 and more."""
CLEARLY_LARGER = 1.5
"""Of several backs in a picture the one meant is this much larger than the next."""
SHOWN_PX_A_MM = 4

Backs = Annotated[
    Path, typer.Option("--backs", metavar="FILE", help="Made by 'deck enrol': TOML or JSON by its name.")
]


@app.command("enrol")
def enrol(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The player whose back it is, or the deck whose faces.")
    ],
    *,
    back: Annotated[
        Path | None, typer.Option("--back", metavar="PICTURE", help="One card of theirs, face down.")
    ] = None,
    faces: Annotated[
        list[Path] | None,
        typer.Option(
            "--faces", metavar="PICTURE", help="All 52 faces in four rows; again for more pictures."
        ),
    ] = None,
    measure: Annotated[
        list[Path] | None,
        typer.Option("--measure", metavar="PICTURE", help="With --faces: laid again, to measure with only."),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option("--draw", metavar="PNG", help="With --faces: what was understood (NAME.faces.png)."),
    ] = None,
    quad: Annotated[
        str | None,
        typer.Option("--quad", metavar="'X,Y X,Y X,Y X,Y'", help="Its corners in px, where it is not found."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table",
            metavar="T.toml",
            help="Keep it beside that file; the NAME of a back is a player there.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE", help="Or: the file to keep it in (decks.toml; NAME.faces.json)."
        ),
    ] = None,
    why: Annotated[
        Path, typer.Option("--why", metavar="PNG", help="Where a refused back is shown beside the other.")
    ] = Path("too-alike.png"),
) -> int:
    """Remember the back of a player's deck (--back), or the faces of a deck that is misread (--faces).

    Two backs that cannot be told apart are refused, with a picture.

    For --faces lay all 52 cards face up on a plain table, apart from each other, in four rows of thirteen:
    clubs, diamonds, hearts, spades from the top, each row ace, 2, 3 ... 10, jack, queen, king from the left.
    Photograph them from straight above, filling the picture. Better twice: lay them again for --measure.
    A short clip does too: its second half is kept out for measuring. Check the names in the picture that is
    drawn. [bold]detect --deck NAME[/bold] and [bold]watch --deck NAME[/bold] then read that deck.

    Example: [bold]touchjudge deck enrol Ana --back ana.jpg --out decks.toml[/bold]
    Example: [bold]touchjudge deck enrol skat --faces rows.jpg --measure again.jpg[/bold]
    """
    if faces:
        if back is not None or quad is not None:
            raise MisuseError("want either --back or --faces")
        return _enrol_faces(name, faces, measure or [], draw, face_file_of(name, table, out))
    if measure or draw is not None:
        raise MisuseError("--measure and --draw go with --faces")
    if back is None:
        raise MisuseError("want --back PICTURE, or --faces PICTURE")
    return _enrol_back(name, back, quad, _target(name, table, out), why)


def _enrol_faces(name: str, faces: list[Path], measure: list[Path], draw: Path | None, target: Path) -> int:
    drawn = draw or target.with_suffix(".png")
    if drawn.suffix.lower() != ".png":
        raise MisuseError(f"--draw {drawn}: want a name that ends in .png")
    refuse_inputs(drawn, map(str, (*faces, *measure)), option="--draw")
    return enrol_faces(
        FaceOptions(name=name, faces=tuple(faces), measure=tuple(measure), target=target, draw=drawn)
    )


def _enrol_back(name: str, back: Path, quad: str | None, target: Path, why: Path) -> int:
    from api.images import read_image_bgr
    from models.back_file import BackFileError, is_json, save_backs
    from models.backs import BackBook, TooAlikeError

    try:
        is_json(target)
    except BackFileError as error:
        raise MisuseError(str(error)) from None
    image = read_image_bgr(back)
    signature = _signature(image, _quad_of(quad) if quad else _found_back(image, back), back)
    book = _book(target) if target.exists() else BackBook()
    try:
        book = book.with_back(name, signature)
    except TooAlikeError as error:
        raise CommandError(f"{error}; see {_shown_beside(error, signature, book, why)}") from None
    try:
        save_backs(book, target)
    except OSError as error:
        raise CommandError(f"cannot write {target}: {os_error_line(error)}") from None
    output().print(f"{target}: {len(book.backs)} backs: {', '.join(n for n, _ in book.backs)}", markup=False)
    return 0


def _target(name: str, table: Path | None, out: Path | None) -> Path:
    from api.opening import open_table
    from models.back_file import player_name

    try:
        player_name(name)
    except ValueError as error:
        raise MisuseError(str(error)) from None
    if table is None:
        return out or DEFAULT_FILE
    if out is not None:
        raise MisuseError("want either --table or --out")
    players = [place.player for place in open_table(table).seats]
    if name not in players:
        raise MisuseError(f"no player {name!r} in {table} (want one of {', '.join(players)})")
    return table.with_suffix(".backs.toml")


def _book(path: Path) -> "BackBook":
    from models.back_file import BackFileError, load_backs

    try:
        return load_backs(path)
    except BackFileError as error:
        raise MisuseError(str(error)) from None


def _quad_of(text: str) -> "NDArray[np.float32]":
    import numpy as np

    try:
        points = np.array([[float(v) for v in point.split(",")] for point in text.split()], np.float32)
    except ValueError:
        points = np.zeros(0, np.float32)
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise MisuseError(f"--quad {text[:60]!r}: want four corners, e.g. '10,20 73,20 73,108 10,108'")
    return points


def _found_back(image: "NDArray[np.uint8]", path: Path) -> "NDArray[np.float32]":
    """The corners of the one back in the picture, or of the one that is clearly the largest."""
    import numpy as np

    from models.geometry import quad_areas

    quads = _backs_in(image)
    if not len(quads):
        raise CommandError(
            f"no back found in {path} (lay one card face down on a plain table, or give --quad)"
        )
    areas = quad_areas(quads)
    order = np.argsort(-areas)
    if len(order) > 1 and areas[order[0]] < CLEARLY_LARGER * areas[order[1]]:
        raise CommandError(f"{len(quads)} backs in {path} (want one, or its corners with --quad)")
    return np.asarray(quads[order[0]], np.float32)


def _backs_in(image: "NDArray[np.uint8]") -> "NDArray[np.float32]":
    import numpy as np

    from models import load_detector
    from models.classes import BACK, CLASS_ID

    found = load_detector().detect(image)
    return np.asarray(found.corners_px[found.class_id == CLASS_ID[BACK]], np.float32)


def _signature(image: "NDArray[np.uint8]", quad_px: "NDArray[np.float32]", path: Path) -> "BackSignature":
    import numpy as np

    from models.back_view import cut_back
    from models.backs import BackSignature

    shorter = float(np.linalg.norm(quad_px - np.roll(quad_px, 1, axis=0), axis=1).min())
    if shorter < LEAST_CARD_PX:
        raise CommandError(f"the back in {path} is {shorter:.0f} px wide (want {LEAST_CARD_PX:.0f} or more)")
    try:
        signature = BackSignature.of(cut_back(image, quad_px))
    except ValueError as error:
        raise CommandError(f"{path}: {error}") from None
    if int(signature.colours.max()) < LEAST_LEVEL:
        raise CommandError(f"the back in {path} is too dark to be told again (want more light)")
    if signature.pattern < LEAST_PATTERN:
        raise CommandError(f"the back in {path} is plain (want a pattern: players are told apart by it)")
    return signature


def _shown_beside(error: "TooAlikeError", new: "BackSignature", book: "BackBook", why: Path) -> Path:
    """Writes the two backs side by side, as they are remembered."""
    import cv2
    import numpy as np

    from api.images import encode_png

    other = next(signature for name, signature in book.backs if name == error.other)
    gap = np.full((new.colours.shape[0], 4, 3), 128, np.uint8)
    both = np.hstack([new.colours, gap, other.colours])
    large = cv2.resize(both, None, fx=SHOWN_PX_A_MM, fy=SHOWN_PX_A_MM, interpolation=cv2.INTER_NEAREST)
    try:
        why.write_bytes(encode_png(np.asarray(large, np.uint8)))
    except OSError as failure:
        raise CommandError(f"{error}; cannot show why: {os_error_line(failure)}") from None
    return why


@app.command("list")
def list_backs(
    *,
    backs: Backs = DEFAULT_FILE,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a back.")] = False,
) -> None:
    """Tell whose backs are remembered, which other one each is most like, and what decks lie beside them.

    Example: [bold]touchjudge deck list --backs decks.toml[/bold]
    """
    from models.backs import BackBook, as_share

    decks = _decks_beside(backs)
    book = BackBook() if decks and not backs.exists() else _book(backs)
    rows = [(name, *_most_like(name, book)) for name, _ in book.backs]
    if as_json:
        for name, other, likeness in rows:
            print(json.dumps({"player": name, "most_like": other or None, "likeness": likeness}))
        for path, deck in decks:
            print(json.dumps({"deck": deck.name, "cards": deck.cards, "file": str(path)}))
        return
    table = Table("player", "most like", "likeness", box=None, pad_edge=False)
    for name, other, likeness in rows:
        table.add_row(
            name,
            other,
            "" if likeness is None else f"{likeness:.3f} (at most {as_share(book.settings.alike):.3f})",
        )
    if rows:
        output().print(table)
    for path, deck in decks:
        output().print(f"{deck.name}: faces of {deck.cards} cards in {path}", markup=False)


def _decks_beside(backs: Path) -> "list[tuple[Path, StoredDeck]]":
    """The decks whose faces are kept in the folder of a file of backs."""
    from api.decks import open_deck
    from models.face_file import SUFFIX

    return [(path, open_deck(path)) for path in sorted(backs.parent.glob(f"*{SUFFIX}"))]


def _most_like(name: str, book: "BackBook") -> tuple[str, float | None]:
    """The most like of the other backs, and how like it is; empty and None where there is no other."""
    from models.backs import likeness_between

    own = dict(book.backs)[name]
    found = [(likeness_between(own, known), other) for other, known in book.backs if other != name]
    if not found:
        return "", None
    likeness, other = max(found)
    return other, round(likeness, 3)


@app.command("whose")
def whose(
    picture: Annotated[Path, typer.Argument(metavar="PICTURE", help="A photograph with backs in view.")],
    *,
    backs: Backs = DEFAULT_FILE,
    quad: Annotated[
        str | None,
        typer.Option("--quad", metavar="'X,Y X,Y X,Y X,Y'", help="The corners of one back, in px."),
    ] = None,
    px_per_mm: Annotated[
        float | None,
        typer.Option(
            "--scale", metavar="PX", min=0.1, help="Pixels a millimetre, where backs are partly hidden."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line a back.")] = False,
) -> None:
    """Name each back in view by its player, or unknown.

    Example: [bold]touchjudge deck whose table.jpg --backs decks.toml[/bold]
    """
    from api.images import read_image_bgr
    from models.back_view import cut_back

    book = _book(backs)
    image = read_image_bgr(picture)
    quads = _quad_of(quad)[None] if quad else _backs_in(image)
    answers = [(corners, book.owner_of(cut_back(image, corners, px_per_mm))) for corners in quads]
    if not answers:
        notes().print(f"no back found in {picture}", markup=False)
    for corners, match in answers:
        _tell(corners, match, as_json=as_json)


def _tell(corners_px: "NDArray[np.float32]", match: "BackMatch", *, as_json: bool) -> None:
    corners = [[round(float(x), 1), round(float(y), 1)] for x, y in corners_px]
    if as_json:
        row = {"player": match.name, "confidence": round(match.confidence, 4), "quad": corners}
        print(json.dumps(row), flush=True)
        return
    x, y = corners_px.mean(axis=0)
    said = f"{match.name or 'unknown'} {match.confidence:.2f} at {x:.0f}, {y:.0f}"
    output().print(said, markup=False)

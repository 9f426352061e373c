"""``touchjudge table``: table files, printable markers, and zones over a picture."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.console import notes, shown
from api.errors import CommandError, MisuseError, os_error_line

if TYPE_CHECKING:
    from vision.calibration import Calibration
    from vision.frames import Frame
    from vision.table import Table

MARKER_FRAMES = 1
"""One picture is enough to look at; ``watch`` takes more."""

SEARCHED_FRAMES = 120
"""Two seconds at 60 a second: a hand that hides a marker has gone by then."""

app = typer.Typer(help="Table files, printable markers, a picture of the zones.", no_args_is_help=True)


@app.command("new")
def new(
    path: Annotated[Path, typer.Argument(metavar="TABLE.toml", help="The file to write.")],
    *,
    players: Annotated[str, typer.Option(help="South's and north's names.")] = "South,North",
    corners: Annotated[
        str | None,
        typer.Option(
            metavar="'X,Y X,Y X,Y X,Y'",
            help="The table's corners in the picture, in pixels, clockwise from the top left. "
            "Without it, printed markers are looked for.",
        ),
    ] = None,
    picture_size: Annotated[str, typer.Option(help="The camera's picture, in pixels.")] = "1920x1080",
) -> None:
    """Start a table file for two players, to be adapted to where the piles lie.

    Example: [bold]touchjudge table new kitchen.toml --corners "40,20 1880,22 1885,1060 35,1058"[/bold]
    """
    from api.table_plan import CornersInPicture, table_text
    from vision.table_file import TableFileError, parse_table

    names = [name.strip() for name in players.split(",")]
    if len(names) != 2 or not all(names):
        raise MisuseError(f"--players wants two names with a comma between, got {players!r}")
    if shown(players) != players:
        raise MisuseError(f"--players wants names without control characters, got {players!a}")
    _refuse_existing(path)
    view = None if corners is None else CornersInPicture(_parse_size(picture_size), _parse_corners(corners))
    text = table_text(_table_name(path), names, view)
    try:
        parse_table(text, name="--players")
    except TableFileError as error:
        raise MisuseError(str(error)) from None
    _write(path, text.encode())
    notes().print(
        f"wrote {path}; look at it over a picture: touchjudge table show {path} PICTURE", markup=False
    )


@app.command("markers")
def markers(
    path: Annotated[Path, typer.Argument(metavar="OUT.pdf", help="The page to write.")] = Path("markers.pdf"),
    *,
    size_mm: Annotated[float, typer.Option(min=15, max=120, help="Side of the black square.")] = 40.0,
) -> None:
    """Make the four markers for a table's corners as an A4 page in true size.

    Example: [bold]touchjudge table markers markers.pdf[/bold]
    """
    from api.marker_sheet import marker_sheet_pdf

    if path.suffix.lower() != ".pdf":
        raise MisuseError(f"OUT wants a name that ends in .pdf, got {path}")
    _refuse_existing(path)
    try:
        page = marker_sheet_pdf("DICT_4X4_50", (0, 1, 2, 3), size_mm)
    except ValueError as error:
        raise MisuseError(str(error)) from None
    _write(path, page)
    notes().print(f"wrote {path}; print it at 100 %", markup=False)


@app.command("show")
def show(
    table_path: Annotated[Path, typer.Argument(metavar="TABLE.toml", help="The table file.")],
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A picture, video, camera, address or image folder.")
    ],
    *,
    out: Annotated[Path, typer.Option(help="The picture to write: .jpg or .png.")] = Path("table.jpg"),
) -> None:
    """Draw a table's zones over a picture (of a video its first), to check that every pile lies in its zone.

    Example: [bold]touchjudge table show kitchen.toml /dev/video0 --out kitchen.jpg[/bold]
    """
    from api.images import encode_jpeg, encode_png
    from api.opening import open_table
    from api.record_file import refuse_inputs
    from api.zone_picture import zone_picture

    encode = {".jpg": encode_jpeg, ".jpeg": encode_jpeg, ".png": encode_png}.get(out.suffix.lower())
    if encode is None:
        raise MisuseError(f"--out wants a name that ends in .jpg or .png, got {out}")
    refuse_inputs(out, (str(table_path), source), option="--out")
    table = open_table(table_path)
    frame, calibration = _first_view(table, source)
    _write(out, encode(zone_picture(frame.image_bgr, table, calibration)))
    width, height = table.size_mm
    px_per_mm = calibration.px_per_mm_at((width / 2, height / 2))
    notes().print(f"wrote {out}; {px_per_mm:.2f} px for each mm in the middle of the table", markup=False)


def _first_view(table: "Table", source_text: str) -> "tuple[Frame, Calibration]":
    """The first frame in which the table is found, and how the camera is related to it."""
    from vision.calibration import MarkerFinder, calibrate_from_corners
    from vision.table import FourCorners

    with _opened_frames(source_text) as source:
        if isinstance(table.view, FourCorners):
            fixed = calibrate_from_corners(table.view, table.size_mm)
            for frame in source:
                return frame, fixed.for_size(frame.size_px)
        else:
            finder = MarkerFinder(
                markers=table.view, frames_wanted=MARKER_FRAMES, frames_at_most=SEARCHED_FRAMES
            )
            for frame in source:
                found = finder.see(frame)
                if found is not None:
                    return frame, found
            finder.finish()
    raise CommandError(f"{source_text}: no picture in it")


@contextmanager
def _opened_frames(text: str) -> "Iterator[Iterable[Frame]]":
    """The frames of a source, or the one of a picture."""
    from api.images import read_image_bgr
    from api.opening import opened_source
    from vision.calibration import CalibrationError
    from vision.frames import MICROSECONDS, Frame
    from vision.pictures import Bgr
    from vision.sources.folder import IMAGE_ENDINGS

    path = Path(text)
    is_address = "://" in text
    if is_address or path.is_dir() or not (path.suffix.lower() in IMAGE_ENDINGS or _begins_as_picture(path)):
        with opened_source(text) as source:
            yield source
        return
    frame = Frame(
        picture=Bgr(read_image_bgr(path)),
        pts=0,
        time_base=Fraction(1, MICROSECONDS),
        index=0,
        source_id=path.name,
    )
    try:
        yield (frame,)
    except CalibrationError as error:
        raise CommandError(f"{text}: {error}") from None


def _begins_as_picture(path: Path) -> bool:
    """Whether a file without a picture's ending is a JPEG or PNG all the same."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(8).startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"))


def _table_name(path: Path) -> str:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-")
    if not name:
        raise MisuseError(f"a table's name is its file's name: want letters or digits in {path.name!r}")
    return name


def _parse_corners(text: str) -> tuple[tuple[float, float], ...]:
    number = r"-?\d+(?:\.\d+)?"
    if not re.fullmatch(rf"\s*(?:{number}\s*,\s*{number}\s+){{3}}{number}\s*,\s*{number}\s*", text):
        raise MisuseError(f"--corners wants four 'X,Y' pairs with blanks between, got {text!r}")
    numbers = [float(found) for found in re.findall(number, text)]
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _parse_size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if found is None:
        raise MisuseError(f"--picture-size wants WIDTHxHEIGHT such as 1920x1080, got {text!r}")
    return int(found[1]), int(found[2])


def _refuse_existing(path: Path) -> None:
    if path.exists() or path.is_symlink():
        raise MisuseError(f"{path} is there already (want a new name)")


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"cannot write: {os_error_line(error)}") from None

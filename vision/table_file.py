"""Table files (TOML) in, ``Table`` out. ``docs/table-file.md`` describes them for people."""

import json
import math
import re
import tomllib
import unicodedata
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, Self

import cv2
import numpy as np
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    FiniteFloat,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails
from shapely import Polygon

from models.open_file import open_file
from models.wanted import wanted_of
from referee.piles import PileId, Seat
from referee.setup import Game
from referee.texts import is_blank, seen_in, turns_text
from vision.table import Edge, FourCorners, Markers, SeatPlace, Table, Zone

OVERLAP_MM2 = 1.0
"""Zones may share an edge; what they share beyond that is two piles in one place."""
TEXT_BYTES_AT_MOST = 1_000_000
"""A long table file has some thousands of characters: what is larger is another file."""
LINE_AT_MOST = 20_000
"""In characters. The parser's time grows with the square of a line of dots and brackets."""
KEY_PARTS_AT_MOST = 50
"""Dots in one key, and brackets within brackets; a table file needs four."""
DOTS_AT_MOST = 500
"""In one line, whatever they are: the largest polygon has 400."""
CORNERS_AREA_PX2 = 100 * 100
"""A table that is smaller in the picture shows no card."""
SQUARED_GAMES = frozenset({Game.SPIT.value})
"""Games in which a seat's piles before it are squared packets of backs, their tops turned up (S5)."""
ZONE_AREA_MM2 = 20 * 20
"""A smaller zone holds no card's middle for certain."""
PILE_INDEX_AT_MOST = 99
MARKER_SPREAD_MM = 1.0
"""Markers whose centres lie this close to one line or to one another fix no view."""

_KEY_TOO_DEEP = re.compile(rf"^\s*[^#\s].*?(?:\.[^.,=\[\]]*+){{{KEY_PARTS_AT_MOST}}}")


class TableFileError(ValueError):
    """A table file does not hold. One line for a person: file, where in it, what was wanted."""


def _known_format(number: int) -> int:
    if number != 1:
        raise ValueError(f"{number}: want 1")
    return number


def _pile_name(text: str) -> str:
    if len(text) > 64:
        raise ValueError(f"{text[:20]!r}...: too long for a pile's name (want e.g. 'south/waste')")
    if PileId.parse(text).index > PILE_INDEX_AT_MOST:
        raise ValueError(f"{text!r}: number too high (want at most {PILE_INDEX_AT_MOST})")
    return text


def _player_name(text: str) -> str:
    """``text``; ``ValueError`` if people could not read it, or if it would turn what stands beside it."""
    if is_blank(text):
        raise ValueError(f"{text!a}: blank (want a name)")
    if any(unicodedata.category(sign) in {"Cc", "Cs", "Zl", "Zp"} for sign in text) or turns_text(text):
        raise ValueError(f"{text!a}: has control characters (want a name)")
    return text


Coordinate = Annotated[FiniteFloat, Field(ge=-100_000, le=100_000)]
Point = tuple[Coordinate, Coordinate]
Length = Annotated[FiniteFloat, Field(gt=0, le=10_000)]
TableLength = Annotated[FiniteFloat, Field(ge=100, le=10_000)]
Pixels = Annotated[int, Field(ge=1, le=16_384)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _TableSection(_Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=64)
    width_mm: TableLength
    height_mm: TableLength


class _CameraSection(_Strict):
    image_size_px: tuple[Pixels, Pixels]
    corners_px: tuple[Point, Point, Point, Point]


class _MarkersSection(_Strict):
    dictionary: str = "DICT_4X4_50"
    size_mm: Length
    centres_mm: dict[Annotated[int, Field(ge=0)], Point] = Field(min_length=4, max_length=100)

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if not (self.dictionary.startswith("DICT_") and hasattr(cv2.aruco, self.dictionary)):
            raise ValueError(f"no such dictionary: {self.dictionary!r} (want e.g. 'DICT_4X4_50')")
        size = len(cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, self.dictionary)).bytesList)
        for marker in self.centres_mm:
            if marker >= size:
                raise ValueError(f"marker {marker}: not in {self.dictionary} (want 0 to {size - 1})")
        return self

    @model_validator(mode="after")
    def _fixes_a_view(self) -> Self:
        for (one, here), (other, there) in combinations(self.centres_mm.items(), 2):
            if math.dist(here, there) < MARKER_SPREAD_MM:
                raise ValueError(f"centres_mm: markers {one} and {other} lie at one place")
        centres = np.array(list(self.centres_mm.values()))
        for here, there in combinations(centres, 2):
            x, y = there - here
            beside_mm = np.abs((centres - here) @ np.array([-y, x])) / np.hypot(x, y)
            if np.count_nonzero(beside_mm >= MARKER_SPREAD_MM) < 2:
                raise ValueError("centres_mm: too many markers on one line (want them around the table)")
        return self


class _SeatSection(_Strict):
    seat: Seat
    player: Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_player_name)]
    edge: Edge
    partner_of: Seat | None = None
    nerts_pile: int | None = None


class _PileSection(_Strict):
    pile: Annotated[str, AfterValidator(_pile_name)]
    polygon_mm: list[Point] = Field(min_length=3, max_length=200)


class _TableFile(_Strict):
    format: Annotated[int, AfterValidator(_known_format)]
    game: Literal["nerts", "spit"]
    table: _TableSection
    camera: _CameraSection | None = None
    markers: _MarkersSection | None = None
    seats: list[_SeatSection] = Field(min_length=1, max_length=len(Seat))
    piles: list[_PileSection] = Field(min_length=1, max_length=200)
    rules: dict[str, object] = Field(default_factory=dict)


def load_table(path: str | Path) -> Table:
    """The table that a file describes; ``TableFileError`` (one line) if it does not hold."""
    path = Path(path)
    try:
        with open_file(path) as file:
            content = file.read(TEXT_BYTES_AT_MOST + 1)
    except FileNotFoundError:
        raise TableFileError(f"{path}: no such file (want a table file)") from None
    except (OSError, ValueError):
        raise TableFileError(f"{path}: cannot be read (want a table file)") from None
    if len(content) > TEXT_BYTES_AT_MOST:
        raise TableFileError(f"{path}: too large for a table file (want at most 1 MB)")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise TableFileError(f"{path}: cannot be read as text (want a table file)") from None
    return parse_table(text, name=str(path))


def parse_table(text: str, *, name: str = "table file") -> Table:
    """The table that ``text`` describes; errors begin with ``name``."""
    try:
        return _table_of(_TableFile.model_validate_json(_json_of(text)))
    except ValidationError as error:
        raise TableFileError(f"{name}: {_one_line(error)}") from None
    except TableFileError as error:
        raise TableFileError(f"{name}: {error}") from None


def _json_of(text: str) -> str:
    """What ``text`` holds, as JSON; ``TableFileError`` if it is not TOML, or none that a person wrote."""
    if len(text) > TEXT_BYTES_AT_MOST:
        raise TableFileError("too large for a table file (want at most 1 MB)")
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LINE_AT_MOST:
            raise TableFileError(f"line {number}: too long (want at most {LINE_AT_MOST} characters)")
        if _KEY_TOO_DEEP.search(line) or line.count(".") > DOTS_AT_MOST:
            raise TableFileError(f"line {number}: a key too deep (want at most {KEY_PARTS_AT_MOST} parts)")
    try:
        return json.dumps(tomllib.loads(text), default=_refuse_dates)
    except TableFileError:
        raise
    except tomllib.TOMLDecodeError as error:
        raise TableFileError(f"not TOML: {str(error)[:200]}") from None
    except RecursionError:
        raise TableFileError("not TOML: nested too deep (want a table file)") from None
    except MemoryError:
        raise TableFileError("too large for a table file (want at most 1 MB)") from None
    except ValueError:
        raise TableFileError("not TOML: a number or date that is out of range") from None


def _refuse_dates(value: object) -> object:
    raise TableFileError(f"{value}: a date or time (want numbers, and text in quotes)")


def _table_of(file: _TableFile) -> Table:
    size_mm = (file.table.width_mm, file.table.height_mm)
    seats = tuple(SeatPlace(s.seat, s.player, s.edge, s.partner_of, s.nerts_pile) for s in file.seats)
    zones = tuple(_zone_of(section, size_mm, file.game) for section in file.piles)
    _refuse_twice([place.seat.value for place in seats], "seats", "seat")
    _refuse_twice([_as_seen(place.player) for place in seats], "seats", "player")
    _refuse_seat_words(seats)
    _refuse_twice([str(zone.pile) for zone in zones], "piles", "pile")
    _refuse_strangers(zones, seats)
    _refuse_overlaps(zones)
    return Table(
        name=file.table.name,
        game=file.game,
        size_mm=size_mm,
        view=_view_of(file),
        seats=seats,
        zones=zones,
        rules=MappingProxyType(dict(file.rules)),
    )


def _view_of(file: _TableFile) -> FourCorners | Markers:
    if file.camera is not None and file.markers is not None:
        raise TableFileError("want either [camera] or [markers], not both")
    if file.markers is not None:
        centres = MappingProxyType(dict(file.markers.centres_mm))
        return Markers(file.markers.dictionary, file.markers.size_mm, centres)
    if file.camera is None:
        raise TableFileError("want either [camera] or [markers]")
    return _four_corners(file.camera)


def _four_corners(camera: _CameraSection) -> FourCorners:
    (width, height), corners = camera.image_size_px, Polygon(camera.corners_px)
    for x, y in camera.corners_px:
        if not (-width <= x <= 2 * width and -height <= y <= 2 * height):
            wanted = f"want x in {-width}..{2 * width}, y in {-height}..{2 * height}"
            raise TableFileError(f"camera.corners_px: ({x:g}, {y:g}) lies far outside the picture ({wanted})")
    # With y down, what is counterclockwise to mathematicians is clockwise to the eye.
    if not (_is_convex(corners) and corners.exterior.is_ccw):
        raise TableFileError("camera.corners_px: not four corners in order, clockwise, around the table")
    if corners.area < CORNERS_AREA_PX2:
        wanted = f"want at least {CORNERS_AREA_PX2} px2"
        raise TableFileError(f"camera.corners_px: a table of {corners.area:.0f} px2 ({wanted})")
    return FourCorners(camera.image_size_px, camera.corners_px)


def _is_convex(polygon: Polygon) -> bool:
    return bool(polygon.is_valid and polygon.area > 0 and polygon.convex_hull.area <= polygon.area * 1.001)


def _zone_of(section: _PileSection, size_mm: tuple[float, float], game: str) -> Zone:
    polygon = Polygon(section.polygon_mm)
    if not _is_convex(polygon):
        raise TableFileError(f"pile {section.pile}: polygon_mm: not convex (want corners in order)")
    if polygon.area < ZONE_AREA_MM2:
        wanted = f"want at least {ZONE_AREA_MM2} mm2, and room for a card"
        raise TableFileError(f"pile {section.pile}: polygon_mm: {polygon.area:.0f} mm2 ({wanted})")
    left, top, right, bottom = polygon.bounds
    if left < 0 or top < 0 or right > size_mm[0] or bottom > size_mm[1]:
        wanted = f"want 0..{size_mm[0]:g} by 0..{size_mm[1]:g} mm"
        raise TableFileError(f"pile {section.pile}: polygon_mm: reaches outside the table ({wanted})")
    points = np.array(section.polygon_mm, dtype=np.float32)
    # With y down, a polygon that is counterclockwise to mathematicians is clockwise to the eye.
    clockwise = points if polygon.exterior.is_ccw else points[::-1].copy()
    return Zone(PileId.parse(section.pile), clockwise, is_squared=game in SQUARED_GAMES)


def _refuse_twice(names: list[str], section: str, what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise TableFileError(f"{section}: {what} {name} is given twice")


def _as_seen(name: str) -> str:
    """``name`` as people see it: two that differ in nothing else are one."""
    return unicodedata.normalize("NFC", " ".join(filter(None, map(seen_in, name.split()))))


def _refuse_seat_words(seats: tuple[SeatPlace, ...]) -> None:
    """Commands take a seat or a name: a player who is called as another seat would be taken for it."""
    for place in seats:
        word = _as_seen(place.player).lower()
        if word != place.seat.value and word in tuple(Seat):
            wanted = "want a name that is no other seat's"
            raise TableFileError(f"seats: player {place.player} sits at {place.seat} ({wanted})")


def _refuse_strangers(zones: tuple[Zone, ...], seats: tuple[SeatPlace, ...]) -> None:
    seated = {place.seat for place in seats}
    for zone in zones:
        if zone.pile.seat is not None and zone.pile.seat not in seated:
            raise TableFileError(f"pile {zone.pile}: no seat {zone.pile.seat} (want it among [[seats]])")


def _refuse_overlaps(zones: tuple[Zone, ...]) -> None:
    for one, other in combinations(zones, 2):
        shared_mm2 = Polygon(one.polygon_mm).intersection(Polygon(other.polygon_mm)).area
        if shared_mm2 > OVERLAP_MM2:
            raise TableFileError(f"piles {one.pile} and {other.pile} overlap by {shared_mm2:.0f} mm2")


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    where = _where(first)
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key (allowed: {', '.join(sorted(_allowed_beside(first)))})"
    if first["type"] == "missing":
        return f"{where}: missing"
    said = wanted_of(first)
    wanted = said if first["type"] == "value_error" else f"{_short(first['input'])}: {said}"
    return (f"{where}: {wanted}" if where else f"not a table file: {wanted}").replace("\n", " ")


def _short(value: object) -> str:
    """``value`` in plain characters, and no more of it than a line holds."""
    text = ascii(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _where(detail: ErrorDetails) -> str:
    """``piles[3].polygon_mm`` for the location that pydantic gives."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    text = text.removeprefix(".")
    text = text if text.isprintable() else ascii(text)
    return text if len(text) <= 80 else text[:77] + "..."


def _allowed_beside(detail: ErrorDetails) -> tuple[str, ...]:
    """The keys of the section in which an unknown key was found."""
    sections: dict[str, type[_Strict]] = {
        "table": _TableSection,
        "camera": _CameraSection,
        "markers": _MarkersSection,
        "seats": _SeatSection,
        "piles": _PileSection,
    }
    inside = sections[str(detail["loc"][0])] if len(detail["loc"]) > 1 else _TableFile
    return tuple(inside.model_fields)

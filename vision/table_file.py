"""Table files (TOML) in, ``Table`` out. ``docs/table-file.md`` describes them for people."""

import json
import re
import tomllib
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
    PositiveInt,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails
from shapely import Polygon

from referee.piles import PileId, Seat
from vision.table import Edge, FourCorners, Markers, SeatPlace, Table, Zone

OVERLAP_MM2 = 1.0
"""Zones may share an edge; what they share beyond that is two piles in one place."""


class TableFileError(ValueError):
    """A table file does not hold. One line for a person: file, where in it, what was wanted."""


def _pile_name(text: str) -> str:
    PileId.parse(text)
    return text


Point = tuple[FiniteFloat, FiniteFloat]
Length = Annotated[FiniteFloat, Field(gt=0)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _TableSection(_Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9_-]+$", max_length=64)
    width_mm: Length
    height_mm: Length


class _CameraSection(_Strict):
    image_size_px: tuple[PositiveInt, PositiveInt]
    corners_px: tuple[Point, Point, Point, Point]


class _MarkersSection(_Strict):
    dictionary: str = "DICT_4X4_50"
    size_mm: Length
    centres_mm: dict[Annotated[int, Field(ge=0)], Point] = Field(min_length=4)

    @model_validator(mode="after")
    def _is_known(self) -> Self:
        if not (self.dictionary.startswith("DICT_") and hasattr(cv2.aruco, self.dictionary)):
            raise ValueError(f"no such dictionary: {self.dictionary!r} (want e.g. 'DICT_4X4_50')")
        return self


class _SeatSection(_Strict):
    seat: Seat
    player: str = Field(min_length=1)
    edge: Edge


class _PileSection(_Strict):
    pile: Annotated[str, AfterValidator(_pile_name)]
    polygon_mm: list[Point] = Field(min_length=3)


class _TableFile(_Strict):
    format: Literal[1]
    game: Literal["nerts", "spit"]
    table: _TableSection
    camera: _CameraSection | None = None
    markers: _MarkersSection | None = None
    seats: list[_SeatSection] = Field(min_length=1)
    piles: list[_PileSection] = Field(min_length=1)
    rules: dict[str, object] = Field(default_factory=dict)


def load_table(path: str | Path) -> Table:
    """The table that a file describes; ``TableFileError`` (one line) if it does not hold."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise TableFileError(f"{path}: no such file (want a table file)") from None
    except (OSError, UnicodeDecodeError):
        raise TableFileError(f"{path}: cannot be read as text (want a table file)") from None
    return parse_table(text, name=str(path))


def parse_table(text: str, *, name: str = "table file") -> Table:
    """The table that ``text`` describes; errors begin with ``name``."""
    try:
        return _table_of(_TableFile.model_validate_json(json.dumps(tomllib.loads(text), default=str)))
    except tomllib.TOMLDecodeError as error:
        raise TableFileError(f"{name}: not TOML: {error}") from None
    except ValidationError as error:
        raise TableFileError(f"{name}: {_one_line(error)}") from None
    except TableFileError as error:
        raise TableFileError(f"{name}: {error}") from None


def _table_of(file: _TableFile) -> Table:
    size_mm = (file.table.width_mm, file.table.height_mm)
    seats = tuple(SeatPlace(s.seat, s.player, s.edge) for s in file.seats)
    zones = tuple(_zone_of(section, size_mm) for section in file.piles)
    _refuse_twice([place.seat.value for place in seats], "seats", "seat")
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
    corners = Polygon(file.camera.corners_px)
    if not _is_convex(corners):
        raise TableFileError("camera.corners_px: not four corners in order around the table")
    return FourCorners(file.camera.image_size_px, file.camera.corners_px)


def _is_convex(polygon: Polygon) -> bool:
    return bool(polygon.is_valid and polygon.area > 0 and polygon.convex_hull.area <= polygon.area * 1.001)


def _zone_of(section: _PileSection, size_mm: tuple[float, float]) -> Zone:
    polygon = Polygon(section.polygon_mm)
    if not _is_convex(polygon):
        raise TableFileError(f"pile {section.pile}: polygon_mm: not convex (want corners in order)")
    left, top, right, bottom = polygon.bounds
    if left < 0 or top < 0 or right > size_mm[0] or bottom > size_mm[1]:
        wanted = f"want 0..{size_mm[0]:g} by 0..{size_mm[1]:g} mm"
        raise TableFileError(f"pile {section.pile}: polygon_mm: reaches outside the table ({wanted})")
    points = np.array(section.polygon_mm, dtype=np.float32)
    # With y down, a polygon that is counterclockwise to mathematicians is clockwise to the eye.
    return Zone(PileId.parse(section.pile), points if polygon.exterior.is_ccw else points[::-1].copy())


def _refuse_twice(names: list[str], section: str, what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise TableFileError(f"{section}: {what} {name} is given twice")


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
    said = re.sub(r"^(Value error|Input should be)[, ]*", "", first["msg"])
    wanted = said if first["type"] == "value_error" else f"{first['input']!r}: want {said}"
    return f"{where}: {wanted}".replace("\n", " ")


def _where(detail: ErrorDetails) -> str:
    """``piles[3].polygon_mm`` for the location that pydantic gives."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"])
    return text.removeprefix(".")


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

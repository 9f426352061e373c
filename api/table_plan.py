"""A first table file: two players face to face, eight foundations between them, all in one regular plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from referee.piles import PileId, PileKind, Seat

TABLE_MM = (1000.0, 600.0)
PILE_MM = (96.0, 116.0)
"""A card of 63 x 88 mm with some 15 mm of room on each side, for quick hands."""
FOUNDATION_COUNT = 8
"""Two players have eight aces."""
GAP_MM = 4.0
"""Between the foundations' row and the players' own piles."""
MARKER_MM = 40.0
MARKER_INSET_MM = 30.0
"""From the table's edges to a marker's centre."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in table mm."""


@dataclass(frozen=True, slots=True)
class CornersInPicture:
    """Where the table's corners lie in the camera's picture, clockwise from the top left, in px."""

    image_size_px: tuple[int, int]
    corners_px: tuple[tuple[float, float], ...]


def table_text(name: str, players: Sequence[str], view: CornersInPicture | None) -> str:
    """The table file (TOML) of a regular two-player Nerts table. ``view`` None: printed markers."""
    south, north = players
    lines = [
        "# A table for TouchJudge. Millimetres from the top left corner as the camera sees the table.",
        "# Move the zones to where your piles lie, then look: touchjudge table show THIS.toml PICTURE",
        "format = 1",
        'game = "nerts"',
        "",
        "[table]",
        f"name = {_quoted(name)}",
        f"width_mm = {TABLE_MM[0]}",
        f"height_mm = {TABLE_MM[1]}",
        "",
        *(_marker_lines() if view is None else _camera_lines(view)),
        *_seat_lines(Seat.SOUTH, south, "bottom"),
        *_seat_lines(Seat.NORTH, north, "top"),
    ]
    for pile, (left, top, right, bottom) in _zones():
        corners = [[left, top], [right, top], [right, bottom], [left, bottom]]
        lines += ["[[piles]]", f'pile = "{pile}"', f"polygon_mm = {corners}", ""]
    return "\n".join(lines)


def marker_centres_mm() -> dict[int, tuple[float, float]]:
    """Where the printed markers 0 to 3 lie, clockwise from the top left."""
    width, height = TABLE_MM
    inset = MARKER_INSET_MM
    centres = (
        (inset, inset),
        (width - inset, inset),
        (width - inset, height - inset),
        (inset, height - inset),
    )
    return dict(enumerate(centres))


def _quoted(text: str) -> str:
    """``text`` as a TOML string."""
    escaped = "".join(
        f"\\u{ord(sign):04x}" if ord(sign) < 0x20 or ord(sign) == 0x7F else sign
        for sign in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def _camera_lines(view: CornersInPicture) -> list[str]:
    return [
        "[camera]",
        "# The table's corners in the picture, clockwise from the top left.",
        f"image_size_px = {list(view.image_size_px)}",
        f"corners_px = {[list(corner) for corner in view.corners_px]}",
        "",
    ]


def _marker_lines() -> list[str]:
    centres = ", ".join(f"{marker} = {list(centre)}" for marker, centre in marker_centres_mm().items())
    return [
        "[markers]",
        "# Printed by: touchjudge table markers",
        'dictionary = "DICT_4X4_50"',
        f"size_mm = {MARKER_MM}",
        f"centres_mm = {{ {centres} }}",
        "",
    ]


def _seat_lines(seat: Seat, player: str, edge: str) -> list[str]:
    return ["[[seats]]", f'seat = "{seat}"', f"player = {_quoted(player)}", f'edge = "{edge}"', ""]


def _zones() -> Iterator[tuple[PileId, Box]]:
    width, height = TABLE_MM
    pile_width, pile_height = PILE_MM
    row_top = (height - pile_height) / 2
    pitch = width / FOUNDATION_COUNT
    for index in range(FOUNDATION_COUNT):
        left = (index + 0.5) * pitch - pile_width / 2
        box = (left, row_top, left + pile_width, row_top + pile_height)
        yield PileId(PileKind.FOUNDATION, None, index), box
    for pile, box in _south_zones(row_top + pile_height + GAP_MM):
        yield pile, box
        left, top, right, bottom = box
        turned = (width - right, height - bottom, width - left, height - top)
        yield PileId(pile.kind, Seat.NORTH, pile.index), turned


def _south_zones(top: float) -> Iterator[tuple[PileId, Box]]:
    """One seat's seven places, left to right: Nerts pile, four work piles, stock, waste."""
    width, height = TABLE_MM
    bottom = height - GAP_MM
    kinds = [(PileKind.RESERVE, 0), *((PileKind.TABLEAU, i) for i in range(4))]
    kinds += [(PileKind.STOCK, 0), (PileKind.WASTE, 0)]
    room = width - 2 * (MARKER_INSET_MM + MARKER_MM)
    pitch = room / len(kinds)
    for column, (kind, index) in enumerate(kinds):
        left = round(MARKER_INSET_MM + MARKER_MM + (column + 0.5) * pitch - PILE_MM[0] / 2, 1)
        is_fan = kind is PileKind.TABLEAU
        box = (left, top, left + PILE_MM[0], bottom if is_fan else top + PILE_MM[1])
        yield PileId(kind, Seat.SOUTH, index), box

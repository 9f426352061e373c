"""Table files: what they hold, and what is refused with which line."""

import numpy as np
import pytest

from referee.piles import PileId, Seat
from vision.table import Edge, FourCorners, Markers
from vision.table_file import TableFileError, load_table, parse_table

TABLE = """
format = 1
game = "nerts"
[table]
name = "kitchen"
width_mm = 1000
height_mm = 600.0
[camera]
image_size_px = [1920, 1080]
corners_px = [[60, 30], [1860, 30], [1860, 1050], [60, 1050]]
[[seats]]
seat = "south"
player = "Ana"
edge = "bottom"
[[seats]]
seat = "north"
player = "Ben"
edge = "top"
[[piles]]
pile = "table/foundation[0]"
polygon_mm = [[100, 200], [195, 200], [195, 315], [100, 315]]
[[piles]]
pile = "south/reserve"
polygon_mm = [[100, 400], [195, 400], [195, 515], [100, 515]]
[rules]
nerts_penalty = 2
"""

MARKERS = """[markers]
size_mm = 40
centres_mm = { 0 = [30, 30], 1 = [970, 30], 2 = [970, 570], 3 = [30, 570] }
"""
CAMERA = TABLE[TABLE.index("[camera]") : TABLE.index("[[seats]]")]


def test_a_table_file_says_who_sits_where_and_where_piles_lie():
    table = parse_table(TABLE)

    assert (table.name, table.game, table.size_mm) == ("kitchen", "nerts", (1000.0, 600.0))
    assert table.edge_of(Seat.NORTH) is Edge.TOP
    assert table.edge_of(Seat.EAST) is None
    assert [zone.pile for zone in table.zones] == [
        PileId.parse("table/foundation[0]"),
        PileId.parse("south/reserve"),
    ]
    assert table.zones[1].box_mm == (100, 400, 195, 515)
    assert isinstance(table.view, FourCorners)
    assert dict(table.rules) == {"nerts_penalty": 2}


def test_markers_may_stand_for_the_camera():
    table = parse_table(TABLE.replace(CAMERA, MARKERS))

    assert isinstance(table.view, Markers)
    assert table.view.centres_mm[2] == (970.0, 570.0)


def test_polygons_are_turned_clockwise():
    turned = TABLE.replace(
        "[[100, 200], [195, 200], [195, 315], [100, 315]]", "[[100, 315], [195, 315], [195, 200], [100, 200]]"
    )

    zone = parse_table(turned).zones[0]

    x, y = zone.polygon_mm.T
    assert np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)) > 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param(
            'edge = "top"',
            'edge = "top"\nhat = 1',
            r"seats\[1\]\.hat: unknown key \(allowed: edge, player, seat\)",
            id="unknown key of a seat",
        ),
        pytest.param(
            "format = 1",
            "format = 1\ncolour = 3",
            r"colour: unknown key \(allowed: camera, format, game",
            id="unknown key at the top",
        ),
        pytest.param(
            "[table]",
            "[table]\nlegs = 4",
            r"table\.legs: unknown key \(allowed: height_mm, name, width_mm\)",
            id="unknown key of the table",
        ),
        pytest.param(
            "[[100, 400], [195, 400]",
            "[[100, 300], [195, 300]",
            r"piles table/foundation\[0\] and south/reserve overlap by 1425 mm2",
            id="overlapping zones",
        ),
        pytest.param(
            "[[100, 200], [195, 200]",
            "[[-9, 200], [195, 200]",
            r"table/foundation\[0\]: polygon_mm: reaches outside",
            id="zone outside the table",
        ),
        pytest.param(
            '"south/reserve"',
            '"table/foundation[0]"',
            r"pile table/foundation\[0\] is given twice",
            id="pile twice",
        ),
        pytest.param('seat = "north"', 'seat = "south"', "seat south is given twice", id="seat twice"),
        pytest.param('"south/reserve"', '"west/reserve"', "no seat west", id="pile of nobody"),
        pytest.param(
            '"south/reserve"', '"south/heap"', "not a pile: 'south/heap'", id="no such kind of pile"
        ),
        pytest.param('player = "Ana"\n', "", r"seats\[0\]\.player: missing", id="seat without player"),
        pytest.param('player = "Ana"', 'player = ""', r"seats\[0\]\.player: ''", id="player without a name"),
        pytest.param("[195, 200], [195, 315]", "[195, 315], [195, 200]", "not convex", id="bow tie"),
        pytest.param("[195, 315]", "[120, 220]", "not convex", id="dent"),
        pytest.param(
            "width_mm = 1000", 'width_mm = "1000"', r"table\.width_mm: '1000': want", id="text for a number"
        ),
        pytest.param("width_mm = 1000", "width_mm = -1", r"table\.width_mm: -1", id="width below 0"),
        pytest.param("width_mm = 1000", "width_mm = inf", r"table\.width_mm", id="width without end"),
        pytest.param(
            '"bottom"',
            '"front"',
            r"seats\[0\]\.edge: 'front': want 'bottom', 'top', 'left' or 'right'",
            id="no such edge",
        ),
        pytest.param('"kitchen"', '"my kitchen"', r"table\.name", id="name not fit for an address"),
        pytest.param('"nerts"', '"chess"', "game: 'chess'", id="no such game"),
        pytest.param("format = 1", "format = 2", "format: 2: want 1", id="format of another day"),
        pytest.param(CAMERA, CAMERA + MARKERS, "not both", id="camera and markers"),
        pytest.param(CAMERA, "", "either", id="neither camera nor markers"),
        pytest.param(
            CAMERA,
            MARKERS.replace("[markers]", '[markers]\ndictionary = "DICT_9"'),
            "no such dictionary: 'DICT_9'",
            id="no such dictionary",
        ),
        pytest.param(
            "[1860, 30], [1860, 1050]",
            "[1860, 1050], [1860, 30]",
            r"camera\.corners_px",
            id="corners out of order",
        ),
        pytest.param("game =", "game", "not TOML", id="not TOML"),
    ],
)
def test_what_does_not_hold_is_refused_in_one_line(old, new, said):
    assert old in TABLE

    with pytest.raises(TableFileError, match=said) as error:
        parse_table(TABLE.replace(old, new), name="kitchen.toml")

    assert str(error.value).startswith("kitchen.toml: ")
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableFileError, match="no such file"):
        load_table(tmp_path / "none.toml")


def test_bytes_are_no_table_file(tmp_path):
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(TableFileError, match="cannot be read as text"):
        load_table(path)

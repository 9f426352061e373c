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


def test_a_seat_may_share_a_deck_and_have_a_handicap():
    partner = '[[seats]]\nseat = "east"\nplayer = "Cy"\nedge = "right"\npartner_of = "south"\n'
    table = parse_table(TABLE.replace('edge = "top"\n', 'edge = "top"\nnerts_pile = 15\n' + partner))

    assert [(each.partner_of, each.nerts_pile) for each in table.seats] == [
        (None, None),
        (None, 15),
        (Seat.SOUTH, None),
    ]


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
            r"seats\[1\]\.hat: unknown key \(allowed: edge, nerts_pile, partner_of, player, seat\)",
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
        pytest.param("width_mm = 1000", "width_mm = 10001", r"table\.width_mm: 10001: want", id="hall"),
        pytest.param("height_mm = 600.0", "height_mm = 99", r"table\.height_mm: 99: want", id="stamp"),
        pytest.param("[1920, 1080]", "[16385, 1080]", r"camera\.image_size_px", id="picture too large"),
        pytest.param("[[60, 30]", "[[-1921, 30]", "lies far outside the picture", id="corner far outside"),
        pytest.param(
            "[[60, 30], [1860, 30], [1860, 1050], [60, 1050]]",
            "[[60, 30], [60, 1050], [1860, 1050], [1860, 30]]",
            "clockwise",
            id="corners counterclockwise",
        ),
        pytest.param(
            "[[60, 30], [1860, 30], [1860, 1050], [60, 1050]]",
            "[[60, 30], [90, 30], [90, 60], [60, 60]]",
            "a table of 900 px2",
            id="table too small in the picture",
        ),
        pytest.param(
            "[[100, 400], [195, 400], [195, 515], [100, 515]]",
            "[[100, 400], [110, 400], [110, 410], [100, 410]]",
            "south/reserve: polygon_mm: 100 mm2",
            id="zone too small",
        ),
        pytest.param("foundation[0]", "foundation[100]", "number too high", id="pile number too high"),
        pytest.param("foundation[0]", f"foundation[{'9' * 5000}]", "too long", id="pile number too long"),
        pytest.param(
            CAMERA, MARKERS.replace("3 = ", "50 = "), "marker 50: not in DICT_4X4_50", id="no such marker"
        ),
        pytest.param(
            CAMERA, MARKERS.replace("[970, 570]", "[970, 30]"), "1 and 2 lie at one place", id="markers twice"
        ),
        pytest.param(
            CAMERA,
            MARKERS.replace("[970, 570]", "[500, 30]"),
            "too many markers on one line",
            id="markers on a line",
        ),
        pytest.param('"Ben"', '"Ana"', "player Ana is given twice", id="one name for two"),
        pytest.param('"Ben"', '" \\t "', "blank", id="blank player"),
        pytest.param('"Ben"', '"\u200b"', "blank", id="invisible player"),
        pytest.param('"Ben"', '"\u3164 \u2800"', "blank", id="player of fillers"),
        pytest.param('"Ben"', '"An\u200ba"', "given twice", id="one name for two but for what is not seen"),
        pytest.param('"Ben"', '"south"', "player south sits at north", id="player called as another seat"),
        pytest.param(
            '"Ana"', '" East"', "East sits at south", id="player called as a seat that is not there"
        ),
        pytest.param('"Ben"', '"B\\nn"', "control characters", id="player over two lines"),
        pytest.param('"Ben"', '"B\u202en"', r"'B\\u202en': has control", id="player from right to left"),
        pytest.param('"Ben"', f'"{"B" * 65}"', r"seats\[1\]\.player", id="player with a long name"),
        pytest.param('"Ben"', '"B\ud800n"', "want", id="player with half a character"),
        pytest.param('"kitchen"', "1979-05-27", "1979-05-27: a date", id="name is a date"),
        pytest.param("format = 1", "format = true", "format: True: want", id="format is true"),
        pytest.param("format = 1", "format = 1.0", "format: 1.0: want", id="format is no whole number"),
        pytest.param("= 2\n", f"= {'1' * 5000}\n", "out of range", id="number of 5000 digits"),
        pytest.param("= 2\n", f"= 0x{'1' * 9000}\n", "out of range", id="hexadecimal number without end"),
        pytest.param("= 2\n", f"= {'[' * 9000}\n", "nested too deep", id="brackets in brackets"),
        pytest.param("[rules]", f"[rules{'.a' * 50}]", "line [0-9]+: a key too deep", id="key too deep"),
        pytest.param("[rules]", f"{'a.' * 50_000}a = 1", "line [0-9]+: too long", id="line too long"),
        pytest.param("= 2\n", "= 2\n" + "# much\n" * 200_000, "too large", id="file too large"),
        pytest.param("[rules]", '"a\\nb" = 1', r"a\\nb'?: unknown key", id="key over two lines"),
    ],
)
def test_what_does_not_hold_is_refused_in_one_line(old, new, said):
    assert old in TABLE

    with pytest.raises(TableFileError, match=said) as error:
        parse_table(TABLE.replace(old, new), name="kitchen.toml")

    assert str(error.value).startswith("kitchen.toml: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("\u0936\u0930\u094d\u200d\u092f\u0941", id="Marathi, with a joiner"),
        pytest.param("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627", id="Farsi, with a non-joiner"),
        pytest.param("north", id="the word of the player's own seat"),
        pytest.param("North-East", id="more than a seat's word"),
    ],
)
def test_a_name_that_people_have_is_taken(name):
    table = parse_table(TABLE.replace('"Ben"', f'"{name}"'))

    assert table.seats[1].player == name


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(TableFileError, match="no such file"):
        load_table(tmp_path / "none.toml")


def test_bytes_are_no_table_file(tmp_path):
    path = tmp_path / "table.toml"
    path.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(TableFileError, match="cannot be read as text"):
        load_table(path)


def test_a_comment_may_hold_a_dotted_line():
    assert parse_table(f"# {'.' * 70}\n{TABLE}").name == "kitchen"


def test_a_large_file_is_no_table_file(tmp_path):
    path = tmp_path / "table.toml"
    path.write_bytes(b"#" * 1_000_001)

    with pytest.raises(TableFileError, match="too large for a table file"):
        load_table(path)

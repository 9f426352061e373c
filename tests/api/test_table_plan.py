"""A table file that was started by the program is one that the program reads."""

import cv2
import numpy as np
import pytest

from api.marker_sheet import POINTS_PER_MM, marker_cells, marker_sheet_pdf
from api.table_plan import CornersInPicture, marker_centres_mm, table_text
from referee.piles import PileId, PileKind
from vision.table import FourCorners, Markers
from vision.table_file import parse_table

VIEW = CornersInPicture((1920, 1080), ((40.0, 20.0), (1880.0, 22.0), (1885.0, 1060.0), (35.0, 1058.0)))


def test_the_plan_has_all_piles_of_two_players():
    table = parse_table(table_text("kitchen", ("Ana", "Ben"), VIEW))

    kinds = [zone.pile.kind for zone in table.zones]
    assert [kinds.count(kind) for kind in (PileKind.FOUNDATION, PileKind.TABLEAU, PileKind.RESERVE)] == [
        8,
        8,
        2,
    ]
    assert isinstance(table.view, FourCorners)
    assert table.view.corners_px == VIEW.corners_px


def test_the_two_seats_see_the_same_table():
    table = parse_table(table_text("kitchen", ("Ana", "Ben"), None))
    polygons = {str(zone.pile): zone.polygon_mm for zone in table.zones}

    turned = np.array(table.size_mm) - polygons["south/tableau[1]"]

    assert np.allclose(sorted(turned.tolist()), sorted(polygons["north/tableau[1]"].tolist()), atol=0.01)


def test_markers_lie_outside_every_zone():
    table = parse_table(table_text("kitchen", ("Ana", "Ben"), None))

    assert isinstance(table.view, Markers)
    assert table.view.centres_mm == marker_centres_mm()
    for centre in marker_centres_mm().values():
        for zone in table.zones:
            distance_mm = -cv2.pointPolygonTest(zone.polygon_mm, centre, measureDist=True)
            assert distance_mm > table.view.size_mm / 2


@pytest.mark.parametrize("name", ['O"Hara', "back\\slash", "Zoë", "<b>"])
def test_a_players_name_comes_back_as_it_was_given(name: str):
    table = parse_table(table_text("kitchen", (name, "Ben"), VIEW))

    assert table.seats[0].player == name


def test_foundations_are_named_in_order():
    table = parse_table(table_text("kitchen", ("Ana", "Ben"), VIEW))
    left_edges = {zone.pile: zone.box_mm[0] for zone in table.zones}

    edges = [left_edges[PileId(PileKind.FOUNDATION, None, index)] for index in range(8)]

    assert edges == sorted(edges)


def test_a_printed_marker_is_found_again():
    cells = marker_cells("DICT_4X4_50", 3)
    page = np.full((400, 400), 255, dtype=np.uint8)
    page[100:280, 100:280] = np.kron(np.where(cells, 0, 255), np.ones((30, 30))).astype(np.uint8)

    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    _, ids, _ = cv2.aruco.ArucoDetector(dictionary).detectMarkers(page)

    assert ids.ravel().tolist() == [3]


def test_the_page_has_markers_in_true_size():
    page = marker_sheet_pdf("DICT_4X4_50", (0, 1), 36.0)

    cell_pt = f"{36.0 / 6 * POINTS_PER_MM:.3f}".encode()
    squares = [line for line in page.splitlines() if line.endswith(b" re f")]
    assert page.startswith(b"%PDF-1.4")
    assert len(squares) == sum(int(marker_cells("DICT_4X4_50", marker).sum()) for marker in (0, 1))
    assert all(line.split()[2:4] == [cell_pt, cell_pt] for line in squares)


def test_markers_too_large_for_the_page_are_refused():
    with pytest.raises(ValueError, match="4 markers of 120 mm do not fit"):
        marker_sheet_pdf("DICT_4X4_50", (0, 1, 2, 3), 120.0)

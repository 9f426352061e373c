"""Two cards that came together: whose lies on top is told by hands, by the side that shows, or not at all."""

import pytest

from referee.clock import Interval
from referee.piles import Seat
from vision.races import NOBODY_KNOWN, Owners, Signs, owners_of
from vision.settings import WatchSettings

SETTINGS = WatchSettings()
SOUTH, NORTH = Seat.SOUTH, Seat.NORTH


def signs(*, stops=None, above=None, below=None, south_lean_mm=0.0, is_apart=True) -> Signs:
    return Signs(
        seats=(SOUTH, NORTH),
        stops={seat: Interval(start, start + 17_000) for seat, start in (stops or {}).items()},
        grew_above=above or {},
        grew_below=below or {},
        leans_mm={SOUTH: south_lean_mm, NORTH: -south_lean_mm},
        is_apart=is_apart,
    )


@pytest.mark.parametrize(
    ("seen", "owners"),
    [
        pytest.param(
            signs(stops={SOUTH: 0, NORTH: 60_000}, above={SOUTH: 0.9}),
            Owners(NORTH, SOUTH, SETTINGS.stop_confidence),
            id="whose fingers stopped later",
        ),
        pytest.param(
            signs(stops={SOUTH: 0, NORTH: 60_000}, south_lean_mm=-8.0),
            NOBODY_KNOWN,
            id="stop and side differ",
        ),
        pytest.param(
            signs(stops={SOUTH: 0, NORTH: 10_000}, above={NORTH: 0.8}),
            Owners(NORTH, SOUTH, 0.8),
            id="fingers that stopped together tell nothing",
        ),
        pytest.param(signs(above={NORTH: 0.95, SOUTH: 0.05}), Owners(NORTH, SOUTH, 0.95), id="who came last"),
        pytest.param(signs(below={SOUTH: 0.9}), Owners(NORTH, SOUTH, 0.9), id="who came first"),
        pytest.param(
            signs(above={NORTH: 0.95}, below={SOUTH: 0.8}), Owners(NORTH, SOUTH, 0.8), id="both agree"
        ),
        pytest.param(signs(above={NORTH: 0.95}, below={NORTH: 0.8}), NOBODY_KNOWN, id="one hand came twice"),
        pytest.param(signs(above={NORTH: 0.6, SOUTH: 0.4}), NOBODY_KNOWN, id="both came, touches apart"),
        pytest.param(
            signs(above={NORTH: 0.6}, south_lean_mm=8.0, is_apart=False),
            Owners(NORTH, SOUTH, SETTINGS.lean_confidence),
            id="both came together: the lower card shows on its player's side",
        ),
        pytest.param(signs(south_lean_mm=1.0, is_apart=False), NOBODY_KNOWN, id="it shows to neither side"),
        pytest.param(
            signs(above={NORTH: 0.8}, south_lean_mm=-8.0), NOBODY_KNOWN, id="hand and side do not agree"
        ),
        pytest.param(
            signs(above={NORTH: 0.97}, south_lean_mm=-8.0), Owners(NORTH, SOUTH, 0.97), id="a sure hand"
        ),
    ],
)
def test_whose_card_lies_above(seen, owners):
    assert owners_of(seen, SETTINGS) == owners

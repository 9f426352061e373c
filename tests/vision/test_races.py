"""Two cards that came together: whose lies on top is told by hands, by the side that shows, or not at all."""

import pytest

from referee.cards import Card
from referee.clock import Interval
from referee.piles import Seat
from vision.races import NOBODY_KNOWN, Beneath, Owners, Signs, is_told_by_itself, owners_of
from vision.settings import WatchSettings

SETTINGS = WatchSettings()
SOUTH, NORTH = Seat.SOUTH, Seat.NORTH


def signs(
    *, fingers_south_mm=None, stops=None, above=None, below=None, south_lean_mm=0.0, is_apart=True
) -> Signs:
    return Signs(
        seats=(SOUTH, NORTH),
        fingers_mm={} if fingers_south_mm is None else {SOUTH: fingers_south_mm, NORTH: -fingers_south_mm},
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
            signs(fingers_south_mm=20.0, stops={SOUTH: 0, NORTH: 60_000}, above={NORTH: 0.97}),
            Owners(SOUTH, NORTH, SETTINGS.finger_confidence),
            id="whose fingers lie on the upper card, whatever came before",
        ),
        pytest.param(
            signs(fingers_south_mm=4.0, above={NORTH: 0.95}),
            Owners(NORTH, SOUTH, 0.95),
            id="fingers in the middle tell nothing",
        ),
        pytest.param(
            signs(south_lean_mm=50.0),
            Owners(NORTH, SOUTH, SETTINGS.lean_confidence),
            id="touches apart, no hand tells: the lower card shows far to its player's side",
        ),
        pytest.param(
            signs(south_lean_mm=8.0), NOBODY_KNOWN, id="touches apart, it shows a little to one side"
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


def beneath(*, is_seen=True, shows=True, brought_by=None, card="2S") -> Beneath:
    return Beneath(
        touch=Interval(0, 20_000),
        is_seen=is_seen,
        shows=shows,
        brought_by=brought_by,
        towards_mm=(0.0, 0.0),
        card=Card.parse(card) if card is not None else None,
        confidence=0.9,
    )


@pytest.mark.parametrize(
    ("below", "stopped", "is_told"),
    [
        pytest.param(beneath(shows=False, brought_by=SOUTH), (), True, id="seen to come by the other hand"),
        pytest.param(
            beneath(shows=False, brought_by=SOUTH, card=None), (), False, id="no face: an empty hand, perhaps"
        ),
        pytest.param(
            beneath(brought_by=NORTH), (), False, id="the same hand brought both: one card told twice"
        ),
        pytest.param(beneath(), (), True, id="seen, and it shows beside the upper one"),
        pytest.param(beneath(shows=False), (), False, id="seen, but nobody knows by whose hand, and covered"),
        pytest.param(beneath(is_seen=False), (SOUTH, NORTH), True, id="not seen: it shows, and both stopped"),
        pytest.param(beneath(is_seen=False), (NORTH,), False, id="not seen, and the other hand only passed"),
    ],
)
def test_a_lower_card_is_told_by_itself_only_if_another_hand_brought_it(below, stopped, is_told):
    owners = Owners(NORTH, SOUTH, 0.95)

    assert is_told_by_itself(below, owners, stopped) is is_told

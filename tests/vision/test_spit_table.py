"""The watcher on a table of Spit: stock piles with backs, spit piles, slaps, and piles that are taken."""

import numpy as np
import pytest

from referee.cards import Card
from referee.observations import CardLanded, CardLifted, HandTouched
from referee.piles import PileId, Seat
from referee.sightings import Handling, PileHandled, PileLaid
from vision.watcher import Watcher

SPIT, OTHER_SPIT = PileId.parse("table/spit[1]"), PileId.parse("table/spit[2]")
STOCK = PileId.parse("south/tableau[1]")
NORTH_STOCK = PileId.parse("north/tableau[1]")
PACKET = PileId.parse("south/hand")
AT = {
    SPIT: (107.0, 197.0),
    OTHER_SPIT: (317.0, 197.0),
    STOCK: (212.0, 327.0),
    NORTH_STOCK: (212.0, 72.0),
    PACKET: (317.0, 327.0),
}
HOME = {"bottom": 430.0, "top": -30.0}


@pytest.fixture
def watch(spit_table, detector):
    def watch_frames(frames):
        watcher = Watcher(spit_table, detector)
        return [*(o for frame in frames for o in watcher.see(frame)), *watcher.finish()]

    return watch_frames


def only(kind, observations):
    return [o for o in observations if isinstance(o, kind)]


def handled(observations, handling):
    return [o for o in only(PileHandled, observations) if o.handling is handling]


def deal(scene, first="9C"):
    """A face on each spit pile, a face over a back on each stock pile, and south's packet."""
    if first is not None:
        scene.put(first, "table/spit[1]", dx=1.5)
    scene.put("KH", "table/spit[2]", dx=-1.0, dy=1.0)
    scene.put("BACK", "south/tableau[1]", dx=1.0)
    scene.put("8D", "south/tableau[1]")
    scene.put("BACK", "north/tableau[1]", dx=-1.0)
    scene.put("QS", "north/tableau[1]")
    scene.put("BACK", "south/hand", dy=2.0, angle=2.0)
    scene.film(14)


def reach(scene, pile, edge="bottom"):
    scene.sweep(edge, (AT[pile][0], HOME[edge]), AT[pile], 12)


def leave(scene, pile, edge="bottom", still=40):
    scene.sweep(edge, AT[pile], (AT[pile][0], HOME[edge]), 12)
    scene.film(still)


def take(scene, name, pile):
    """The topmost card of that name leaves a pile."""
    x, y = AT[pile]
    there = [abs(card[1] - x) < 20 and abs(card[2] - y) < 20 for card in scene.cards]
    del scene.cards[max(i for i, card in enumerate(scene.cards) if there[i] and card[0] == name)]


def carry(scene, name, source, target, *, edge="bottom", shows=None, **place):
    """A hand that is at ``source`` takes a card to ``target``; when it lies there."""
    take(scene, name, source)
    shows = shows or name
    scene.sweep(edge, AT[source], AT[target], 20, held=shows)
    touch_us = scene.now_us
    scene.put(shows, str(target), **place)
    scene.film(3, (edge, *AT[target]))
    return touch_us


def turn_up(scene, name):
    """The hand at south's stock pile turns its top back up."""
    take(scene, "BACK", STOCK)
    scene.put(name, "south/tableau[1]", dx=2.0)
    scene.film(14, ("bottom", 212.0, 368.0))


def landings(observations):
    return [(str(o.pile), str(o.card), o.seat, str(o.source)) for o in only(CardLanded, observations)]


def test_a_card_on_a_spit_pile_is_a_play_whatever_lay_there(scene, watch):
    deal(scene)
    reach(scene, STOCK)
    touch_us = carry(scene, "8D", STOCK, SPIT, dy=2.0)
    leave(scene, SPIT)

    observations = watch(scene.frames)

    (landed,) = only(CardLanded, observations)
    assert (landed.pile, landed.card, landed.seat, landed.source) == (
        SPIT, Card.parse("8D"), Seat.SOUTH, STOCK,
    )  # fmt: skip
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert [(o.pile, str(o.card)) for o in only(CardLifted, observations)] == [(STOCK, "8D")]
    assert not only(PileHandled, observations)


def put_down(scene, edge, resting, *, shows="8D"):
    """A hand from an edge brings a card to the first spit pile while others rest; when it lies there."""
    scene.sweep(edge, (AT[SPIT][0], HOME[edge]), AT[SPIT], 12, *resting, held=shows)
    touch_us = scene.now_us
    scene.put(shows, "table/spit[1]", dy=2.0)
    scene.film(3, (edge, *AT[SPIT]), *resting)
    scene.sweep(edge, AT[SPIT], (AT[SPIT][0], HOME[edge]), 10, *resting)
    return touch_us


SOUTH_RESTS, NORTH_RESTS = ("bottom", 212.0, 345.0), ("top", 212.0, 54.0)


@pytest.mark.parametrize("edge", ["bottom", "top"], ids=["the owner's hand", "another's hand"])
@pytest.mark.parametrize("still", [70, 2], ids=["at the deadline", "until just before"])
def test_a_card_on_a_spit_pile_is_the_players_of_the_only_pile_that_showed_it(scene, watch, edge, still):
    deal(scene)
    reach(scene, STOCK)
    take(scene, "8D", STOCK)
    touch_us = put_down(scene, edge, [SOUTH_RESTS])
    scene.film(still, SOUTH_RESTS)
    leave(scene, STOCK, still=80)

    observations = watch(scene.frames)

    assert landings(observations) == [("table/spit[1]", "8D", Seat.SOUTH, "south/tableau[1]")]
    (lifted,), (landed,) = only(CardLifted, observations), only(CardLanded, observations)
    assert (lifted.pile, str(lifted.card), lifted.seat) == (STOCK, "8D", Seat.SOUTH)
    assert observations.index(lifted) < observations.index(landed)
    assert landed.touch.start_us <= touch_us <= landed.touch.end_us
    assert landed.seat_confidence > 0.9


def test_of_two_piles_under_hands_that_showed_the_card_neither_is_its_source(scene, watch):
    scene.put("9C", "table/spit[1]", dx=1.5)
    scene.put("8D", "south/tableau[1]")
    scene.put("8D", "north/tableau[1]")
    scene.film(14)
    reach(scene, NORTH_STOCK, "top")
    scene.sweep("bottom", (212, 430), (212, 345), 8, NORTH_RESTS)
    put_down(scene, "bottom", [SOUTH_RESTS, NORTH_RESTS])
    scene.film(66, SOUTH_RESTS, NORTH_RESTS)
    scene.sweep("bottom", (212, 345), (212, 430), 10)
    scene.film(60)

    observations = watch(scene.frames)

    assert landings(observations) == [("table/spit[1]", "8D", Seat.SOUTH, "None")]
    assert not only(CardLifted, observations)


def test_a_pile_at_rest_that_shows_the_card_is_not_its_source(scene, watch):
    deal(scene)
    reach(scene, NORTH_STOCK, "top")
    put_down(scene, "bottom", [NORTH_RESTS])
    scene.film(66, NORTH_RESTS)  # Another pile under a hand, so that the landing waits.
    leave(scene, NORTH_STOCK, "top", still=60)

    observations = watch(scene.frames)

    assert landings(observations) == [("table/spit[1]", "8D", Seat.SOUTH, "None")]
    assert not only(CardLifted, observations)


def test_the_next_card_of_a_stock_pile_that_is_turned_up_is_no_landing(scene, watch):
    deal(scene)
    take(scene, "8D", STOCK)
    scene.film(14)
    reach(scene, STOCK)
    take(scene, "BACK", STOCK)
    scene.put("5S", "south/tableau[1]")
    leave(scene, STOCK)

    observations = watch(scene.frames)

    (turned,) = handled(observations, Handling.FACED_UP)
    assert (turned.pile, turned.seat, turned.cards) == (STOCK, Seat.SOUTH, (Card.parse("5S"),))
    assert not only(CardLanded, observations)


def test_a_card_that_is_turned_up_and_played_in_one_reach_is_told_as_both(scene, watch):
    deal(scene)
    take(scene, "8D", STOCK)
    scene.film(30)
    reach(scene, STOCK)
    turned_us = scene.now_us
    turn_up(scene, "8C")
    carry(scene, "8C", STOCK, SPIT, dy=2.0)
    leave(scene, SPIT)

    observations = watch(scene.frames)

    told = [o for o in observations if isinstance(o, PileHandled | CardLifted | CardLanded)]
    _, turned, lifted, landed = told
    assert (turned.handling, turned.pile, turned.cards) == (Handling.FACED_UP, STOCK, (Card.parse("8C"),))
    assert turned.touch.start_us <= turned_us <= turned.touch.end_us
    assert (lifted.pile, landed.pile, landed.card, landed.source) == (STOCK, SPIT, Card.parse("8C"), STOCK)


def test_the_next_card_that_is_turned_up_at_once_after_a_play_is_told(scene, watch):
    deal(scene)
    reach(scene, STOCK)
    take(scene, "8D", STOCK)
    scene.film(2, ("bottom", *AT[STOCK]))
    take(scene, "BACK", STOCK)
    scene.put("5S", "south/tableau[1]")
    leave(scene, STOCK)

    observations = watch(scene.frames)

    assert [(o.pile, str(o.card)) for o in only(CardLifted, observations)] == [(STOCK, "8D")]
    assert [o.cards for o in handled(observations, Handling.FACED_UP)] == [(Card.parse("5S"),)]
    assert not only(CardLanded, observations)


def test_a_card_that_is_taken_back_from_a_spit_pile_is_a_lift_there(scene, watch):
    deal(scene)
    reach(scene, STOCK)
    carry(scene, "8D", STOCK, OTHER_SPIT, dy=2.0)
    leave(scene, OTHER_SPIT)
    reach(scene, OTHER_SPIT)
    carry(scene, "8D", OTHER_SPIT, STOCK)
    leave(scene, STOCK, still=80)

    observations = watch(scene.frames)

    assert landings(observations) == [
        ("table/spit[2]", "8D", Seat.SOUTH, "south/tableau[1]"),
        ("south/tableau[1]", "8D", Seat.SOUTH, "table/spit[2]"),
    ]
    assert not only(PileHandled, observations)


def race(scene, *, gap_frames, resting=()):
    """South brings its 8D, north its TS so many frames later and on top; the times of both touches.

    Other hands rest until the landings have waited for their sources long enough.
    """
    scene.put("9C", "table/spit[1]", dx=1.5)
    scene.put("8D", "south/tableau[1]")
    scene.put("TS", "north/tableau[1]")
    scene.film(14)
    scene.sweep("bottom", (212, 430), (212, 327), 8, ("top", 212, 20), *resting)
    scene.sweep("top", (212, 20), (212, 72), 8, ("bottom", 212, 327), *resting)
    take(scene, "8D", STOCK)
    take(scene, "TS", NORTH_STOCK)
    for y in np.linspace(327, 212, 14):
        scene.film(1, ("bottom", 107 + (y - 212) * 0.9, y), ("top", 212, 72), *resting, held="8D")
    first_us = scene.now_us
    scene.put("8D", "table/spit[1]", dy=12)
    for share in np.linspace(1 / gap_frames, 1, gap_frames):
        tip = (212 - 105 * share, 72 + 112 * share)
        scene.film(1, ("top", *tip), ("bottom", 107, 232), *resting, held="TS")
    second_us = scene.now_us
    scene.put("TS", "table/spit[1]", dy=-11)
    scene.film(3, ("top", 107, 184), ("bottom", 107, 232), *resting)
    for share in np.linspace(0, 1, 14):
        scene.film(1, ("bottom", 107, 232 + 220 * share), ("top", 107, 184 - 230 * share), *resting)
    scene.film(60, *resting)
    for edge, x, y in resting:
        scene.sweep(edge, (x, y), (x, HOME[edge]), 10)
        scene.film(60)
    return first_us, second_us


@pytest.mark.parametrize(
    ("gap_frames", "resting"),
    [
        pytest.param(9, (), id="soon"),
        pytest.param(13, (), id="later"),
        pytest.param(9, (NORTH_RESTS,), id="from a pile with a hand on it"),
        pytest.param(9, (SOUTH_RESTS,), id="a card from a pile with a hand on it"),
    ],
)
def test_a_card_that_a_rival_covers_is_told_with_its_owner_and_below(scene, watch, gap_frames, resting):
    first_us, second_us = race(scene, gap_frames=gap_frames, resting=resting)

    observations = watch(scene.frames)

    assert landings(observations) == [
        ("table/spit[1]", "8D", Seat.SOUTH, "south/tableau[1]"),
        ("table/spit[1]", "TS", Seat.NORTH, "north/tableau[1]"),
    ]
    below, above = only(CardLanded, observations)
    assert below.touch.start_us <= first_us <= below.touch.end_us
    assert above.touch.start_us <= second_us <= above.touch.end_us
    assert sorted(str(o.card) for o in only(CardLifted, observations)) == ["8D", "TS"]
    (order,) = only(PileLaid, observations)
    assert [(str(laid.card), laid.owner) for laid in order.cards] == [("8D", Seat.SOUTH), ("TS", Seat.NORTH)]


def test_a_spit_card_comes_from_its_players_packet(scene, watch):
    deal(scene)
    reach(scene, PACKET)
    take(scene, "BACK", PACKET)
    scene.put("BACK", "south/hand", dx=2.0, angle=-2.0)
    scene.cards.append(("3H", *AT[PACKET], 0.0))
    carry(scene, "3H", PACKET, OTHER_SPIT, dy=2.0)
    leave(scene, OTHER_SPIT, still=80)

    assert landings(watch(scene.frames)) == [("table/spit[2]", "3H", Seat.SOUTH, "south/hand")]


def test_a_hand_that_rests_on_a_spit_pile_is_no_card_that_lay_there(scene, watch):
    deal(scene)
    reach(scene, SPIT)
    scene.film(30, ("bottom", 107.0, 215.0))
    leave(scene, SPIT)

    observations = watch(scene.frames)

    assert [o.pile for o in only(HandTouched, observations)] == [SPIT]
    assert not only(CardLanded, observations)


def slap(scene, pile):
    reach(scene, pile)
    slap_us = scene.now_us
    scene.film(20, ("bottom", *AT[pile]))
    leave(scene, pile)
    return slap_us


def test_a_hand_on_a_spit_pile_slaps_it_once_a_seat_has_no_stock_left(scene, watch):
    deal(scene)
    slap(scene, SPIT)
    take(scene, "QS", NORTH_STOCK)
    take(scene, "BACK", NORTH_STOCK)
    scene.film(40)
    slap_us = slap(scene, SPIT)

    observations = watch(scene.frames)

    (early,) = only(HandTouched, observations)
    assert (early.pile, early.seat) == (SPIT, Seat.SOUTH)
    (slapped,) = handled(observations, Handling.SLAPPED)
    assert (slapped.pile, slapped.seat) == (SPIT, Seat.SOUTH)
    assert slapped.touch.start_us <= slap_us <= slapped.touch.end_us + 17_000


def gather(scene, name="9C"):
    """South takes the first spit pile to its packet; when it lies there."""
    reach(scene, SPIT)
    take(scene, name, SPIT)
    scene.sweep("bottom", AT[SPIT], AT[PACKET], 20, held="BACK")
    touch_us = scene.now_us
    scene.put("BACK", "south/hand", dx=-3.0, angle=-3.0)
    scene.film(3, ("bottom", *AT[PACKET]))
    leave(scene, PACKET, still=80)
    return touch_us


def test_a_spit_pile_that_is_taken_whole_is_gathered_and_no_card_is_taken_back(scene, watch):
    deal(scene)
    touch_us = gather(scene)

    observations = watch(scene.frames)

    (gathered,) = handled(observations, Handling.GATHERED)
    assert (gathered.pile, gathered.target, gathered.seat) == (SPIT, PACKET, Seat.SOUTH)
    assert gathered.touch.start_us <= touch_us <= gathered.touch.end_us
    assert not only(CardLifted, observations)


def test_a_gathered_pile_that_is_not_laid_down_is_told_all_the_same(scene, watch):
    deal(scene)
    reach(scene, SPIT)
    take(scene, "9C", SPIT)
    leave(scene, SPIT, still=180)

    (gathered,) = handled(watch(scene.frames), Handling.GATHERED)

    assert (gathered.pile, gathered.target, gathered.seat) == (SPIT, None, Seat.SOUTH)


def test_the_only_card_of_a_spit_pile_is_lifted_not_gathered(scene, watch):
    deal(scene, first=None)
    reach(scene, STOCK)
    carry(scene, "8D", STOCK, SPIT)
    leave(scene, SPIT)
    reach(scene, SPIT)
    carry(scene, "8D", SPIT, STOCK)
    leave(scene, STOCK, still=80)

    observations = watch(scene.frames)

    assert not handled(observations, Handling.GATHERED)
    assert [(o.pile, str(o.card)) for o in only(CardLifted, observations)] == [(STOCK, "8D"), (SPIT, "8D")]


def test_a_pile_that_is_slapped_and_taken_in_one_go_was_slapped_first(scene, watch):
    deal(scene)
    take(scene, "QS", NORTH_STOCK)
    take(scene, "BACK", NORTH_STOCK)
    scene.film(30)
    reach(scene, SPIT)
    slap_us = scene.now_us
    scene.film(20, ("bottom", *AT[SPIT]))
    leave(scene, SPIT, still=2)
    gather(scene)

    observations = watch(scene.frames)

    (slapped,) = handled(observations, Handling.SLAPPED)
    assert slapped.touch.start_us <= slap_us <= slapped.touch.end_us + 17_000
    assert len(handled(observations, Handling.GATHERED)) == 1

"""Whose card stays: what a correction or an answer does to each card that it is about."""

from collections.abc import Iterable, Iterator

from api.write_schemas import CardFateOut
from referee.events import CardMoved
from referee.ledger import Change
from referee.setup import MatchSetup
from referee.verdicts import Verdict

_Place = tuple[object, int, int]
"""Names one play in both verdicts: where it came to rest, and its touch; card and seat may be put right."""


def fates_of(
    changes: Iterable[Change], answered: Verdict | None, setup: MatchSetup
) -> tuple[CardFateOut, ...]:
    """Every card of the verdicts that change, and of the one that is ``answered``, with how it fares.

    ``answered``: None where a review answers no verdict.
    """
    befores = [change.before for change in changes]
    afters = [change.after for change in changes]
    is_changed = answered is None or answered in befores
    was = dict(_plays([*befores, None if is_changed else answered]))
    now = dict(_plays([*afters, None if is_changed else answered]))
    return tuple(_fate(was.get(place), now.get(place), setup) for place in {**was, **now})


def _plays(verdicts: Iterable[Verdict | None]) -> Iterator[tuple[_Place, tuple[Verdict, int]]]:
    for verdict in verdicts:
        for i, play in enumerate(() if verdict is None else verdict.event.plays):
            assert verdict is not None, "nothing has no plays"
            yield (play.target, play.touch.start_us, play.touch.end_us), (verdict, i)


def _fate(was: tuple[Verdict, int] | None, now: tuple[Verdict, int] | None, setup: MatchSetup) -> CardFateOut:
    told = now or was
    assert told is not None, "a place is in one of both"
    play: CardMoved = told[0].event.plays[told[1]]
    return CardFateOut(
        verdict_id=(was or told)[0].verdict_id,
        pile=str(play.target),
        card=None if play.card is None else str(play.card),
        seat=None if play.seat is None else play.seat.value,
        player=None if play.seat is None else setup.player_at(play.seat),
        stayed=None if was is None else was[1] in was[0].kept,
        stays=now is not None and now[1] in now[0].kept,
    )

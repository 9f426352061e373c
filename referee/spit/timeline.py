"""One match of Spit or a sister in the order of time: what comes in, what is due, what is waited for."""

from collections.abc import Iterable
from typing import Protocol

from referee.events import Happened
from referee.interpret import Interpreter, News, Pending, PileNews
from referee.messages import say
from referee.nerts_rules import NertsRules
from referee.observations import CardLanded, CardLifted, CardsCounted, HandTouched, Observation
from referee.piles import PileId
from referee.score import Scorecard
from referee.setup import MatchSetup
from referee.shared import SharedRules
from referee.sightings import Handling, HandsRested, LandedBetween, PileHandled, PilesOverlapped
from referee.spit.checks import name_of
from referee.spit.plays import carried_plays
from referee.spit.shared import Lapse, SharedPlays
from referee.table import TableState
from referee.tellings import BacksCounted
from referee.verdicts import RuleId, Ruling, Verdict, ruled


class SisterGame(Protocol):
    """A game that is followed in time."""

    @property
    def shared(self) -> SharedPlays:
        """Its shared piles."""

    def has_pile(self, pile: PileId) -> bool:
        """Whether the game has such a pile."""

    def pile_news(self, news: PileNews) -> tuple[Verdict, ...]:
        """Judge what came to one pile."""

    def told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        """Judge what was seen or told at one time."""

    def ended(self) -> tuple[Verdict, ...]:
        """Whether somebody has no cards left."""

    @property
    def lapses(self) -> Iterable[Lapse]:
        """What else is waited for, and until when."""

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""

    def last_words(self) -> tuple[Verdict, ...]:
        """What is left open when nothing more comes."""


class SisterJudge:
    """Judges one match of Spit or a sister; see ``referee.games.GameJudge``.

    It tells the game, in order of time, what comes in and what has been waited for long enough.
    """

    def __init__(self, setup: MatchSetup, game: SisterGame) -> None:
        self._collection_us = setup.timing.collection_us
        self._interpreter = Interpreter(setup.timing, setup.place_of)
        self._every_game = SharedRules(setup)
        assert not isinstance(setup.rules, NertsRules)
        self._cards = setup.rules.cards
        self._game = game
        game.shared.landing_soon = self._landing_soon
        game.shared.lifts = self._lifts

    def take(self, observation: Observation, told_us: int) -> None:
        """Take in an observation that was told at ``told_us``.

        What hands do waits as long as the cards that may come to rest meanwhile. A pile that is picked up
        does not: its bare place, which is told with it, comes after.
        """
        self._game.shared.expect(observation)
        is_taken = isinstance(observation, PileHandled) and observation.handling is Handling.GATHERED
        waits = isinstance(observation, PileHandled | HandsRested | HandTouched) and not is_taken
        self._interpreter.take(observation, told_us=told_us + self._collection_us if waits else told_us)

    def due(self, now_us: int) -> tuple[Verdict, ...]:
        """The verdicts whose time ran out before ``now_us``."""
        return self._judged(self._interpreter.news_before(now_us)) + self._lapsed(now_us)

    def rest(self) -> tuple[Verdict, ...]:
        """Every verdict that is still open."""
        return (
            self._judged(self._interpreter.rest())
            + self._lapsed(None)
            + self._followed(self._game.last_words())
        )

    def most_cards(self, counted: CardsCounted | BacksCounted) -> int:  # noqa: ARG002 - any pile may hold all
        """How many cards can be where ``counted`` was: those of the game."""
        return self._cards

    @property
    def pending(self) -> tuple[Pending, ...]:
        """Touches that are seen and not ruled on yet."""
        return self._interpreter.pending

    def answer(self, verdict: Verdict) -> None:
        """Count what a person ruled in answer to a verdict."""
        self._game.shared.answer(verdict)

    @property
    def scorecard(self) -> Scorecard:
        """The score by the verdicts given so far."""
        return self._game.scorecard

    @property
    def table(self) -> TableState:
        """The table by the verdicts given so far."""
        return self._game.table

    def _lifts(self) -> tuple[CardLifted, ...]:
        """Cards that left a pile and were not seen to land."""
        return self._interpreter.lifts

    def _landing_soon(self) -> tuple[CardLanded, ...]:
        return tuple(landed for item in self._interpreter.pending for landed in item.landings)

    def _judged(self, news: Iterable[News]) -> tuple[Verdict, ...]:
        given: tuple[Verdict, ...] = ()
        for item in news:
            at_us = item.decided_us if isinstance(item, PileNews) else item.at_us
            given += self._lapsed(at_us)
            if isinstance(item, PileNews):
                has_pile = self._game.has_pile(item.pile)
                given += self._followed(self._game.pile_news(item) if has_pile else _elsewhere(item))
            else:
                given += self._followed(self._told(item.observation, at_us))
            given += self._followed(self._game.ended())
        return given

    def _lapsed(self, now_us: int | None) -> tuple[Verdict, ...]:
        """What is due before ``now_us``, or with None at all, because it was waited for long enough."""
        given: tuple[Verdict, ...] = ()
        while (lapse := self._next_lapse()) is not None and (now_us is None or lapse[0] < now_us):
            given += self._followed(lapse[1]()) + self._followed(self._game.ended())
        return given

    def _next_lapse(self) -> Lapse | None:
        lapses = [*self._game.shared.lapses, *self._game.lapses]
        return min(lapses, key=lambda lapse: lapse[0], default=None)

    def _followed(self, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
        """``verdicts``, with what displays showed of them held against each."""
        return tuple(each for verdict in verdicts for each in (verdict, *self._every_game.follow(verdict)))

    def _told(self, observation: Observation, at_us: int) -> tuple[Verdict, ...]:
        alike = self._every_game.take(observation)
        if alike:
            return alike
        match observation:
            case LandedBetween():
                return (_between(observation),)
            case PilesOverlapped():
                return (_overlapped(observation),)
            case _:
                return self._game.told(observation, at_us)


def _elsewhere(news: PileNews) -> tuple[Verdict, ...]:
    """Rule E10: a card on a pile that the game does not have is told, not lost."""
    came = (*news.moves, *(play for carried in news.carried for play in carried_plays(carried)))
    return tuple(
        ruled(
            play,
            Ruling.UNDECIDED,
            RuleId.E10,
            say("no_such_pile", card=name_of(play.card), pile=news.pile),
            decided_us=news.decided_us,
        )
        for play in came
    )


def _between(landed: LandedBetween) -> Verdict:
    """Rule E10: on which of two piles a card was played cannot be told."""
    piles = " and ".join(str(item.pile) for item in landed.shares)
    reason = say("between_piles", card=landed.card or "a card", piles=piles)
    event = Happened(causes=(landed,), at=landed.touch)
    return ruled(event, Ruling.UNDECIDED, RuleId.E10, reason, seat=landed.seat, pile=landed.shares[0].pile)


def _overlapped(seen: PilesOverlapped) -> Verdict:
    """Rule E10: piles that lie over each other would be read as one."""
    reason = say("piles_overlap", piles=" and ".join(str(pile) for pile in seen.piles))
    event = Happened(causes=(seen,), at=seen.at)
    return ruled(event, Ruling.FLAG, RuleId.E10, reason, pile=seen.piles[0] if seen.piles else None)

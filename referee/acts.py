"""Acts: which observations an event was read from, so that a verdict can be traced back and found again.

An act is the set of entries (observations, by number) that a ruling is about. It stays the same when a person
corrects what one of them says, and that is how the old ruling and the new one are held side by side.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from referee.events import CardMoved, CardsTold, Event, Happened, PileRemoved
from referee.interpret import landing_of
from referee.observations import CardsCounted, Observation, PileSeen, known_us
from referee.sightings import LandedBetween

KEYS_KEPT = 8192
"""An event is read from observations of the last seconds: a hundred times what eight players make of them."""


@dataclass(slots=True)
class ActIndex:
    """Finds the entries that an event was read from, among the newest ones."""

    _entry_of: OrderedDict[Hashable, int] = field(default_factory=OrderedDict)

    def add(self, entry: int, observation: Observation) -> None:
        """Take in that ``observation`` is entry number ``entry``."""
        for key in keys_of_observation(observation):
            self._entry_of.pop(key, None)
            self._entry_of[key] = entry
        while len(self._entry_of) > KEYS_KEPT:
            self._entry_of.popitem(last=False)

    def entries_of(self, event: Event) -> tuple[int, ...]:
        """The entries that ``event`` was read from, in their order."""
        found = (self._entry_of.get(key) for key in keys_of_event(event))
        return tuple(sorted({entry for entry in found if entry is not None}))


def keys_of_observation(observation: Observation) -> Iterator[Hashable]:
    """Under which names an event may speak of ``observation``.

    The start of a touch is in none of them: a doubted clock moves it (E6).
    """
    yield _own_key(observation)
    told = landing_of(observation) if isinstance(observation, LandedBetween) else observation
    touch = getattr(told, "touch", None)
    if told is None or touch is None:
        return
    cards = (getattr(told, "card", None), *getattr(told, "cards", ()))
    piles = {getattr(told, name, None) for name in ("pile", "target")} - {None}
    for card in dict.fromkeys(cards):
        for pile in sorted(piles, key=str):
            yield ("play", pile, touch.end_us, card, getattr(told, "seat", None))


def keys_of_event(event: Event) -> tuple[Hashable, ...]:
    """The same names, for what ``event`` was read from."""
    if isinstance(event, PileRemoved):
        return (("seen", event.pile, event.seen),)
    if isinstance(event, CardsTold):
        return (("counted", event.pile, event.count, event.at_us),)
    causes = event.causes if isinstance(event, Happened) else ()
    return (*(_own_key(cause) for cause in causes), *(_key_of_play(play) for play in event.plays))


def _own_key(observation: Observation) -> Hashable:
    match observation:
        case PileSeen():
            return ("seen", observation.pile, observation.seen)
        case CardsCounted():
            return ("counted", observation.pile, observation.count, observation.at_us)
        case _:
            about = tuple(getattr(observation, name, None) for name in ("pile", "seat", "card", "call"))
            return (type(observation).__name__, known_us(observation), *about)


def _key_of_play(play: CardMoved) -> Hashable:
    return ("play", play.target, play.touch.end_us, play.card, play.seat)

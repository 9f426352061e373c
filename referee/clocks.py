"""Clocks that cannot be taken as they are: what follows for the touches that they stamp (E6)."""

from dataclasses import dataclass, field, replace

from referee.clock import Interval
from referee.observations import CardLanded, CardLifted, Observation
from referee.sightings import CardsCarried, ClockDoubted, LandedBetween, PileHandled


@dataclass(slots=True)
class ClockWatch:
    """Widens what a doubted source stamps, from the doubt on."""

    _lag_us: dict[str, int] = field(default_factory=dict)
    """By source; the largest that was told."""

    def corrected(self, observation: Observation) -> Observation:
        """``observation`` with its touch as wide as its source's clock leaves it."""
        if isinstance(observation, ClockDoubted):
            known_us = self._lag_us.get(observation.source_id, 0)
            self._lag_us[observation.source_id] = max(known_us, observation.lag_us)
            return observation
        evidence = getattr(observation, "evidence", None)
        lag_us = 0 if evidence is None else self._lag_us.get(evidence.source_id, 0)
        return observation if lag_us == 0 else _widened(observation, lag_us)


def _widened(observation: Observation, lag_us: int) -> Observation:
    """``observation``, whose touch may have been earlier by as much as its source runs behind."""
    match observation:
        case CardLanded() | CardsCarried() | LandedBetween() | PileHandled():
            return replace(observation, touch=_earlier(observation.touch, lag_us))
        case CardLifted():
            return replace(observation, lifted=_earlier(observation.lifted, lag_us))
        case _:
            return observation


def _earlier(interval: Interval, lag_us: int) -> Interval:
    return Interval(interval.start_us - lag_us, interval.end_us)

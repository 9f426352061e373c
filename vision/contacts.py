"""When a card touched, as far as the frames tell."""

from dataclasses import dataclass

from referee.clock import Interval
from vision.settle import Look, ZoneWatch
from vision.touch import Crossing
from vision.watched import WatchedTable


@dataclass(frozen=True, slots=True, eq=False)
class Coming:
    """A card that came to a pile: when it touched, and how the pile looked with it on top."""

    touch: Interval
    look: Look


def disturbed_until(watch: ZoneWatch, until_us: int) -> Interval:
    """From the last frame that surely shows a pile as it lay before, to that time."""
    return Interval(watch.since_us, max(watch.since_us, until_us))


def touch_of(
    watched: WatchedTable,
    watch: ZoneWatch,
    old: Look,
    look: Look,
    *,
    until_us: int,
    is_turned_up: bool = False,
) -> Interval:
    """When the top card of ``look`` touched; ``is_turned_up``: it lay there before, and showed its back."""
    during = disturbed_until(watch, until_us)
    crossing = watched.history.arrival(watch.place, old, look, during, is_turned_up=is_turned_up)
    return touch_between(watched, watch, crossing, look)


def touch_between(
    watched: WatchedTable, watch: ZoneWatch, crossing: Crossing, look: Look, *, slides: bool = True
) -> Interval:
    """The touch that a crossing tells of: at the widest from before the disturbance to rest.

    ``slides``: where heights were not seen, it may have touched before it was in its place.
    """
    if crossing.is_measured and crossing.last_before_us is not None and crossing.first_after_us is not None:
        return Interval(crossing.last_before_us, crossing.first_after_us)
    start_us, end_us = times_of(watch, crossing, look)
    early_us = watched.periods_us(watched.settings.slack_periods) + slides * watched.settings.slide_us
    late_us = watched.periods_us(watched.settings.unseen_slack_periods)
    return Interval(min(start_us, end_us) - early_us, end_us + late_us)


def times_of(watch: ZoneWatch, crossing: Crossing, look: Look) -> tuple[int, int]:
    """Last before and first after a crossing: at the widest from before the disturbance to rest."""
    start_us = crossing.last_before_us if crossing.last_before_us is not None else watch.since_us
    end_us = crossing.first_after_us if crossing.first_after_us is not None else look.since_us
    return start_us, end_us

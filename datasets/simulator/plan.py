"""From a seed to a passage: a table, a game on it, and what its players do."""

from typing import Final

import numpy as np

from datasets.simulator.layout import Layout
from datasets.simulator.nerts_game import nerts_played_on
from datasets.simulator.nerts_layout import random_nerts_layout
from datasets.simulator.nerts_planner import NertsPlanner
from datasets.simulator.passage import Passage
from datasets.simulator.planner import Planner, Player
from datasets.simulator.settings import SimulationSettings, Story
from datasets.simulator.spit_game import spit_played_on
from datasets.simulator.spit_layout import random_spit_layout
from datasets.simulator.spit_planner import SpitPlanner
from referee.piles import Seat
from referee.setup import Game

_LONGEST_US: Final = 600_000_000
"""Nobody waits longer for the plays that were asked for."""
_DEFAULT_SECONDS: Final = 30.0
_DEALS_TRIED: Final = 12
_SPIT_PACE: Final = 0.8
"""Spit is played so much faster than Nerts: hands take so much of the time."""
_US_PER_PLAY: Final = 5_000_000
"""A lively passage has a play on a common pile in so much time."""


def random_layout(rng: np.random.Generator, settings: SimulationSettings) -> Layout:
    """A table for the game and its seats."""
    if settings.game is Game.SPIT:
        return random_spit_layout(rng)
    return random_nerts_layout(rng, settings.seats)


def plan_passage(rng: np.random.Generator, layout: Layout, settings: SimulationSettings) -> Passage:
    """Plan all that happens in one clip; the same for the same state of ``rng``.

    Some deals get stuck; of a few, the first is taken in which enough happens on the common piles.
    """
    tried = []
    for _ in range(_DEALS_TRIED):
        passage = _planner(rng, layout, settings).run()
        tried.append(passage)
        if settings.story is Story.PASSES or _count_plays(passage) >= _wanted_plays(passage, settings):
            return passage
    return max(tried, key=_count_plays)


def _count_plays(passage: Passage) -> int:
    return sum(action.kind == "play" for action in passage.actions)


def _wanted_plays(passage: Passage, settings: SimulationSettings) -> int:
    return settings.plays or passage.duration_us // _US_PER_PLAY


def _planner(rng: np.random.Generator, layout: Layout, settings: SimulationSettings) -> Planner:
    seconds = settings.seconds or (_LONGEST_US / 1e6 if settings.plays else _DEFAULT_SECONDS)
    end_us, gaps_us = int(seconds * 1e6), iter(settings.contested_gaps_us)
    if settings.game is Game.SPIT:
        round_of_spit = spit_played_on(rng, settings.warmup_plays)
        players = _players(rng, layout, _SPIT_PACE)
        return SpitPlanner(
            rng=rng, layout=layout, settings=settings, game=round_of_spit, players=players,
            end_us=end_us, gaps_us=gaps_us,
        )  # fmt: skip
    round_of_nerts = nerts_played_on(rng, layout.seats, settings.warmup_plays)
    players = _players(rng, layout)
    return NertsPlanner(
        rng=rng, layout=layout, settings=settings, game=round_of_nerts, players=players,
        end_us=end_us, gaps_us=gaps_us,
    )  # fmt: skip


def _players(rng: np.random.Generator, layout: Layout, pace: float = 1.0) -> dict[Seat, Player]:
    return {seat: Player.random(rng, seat, layout.size_mm, pace) for seat in layout.seats}

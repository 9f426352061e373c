"""The table simulator: a seeded passage of Nerts or Spit filmed from above, with its truth."""

from datasets.simulator.clip import SimulatedClip, simulate_clip
from datasets.simulator.passage import TrueAction
from datasets.simulator.settings import SimulationSettings, Story

__all__ = ["SimulatedClip", "SimulationSettings", "Story", "TrueAction", "simulate_clip"]

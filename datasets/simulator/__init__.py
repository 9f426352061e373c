"""The table simulator: a seeded Nerts passage filmed from above, with its truth."""

from datasets.simulator.clip import SimulatedClip, simulate_clip
from datasets.simulator.passage import TrueAction
from datasets.simulator.settings import SimulationSettings

__all__ = ["SimulatedClip", "SimulationSettings", "TrueAction", "simulate_clip"]

"""The script that measures a thousand viewers hears what they hear and counts what they miss or get twice."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "live_load.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("live_load", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("over", ["sse", "socket"])
def test_every_viewer_hears_every_change(over: str):
    asked = ["--viewers", "3", "--events", "20", "--seconds", "0.5", "--over", over]

    ended = subprocess.run(
        [sys.executable, str(SCRIPT), *asked], capture_output=True, text=True, timeout=120, check=False
    )

    figures = json.loads(ended.stdout)
    assert {name: figures[name] for name in ("over", "viewers", "changes")} == {
        "over": over, "viewers": 3, "changes": 10,
    }  # fmt: skip
    assert (figures["lost"], figures["doubled"], figures["out_of_order"]) == (0, 0, 0)
    assert 0 < figures["p50_ms"] <= figures["p99_ms"] <= figures["max_ms"]


def test_what_a_viewer_lost_or_heard_twice_is_counted(script: ModuleType):
    heard = ([1, 2, 3, 4], [1, 3, 4], [1, 2, 2, 3, 4], [2, 1, 3, 4], [])
    viewers = [script.Viewer(numbers=list(numbers)) for numbers in heard]

    figures = script._figures(viewers, 4, 1.0)

    assert (figures["lost"], figures["doubled"], figures["out_of_order"]) == (1 + 4, 1, 1)

"""The program as a process, for a while."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

PROGRAM = Path(__file__).parent / "blind_touchjudge.py"
DEADLINE_S = 60
"""A process that has not done its part by then is ended, and the test fails."""


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    guard = Timer(DEADLINE_S, process.kill)
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        process.kill()
        process.communicate()


def address_told(process: subprocess.Popen[str]) -> str:
    """The address that the program prints when it serves."""
    assert process.stderr is not None
    told = next(line for line in process.stderr if "http://" in line)
    found = re.search(r"http://127\.0\.0\.1:\d+", told)
    assert found is not None
    return found[0]

# ruff: noqa: INP001, T201 (a script that prints its table, no package)
"""Whether memory stays flat: the whole chain on a film that is played again and again as a camera would.

    python benchmarks/soak.py match.mp4 --minutes 120              # the shipped detector, record and clips
    python benchmarks/soak.py match.mp4 --minutes 2 --every-s 10

The film's table (``match.toml``) lies beside it. Each time the film ends the camera counts as unplugged and
is opened again a second later, so that the times go on. Printed: seconds of this computer and of film, film
seconds in a second, memory in use (resident), verdicts, clips on disk. What may grow is the match itself: its
record is kept whole.
"""

import argparse
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path

import av
from rich.console import Console

from api.evidence_shelf import EvidenceShelf, Retention
from api.match_plan import MatchPlan
from api.match_session import MatchSession
from api.pace import FullSpeed
from api.stopping import StopWish
from models import load_zone_detector
from vision.sources.live import LiveSource
from vision.table_file import load_table

PAGE_BYTES = resource.getpagesize()


def resident_mb() -> float:
    """Memory in use, in MB (10^6 bytes)."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:  # not Linux: the most that was used so far
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1e6 if sys.platform == "darwin" else 1e3)
    return pages * PAGE_BYTES / 1e6


def report(
    session: MatchSession, shelf: EvidenceShelf, wish: StopWish, *, minutes: float, every_s: float
) -> None:
    """Print a line now and then; ask for the end when the time is up."""
    began_s, last_us, last_s = time.monotonic(), 0, time.monotonic()
    print(f"{'s':>6} {'film s':>8} {'x real':>7} {'MB':>8} {'verdicts':>9} {'clips':>6} {'clips MB':>9}")
    while not wish.is_asked:
        if wish.wait(every_s):
            return
        now_s, t_us = time.monotonic(), session.feed.alive.t_us
        clips = [path for path in shelf.root.glob("*/c*.*") if path.suffix in {".mp4", ".mkv"}]
        size_mb = sum(path.stat().st_size for path in clips) / 1e6
        speed = (t_us - last_us) / 1e6 / (now_s - last_s)
        row = f"{now_s - began_s:6.0f} {t_us / 1e6:8.1f} {speed:7.2f} {resident_mb():8.1f}"
        print(f"{row} {len(session.feed.verdicts):9d} {len(clips):6d} {size_mb:9.1f}", flush=True)
        last_us, last_s = t_us, now_s
        if now_s - began_s >= 60 * minutes:
            wish.ask()


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("film", type=Path)
    parser.add_argument("--table", type=Path, help="default: match.toml beside the film")
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument("--every-s", type=float, default=30.0)
    parser.add_argument("--no-evidence", action="store_true")
    given = parser.parse_args()
    table_file = given.table or given.film.with_suffix(".toml")
    table = load_table(table_file)
    with tempfile.TemporaryDirectory() as folder:
        shelf = EvidenceShelf(Path(folder) / "evidence")
        plan = MatchPlan(
            match_id="soak",
            table=table,
            table_file=str(table_file),
            source=str(given.film),
            record=Path(folder) / "soak.jsonl",
            evidence=None if given.no_evidence else shelf.root,
            retention=Retention(bytes_at_most=200_000_000),
        )
        wish = StopWish()
        with LiveSource(lambda: av.open(str(given.film)), "soak") as source:
            session = MatchSession(plan, source, load_zone_detector())
            watcher = threading.Thread(
                target=report,
                args=(session, shelf, wish),
                kwargs={"minutes": given.minutes, "every_s": given.every_s},
                daemon=True,
            )
            watcher.start()
            quiet = Console(file=Path("/dev/null").open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
            session.play(pacer=FullSpeed(), wish=wish, out=quiet, notes=quiet)
            watcher.join()
        print(f"record: {(plan.record.stat().st_size if plan.record else 0) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

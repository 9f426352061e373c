"""kill -9 at a random moment: every write that was acknowledged is there, and the record holds.

``TOUCHJUDGE_KILLS=100`` kills so often; the suite itself is content with a few.
"""

import os
from pathlib import Path

import pytest
from killed_server import acknowledged_until_killed

from api.desk import Undoing
from api.record_shelf import shown_match
from referee.logs import read_log, verify
from referee.replay import first_difference, replay

KILLS = int(os.environ.get("TOUCHJUDGE_KILLS", "3"))


@pytest.mark.parametrize("seed", range(KILLS))
def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path, home: Path, seed: int):
    path = tmp_path / "made.jsonl"

    kept = acknowledged_until_killed(path, home, seed=seed)

    assert kept
    entries = read_log(path.read_bytes().splitlines(keepends=True)).entries
    assert [entries[each.entry - 1].kind for each in kept] == [each.kind for each in kept]

    feed, desk, _ = shown_match(path, match_id="made")[:3]
    wish = Undoing(1, "to close it", "Rita")
    desk.wish(wish, desk.wish(wish, None).confirm)
    lines = path.read_bytes().splitlines(keepends=True)
    log = read_log(lines)
    assert verify(lines).is_ok, verify(lines)
    assert first_difference(log, replay(log)) is None
    # What is told again within a second is one entry, acknowledged twice.
    assert len(feed.seen(0).calls) >= len({each.entry for each in kept if each.kind != "revert"})

"""Matches to show, made by hand: no camera, no weights."""

from pathlib import Path

import pytest
from made_matches import player, standings

from api.feed import MatchFeed
from api.hub import Hub


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this test's server keeps what it must remember, also one that is a process of its own."""
    path = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TOUCHJUDGE_HOME", str(path))
    return path


@pytest.fixture
def feed() -> MatchFeed:
    return MatchFeed(
        match_id="friday",
        table="kitchen",
        game="nerts",
        standings=standings(player("south", "Ana", 0), player("north", "Ben", 0)),
        run_id="run1",
    )


@pytest.fixture
def hub(feed: MatchFeed) -> Hub:
    hub = Hub()
    hub.add(feed)
    return hub

"""Matches to show, made by hand: no camera, no weights."""

import pytest
from made_matches import player, standings

from api.feed import MatchFeed
from api.hub import Hub


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

"""A match with a desk, a feed and a record, played by hand: what the web server stands before."""

import time
from collections.abc import Callable
from pathlib import Path

from reviewed_matches import HEADER, RACE

from api.desk import MatchDesk
from api.feed import MatchFeed
from api.record_file import RecordFile
from api.views import standings_view
from referee.notation import Said, parse_game
from referee.record import RecordedMatch, RecordHeader


class DeskMatch:
    """A typed match whose steps are taken one after another, as the chain takes them."""

    def __init__(
        self,
        path: Path | None,
        text: str = RACE,
        *,
        match_id: str = "friday",
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        game = parse_game(HEADER + text)
        match = RecordedMatch(RecordHeader(setup=game.setup, table="kitchen", source="made.mp4"))
        self.feed = MatchFeed(
            match_id=match_id,
            table="kitchen",
            game=game.setup.game.value,
            standings=standings_view(match.referee.scorecard, game.setup),
            kinds_from_zero=tuple(kind.value for kind in game.setup.kinds_from_zero),
            run_id="run1",
        )
        self.desk = MatchDesk(match, feed=self.feed, clock_s=clock_s)
        self.record = None if path is None else RecordFile(path)
        self._steps = iter([step for step in game.steps if isinstance(step, Said)])

    def begin(self) -> "DeskMatch":
        self.desk.begin(self.record)
        return self

    def step(self) -> bool:
        """Take the next step; whether there was one."""
        said = next(self._steps, None)
        if said is not None:
            self.desk.observe(said.observation, at_us=said.at_us)
        return said is not None

    def play(self, *, until_us: int = 20_000_000) -> "DeskMatch":
        """Take all steps that are left, and let their windows close."""
        self.begin()
        while self.step():
            pass
        self.desk.advance(until_us)
        self.feed.reach(until_us)
        return self

    def finish(self) -> "DeskMatch":
        self.desk.finish("the source ended")
        if self.record is not None:
            self.record.close()
        return self

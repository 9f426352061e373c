"""A match as the terminal tells it: verdicts as they come, progress while it runs, the score at the end."""

import json
from types import TracebackType
from typing import Self

from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from api.console import shown
from api.schemas import StandingsOut, VerdictOut

_TONES = {
    "LEGAL": "green",
    "FIRST": "green",
    "ILLEGAL": "bold red",
    "TIE": "yellow",
    "TOO_CLOSE": "blue",
    "FLAG": "blue",
    "UNDECIDED": "blue",
}


class PlayByPlay:
    """Tells one match. Use it in a ``with`` statement; the bar shows on terminals only."""

    def __init__(
        self, out: Console, notes: Console, *, as_json: bool = False, frame_count: int | None = None
    ) -> None:
        self._out = out
        self._as_json = as_json
        bar_console = out if out.is_terminal else notes
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TimeElapsedColumn(),
            console=bar_console,
            transient=True,
            disable=not bar_console.is_terminal,
        )
        self._task = self._progress.add_task("watching", total=frame_count)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def frame(self) -> None:
        """One more frame was seen."""
        self._progress.advance(self._task)

    def verdict(self, verdict: VerdictOut) -> None:
        """Tell one verdict."""
        if self._as_json:
            self._print_json("verdict", verdict)
        else:
            self._out.print(verdict_line(verdict))

    def standings(self, standings: StandingsOut) -> None:
        """Show the score beside the bar."""
        self._progress.update(self._task, description=score_text(standings))

    def score(self, standings: StandingsOut) -> None:
        """Tell the score, line by line."""
        if self._as_json:
            self._print_json("score", standings)
        else:
            self._out.print(score_table(standings))
            for item in standings.open_items:
                self._out.print(shown(f"open: {item.reason} ({item.rule}, {item.pile})"), markup=False)

    def _print_json(self, kind: str, value: BaseModel) -> None:
        line = json.dumps({"kind": kind, **value.model_dump(mode="json")})
        self._out.print(line, markup=False, soft_wrap=True)


def clock_text(t_us: int) -> str:
    """A time of the source's clock as minutes and seconds.

    >>> clock_text(61_234_567)
    '1:01.235'
    """
    milliseconds = (t_us + 500) // 1000
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes}:{rest / 1000:06.3f}"


def verdict_line(verdict: VerdictOut) -> str:
    """One verdict on one line, with rich's markup."""
    tone = _TONES.get(verdict.ruling, "default")
    who = players_text(verdict)
    told = verdict.reason if verdict.reason.startswith(f"{who} ") else f"{who}: {verdict.reason}"
    rule = verdict.rule or "-"
    ruling = f"[{tone}]{verdict.ruling:<9}[/]"
    return f"{clock_text(verdict.when.end_us):>9}  {ruling} {rule:<4} {escape(shown(told))}"


def players_text(verdict: VerdictOut) -> str:
    """Who made the play, or who raced for it."""
    if verdict.player is not None:
        return verdict.player
    racing = dict.fromkeys(play.player for play in verdict.plays if play.player is not None)
    return " and ".join(racing) or "player not known"


def score_text(standings: StandingsOut) -> str:
    """All totals on one line."""
    return "   ".join(f"{shown(player.player)} {player.total}" for player in standings.players)


def score_table(standings: StandingsOut) -> Table:
    """The score with the lines that make it up."""
    table = Table("player", "total", "made up of", box=None, pad_edge=False, title=None)
    for player in standings.players:
        lines = [f"{line.count} x {line.points_each} {line.item} ({line.rule})" for line in player.lines]
        table.add_row(escape(shown(player.player)), str(player.total), escape(", ".join(lines)))
    return table

"""A match as the terminal tells it: verdicts as they come, progress while it runs, the score at the end."""

import json
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from pydantic import BaseModel
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from api.console import shown
from api.schemas import AuditOut, PendingOut, StandingsOut, VerdictOut
from referee.clock import clock_text

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
        self,
        out: Console,
        notes: Console,
        *,
        as_json: bool = False,
        frame_count: int | None = None,
        pile_name: Callable[[str], str] = str,
    ) -> None:
        self._out = out
        self._pile_name = pile_name
        self._notes = notes
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

    def revised(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Tell which verdicts stand otherwise now; and the score, where more is known than an appeal."""
        for verdict in verdicts:
            if self._as_json:
                self._print_json("revision", verdict)
            else:
                again = (
                    f" [bold]({verdict.verdict_id} stands again)[/]" if verdict.standing == "standing" else ""
                )
                self._out.print(f"{verdict_line(verdict)}{again}")
        if all(verdict.standing == "under appeal" for verdict in verdicts):
            return
        if self._as_json:
            self._print_json("score", standings)
        else:
            self._out.print(f"score: {score_text(standings)}", markup=False)

    def score(self, standings: StandingsOut) -> None:
        """Tell the score, line by line."""
        if self._as_json:
            self._print_json("score", standings)
        else:
            self._out.print(score_table(standings))
            players = {player.seat: player.player for player in standings.players}
            for item in standings.open_items:
                whose = "" if item.seat is None else f"{players.get(item.seat, item.seat)}: "
                where = self._pile_name(item.pile)
                self._out.print(shown(f"open: {whose}{item.reason} ({item.rule}, {where})"), markup=False)

    def pending(self, pending: PendingOut) -> None:
        """Tell a touch that is not ruled on yet."""
        if self._as_json:
            self._print_json("pending", pending)
            return
        who, card = pending.player or "player not known", pending.card or "a card"
        when, due = clock_text(pending.touch.end_us), clock_text(pending.decided_by_us)
        self._out.print(
            f"{when:>9}  touched        {shown(who)}: {card} on {shown(self._pile_name(pending.pile))},"
            f" ruled on by {due}",
            markup=False,
        )

    def audit(self, audit: AuditOut) -> None:
        """Tell a count by backs beside the running tally."""
        if self._as_json:
            self._print_json("audit", audit)
        else:
            self._out.print(audit_line(audit, self._pile_name), markup=False)

    def change(self, before: VerdictOut | None, after: VerdictOut | None) -> None:
        """Tell what a review does to one verdict."""
        if self._as_json:
            views = {"before": before, "after": after}
            row = {name: view and view.model_dump(mode="json") for name, view in views.items()}
            self._print_row({"kind": "change", **row})
            return
        self._out.print("was  " + ("-" if before is None else verdict_line(before)))
        self._out.print(" now " + ("-" if after is None else verdict_line(after)))

    def why(self, verdict_id: str, lines: tuple[str, ...]) -> None:
        """Tell what stands behind one verdict."""
        if self._as_json:
            self._print_row({"kind": "why", "verdict_id": verdict_id, "lines": lines})
            return
        for line in lines:
            self._out.print(shown(line), markup=False)

    def case(self, case_id: str, title: str, differences: tuple[str, ...]) -> None:
        """Tell whether a case holds."""
        if self._as_json:
            row = {"id": case_id, "title": title, "holds": not differences, "differences": differences}
            self._print_row({"kind": "case", **row})
            return
        self._out.print(shown(f"{'differs' if differences else 'holds':<8} {case_id} {title}"), markup=False)
        for difference in differences:
            self._out.print(shown(f"           {difference}"), markup=False)

    def cases(self, tried: int, failed: int) -> None:
        """Tell how many cases hold."""
        if self._as_json:
            self._print_row({"kind": "cases", "tried": tried, "hold": tried - failed, "differ": failed})
        else:
            self._out.print(f"{tried} cases: {tried - failed} hold, {failed} differ", markup=False)

    def note(self, text: str) -> None:
        """Tell something beside the results."""
        self._notes.print(f"note: {shown(text)}", markup=False)

    def _print_json(self, kind: str, value: BaseModel) -> None:
        self._print_row({"kind": kind, **value.model_dump(mode="json")})

    def _print_row(self, row: Mapping[str, object]) -> None:
        self._out.print(json.dumps(row), markup=False, soft_wrap=True)


def verdict_line(verdict: VerdictOut) -> str:
    """One verdict on one line, with rich's markup."""
    tone = _TONES.get(verdict.ruling, "default")
    who = players_text(verdict)
    told = verdict.reason if verdict.reason.startswith(f"{who} ") else f"{who}: {verdict.reason}"
    rule = verdict.rule or "-"
    ruling = f"[{tone}]{verdict.ruling:<9}[/]"
    when, verdict_id = clock_text(verdict.when.end_us), verdict.verdict_id
    line = f"{when:>9}  {verdict_id:<4} {ruling} {rule:<4} {escape(shown(told))}"
    return (
        line
        if verdict.standing == "standing"
        else f"{line} [bold]({escape(shown(standing_text(verdict)))})[/]"
    )


def standing_text(verdict: VerdictOut) -> str:
    """How a verdict stands that somebody looked at again: ``overturned by r1, see v5``."""
    by = "" if verdict.answered_by is None else f" by {verdict.answered_by}"
    now = f", see {', '.join(verdict.replaced_by)}" if verdict.replaced_by else ""
    return f"{verdict.verdict_id} {verdict.standing}{by}{now}"


def audit_line(audit: AuditOut, pile_name: Callable[[str], str] = str) -> str:
    """One count by backs on one line.

    >>> audit_line(AuditOut(seat="south", player="Ana", pile=None, counted=21, tracked=20, unowned=0,
    ...                     difference=1))
    'audit: Ana has 21 cards by back, 20 by the verdicts: 1 more counted'
    """
    where = "" if audit.pile is None else f" on {shown(pile_name(audit.pile))}"
    both = f"{shown(audit.player)} has {audit.counted} cards by back{where}, {audit.tracked} by the verdicts"
    if audit.difference == 0:
        return f"audit: {both}: they agree"
    told = f"{abs(audit.difference)} {'more' if audit.difference > 0 else 'fewer'} counted"
    seen = f" ({audit.unowned} there whose owner was not seen)" if audit.unowned else ""
    return f"audit: {both}: {told}{seen}"


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
    """The score as it is read out: line by line, and what they add up to."""
    table = Table("player", "points", "for", box=None, pad_edge=False, title=None)
    table.columns[1].justify = "right"
    for player in standings.players:
        name = escape(shown(player.player))
        for line in player.lines:
            table.add_row(
                name, str(line.points), escape(f"{line.count} x {line.points_each} {line.item} ({line.rule})")
            )
            name = ""
        table.add_row(name, f"[bold]{player.total}[/]", "[bold]total[/]")
    return table

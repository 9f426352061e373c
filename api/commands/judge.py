"""``touchjudge judge``: observations through the referee again."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError

if TYPE_CHECKING:
    from api.play_by_play import PlayByPlay
    from api.records import CaseFile
    from referee.logs import Log
    from referee.replay import Replay, Until
    from referee.setup import MatchSetup


def judge(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A record, observations line by line, a game typed by hand, or cases of such.",
        ),
    ],
    *,
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="R.toml", help="House rules in place of its own: a file or a preset."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until", metavar="TIME|SEQ", help="Judge up to a time (83.2s, 1:23.2) or an entry (41)."
        ),
    ] = None,
    why: Annotated[
        str | None,
        typer.Option("--why", metavar="VERDICT", help="What stands behind one verdict (v3)."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts and score as JSON lines.")] = False,
) -> None:
    """Rule on what was observed again: verdicts, then the score.

    Example: [bold]touchjudge judge match.jsonl --why v3[/bold]
    """
    from api.pile_names import names_in
    from api.play_by_play import PlayByPlay
    from api.records import CaseFile, open_game, tell_cut
    from api.rules_file import read_rules

    opened = open_game(path)
    if isinstance(opened, CaseFile):
        _refuse_with_cases(rules, until, why)
        _try_cases(opened, path, PlayByPlay(output(), notes(), as_json=as_json))
        return
    setup = opened.header.setup
    teller = PlayByPlay(output(), notes(), as_json=as_json, pile_name=names_in(setup).name)
    if rules is not None:
        setup = replace(setup, rules=read_rules(rules, setup.game))
    tell_cut(opened, path, notes())
    replayed = _replayed(opened, path, setup, None if until is None else until_of(until))
    if why is not None:
        _tell_why(replayed, why, setup, teller)
        return
    _tell(replayed, setup, teller)
    if opened.is_chained and rules is None and until is None:
        _hold_against(opened, replayed, path)


def until_of(text: str) -> "Until":
    """Up to where to judge: ``41`` is an entry, ``83.2s``, ``1200ms`` and ``1:23.2`` are times.

    >>> until_of("1:23.2").t_us, until_of("41").seq
    (83200000, 41)
    """
    from referee.replay import Until

    if re.fullmatch(r"\d{1,12}", text):
        return Until(seq=int(text))
    found = re.fullmatch(r"(?:(\d{1,6}):)?(\d{1,9})(?:\.(\d{1,6}))?(s|ms)?", text)
    if found is None or (found[1] is not None and found[4] == "ms"):
        raise MisuseError(f"--until wants a time (83.2s, 1:23.2) or an entry (41), got {text}")
    minutes, whole, part, unit = found.groups()
    unit_us = 1000 if unit == "ms" else 1_000_000
    part_us = int((part or "").ljust(6, "0")) * unit_us // 1_000_000
    return Until(t_us=int(minutes or 0) * 60_000_000 + int(whole) * unit_us + part_us)


def _replayed(log: "Log", path: Path, setup: "MatchSetup", until: "Until | None") -> "Replay":
    from referee.logs import RecordError
    from referee.replay import replay

    try:
        return replay(log, setup=setup, until=until)
    except RecordError as error:
        raise CommandError(f"{path}: {error}") from None


def _tell(replayed: "Replay", setup: "MatchSetup", teller: "PlayByPlay") -> None:
    from api.views import audit_views, pending_views, ruled_view, standings_view

    for ruled in replayed.rulings:
        teller.verdict(ruled_view(ruled, setup))
    for pending in pending_views(replayed.referee.pending, setup):
        teller.pending(pending)
    teller.score(standings_view(replayed.scorecard, setup))
    for audit in audit_views(replayed.scorecard, setup):
        teller.audit(audit)
    for skipped in replayed.skipped:
        teller.note(f"not heard under these rules: {skipped}")


def _tell_why(replayed: "Replay", verdict_id: str, setup: "MatchSetup", teller: "PlayByPlay") -> None:
    from api.match_views import why_lines

    rulings = {ruled.verdict.verdict_id: ruled for ruled in replayed.rulings}
    if verdict_id not in rulings:
        named = f"v1 to v{len(rulings)}" if rulings else "there are none"
        raise MisuseError(f"--why wants a verdict ({named}), got {verdict_id}")
    teller.why(verdict_id, why_lines(rulings[verdict_id], setup))


def _hold_against(log: "Log", replayed: "Replay", path: Path) -> None:
    """The verdicts that are written must be those that follow; an older program knew fewer rules."""
    from importlib.metadata import version

    from referee.formats import FORMATS
    from referee.replay import first_difference

    difference = first_difference(log, replayed)
    if difference is None:
        return
    this, wrote = f"touchjudge {version('touchjudge')}", log.header.program
    if not FORMATS[log.version].is_exact or (wrote and wrote != this):
        notes().print(
            f"note: {path} was written by {wrote or 'another program'}; {this} rules otherwise: {difference}",
            markup=False,
        )
        return
    raise CommandError(f"{path}: the verdicts in the record are not those of its observations: {difference}")


def _refuse_with_cases(rules: str | None, until: str | None, why: str | None) -> None:
    for name, value in (("--rules", rules), ("--until", until), ("--why", why)):
        if value is not None:
            raise MisuseError(f"{name} goes with one game; a file of cases says its own")


def _try_cases(file: "CaseFile", path: Path, teller: "PlayByPlay") -> None:
    """Each case and whether it holds; ``CommandError`` if any does not."""
    from referee.cases import differences
    from referee.notation import NotationError
    from referee.referee import ObservationError

    failed = 0
    for case in file.cases:
        try:
            found = differences(case)
        except NotationError as error:
            raise CommandError(f"{path}: {error}") from None
        except ObservationError as error:
            found = (f"line {case.line}: {error}",)
        failed += len(found) > 0
        teller.case(case.case_id, case.title, found)
    teller.cases(len(file.cases), failed)
    if failed:
        raise CommandError(f"{path}: {failed} of {len(file.cases)} cases differ")

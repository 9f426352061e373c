"""``touchjudge judge``: observations through the referee again."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError, os_error_line

if TYPE_CHECKING:
    from referee.setup import Game, Rules


def judge(
    path: Annotated[
        Path, typer.Argument(metavar="RECORD_OR_OBSERVATIONS", help="A record, or observations line by line.")
    ],
    *,
    rules: Annotated[
        Path | None, typer.Option("--rules", metavar="R.toml", help="House rules in place of the record's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Verdicts and score as JSON lines.")] = False,
) -> None:
    """Rule on the observations of a record again: verdicts, then the score.

    Example: [bold]touchjudge judge match.jsonl --json[/bold]
    """
    from api.play_by_play import PlayByPlay
    from api.records import open_log, tell_cut
    from api.views import standings_view, verdict_view
    from referee.replay import first_difference, replay

    log = open_log(path)
    setup = log.header.setup
    if rules is not None:
        setup = replace(setup, rules=_read_rules(rules, setup.game))
    replayed = replay(log, setup=setup)
    teller = PlayByPlay(output(), notes(), as_json=as_json)
    for verdict in replayed.verdicts:
        teller.verdict(verdict_view(verdict, setup))
    teller.score(standings_view(replayed.scorecard, setup))
    tell_cut(log, path, notes())
    difference = first_difference(log, replayed) if log.is_chained and rules is None else None
    if difference is not None:
        raise CommandError(
            f"{path}: the verdicts in the record are not those of its observations: {difference}"
        )


def _read_rules(path: Path, game: "Game") -> "Rules":
    """House rules from a TOML file, at its top level or under ``[rules]`` as in a table file."""
    from referee.setup import rules_for

    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
        section = written.get("rules", written)
        if not isinstance(section, dict):
            raise MisuseError(f"{path}: rules: want a table of keys")
        return rules_for(game, section)
    except OSError as error:
        raise MisuseError(f"cannot read the rules: {os_error_line(error)}") from None
    except RecursionError:
        raise MisuseError(f"{path}: nested too deep") from None
    except ValueError as error:  # TOML, text encoding, or a rule that does not hold
        raise MisuseError(f"{path}: {error}") from None

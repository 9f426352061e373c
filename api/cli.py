"""The command line ``touchjudge``: parses, calls one command, and turns every error into one line."""

import os
import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from api.commands import (
    bench,
    datasets,
    deck,
    demo,
    detect,
    evaluate,
    judge,
    labels,
    review,
    serve,
    simulate,
    table,
    token,
    train,
    transfer,
    verify,
    watch,
)
from api.console import forget_output, shown
from api.errors import FAILURE_STATUS, MISUSE_STATUS, CommandError, one_line, os_error_line

INTERRUPTED_STATUS = 130
"""What shells report for a program ended by Ctrl-C (128 + SIGINT)."""

_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""typer's own class for a command line that does not parse; it has no public name."""

_OUR_WORDS = (
    (r"Value error, ", ""),
    (r"Input should be greater than or equal to", "want at least"),
    (r"Input should be less than or equal to", "want at most"),
    (r"Input should be a valid integer\b.*", "want a whole number"),
    (r"Input should be a valid number\b.*", "want a number"),
    (r"Input should be ", "want "),
)
"""For what typer says in the words of the library that reads its options."""

app = typer.Typer(
    name="touchjudge",
    help="A referee for fast card games on a real table: reads cards, times touches, rules on plays.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("demo")(demo.demo)
app.command("watch")(watch.watch)
app.command("detect")(detect.detect)
app.command("judge")(judge.judge)
app.command("verify")(verify.verify)
app.add_typer(review.app, name="review")
app.command("serve")(serve.serve)
app.command("export")(transfer.export_match)
app.command("import")(transfer.import_match)
app.command("simulate")(simulate.simulate)
app.command("bench")(bench.bench)
app.add_typer(table.app, name="table")
datasets.app.command("convert")(labels.convert_set)
datasets.app.command("lint")(labels.lint_set)
app.add_typer(datasets.app, name="datasets")
app.add_typer(deck.app, name="deck")
app.add_typer(token.app, name="token")
app.add_typer(train.app, name="train")
app.command("evaluate")(evaluate.evaluate)


def _print_version(asked: bool) -> None:  # noqa: FBT001  typer gives it by position
    if asked:
        print(f"touchjudge {version('touchjudge')}")
        raise typer.Exit


@app.callback()
def _touchjudge(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Read the table, judge the plays, keep the score."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status: 0, 1 for failure, 2 for misuse."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit status. Every error is one line on standard error.

    So are those of libraries below us: OpenCV would print its own lines about files that it cannot read.

    With ``TOUCHJUDGE_TRACE`` set in the environment, errors keep their trace, for those who mend the program.
    """
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    try:
        result = app(list(arguments) or ["--help"], standalone_mode=False, prog_name="touchjudge")
        _flush_output()
    except BrokenPipeError:
        forget_output()
        return FAILURE_STATUS
    except (KeyboardInterrupt, Exception) as error:
        if os.environ.get("TOUCHJUDGE_TRACE"):
            raise
        message, status = _explained(error)
        if message:
            print(f"touchjudge: {shown(one_line(message))}", file=sys.stderr)
        return status
    return result if isinstance(result, int) else 0


def _explained(error: BaseException) -> tuple[str, int]:
    """What to tell the person, and the exit status. The last resort is for faults of our own.

    Nothing is left to tell where a group of commands was named alone: its help was printed.
    """
    if isinstance(error, CommandError):
        return str(error), error.exit_status
    if isinstance(error, _USAGE_ERROR):
        found = _usage_message(error).strip().removesuffix(".")
        return f"{found} (see touchjudge --help)" if found else "", MISUSE_STATUS
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return "stopped", INTERRUPTED_STATUS
    if isinstance(error, OSError):
        return os_error_line(error), FAILURE_STATUS
    return f"fault in touchjudge: {type(error).__name__}: {error}", FAILURE_STATUS


def _usage_message(error: Exception) -> str:
    """What the parser found wrong; its own message, which names the option."""
    formatted = getattr(error, "format_message", None)
    told = str(formatted()) if formatted is not None else str(error)
    for pattern, ours in _OUR_WORDS:
        told = re.sub(pattern, ours, told)
    return told


def _flush_output() -> None:
    """What cannot be written is an error now, not once Python leaves. None: it was closed from the start."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except OSError:
        forget_output()
        raise

"""The command line ``touchjudge``: parses, calls one command, and turns every error into one line."""

import os
import sys
from collections.abc import Sequence

import typer

from api.commands import bench, demo, detect, evaluate, judge, serve, simulate, table, train, verify, watch
from api.errors import FAILURE_STATUS, MISUSE_STATUS, CommandError, one_line, os_error_line

INTERRUPTED_STATUS = 130
"""What shells report for a program ended by Ctrl-C (128 + SIGINT)."""

_USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""typer's own class for a command line that does not parse; it has no public name."""

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
app.command("serve")(serve.serve)
app.command("simulate")(simulate.simulate)
app.command("bench")(bench.bench)
app.add_typer(table.app, name="table")
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)


@app.callback()
def _touchjudge() -> None:
    """Read the table, judge the plays, keep the score."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit status: 0, 1 for failure, 2 for misuse."""
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """Run one command; the exit status. Every error is one line on standard error.

    With ``TOUCHJUDGE_TRACE`` set in the environment, errors keep their trace, for those who mend the program.
    """
    if os.environ.get("TOUCHJUDGE_TRACE"):
        return _status_of(app(list(arguments) or ["--help"], standalone_mode=False, prog_name="touchjudge"))
    try:
        return _status_of(app(list(arguments) or ["--help"], standalone_mode=False, prog_name="touchjudge"))
    except CommandError as error:
        return _tell(str(error), error.exit_status)
    except _USAGE_ERROR as error:
        return _tell(f"{_usage_message(error)} (see touchjudge --help)", MISUSE_STATUS)
    except (KeyboardInterrupt, typer.Abort):
        return _tell("stopped", INTERRUPTED_STATUS)
    except BrokenPipeError:
        _forget_output()
        return FAILURE_STATUS
    except OSError as error:
        return _tell(os_error_line(error), FAILURE_STATUS)
    except Exception as error:  # noqa: BLE001  the last resort: a fault of ours is still one line
        return _tell(f"fault in touchjudge: {type(error).__name__}: {error}", FAILURE_STATUS)


def _status_of(result: object) -> int:
    return result if isinstance(result, int) else 0


def _usage_message(error: Exception) -> str:
    """What the parser found wrong; its own message, which names the option."""
    formatted = getattr(error, "format_message", None)
    return str(formatted()) if formatted is not None else str(error)


def _tell(message: str, status: int) -> int:
    print(f"touchjudge: {one_line(message)}", file=sys.stderr)
    return status


def _forget_output() -> None:
    """Point standard output at nothing: its reader has left, and Python flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

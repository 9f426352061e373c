"""Records, observation files and typed games read from disk; what does not hold becomes one line."""

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from api.errors import CommandError, MisuseError, os_error_line
from models.open_file import read_file
from referee.cases import Case, parse_cases
from referee.logs import Log, RecordError, Timed, read_log
from referee.notation import NotationError, Said, parse_game
from referee.record import RecordHeader
from referee.referee import ObservationError, refuse_faults

ZIP_BEGINS = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A file of typed games that say what the referee must answer."""

    cases: tuple[Case, ...]


def read_lines(path: Path) -> list[bytes]:
    """The lines of a file with their ends.

    ``MisuseError`` where it cannot be read, ``CommandError`` where it is a zip.
    """
    try:
        content = read_file(path)
    except OSError as error:
        raise MisuseError(f"cannot read the record: {os_error_line(error)}") from None
    if content.startswith(ZIP_BEGINS):
        raise CommandError(f"{path}: a zip, not a record ('touchjudge verify' checks it)")
    return lines_of(content)


def lines_of(content: bytes) -> list[bytes]:
    """Lines with their ends; only a line feed ends one, as it is in a record."""
    return [line + b"\n" for line in content.split(b"\n")[:-1]] + [
        rest for rest in content.split(b"\n")[-1:] if rest
    ]


def open_log(path: Path) -> Log:
    """The record or observation file at ``path``; ``CommandError`` names the first bad line."""
    try:
        return read_log(read_lines(path))
    except RecordError as error:
        raise CommandError(f"{path}: {error}") from None


def open_game(path: Path) -> Log | CaseFile:
    """What can be judged at ``path``: a record, observations, a typed game, or a file of cases."""
    lines = read_lines(path)
    if not _is_typed(lines):
        return open_log(path)
    try:
        text = _text_of(lines)
        if any(line.split()[:1] == ["case"] for line in text.splitlines()):
            return CaseFile(parse_cases(text))
        return _log_of_text(text)
    except NotationError as error:
        raise CommandError(f"{path}: {error}") from None


def tell_cut(log: Log, path: Path, notes: Console) -> None:
    """Tell on ``notes`` that the last line of the record at ``path`` is cut short, where it is."""
    if log.cut_line is not None:
        notes.print(f"note: line {log.cut_line} of {path} is cut short and was left out", markup=False)


def _is_typed(lines: list[bytes]) -> bool:
    """Whether a person typed it: words, where a record or an observation begins with a bracket."""
    first = next((line for line in lines if line.strip()), b"").lstrip()
    is_text = not any(byte < 32 and byte not in b"\t\n\r" for byte in first)
    return first != b"" and is_text and first[:1] not in {b"{", b"["}


def _text_of(lines: list[bytes]) -> str:
    """Typed lines as text; ``NotationError`` at the first that is none."""
    text: list[str] = []
    for number, line in enumerate(lines, 1):
        try:
            text.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise NotationError(number, "not text (want UTF-8)") from None
        if not all(character.isprintable() or character in "\t\n\r" for character in text[-1]):
            raise NotationError(number, "want text without control characters")
    return "".join(text)


def _log_of_text(text: str) -> Log:
    """A typed game as a log; ``NotationError`` names the line."""
    game = parse_game(text)
    told = [step for step in game.steps if isinstance(step, Said)]
    for i, step in enumerate(told):
        try:
            refuse_faults(game.setup, step.observation)
        except ObservationError as error:
            raise NotationError(_line_of(text, i), str(error)) from None
    return Log(
        header=RecordHeader(setup=game.setup),
        observations=tuple(Timed(step.observation, step.at_us) for step in told),
        entries=(),
        is_chained=False,
        cut_line=None,
    )


def _line_of(text: str, observation: int) -> int:
    """The line of the ``observation``-th observation, found by reading one line more until it is there."""
    lines = text.splitlines()
    for number in range(1, len(lines) + 1):
        steps = parse_game("\n".join(lines[:number])).steps
        if sum(isinstance(step, Said) for step in steps) > observation:
            return number
    return len(lines)

"""Reading: records, checked line by line, and bare files of observations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from referee.codec import (
    OBSERVATION_KINDS,
    CodecError,
    Json,
    canonical,
    decode,
    decode_observation,
    decode_payload,
    decode_verdict,
    parse_json,
)
from referee.observations import CardLanded, CardsCounted, Observation, PileSeen, known_us
from referee.record import FORMATS, End, Entry, Note, Origin, Payload, RecordHeader, hash_of
from referee.referee import ObservationError, refuse_faults
from referee.setup import MatchSetup, setup_from
from referee.verdicts import Verdict

STAMPED_DISORDER_US = 1_000_000
"""In a bare file, without entry times: by how much a look, a landing or a count may be older than the newest
observation. They are told about when they are made; a landing waits up to a second for its source."""
TOLD_LATER_DISORDER_US = 60_000_000
"""The same for lifts, touches and lost views, which are told once the pile can be seen again."""


class RecordError(ValueError):
    """A line that is not what a record (or a file of observations) has there."""

    def __init__(self, line: int, cause: str) -> None:
        super().__init__(f"line {line}: {cause}")
        self.line = line
        """Counted from 1."""
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Timed:
    """An observation and when it was told. ``at_us`` None: no time was kept beside its own."""

    observation: Observation
    at_us: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A record, or a bare file of observations, as it was read."""

    header: RecordHeader
    """Of a bare file without one: made up from what the observations name."""
    observations: tuple[Timed, ...]
    entries: tuple[Entry, ...]
    """Empty for a bare file."""
    is_chained: bool
    """Whether it is a record; a bare file has no hashes."""
    cut_line: int | None
    """The last line, if it is cut short; all before it is whole."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts written in the record."""
        return tuple(entry.payload for entry in self.entries if isinstance(entry.payload, Verdict))

    @property
    def is_ended(self) -> bool:
        """Whether the record was closed on purpose."""
        return len(self.entries) > 0 and isinstance(self.entries[-1].payload, End)


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of a record found."""

    entries: int
    """How many entries hold, from the start."""
    is_ended: bool
    """Whether the last of them closes the record."""
    fault: RecordError | None
    """The first line that does not hold. None: all do."""

    @property
    def is_ok(self) -> bool:
        """Whether every line holds."""
        return self.fault is None

    def __str__(self) -> str:
        whole = f"whole up to entry {self.entries}"
        if self.fault is not None:
            return f"{self.fault}; {whole}"
        closed = "closed" if self.is_ended else "not closed: the match was stopped, or still runs"
        return f"{whole}, {closed}"


def verify(lines: Iterable[str | bytes]) -> Verification:
    """Check a record's chain and the meaning of each line; says the first line that does not hold."""
    entries, is_ended = 0, False
    try:
        _, items = _opened(lines)
        for line, item in items:
            if isinstance(item, _Cut):
                raise RecordError(line, item.cause)
            entries, is_ended = item.seq, isinstance(item.payload, End)
    except RecordError as error:
        return Verification(entries, is_ended, error)
    return Verification(entries, is_ended, None)


def read_record(lines: Iterable[str | bytes]) -> Log:
    """The record that ``lines`` are; ``RecordError`` at the first bad line. A cut last line is left out."""
    header, items = _opened(lines)
    entries: list[Entry] = []
    cut_line: int | None = None
    for line, item in items:
        if isinstance(item, _Cut):
            cut_line = line
        else:
            entries.append(item)
    observed = (e for e in entries if not isinstance(e.payload, Verdict | Note | End))
    return Log(
        header=header,
        observations=tuple(Timed(cast("Observation", e.payload), e.t_us) for e in observed),
        entries=tuple(entries),
        is_chained=True,
        cut_line=cut_line,
    )


def read_log(lines: Iterable[str | bytes]) -> Log:
    """A record, or a bare file of observations with or without a header, whichever ``lines`` are."""
    held = list(lines)
    return read_record(held) if _is_chained(held) else read_observations(held)


def read_observations(lines: Iterable[str | bytes]) -> Log:
    """A bare file: one observation a line, no hashes; the first line may be a header."""
    header: RecordHeader | None = None
    timed: list[Timed] = []
    newest_us: int | None = None
    number = 0
    for number, text, is_last in _numbered(lines):
        if not text.strip():
            continue
        value = _json_at(number, text, is_cut=is_last and not text.endswith("\n"))
        if isinstance(value, _Cut):
            return _bare_log(header, timed, number, cut_line=number)
        if _looks_like_header(value) and header is None and not timed:
            header = _header_at(number, value)
            continue
        observation = _observation_at(number, value, header)
        newest_us = _refuse_backwards(number, observation, newest_us)
        timed.append(Timed(observation, None))
    return _bare_log(header, timed, number, cut_line=None)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A last line that ends in the middle."""

    cause: str


_ENTRY_KEYS = ("seq", "kind", "payload", "origin", "caused_by", "t_us", "prev_hash", "hash")


def _numbered(lines: Iterable[str | bytes]) -> Iterator[tuple[int, str, bool]]:
    """Each line's number from 1, its text as it stands, and whether it is the last."""
    number, held = 0, None
    for line in lines:
        if held is not None:
            yield number, _text_at(number, held), False
        number, held = number + 1, line
    if held is None:
        raise RecordError(1, "the file is empty")
    yield number, _text_at(number, held), True


def _text_at(number: int, line: str | bytes) -> str:
    if isinstance(line, str):
        return line
    try:
        return line.decode("ascii") if line.isascii() else line.decode("utf-8")
    except UnicodeDecodeError:
        raise RecordError(number, "not text (want UTF-8)") from None


def _json_at(number: int, text: str, *, is_cut: bool) -> Json | _Cut:
    try:
        return parse_json(text)
    except CodecError as error:
        if is_cut:
            return _Cut("the line is cut short")
        raise RecordError(number, str(error)) from None


_Numbered = Iterator[tuple[int, str, bool]]
_Items = Iterator[tuple[int, Entry | _Cut]]


def _opened(lines: Iterable[str | bytes]) -> tuple[RecordHeader, _Items]:
    """The header, and the entries to come."""
    numbered = _numbered(lines)
    number, text, is_last = next(numbered)
    value = _json_at(number, text, is_cut=is_last and not text.endswith("\n"))
    if isinstance(value, _Cut):
        raise RecordError(number, "the header is cut short")
    body, digest = _body_at(number, text, value)
    header = _header_at(number, body)
    return header, _entries(numbered, header, digest)


def _entries(numbered: _Numbered, header: RecordHeader, prev_hash: str) -> _Items:
    """Each entry, checked against the one before; at most one cut line at the end."""
    last: Entry | None = None
    for number, text, is_last in numbered:
        value = _json_at(number, text, is_cut=is_last and not text.endswith("\n"))
        if isinstance(value, _Cut):
            yield number, value
            return
        body, digest = _body_at(number, text, value)
        last = _entry_at(number, body, digest, prev_hash=prev_hash, last=last, setup=header.setup)
        prev_hash = digest
        yield number, last


def _body_at(number: int, text: str, value: Json) -> tuple[dict[str, Json], str]:
    """The line without its hash, and the hash, which is checked."""
    if not isinstance(value, dict):
        raise RecordError(number, "want a JSON object")
    digest = value.get("hash")
    if not isinstance(digest, str):
        raise RecordError(number, "missing hash")
    body = {key: item for key, item in value.items() if key != "hash"}
    if hash_of(body) != digest:
        raise RecordError(number, "the hash does not fit the line: it was changed")
    if text.removesuffix("\n") != canonical(value):
        raise RecordError(number, "the line is not written in the canonical form: it was changed")
    return body, digest


def _looks_like_header(value: Json) -> bool:
    return isinstance(value, dict) and ("format" in value or value.get("kind") == "header")


def is_header(line: str | bytes) -> bool:
    """Whether ``line`` begins a record."""
    try:
        value = parse_json(_text_at(1, line))
    except (CodecError, RecordError):
        return False
    return isinstance(value, dict) and value.get("kind") == "header" and "hash" in value


def _is_chained(lines: list[str | bytes]) -> bool:
    """Whether the first line has a hash, as only a record's has. A line that cannot be read says no."""
    _, text, _ = next(_numbered(lines))
    try:
        value = parse_json(text)
    except CodecError:
        return False
    return isinstance(value, dict) and "hash" in value


def _header_at(number: int, value: Json) -> RecordHeader:
    if not _looks_like_header(value) or not isinstance(value, dict):
        raise RecordError(number, "want the header of a record")
    if value.get("format") not in FORMATS or isinstance(value.get("format"), bool):
        wanted = " or ".join(str(version) for version in FORMATS)
        raise RecordError(number, f"format: want {wanted}, got {value.get('format')!r}")
    if value.get("kind", "header") != "header":
        raise RecordError(number, f"kind: want header, got {value.get('kind')!r}")
    rest = {key: item for key, item in value.items() if key not in {"format", "kind"}}
    try:
        return cast("RecordHeader", decode(RecordHeader, rest, "header"))
    except CodecError as error:
        raise RecordError(number, str(error)) from None


def _entry_at(
    number: int,
    body: dict[str, Json],
    digest: str,
    *,
    prev_hash: str,
    last: Entry | None,
    setup: MatchSetup,
) -> Entry:
    for key in _ENTRY_KEYS[:-1]:
        if key not in body:
            raise RecordError(number, f"missing {key}")
    for key in body:
        if key not in _ENTRY_KEYS:
            raise RecordError(number, f"unknown key {key!r} (want: {', '.join(_ENTRY_KEYS)})")
    if body["prev_hash"] != prev_hash:
        raise RecordError(number, "prev_hash is not the hash of the line before: a line is missing or moved")
    try:
        entry = _decoded_entry(body, digest, setup)
    except (CodecError, ObservationError) as error:
        raise RecordError(number, str(error)) from None
    _refuse_disorder(number, entry, last)
    return entry


def _decoded_entry(body: dict[str, Json], digest: str, setup: MatchSetup) -> Entry:
    kind = decode(str, body["kind"], "kind")
    entry = Entry(
        seq=decode(int, body["seq"], "seq"),
        kind=kind,
        payload=_payload(kind, body["payload"], setup),
        origin=decode(Origin, body["origin"], "origin"),
        caused_by=decode(tuple[int, ...], body["caused_by"], "caused_by"),
        t_us=decode(int, body["t_us"], "t_us"),
        prev_hash=decode(str, body["prev_hash"], "prev_hash"),
        hash=digest,
    )
    if any(not 0 < cause < entry.seq for cause in entry.caused_by):
        raise CodecError(f"caused_by: want earlier entries, got {list(entry.caused_by)}")
    return entry


def _payload(kind: str, value: Json, setup: MatchSetup) -> Payload:
    if kind == "verdict":
        return decode_verdict(value)
    if kind == "note":
        return cast("Note", decode(Note, value, "note"))
    if kind == "end":
        return cast("End", decode(End, value, "end"))
    if kind not in OBSERVATION_KINDS:
        raise CodecError(f"kind: unknown {kind!r} (want: {', '.join(OBSERVATION_KINDS)}, verdict, note, end)")
    observation = decode_payload(kind, value)
    refuse_faults(setup, observation)
    return observation


def _refuse_disorder(number: int, entry: Entry, last: Entry | None) -> None:
    expected = 1 if last is None else last.seq + 1
    if entry.seq != expected:
        raise RecordError(number, f"seq: want {expected}, got {entry.seq}")
    if last is not None and isinstance(last.payload, End):
        raise RecordError(number, "nothing can follow the entry that ends a record")
    if last is not None and entry.t_us < last.t_us:
        raise RecordError(number, f"t_us: time runs backwards, from {last.t_us} to {entry.t_us}")
    if isinstance(entry.payload, Verdict | Note | End):
        return
    known = known_us(entry.payload)
    if entry.t_us < known:
        raise RecordError(number, f"t_us: {entry.t_us} is before the observation could be made, {known}")


def _observation_at(number: int, value: Json, header: RecordHeader | None) -> Observation:
    try:
        observation = decode_observation(value)
        if header is not None:
            refuse_faults(header.setup, observation)
    except (CodecError, ObservationError) as error:
        raise RecordError(number, str(error)) from None
    return observation


def _refuse_backwards(number: int, observation: Observation, newest_us: int | None) -> int:
    """The newest time so far; an observation much older than it is refused."""
    known = known_us(observation)
    is_stamped = isinstance(observation, PileSeen | CardLanded | CardsCounted)
    allowed_us = STAMPED_DISORDER_US if is_stamped else TOLD_LATER_DISORDER_US
    if newest_us is not None and known < newest_us - allowed_us:
        raise RecordError(number, f"time runs backwards, from {newest_us} to {known} us")
    return known if newest_us is None else max(newest_us, known)


def _bare_log(header: RecordHeader | None, timed: list[Timed], number: int, *, cut_line: int | None) -> Log:
    """What was read up to line ``number``; ``RecordError`` where that is nothing."""
    if header is None and not timed:
        raise RecordError(number, "no record: no header and no observation (want JSON lines)")
    if header is None:
        header = RecordHeader(setup=setup_from(tuple(item.observation for item in timed)))
    return Log(
        header=header,
        observations=tuple(timed),
        entries=(),
        is_chained=False,
        cut_line=cut_line,
    )

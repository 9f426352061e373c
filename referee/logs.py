"""Reading: records, checked line by line, and bare files of observations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeGuard, cast

from referee.codec import (
    CodecError,
    Json,
    canonical,
    decode,
    decode_observation,
    decode_payload,
    decode_verdict,
    parse_json,
    shown,
)
from referee.formats import FORMATS, RecordFormat
from referee.ledger import number_of
from referee.observations import LATE, CardLanded, CardsCounted, Observation, PileSeen, known_us
from referee.record import FORMAT, REVIEW_KINDS, End, Entry, Note, Origin, Payload, RecordHeader, hash_of
from referee.referee import ObservationError, refuse_faults
from referee.reviews import Appeal, Resolution, Revert, Review, fault_in_review, id_of
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

    @property
    def known_us(self) -> int:
        """When it was told, or the earliest that it can have been."""
        known = known_us(self.observation)
        return known if self.at_us is None else max(known, self.at_us)


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
    version: int = FORMAT
    """Of the record's form."""
    cut_line: int | None
    """The last line, if it is cut short; all before it is whole."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts written in the record."""
        return tuple(entry.payload for entry in self.entries if isinstance(entry.payload, Verdict))

    @property
    def is_ended(self) -> bool:
        """Whether the record was closed on purpose."""
        return any(isinstance(entry.payload, End) for entry in self.entries)

    @property
    def reviews(self) -> tuple[Review, ...]:
        """What people entered about verdicts."""
        kinds = (Appeal, Resolution, Revert)
        return tuple(entry.payload for entry in self.entries if isinstance(entry.payload, kinds))


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


def verify(lines: Iterable[str | bytes], *, is_slice: bool = False) -> Verification:
    """Check a record's chain and the meaning of each line; says the first line that does not hold.

    ``is_slice``: an unbroken run of entries from anywhere in the record may follow its header.
    """
    entries, is_ended = 0, False
    try:
        _, _, items = _opened(lines, is_slice=is_slice)
        for line, item in items:
            if isinstance(item, _Cut):
                raise RecordError(line, item.cause)
            entries, is_ended = item.seq, is_ended or isinstance(item.payload, End)
    except RecordError as error:
        return Verification(entries, is_ended, error)
    return Verification(entries, is_ended, None)


def read_record(lines: Iterable[str | bytes]) -> Log:
    """The record that ``lines`` are; ``RecordError`` at the first bad line. A cut last line is left out."""
    header, version, items = _opened(lines)
    entries: list[Entry] = []
    cut_line: int | None = None
    for line, item in items:
        if isinstance(item, _Cut):
            cut_line = line
        else:
            entries.append(item)
    return Log(
        header=header,
        version=version,
        observations=tuple(Timed(e.payload, e.t_us) for e in entries if _is_observation(e.payload)),
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
            header, _ = _header_at(number, value)
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


def _opened(lines: Iterable[str | bytes], *, is_slice: bool = False) -> tuple[RecordHeader, int, _Items]:
    """The header, its version, and the entries to come."""
    numbered = _numbered(lines)
    number, text, is_last = next(numbered)
    value = _json_at(number, text, is_cut=is_last and not text.endswith("\n"))
    if isinstance(value, _Cut):
        raise RecordError(number, "the header is cut short")
    body, digest = _body_at(number, text, value)
    header, version = _header_at(number, body)
    reader = _Reader(header.setup, FORMATS[version], digest, is_slice=is_slice)
    return header, version, _entries(numbered, reader)


def _entries(numbered: _Numbered, reader: "_Reader") -> _Items:
    """Each entry, checked against those before; at most one cut line at the end."""
    for number, text, is_last in numbered:
        value = _json_at(number, text, is_cut=is_last and not text.endswith("\n"))
        if isinstance(value, _Cut):
            yield number, value
            return
        body, digest = _body_at(number, text, value)
        try:
            entry = reader.entry(body, digest)
        except (CodecError, ObservationError) as error:
            raise RecordError(number, str(error)) from None
        yield number, entry


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


def _header_at(number: int, value: Json) -> tuple[RecordHeader, int]:
    """The header, and the version of its form."""
    if not _looks_like_header(value) or not isinstance(value, dict):
        raise RecordError(number, "want the header of a record")
    version = value.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version not in FORMATS:
        wanted = " or ".join(str(each) for each in FORMATS)
        raise RecordError(number, f"format: want {wanted}, got {shown(version)}")
    if value.get("kind", "header") != "header":
        raise RecordError(number, f"kind: want header, got {shown(value.get('kind'))}")
    rest = {key: item for key, item in value.items() if key not in {"format", "kind"}}
    try:
        return cast("RecordHeader", decode(RecordHeader, rest, "header")), version
    except CodecError as error:
        raise RecordError(number, str(error)) from None


class _Reader:
    """Makes entries of the lines of one record, and refuses what cannot follow what came before."""

    def __init__(self, setup: MatchSetup, form: RecordFormat, prev_hash: str, *, is_slice: bool) -> None:
        self._setup = setup
        self._is_slice = is_slice
        """Whether the first entry need not be the record's first, and may speak of what came before."""
        self._form = form
        self._prev_hash = prev_hash
        self._last: Entry | None = None
        self._is_ended = False
        self._verdicts = 0
        self._review_entries: dict[int, str] = {}
        """The ids of reviews, by entry."""
        self._late: set[int] = set()
        """Counts that were told after the end."""
        self._open_to_revert: set[int] = set()
        """Entries that are observations or reviews."""

    def entry(self, body: dict[str, Json], digest: str) -> Entry:
        """The next entry; ``CodecError`` or ``ObservationError`` if it cannot be."""
        for key in _ENTRY_KEYS[:-1]:
            if key not in body:
                raise CodecError(f"missing {key}")
        for key in body:
            if key not in _ENTRY_KEYS:
                raise CodecError(f"unknown key {shown(key)} (want: {', '.join(_ENTRY_KEYS)})")
        is_inside = self._is_slice and self._last is None
        if body["prev_hash"] != self._prev_hash and not is_inside:
            raise CodecError("prev_hash is not the hash of the line before: a line is missing or moved")
        entry = self._decoded(body, digest)
        self._refuse_disorder(entry)
        self._refuse_after_end(entry)
        self._remember(entry)
        return entry

    def _decoded(self, body: dict[str, Json], digest: str) -> Entry:
        kind = decode(str, body["kind"], "kind")
        entry = Entry(
            seq=decode(int, body["seq"], "seq"),
            kind=kind,
            payload=self._payload(kind, body["payload"]),
            origin=decode(Origin, body["origin"], "origin"),
            caused_by=decode(tuple[int, ...], body["caused_by"], "caused_by"),
            t_us=decode(int, body["t_us"], "t_us"),
            prev_hash=decode(str, body["prev_hash"], "prev_hash"),
            hash=digest,
        )
        if any(not 0 < cause < entry.seq for cause in entry.caused_by):
            raise CodecError(f"caused_by: want earlier entries, got {shown(list(entry.caused_by))}")
        return entry

    def _payload(self, kind: str, value: Json) -> Payload:
        if kind not in self._form.kinds:
            raise CodecError(f"kind: unknown {shown(kind)} (want: {', '.join(self._form.kinds)})")
        if kind == "verdict":
            return decode_verdict(value)
        if kind == "note":
            return cast("Note", decode(Note, value, "note"))
        if kind == "end":
            return cast("End", decode(End, value, "end"))
        if kind in self._form.reviews:
            return self._review(kind, value)
        observation = decode_payload(kind, value)
        refuse_faults(self._setup, observation)
        return observation

    def _review(self, kind: str, value: Json) -> Review:
        cls = next(each for each, name in REVIEW_KINDS.items() if name == kind)
        review = cast("Review", decode(cls, value, kind))
        fault = fault_in_review(review)
        if fault is not None:
            raise CodecError(f"{kind}.{fault}")
        for fact in review.facts if isinstance(review, Resolution) else ():
            if fact.observation is not None:
                refuse_faults(self._setup, fact.observation)
        return review

    def _refuse_disorder(self, entry: Entry) -> None:
        last = self._last
        expected = 1 if last is None else last.seq + 1
        if entry.seq != expected and not (self._is_slice and last is None and entry.seq > 0):
            raise CodecError(f"seq: want {expected}, got {entry.seq}")
        if last is not None and entry.t_us < last.t_us:
            raise CodecError(f"t_us: time runs backwards, from {last.t_us} to {entry.t_us}")
        if _is_observation(entry.payload) and entry.t_us < known_us(entry.payload):
            known = known_us(entry.payload)
            raise CodecError(f"t_us: {entry.t_us} is before the observation could be made, {known}")
        if isinstance(entry.payload, Appeal | Resolution | Revert):
            self._refuse_unknown(entry.payload, entry)

    def _refuse_unknown(self, review: Review, entry: Entry) -> None:
        """Refuse a review of what is not there."""
        if id_of(review) in self._review_entries.values():
            raise CodecError(f"{entry.kind}: {shown(id_of(review))} was entered already")
        if entry.t_us < review.at_us:
            raise CodecError(f"t_us: {entry.t_us} is before the {entry.kind} was made, {review.at_us}")
        if self._is_slice:
            return
        if isinstance(review, Revert):
            if review.entry not in self._open_to_revert:
                raise CodecError(f"revert.entry: {review.entry} is no earlier observation and no review")
            return
        if not 0 < number_of(review.verdict_id) <= self._verdicts:
            raise CodecError(f"{entry.kind}.verdict_id: no verdict {shown(review.verdict_id)} stands before")

    def _refuse_after_end(self, entry: Entry) -> None:
        """After the end only people speak: reviews, counts, what the referee says by them, and notes."""
        if not self._is_ended:
            return
        people = self._review_entries.keys() | self._late
        by_people = not people.isdisjoint(entry.caused_by)
        is_allowed = isinstance(entry.payload, (Appeal, Resolution, Revert, Note, *LATE)) or (
            isinstance(entry.payload, Verdict) and by_people
        )
        if not is_allowed or not self._form.reviews:
            raise CodecError("nothing can follow the entry that ends a record")

    def _remember(self, entry: Entry) -> None:
        self._last, self._prev_hash = entry, entry.hash
        match entry.payload:
            case End():
                self._is_ended = True
            case Verdict():
                self._verdicts += 1
            case Appeal() | Resolution() | Revert():
                self._review_entries[entry.seq] = id_of(entry.payload)
                self._open_to_revert.add(entry.seq)
            case Note():
                pass
            case _:
                self._open_to_revert.add(entry.seq)
                if self._is_ended:
                    self._late.add(entry.seq)


def _is_observation(payload: Payload) -> TypeGuard[Observation]:
    return not isinstance(payload, Verdict | Appeal | Resolution | Revert | Note | End)


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

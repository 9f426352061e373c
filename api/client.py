"""A typed client of the interface: every answer is checked against its shape, every write is sent once.

>>> Client("http://127.0.0.1:8765").address
'http://127.0.0.1:8765'
"""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import TypeAdapter

from api.read_schemas import (
    EntryLineOut,
    MatchDetailOut,
    MatchStandingOut,
    PlayRowOut,
    TableOut,
    TournamentOut,
    VerdictDetailOut,
)
from api.schemas import (
    AliveOut,
    CallOut,
    MatchOut,
    Problem,
    ReviewOut,
    Schema,
    ScoreOut,
    SnapshotOut,
    VerdictOut,
)
from api.session_schemas import SessionOut
from api.write_schemas import (
    AppealIn,
    AppealOut,
    CallIn,
    CardCorrectionIn,
    ConsequenceOut,
    CountCorrectionIn,
    CountIn,
    DeclarationIn,
    EnteredOut,
    OwnerCorrectionIn,
    ResolutionIn,
    TournamentIn,
    UndoIn,
)

_Value = TypeVar("_Value")

PART = 500
"""Items of a long list that are fetched at once."""
TRIES = 4
FIRST_WAIT_S = 0.2
SILENCE_S = 6.0
"""A stream that says nothing for so long is dead: signs of life come every second."""
AGAIN_S = 1.0
"""Between looks for a server that is away."""

Event = SnapshotOut | VerdictOut | ReviewOut | CallOut | ScoreOut | AliveOut
_SHAPES: Mapping[str, type[Event]] = {
    "snapshot": SnapshotOut,
    "verdict": VerdictOut,
    "revision": VerdictOut,
    "review": ReviewOut,
    "call": CallOut,
    "score": ScoreOut,
    "alive": AliveOut,
}
Wish = CardCorrectionIn | OwnerCorrectionIn | UndoIn | CountCorrectionIn | ResolutionIn


class ProblemError(Exception):
    """The server refused; the message is its sentence."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem

    @property
    def status(self) -> int:
        """Of the answer."""
        return self.problem.status


class Told:
    """One event of a stream."""

    __slots__ = ("event", "event_id", "value")

    def __init__(self, event: str, event_id: str, value: Event) -> None:
        self.event = event
        self.event_id = event_id
        """Empty for a sign of life."""
        self.value = value


class Client:
    """One server. Use it in a ``with`` statement, or close it."""

    def __init__(
        self,
        address: str,
        *,
        token: str | None = None,
        timeout_s: float = 30.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address.rstrip("/")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=self.address, headers=headers, timeout=timeout_s)
        self._sleep = sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    # -- reading --------------------------------------------------------------------------------------------

    def session(self) -> SessionOut:
        """Who asks, and what that one may do."""
        return self._get("session", SessionOut)

    def tables(self) -> list[TableOut]:
        """Every table with its newest match."""
        return self._get("tables", list[TableOut])

    def matches(self, table: str | None = None) -> list[MatchOut]:
        """All matches, oldest first."""
        return list(self._parts("matches", MatchOut, {} if table is None else {"table": table}))

    def match(self, match_id: str) -> MatchDetailOut:
        """A match with its seats and rules."""
        return self._get(_of(match_id), MatchDetailOut)

    def score(self, match_id: str) -> ScoreOut:
        """The score as it stands."""
        return self._get(_of(match_id, "score"), ScoreOut)

    def tournament(self) -> TournamentOut | None:
        """The tournament of this server. None: none was entered."""
        return self._get("tournament", TournamentOut | None)  # type: ignore[arg-type]  # a shape all the same

    def enter_tournament(self, wanted: TournamentIn) -> TournamentOut:
        """Enter a tournament in the place of the one that holds."""
        return self._post("tournament", wanted, TournamentOut)

    def standings(self, match_id: str) -> MatchStandingOut:
        """How the players of a match stand."""
        return self._get(_of(match_id, "standings"), MatchStandingOut)

    def verdicts(self, match_id: str, *, waiting: bool = False) -> Iterator[VerdictOut]:
        """All verdicts, oldest first; with ``waiting`` those that wait for a person."""
        return self._parts(_of(match_id, "verdicts"), VerdictOut, {"waiting": str(waiting).lower()})

    def verdict(self, match_id: str, verdict_id: str) -> VerdictDetailOut:
        """One verdict with all that stands behind it."""
        return self._get(_of(match_id, "verdicts", verdict_id), VerdictDetailOut)

    def plays(self, match_id: str) -> Iterator[PlayRowOut]:
        """All plays that were ruled on, oldest first."""
        return self._parts(_of(match_id, "plays"), PlayRowOut)

    def appeals(self, match_id: str) -> Iterator[ReviewOut]:
        """All appeals, oldest first."""
        return self._parts(_of(match_id, "appeals"), ReviewOut)

    def calls(self, match_id: str) -> Iterator[CallOut]:
        """All calls, oldest first."""
        return self._parts(_of(match_id, "calls"), CallOut)

    def entries(self, match_id: str) -> Iterator[EntryLineOut]:
        """All entries of the record, oldest first."""
        return self._parts(_of(match_id, "entries"), EntryLineOut)

    def record(self, match_id: str) -> bytes:
        """The record so far, as it lies on disk."""
        return self._asked("GET", _of(match_id, "record.jsonl")).content

    def case(self, match_id: str, verdict_id: str) -> bytes:
        """The case of a verdict: a zip that ``touchjudge verify`` checks."""
        return self._asked("GET", _of(match_id, "verdicts", verdict_id, "case.zip")).content

    def follow(self, match_id: str, last_event_id: str | None = None) -> Iterator[Told]:
        """Every change as it comes, for ever: a lost line is taken up again where it was lost."""
        while True:
            try:
                for told in self._stream(match_id, last_event_id):
                    last_event_id = told.event_id or last_event_id
                    yield told
            except (httpx.TransportError, httpx.StreamError):
                pass
            self._sleep(AGAIN_S)

    # -- writing --------------------------------------------------------------------------------------------

    def call(self, match_id: str, told: CallIn, *, key: str | None = None) -> EnteredOut:
        """Tell that somebody called."""
        return self._post(_of(match_id, "calls"), told, EnteredOut, key)

    def declare(self, match_id: str, told: DeclarationIn, *, key: str | None = None) -> EnteredOut:
        """Tell what a joker stands for."""
        return self._post(_of(match_id, "declarations"), told, EnteredOut, key)

    def count(self, match_id: str, told: CountIn, *, key: str | None = None) -> EnteredOut:
        """Tell how many cards were counted."""
        return self._post(_of(match_id, "counts"), told, EnteredOut, key)

    def appeal(self, match_id: str, asked: AppealIn, *, key: str | None = None) -> AppealOut:
        """Enter a player's appeal."""
        return self._post(_of(match_id, "appeals"), asked, AppealOut, key)

    def tried(self, match_id: str, wish: Wish) -> ConsequenceOut:
        """What a correction, an undoing or an answer would change. Nothing is entered."""
        return self._post(
            _place_of(match_id, wish), wish.model_copy(update={"confirm": None}), ConsequenceOut
        )

    def entered(
        self, match_id: str, wish: Wish, seen: ConsequenceOut, *, key: str | None = None
    ) -> ConsequenceOut:
        """Enter what was tried, if just the same still follows from it."""
        confirmed = wish.model_copy(update={"confirm": seen.confirm})
        return self._post(_place_of(match_id, wish), confirmed, ConsequenceOut, key)

    # -- inside ---------------------------------------------------------------------------------------------

    def _get(self, path: str, shape: type[_Value]) -> _Value:
        return TypeAdapter(shape).validate_json(self._asked("GET", path).content)

    def _parts(
        self, path: str, shape: type[_Value], query: Mapping[str, str] | None = None
    ) -> Iterator[_Value]:
        """A long list, part by part."""
        answer = self._asked("GET", path, params={**(query or {}), "limit": str(PART)})
        while True:
            yield from TypeAdapter(list[shape]).validate_json(answer.content)  # type: ignore[valid-type]
            following = answer.links.get("next")
            if following is None:
                return
            answer = self._answered("GET", following["url"])

    def _post(self, path: str, body: Schema, shape: type[_Value], key: str | None = None) -> _Value:
        """Send once, however often the line breaks: the key tells that it is the same request."""
        headers = {"Idempotency-Key": key or str(uuid.uuid4()), "Content-Type": "application/json"}
        answer = self._asked("POST", path, content=body.model_dump_json(), headers=headers)
        return TypeAdapter(shape).validate_json(answer.content)

    def _asked(self, method: str, path: str, **options: object) -> httpx.Response:
        return self._answered(method, f"/api/v1/{path}", **options)

    def _answered(self, method: str, address: str, **options: object) -> httpx.Response:
        """The answer; asked again where the line broke. ``ProblemError`` where the server refuses."""
        for tried in range(TRIES):
            try:
                answer = self._http.request(method, address, **options)  # type: ignore[arg-type]
                break
            except httpx.TransportError:
                if tried == TRIES - 1:
                    raise
                self._sleep(FIRST_WAIT_S * 2**tried)
        if answer.is_success:
            return answer
        raise ProblemError(_problem(answer))

    def _stream(self, match_id: str, last_event_id: str | None) -> Iterator[Told]:
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        address = f"/api/v1/{_of(match_id, 'stream')}"
        timeout = httpx.Timeout(30.0, read=SILENCE_S)
        with self._http.stream("GET", address, headers=headers, timeout=timeout) as answer:
            if not answer.is_success:
                answer.read()
                raise ProblemError(_problem(answer))
            yield from _events(answer.iter_lines())


def _events(lines: Iterator[str]) -> Iterator[Told]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            fields[name] = value
            continue
        shape = _SHAPES.get(fields.get("event", ""))
        if shape is not None:
            yield Told(fields["event"], fields.get("id", ""), shape.model_validate_json(fields["data"]))
        fields = {}


def _of(match_id: str, *parts: str) -> str:
    return "/".join(("matches", *(quote(part, safe="") for part in (match_id, *parts))))


def _place_of(match_id: str, wish: Wish) -> str:
    return _of(match_id, "resolutions" if isinstance(wish, ResolutionIn) else "corrections")


def _problem(answer: httpx.Response) -> Problem:
    try:
        return Problem.model_validate_json(answer.content)
    except ValueError:
        return Problem(title=answer.reason_phrase, status=answer.status_code, detail=answer.text[:500])

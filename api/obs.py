"""Marks disputes in OBS: a chapter in the recording, and the replay buffer saved, over obs-websocket 5.

Nothing of the match waits for OBS. What happens while it is away is marked nowhere: a chapter set later would
stand at the wrong place. Wants the extra ``obs`` (simpleobsws).
"""

import asyncio
import importlib
import os
import threading
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from api.errors import MisuseError, os_error_line
from api.feed import Change, MatchFeed
from api.hub import Hub
from api.quiet import is_quiet
from api.schemas import ReviewKind, ReviewOut, VerdictOut
from models.open_file import read_file
from referee.verdicts import Ruling

PASSWORD_VARIABLE = "TOUCHJUDGE_OBS_PASSWORD"  # noqa: S105 - the name of a variable, not a password
WRONG_PASSWORD = 4009
"""obs-websocket's close code: authentication failed."""
LONGEST_CHAPTER = 80
"""Characters; a player's list of chapters shows no more."""
_OPEN = (Ruling.UNDECIDED, Ruling.TOO_CLOSE)


@dataclass(frozen=True, slots=True)
class ObsPlan:
    """Where OBS listens."""

    url: str
    password: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObsSettings:
    """How OBS is told."""

    retry_s: float = 5.0
    """Between tries while OBS is away; it takes some seconds to start."""
    answer_s: float = 5.0
    """OBS answers within milliseconds; one that hangs is left after this."""
    look_s: float = 1.0
    """Between looks for matches that are new; changes of known ones wake at once."""
    between_replays_s: float = 10.0
    """A replay buffer holds 20 s and more: disputes at once share one file."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """What somebody may want to look at again."""

    name: str
    """Tells it from others, so that each is marked once."""
    chapter: str


def obs_plan(url: str, password_file: Path | None = None, environ: Mapping[str, str] = os.environ) -> ObsPlan:
    """Where OBS listens, with the password of a file or of the environment.

    ``MisuseError`` where the address is none, or the file cannot be read.

    >>> obs_plan("ws://127.0.0.1:4455", environ={}).url
    'ws://127.0.0.1:4455'
    """
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in {"ws", "wss"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise MisuseError(f"--obs: not an address of OBS: {url!r} (want e.g. ws://127.0.0.1:4455)")
    if parts.password or parts.username:
        raise MisuseError(f"--obs: a password is given by {PASSWORD_VARIABLE} or --obs-password-file")
    if password_file is None:
        return ObsPlan(url, environ.get(PASSWORD_VARIABLE, ""))
    try:
        return ObsPlan(url, read_file(password_file).decode("utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        why = os_error_line(error) if isinstance(error, OSError) else "not UTF-8"
        raise MisuseError(f"--obs-password-file: cannot read {password_file}: {why}") from None


def asked_plan(url: str | None, password_file: Path | None) -> ObsPlan | None:
    """What a command was asked by its options. None: OBS is left alone."""
    if url is None:
        if password_file is not None:
            raise MisuseError("--obs-password-file: want --obs too")
        return None
    return obs_plan(url, password_file)


def dispute_in(feed: MatchFeed, change: Change) -> Dispute | None:
    """What a change of a match puts in doubt: a verdict that cannot tell, or an appeal. None: nothing."""
    if change.event == "verdict":
        verdict = VerdictOut.model_validate_json(change.data)
        if verdict.ruling not in _OPEN or is_quiet(verdict):
            return None
        return Dispute(f"{feed.match_id} {verdict.verdict_id}", _chapter(verdict.verdict_id, verdict.reason))
    if change.event == "review":
        review = ReviewOut.model_validate_json(change.data)
        if review.kind is not ReviewKind.APPEAL or review.is_taken_back or review.answered_by is not None:
            return None
        said = f"{review.by} appeals" + (f": {review.text}" if review.text else "")
        return Dispute(f"{feed.match_id} {review.review_id}", _chapter(review.verdict_id or "", said))
    return None


def _chapter(verdict_id: str, said: str) -> str:
    """One line of plain text, as a list of chapters shows it."""
    plain = "".join(letter if unicodedata.category(letter)[0] != "C" else " " for letter in said)
    line = " ".join(f"{verdict_id}: {plain}".split())
    return line if len(line) <= LONGEST_CHAPTER else f"{line[: LONGEST_CHAPTER - 1]}…"


class DisputeFinder:
    """Finds what is new in doubt in all matches of a hub; what was so before it began is old."""

    def __init__(self, hub: Hub, wake: Callable[[], None]) -> None:
        self._hub = hub
        self._wake = wake
        self._seen: WeakKeyDictionary[MatchFeed, int] = WeakKeyDictionary()
        self._endings: list[Callable[[], None]] = []
        self._known: set[str] = set()
        self.new()

    def new(self) -> tuple[Dispute, ...]:
        """The disputes since the last call, each once."""
        found: dict[str, Dispute] = {}
        for feed in self._hub.feeds:
            if feed not in self._seen:
                self._endings.append(feed.follow(self._wake))
                self._seen[feed] = feed.number_seen(0)
                continue
            changes = feed.changes_after(self._seen[feed]) or ()
            for dispute in (dispute_in(feed, change) for change in changes):
                if dispute is not None and dispute.name not in self._known:
                    found[dispute.name] = dispute
            self._seen[feed] = changes[-1].number if changes else feed.number_seen(0)
        self._known |= set(found)
        return tuple(found.values())

    def close(self) -> None:
        """Follow no match any more."""
        for end in self._endings:
            end()


class ObsTeller:
    """A thread that stays connected to OBS and marks disputes in it."""

    def __init__(
        self, hub: Hub, plan: ObsPlan, *, tell: Callable[[str], None], settings: ObsSettings | None = None
    ) -> None:
        self._library = _simpleobsws()
        self._hub = hub
        self._plan = plan
        self._tell = tell
        self._settings = settings or ObsSettings()
        self._told: set[str] = set()
        """What was told of this connection: nothing is told twice."""
        self._loop = asyncio.new_event_loop()
        self._woken = asyncio.Event()
        self._is_ending = False
        self._replayed_at_s: float | None = None
        self._thread = threading.Thread(target=self._run, name="touchjudge-obs", daemon=True)

    def start(self) -> None:
        """Begin; what is in doubt already is marked nowhere."""
        self._finder = DisputeFinder(self._hub, self._wake)
        self._thread.start()

    def stop(self) -> None:
        """End the connection."""
        self._is_ending = True
        self._wake()
        self._thread.join(self._settings.answer_s + 1)
        self._finder.close()

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._woken.set)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._stay())
        finally:
            self._loop.close()

    async def _stay(self) -> None:
        """Connect, and after every loss again."""
        while not self._is_ending:
            client = self._library.WebSocketClient(url=self._plan.url, password=self._plan.password)
            try:
                await asyncio.wait_for(client.connect(), self._settings.answer_s)
                await self._mark_while_connected(client)
            except (TimeoutError, OSError, self._library.websockets.exceptions.WebSocketException):
                self._tell_once(f"OBS does not answer at {self._plan.url}: trying again")
            except (self._library.MessageTimeout, self._library.NotIdentifiedError):
                self._tell_once("OBS went away: trying again")
            finally:
                await self._leave(client)
            self._finder.new()  # What happened meanwhile is not marked later.
            await self._wait(self._settings.retry_s)

    async def _mark_while_connected(self, client: Any) -> None:  # noqa: ANN401 - simpleobsws has no types
        if not await self._is_let_in(client):
            refused = client.ws.close_code == WRONG_PASSWORD
            why = f"refuses the password ({PASSWORD_VARIABLE})" if refused else "does not greet us"
            self._tell_once(f"OBS at {self._plan.url} {why}")
            return
        self._told.clear()
        self._tell(f"OBS            {self._plan.url}: disputes become chapters and replays")
        self._finder.new()
        while not self._is_ending and client.ws.close_code is None:
            for dispute in self._finder.new():
                await self._mark(client, dispute)
            await self._wait(self._settings.look_s)
        if not self._is_ending:
            self._tell_once("OBS went away: trying again")

    async def _is_let_in(self, client: Any) -> bool:  # noqa: ANN401 - simpleobsws has no types
        """Whether OBS knows us; one that hangs up is not waited for."""
        deadline_s = self._loop.time() + self._settings.answer_s
        while not client.is_identified() and client.ws.close_code is None:
            if self._loop.time() > deadline_s or self._is_ending:
                return False
            await asyncio.sleep(0.02)
        return bool(client.is_identified()) and client.ws.close_code is None

    async def _mark(self, client: Any, dispute: Dispute) -> None:  # noqa: ANN401 - simpleobsws has no types
        await self._ask(client, "CreateRecordChapter", {"chapterName": dispute.chapter})
        now_s = self._loop.time()
        last_s = self._replayed_at_s
        if last_s is None or now_s - last_s >= self._settings.between_replays_s:
            self._replayed_at_s = now_s
            await self._ask(client, "SaveReplayBuffer", None)

    async def _ask(self, client: Any, what: str, data: dict[str, str] | None) -> None:  # noqa: ANN401 - no types
        """Ask OBS to do ``what``; where it cannot, that is told once."""
        answer = await client.call(self._library.Request(what, data), timeout=self._settings.answer_s)
        if not answer.ok():
            why = answer.requestStatus.comment or f"code {answer.requestStatus.code}"
            self._tell_once(f"OBS: {what}: {why}")

    async def _leave(self, client: Any) -> None:  # noqa: ANN401 - simpleobsws has no types
        if client.recv_task is not None:
            with suppress(Exception):
                await asyncio.wait_for(client.disconnect(), self._settings.answer_s)

    async def _wait(self, longest_s: float) -> None:
        if self._is_ending:
            return
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._woken.wait(), longest_s)
        self._woken.clear()

    def _tell_once(self, text: str) -> None:
        if text not in self._told and not self._is_ending:
            self._told.add(text)
            self._tell(text)


@contextmanager
def telling_obs(hub: Hub, plan: ObsPlan | None, *, tell: Callable[[str], None]) -> Iterator[None]:
    """Mark disputes of ``hub`` in OBS while the block runs. None: nobody asked for that."""
    if plan is None:
        yield
        return
    teller = ObsTeller(hub, plan, tell=tell)
    teller.start()
    try:
        yield
    finally:
        teller.stop()


def _simpleobsws() -> ModuleType:
    try:
        return importlib.import_module("simpleobsws")
    except ImportError:
        raise MisuseError("--obs wants simpleobsws: pip install 'touchjudge[obs]'") from None

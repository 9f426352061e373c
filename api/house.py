"""What the serving commands share: the settings, the store, and where records go by default."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import structlog
from rich.console import Console

from api import clock
from api.access import LOCAL, Scope
from api.door import is_loopback
from api.errors import CommandError, MisuseError
from api.hub import Hub
from api.logs import LogFile, log_errors_only
from api.machine import is_unspecified, let_many_files_open, own_addresses, web_address
from api.match_plan import MatchPlan
from api.match_session import MatchSession
from api.record_file import alone_in
from api.server import serving
from api.settings import Settings, load_settings
from api.store.matches import KeptMatch
from api.store.shelf import Store, open_store_or_forget
from api.tournament_file import TournamentError, load_tournament
from referee.setup import MatchSetup

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
LONGEST_STEM = 60


class House:
    """One server's settings and store, while a command runs."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store

    @property
    def records(self) -> Path:
        """The folder of records that nobody named a place for."""
        return self.settings.home / "records"

    @property
    def evidence(self) -> Path:
        """The folder of clips that were taken in."""
        return self.settings.home / "evidence"

    def place_for_record(self, name: str) -> Path | None:
        """A free place for the record of a match of this name. None: nothing can be kept here."""
        return self.free_place(name) if self.store.is_lasting else None

    def free_place(self, name: str) -> Path:
        """A place in the folder of records that is free yet."""
        self.records.mkdir(parents=True, exist_ok=True)
        stem = _UNSAFE.sub("-", name).strip("-")[:LONGEST_STEM] or "match"
        path, number = self.records / f"{stem}.jsonl", 2
        while path.exists():
            path, number = self.records / f"{stem}-{number}.jsonl", number + 1
        return path

    @contextmanager
    def taking_in(self) -> Iterator[None]:
        """One program at a time takes in matches; ``CommandError`` where nothing can be kept here."""
        if not self.store.is_lasting:
            raise CommandError("nothing can be kept here: name a folder with TOUCHJUDGE_HOME")
        self.records.mkdir(parents=True, exist_ok=True)
        with alone_in(self.records):
            yield

    def furnished(self, plan: MatchPlan) -> MatchPlan:
        """``plan`` with places for its record and clips, where nobody named any and they can be kept."""
        if not self.store.is_lasting:
            return plan
        return replace(
            plan,
            record=plan.record or self.place_for_record(plan.match_id),
            evidence=plan.evidence or self.evidence,
        )

    def keep(self, session: MatchSession, notes: Console) -> None:
        """Remember where a match is kept, and tell it."""
        if session.record is None:
            return
        feed, desk = session.feed, session.desk
        kept = kept_match(feed.match_id, feed.table, session.record, desk.setup, desk.header_line)
        self.store.matches.add(kept)
        notes.print(f"record         {session.record}", markup=False)

    def enter_tournament(self, path: Path) -> None:
        """Show the tournament of a file from now on; ``MisuseError`` where it does not hold."""
        try:
            _, text = load_tournament(path)
        except TournamentError as error:
            raise MisuseError(str(error)) from None
        self.store.plans.enter(text, LOCAL.name)

    @contextmanager
    def serving(self, hub: Hub, notes: Console, *, host: str, port: int | None) -> Iterator[str]:
        """Serve ``hub`` while the block runs; gives the address, one that others can open where they may."""
        with serving(hub, host=host, port=port, store=self.store, settings=self.settings) as address:
            own = _addresses_for_others(host, address)
            if is_unspecified(host):
                told = "  ".join(f"{each}/" for each in own) or "no address: this machine is on no network"
                notes.print(f"from others    {told}", markup=False)
            _tell_tokens(notes, host, self.store)
            log = structlog.get_logger()
            log.info("serving", address=address, matches=[feed.match_id for feed in hub.feeds])
            yield next(iter(own), address)
            log.info("served", address=address)


def kept_match(match_id: str, table: str, record: Path, setup: MatchSetup, header_line: str) -> KeptMatch:
    """What is remembered of a match; ``header_line``: the first of its record."""
    return KeptMatch(
        match_id=match_id,
        table=table,
        game=setup.game.value,
        players=tuple(item.player for item in setup.seats),
        record=record.absolute(),
        header_hash=str(json.loads(header_line)["hash"]),
    )


@contextmanager
def opened_house(notes: Console) -> Iterator[House]:
    """The house of this computer. Where nothing can be kept that is told, and the house is in memory."""
    settings = load_settings()
    let_many_files_open()
    if settings.log is None:
        log_errors_only()
    log = None if settings.log is None else LogFile(settings.log)
    store, why_not = open_store_or_forget(settings)
    if why_not:
        told = f"note: {why_not}; nothing is kept beyond this run (TOUCHJUDGE_HOME names a folder)"
        notes.print(told, markup=False)
    try:
        store.tidy(settings)
        yield House(settings, store)
    finally:
        store.close()
        if log is not None:
            log.close()


def _addresses_for_others(host: str, address: str) -> tuple[str, ...]:
    """Under which addresses more than this machine is served, where ``host`` is every one of them."""
    if not is_unspecified(host):
        return ()
    port = urlsplit(address).port or 80
    return tuple(web_address(each, port) for each in own_addresses() if ":" in host or ":" not in each)


def _tell_tokens(notes: Console, host: str, store: Store) -> None:
    """Say that everybody needs a token, where more than this machine is served, and how one is made."""
    if is_loopback(host):
        return
    moment = clock.as_text(clock.now())
    holding = [
        token
        for token in store.tokens.all()
        if token.revoked_at is None and (token.expires_at is None or token.expires_at > moment)
    ]
    there = "and there is none" if not holding else f"and {len(holding)} hold"
    scopes = " | ".join(Scope)
    notes.print(
        f"everybody needs a token here, {there}: touchjudge token new NAME --scope {scopes}", markup=False
    )

"""Records put on the pages of one server: what can be shown is, and what cannot is told."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import count
from pathlib import Path

from rich.console import Console

from api.errors import CommandError
from api.evidence_frames import last_picture
from api.house import kept_match
from api.hub import Hub
from api.record_file import HeldError
from api.record_shelf import OpenedMatch, shown_match
from api.store.matches import KeptMatch

MOST_NAMED = 5
"""Records in one line that a person reads."""


class RecordShows:
    """Shows records, and keeps other programs from adding to them until ``stack`` ends."""

    def __init__(self, hub: Hub, notes: Console, stack: ExitStack) -> None:
        self._hub = hub
        self._notes = notes
        self._stack = stack
        self.kept: list[KeptMatch] = []
        """What is worth remembering, once the server is up."""
        self._held: list[Path] = []
        self._faults: list[str] = []
        self._path_of: dict[str, Path] = {}
        """Where the records lie, by the ids of their matches."""

    def show_all(self, paths: Iterable[Path]) -> None:
        """Show records, each once; ``CommandError`` where not a single one can be.

        What another program may add to already is left to that one: two would not know of each other's
        entries. What is no record, or a damaged one, is left out and told.
        """
        for path in {path.absolute().resolve(): path for path in paths}.values():
            try:
                self._show(path)
            except HeldError:
                self._held.append(path)
            except ValueError as error:
                self._faults.append(f"{path}: {error}")
            except CommandError as error:
                self._faults.append(str(error))
        self._refuse_nothing()
        for fault in self._faults:
            self._note(f"{fault}; it is not shown")
        self._tell_held()
        for match_id in self._path_of:
            self._tell_copy(match_id)

    def _refuse_nothing(self) -> None:
        if self._hub.feeds:
            return
        if self._held:
            said = "another server shows the records in it: open its pages, or stop it first"
            raise CommandError(f"{self._held_in}: {said}")
        if self._faults:
            more = f" (and {len(self._faults) - 1} more that cannot be shown)" if self._faults[1:] else ""
            raise CommandError(f"{self._faults[0]}{more}")

    def _tell_held(self) -> None:
        if self._held:
            more = ", ..." if self._held[MOST_NAMED:] else ""
            named = ", ".join(path.name for path in self._held[:MOST_NAMED]) + more
            told = f"{len(self._held)} in {self._held_in} belong to another program that runs: {named}"
            self._note(f"{told}; they are not shown here")

    @property
    def _held_in(self) -> str:
        return ", ".join(dict.fromkeys(str(path.parent.absolute()) for path in self._held))

    def _show(self, path: Path) -> None:
        """Show one record; reviews can be entered where it is whole enough for that."""
        match_id = next(each for each in _ids_for(path) if self._hub.find(each) is None)
        opened = shown_match(path, match_id=match_id, holding=self._stack)
        if opened.note:
            self._note(opened.note)
        if match_id != path.stem:
            self._note(f"{path} is shown as {match_id!r}: another record is shown as {path.stem!r}")
        feed, desk = opened.feed, opened.desk
        self._hub.add(feed, desk, opened.archive)
        self._bind_clips(opened)
        if desk is not None:
            self.kept.append(kept_match(match_id, feed.table, path, desk.setup, desk.header_line))
        self._path_of[match_id] = path

    def _tell_copy(self, match_id: str) -> None:
        """Tell of a record which is not the one of its match that counts."""
        feed = self._hub.find(match_id)
        counts = None if feed is None else self._hub.copied_from(feed)
        if feed is None or counts is None:
            return
        path = self._path_of[match_id]
        if counts in self._hub.contradicting(feed):
            other = self._path_of.get(counts.match_id, counts.match_id)
            self._note(
                f"{path} and {other} are records of one match and contradict each other: standings count"
                f" {counts.match_id!r}, as provisional, until one of them is put away"
            )
            return
        self._note(f"{path} is a copy of the match {counts.match_id!r}: standings count it once")

    def _bind_clips(self, opened: OpenedMatch) -> None:
        if self._hub.evidence is None:
            return
        folder = self._hub.evidence.bind(opened.feed.match_id, opened.clips)
        if folder is None:
            return
        opened.feed.offer_picture(partial(last_picture, folder))
        if opened.desk is not None:
            opened.desk.hold_clips(folder.hold)

    def _note(self, text: str) -> None:
        self._notes.print(f"note: {text}", markup=False)


def _ids_for(path: Path) -> Iterator[str]:
    """Ids under which a record can be shown, the best first: records of one name lie in several folders."""
    yield path.stem
    folder = path.absolute().parent.name
    apart = f"{path.stem}-{folder}" if folder else path.stem
    yield apart
    for number in count(2):
        yield f"{apart}-{number}"

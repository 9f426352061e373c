"""All verdicts that were given in a match, and which of them hold."""

from dataclasses import dataclass, field, replace

from referee.folding import Act, Given
from referee.reviews import ReviewError
from referee.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Change:
    """What a review does to one verdict."""

    before: Verdict | None
    """None: there was none."""
    after: Verdict | None
    """None: there is none any more."""


@dataclass(slots=True)
class Ledger:
    """Verdicts are added and never changed; what holds is a choice among them."""

    given: list[Given] = field(default_factory=list)
    holds: dict[str, None] = field(default_factory=dict)
    """The verdicts that hold, by their ids."""
    felled_by: dict[str, str] = field(default_factory=dict)
    """For a verdict that does not hold: by which review."""
    _of_act: dict[Act, list[int]] = field(default_factory=dict)
    _of_entry: dict[int, list[int]] = field(default_factory=dict)
    """The verdicts that speak of an entry."""
    _place: dict[str, int] = field(default_factory=dict)
    """In which order the verdicts hold."""

    def add(self, given: Given) -> Given:
        """Give one more verdict, which holds; it gets its number."""
        named = given.named(len(self.given) + 1)
        self._of_act.setdefault(named.act, []).append(len(self.given))
        for entry in named.entries:
            self._of_entry.setdefault(entry, []).append(len(self.given))
        self.given.append(named)
        self._hold(named.verdict.verdict_id)
        return named

    def find(self, verdict_id: str) -> Given:
        """The verdict of this id; ``ReviewError`` if there is none."""
        at = number_of(verdict_id) - 1
        if 0 <= at < len(self.given) and self.given[at].verdict.verdict_id == verdict_id:
            return self.given[at]
        last = f"v{len(self.given)}" if self.given else "none"
        raise ReviewError(f"there is no verdict {verdict_id!r} yet (the last is {last})")

    def adopt(self, folded: tuple[Given, ...], review_id: str) -> tuple[Verdict, ...]:
        """Let what ``folded`` says hold from now on; the verdicts that are new."""
        held, self.holds, self._place = self.holds, {}, {}
        new: list[Verdict] = []
        for item in folded:
            same = self._said_before(item)
            if same is None:
                new.append(self.add(item).verdict)
            else:
                self._hold(same.verdict.verdict_id)
        for verdict_id in held:
            if verdict_id not in self.holds:
                self.felled_by[verdict_id] = review_id
        for verdict_id in self.holds:
            self.felled_by.pop(verdict_id, None)
        return tuple(new)

    def _hold(self, verdict_id: str) -> None:
        self._place[verdict_id] = len(self._place)
        self.holds[verdict_id] = None

    def changes(self, folded: tuple[Given, ...]) -> tuple[Change, ...]:
        """What would hold otherwise if ``folded`` held, in the order of the entries that it is about."""
        now = {item.act: item for item in self.given if item.verdict.verdict_id in self.holds}
        then = {item.act: item for item in folded}
        acts = sorted({**now, **then})
        changed = [
            (now.get(act), then.get(act)) for act in acts if not _are_same(now.get(act), then.get(act))
        ]
        return tuple(Change(_verdict_of(one), self._as_given(other)) for one, other in changed)

    def is_said_in(self, folded: tuple[Given, ...], given: Given) -> bool:
        """Whether ``folded`` says of the act of ``given`` just what that says."""
        return any(item.act == given.act and _are_same(given, item) for item in folded)

    def _as_given(self, folded: Given | None) -> Verdict | None:
        """What ``folded`` says, by the id under which it was said before; without one if it is new."""
        if folded is None:
            return None
        said = self._said_before(folded)
        return replace(folded.verdict, verdict_id="") if said is None else said.verdict

    def instead_of(self, given: Given) -> tuple[str, ...]:
        """The verdicts that hold about what ``given`` is about, if it does not hold itself."""
        verdict_id = given.verdict.verdict_id
        if verdict_id in self.holds:
            return ()
        own = number_of(verdict_id) - 1
        found = {*self._of_act.get(given.act, ())}
        found |= {at for entry in given.entries for at in self._of_entry[entry] if at > own}
        others = (self.given[at].verdict.verdict_id for at in found)
        return tuple(sorted((each for each in others if each in self.holds), key=self._place.__getitem__))

    def _said_before(self, item: Given) -> Given | None:
        """The verdict that says just the same of the same act."""
        at = self._of_act.get(item.act, ())
        return next((self.given[i] for i in at if _are_same(self.given[i], item)), None)


def number_of(verdict_id: str) -> int:
    """The number in a verdict's id; 0 if it is none.

    >>> number_of("v12"), number_of("twelve")
    (12, 0)
    """
    digits = verdict_id[1:]
    is_id = verdict_id[:1] == "v" and digits.isascii() and digits.isdecimal() and len(digits) < 10
    return int(digits) if is_id else 0


def _verdict_of(given: Given | None) -> Verdict | None:
    return None if given is None else given.verdict


def _are_same(one: Given | None, other: Given | None) -> bool:
    """Whether both say the same, whatever their numbers."""
    if one is None or other is None:
        return one is other
    return one.verdict is other.verdict or one.verdict.said == other.verdict.said

"""The words of the notation: how piles, seats, cards, times and short lists are typed, and read back."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.cards import Card
from referee.clock import Interval
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup
from referee.sightings import LabelRun, LaidCard, PileShare

LATEST_US = 2**53
"""As for every number of a record: beyond, it is not read alike everywhere."""
NOTHING = "-"
"""Typed where nobody knows, or nothing is meant."""
_TOKEN = re.compile(r'(?:[^\s"]|"(?:[^"\\]|\\.)*")+')
_TIME = re.compile(r"(-?\d+)(?:\.(\d{1,3}))?")
_SHARED_LETTERS = {"F": PileKind.FOUNDATION, "P": PileKind.SPIT}
_OWN_LETTERS = {"W": PileKind.TABLEAU, "S": PileKind.TABLEAU}
_OWN_NAMES = {"nerts": PileKind.RESERVE, "spit": PileKind.HAND, "SP": PileKind.HAND}


def tokens_of(line: str) -> list[str]:
    """The words of ``line``; a text in double quotes is one word, or part of one.

    >>> tokens_of('lost F1 900..1400 cause="a sleeve"')
    ['lost', 'F1', '900..1400', 'cause="a sleeve"']
    """
    found = _TOKEN.findall(line)
    if "".join(found) != re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda m: m.group(1) or "", line):
        raise ValueError("a quote is not closed")
    return found


def text_of(word: str) -> str:
    """The text that ``word`` says, quoted or plain."""
    if not word.startswith('"'):
        return word
    try:
        return str(json.loads(word))
    except ValueError:
        raise ValueError(f'not a text: {word} (want e.g. "a sleeve")') from None


def word_of(text: str) -> str:
    """``text`` as one word, quoted where it must be."""
    return text if re.fullmatch(r"[A-Za-z0-9_.+/]+", text) else json.dumps(text)


def us_of(word: str) -> int:
    """Microseconds from milliseconds with up to three decimals.

    >>> us_of("983.3"), us_of("-2")
    (983300, -2000)
    """
    match = _TIME.fullmatch(word)
    if match is None or len(word) > 20:
        raise ValueError(f"not a time: {word!r} (want milliseconds, e.g. 983.3)")
    whole, decimals = match.groups()
    us = abs(int(whole)) * 1000 + int((decimals or "").ljust(3, "0"))
    if us > LATEST_US:
        raise ValueError(f"not a time: {word!r} (want milliseconds within {LATEST_US // 1000})")
    return -us if whole.startswith("-") else us


def ms_word(us: int) -> str:
    """Microseconds as milliseconds, no digits lost.

    >>> ms_word(983_300), ms_word(-2_000)
    ('983.3', '-2')
    """
    whole, rest = divmod(abs(us), 1000)
    decimals = f".{rest:03}".rstrip("0") if rest else ""
    return f"{'-' if us < 0 else ''}{whole}{decimals}"


def interval_of(word: str) -> Interval:
    """``983.3..1000`` or ``983.3-1000``; one time alone is an instant, with or without ``@``."""
    word = word.removeprefix("@")
    start, dots, end = word.partition("..")
    if not dots and not word.startswith("-"):
        start, dots, end = word.partition("-")
    return Interval(us_of(start), us_of(end) if dots else us_of(start))


def interval_word(interval: Interval) -> str:
    """The interval as it is typed."""
    start, end = ms_word(interval.start_us), ms_word(interval.end_us)
    return start if start == end else f"{start}..{end}"


def card_of(word: str) -> Card | None:
    """The card of this name; None for ``??``."""
    return None if word == "??" else Card.parse(word)


def card_word(card: Card | None) -> str:
    """The card's name."""
    return "??" if card is None else str(card)


def listed(word: str, parse: Callable[[str], object]) -> tuple[object, ...]:
    """Items with commas between; ``-`` for none."""
    return () if word == NOTHING else tuple(parse(item) for item in word.split(","))


def list_word(items: Sequence[object], word: Callable[[object], str]) -> str:
    """Items with commas between; ``-`` for none."""
    return ",".join(word(item) for item in items) or NOTHING


@dataclass(frozen=True, slots=True)
class Names:
    """Who and what can be named in one match: seats by their place or by the player, piles in short."""

    setup: MatchSetup

    def seat(self, word: str) -> Seat:
        """The seat of this name, or of the player of this name."""
        by_player = [item.seat for item in self.setup.seats if item.player == word]
        if len(by_player) == 1:
            return by_player[0]
        if word in tuple(Seat):
            return Seat(word)
        wanted = ", ".join(f"{item.seat} ({item.player})" for item in self.setup.seats)
        raise ValueError(f"nobody is called {word!r} (want one of: {wanted})")

    def pile(self, word: str, own: Seat | None = None) -> PileId:
        """The pile of this name; one of a layout without its seat is that of ``own``."""
        owner, slash, name = word.rpartition("/")
        if owner == "table" or "[" in name:
            return PileId.parse(word)
        if not slash and name[:1] in _SHARED_LETTERS and name[1:].isdecimal():
            return PileId(_SHARED_LETTERS[name[0]], None, int(name[1:]))
        kind, index = _own_kind(name, word)
        seat = self.seat(owner) if slash else own
        if seat is None:
            raise ValueError(f"whose pile is {word!r}? (want e.g. 'south/{word}')")
        return PileId(kind, self.setup.deck_of(seat) if not slash else seat, index)

    def laid(self, word: str) -> LaidCard:
        """``5H``, ``south:5H``, ``JK=6S``."""
        owner, colon, face = word.rpartition(":")
        face, equals, meant = face.partition("=")
        return LaidCard(
            card=card_of(face),
            owner=self.seat(owner) if colon else None,
            stands_for=Card.parse(meant) if equals else None,
        )

    def share(self, word: str) -> PileShare:
        """``F1=0.3``."""
        pile, _, share = word.partition("=")
        return PileShare(self.pile(pile), number_of(share))


def _own_kind(name: str, word: str) -> tuple[PileKind, int]:
    if name[:1] in _OWN_LETTERS and name[1:].isdecimal():
        return _OWN_LETTERS[name[0]], int(name[1:])
    kind = _OWN_NAMES.get(name, name)
    if kind in tuple(PileKind):
        return PileKind(kind), 0
    raise ValueError(f"not a pile: {word!r} (want e.g. F1, south/W2, south/nerts, south/waste)")


def pile_word(pile: PileId) -> str:
    """The pile's short name: ``F1``, ``south/W2``, ``south/nerts``.

    >>> pile_word(PileId.parse("south/tableau[2]")), pile_word(PileId.parse("table/aside"))
    ('south/W2', 'table/aside')
    """
    if pile.seat is None and pile.kind in _SHARED_LETTERS.values():
        return f"{'F' if pile.kind is PileKind.FOUNDATION else 'P'}{pile.index}"
    if pile.seat is not None and pile.kind is PileKind.TABLEAU:
        return f"{pile.seat}/W{pile.index}"
    if pile.seat is not None and pile.kind is PileKind.RESERVE and pile.index == 0:
        return f"{pile.seat}/nerts"
    return str(pile)


def laid_word(laid: LaidCard) -> str:
    """As ``Names.laid`` reads it."""
    owner = "" if laid.owner is None else f"{laid.owner}:"
    meant = "" if laid.stands_for is None else f"={laid.stands_for}"
    return f"{owner}{card_word(laid.card)}{meant}"


def run_of(word: str) -> LabelRun:
    """``5H*30``, ``5D`` for one frame, ``none*2`` where no card was read."""
    label, _, frames = word.partition("*")
    return LabelRun(None if label == "none" else Card.parse(label), whole_of(frames) if frames else 1)


def run_word(run: LabelRun) -> str:
    """As ``run_of`` reads it."""
    return f"{'none' if run.card is None else run.card}*{run.frames}"


def whole_of(word: str) -> int:
    """A whole number."""
    if not re.fullmatch(r"-?\d{1,15}", word):
        raise ValueError(f"not a whole number: {word!r}")
    return int(word)


def number_of(word: str) -> float:
    """A number such as ``0.97``."""
    if not re.fullmatch(r"-?\d{1,15}(\.\d+)?(e-?\d{1,3})?", word):
        raise ValueError(f"not a number: {word!r} (want e.g. 0.97)")
    return float(word)

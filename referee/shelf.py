"""Everything that was told, kept small: what an undo folds again."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.codec import canonical, decode_observation, encode_observation, parse_json
from referee.observations import Observation

LINES_IN_A_BLOCK = 512
"""Enough for the lines to be packed to a tenth, few enough to be quick to unpack."""

MOST_AT_HAND = 200_000
"""Observations that are kept unpacked, some 2 kB each: a day of play."""


@dataclass(frozen=True, slots=True)
class Entered:
    """One observation as it was entered."""

    entry: int
    observation: Observation
    at_us: int | None
    """When it was told. None: no time was kept beside its own."""


@dataclass(slots=True)
class Shelf:
    """Observations in the order in which they were entered: the newest as they are, older ones packed."""

    _packed: list[bytes] = field(default_factory=list)
    _newest: list[Entered] = field(default_factory=list)
    _at_hand: list[Entered] = field(default_factory=list)
    """What was packed, from the first on, once somebody looked at all of it: people who correct one play
    correct another, and unpacking takes half as long as folding."""

    def add(self, entered: Entered) -> None:
        """Put one more observation on the shelf."""
        self._newest.append(entered)
        if len(self._newest) >= LINES_IN_A_BLOCK:
            self._packed.append(_pack(self._newest))
            self._newest = []

    def __iter__(self) -> Iterator[Entered]:
        packed = LINES_IN_A_BLOCK * len(self._packed)
        if len(self._at_hand) < packed <= MOST_AT_HAND:
            for block in self._packed[len(self._at_hand) // LINES_IN_A_BLOCK :]:
                self._at_hand += _unpack(block)
        yield from self._at_hand
        for block in self._packed[len(self._at_hand) // LINES_IN_A_BLOCK :]:
            yield from _unpack(block)
        yield from self._newest


def _pack(items: list[Entered]) -> bytes:
    lines = [canonical([item.entry, item.at_us, encode_observation(item.observation)]) for item in items]
    return zlib.compress("\n".join(lines).encode("ascii"), 1)


def _unpack(block: bytes) -> Iterator[Entered]:
    for line in zlib.decompress(block).decode("ascii").split("\n"):
        value = parse_json(line)
        assert isinstance(value, list)
        entry, at_us, observation = value
        assert isinstance(entry, int)
        assert at_us is None or isinstance(at_us, int)
        yield Entered(entry, decode_observation(observation), at_us)

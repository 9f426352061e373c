"""Everything that was told, kept small: what an undo folds again."""

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.observations import Observation

LINES_IN_A_BLOCK = 512
"""Enough to be packed to a twentieth, few enough to be quick to unpack."""

BLOCKS_AT_HAND = 400
"""So many blocks stay unpacked once somebody looked at them, some 1 MB each: people who correct one play
correct another, and unpacking takes a fifth as long as folding."""


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
    _at_hand: dict[int, list[Entered]] = field(default_factory=dict)
    """Blocks that were unpacked, by their numbers."""

    def __len__(self) -> int:
        return LINES_IN_A_BLOCK * len(self._packed) + len(self._newest)

    def add(self, entered: Entered) -> None:
        """Put one more observation on the shelf."""
        self._newest.append(entered)
        if len(self._newest) >= LINES_IN_A_BLOCK:
            self._packed.append(zlib.compress(pickle.dumps(self._newest, pickle.HIGHEST_PROTOCOL), 1))
            self._newest = []

    def __iter__(self) -> Iterator[Entered]:
        return self.since(0)

    def since(self, count: int) -> Iterator[Entered]:
        """All but the first ``count``."""
        first, skipped = divmod(count, LINES_IN_A_BLOCK)
        for number in range(first, len(self._packed)):
            yield from self._block(number)[skipped:]
            skipped = 0
        yield from self._newest[skipped:]

    def _block(self, number: int) -> list[Entered]:
        block = self._at_hand.get(number)
        if block is None:
            packed = zlib.decompress(self._packed[number])
            block = pickle.loads(packed)  # noqa: S301 - packed by ``add``, and never out of this memory
            if len(self._at_hand) < BLOCKS_AT_HAND:
                self._at_hand[number] = block
        return block

"""Tells card backs apart: one picture of a deck's back is remembered, and a back in view is named after it.

A back is kept as a picture of it, 1 mm a pixel. A small network describes it and what is in view, each 8 mm
of the card by a vector; it was taught that views of one design agree, whatever the light, and that those of
others, or of the same in other inks, do not. ``docs/decks.md`` tells what was tried and measured.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from models.back_encoder import EncodedBacks, shipped_encoder
from models.back_view import CARD_WH_MM, VARIANTS, BackView, placements, variants

RIM_MM = 6
"""Outermost part of a back that is not asked for a pattern: the border is white on nearly all."""
BLOCK_MM = 15
SOFT_MM = 0.8
"""Blur of what is asked for a pattern, so that noise is none."""
CONTRAST = 0.15
"""Of a block, against its brightness: from here on its pattern counts in full."""
DARKEST = 10.0
"""Levels added to a brightness that contrast is measured against, for noise in the dark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackSettings:
    """How like is like enough, in log odds; docs/decks.md has the measurements.

    accept: least likeness of a back that is one of those enrolled. margin: the next one is at least so much
    less like it. alike: two backs that are more like one another are not both enrolled. Chosen on views of
    designs that neither taught the network nor are measured in the document.
    """

    accept: float = 0.8
    margin: float = 0.5
    alike: float = 0.0


@dataclass(frozen=True, eq=False)
class BackSignature:
    """One back, remembered. colours: uint8 BGR (88, 63, 3), the whole back at 1 mm a pixel."""

    colours: NDArray[np.uint8]

    def __post_init__(self) -> None:
        width, height = CARD_WH_MM
        if self.colours.shape != (height, width, 3) or self.colours.dtype != np.uint8:
            raise ValueError(f"colours: want uint8 ({height}, {width}, 3), got {self.colours.shape}")
        self.colours.setflags(write=False)

    @classmethod
    def of(cls, view: BackView) -> Self:
        """The signature of a back that is seen whole. ``ValueError`` where it is not."""
        width, height = CARD_WH_MM
        if len(view.candidates) != 1 or view.candidates[0].shape[:2] != (height, width):
            raise ValueError("the back is not seen whole (want a whole card, seen from above)")
        return cls(np.clip(np.rint(view.candidates[0]), 0, 255).astype(np.uint8))

    @classmethod
    def parse(cls, text: str) -> Self:
        """From its text form; ``ValueError`` for what is none."""
        width, height = CARD_WH_MM
        try:
            content = base64.b64decode(text, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"not a back's signature: {text[:20]!r} (want base64)") from None
        if len(content) != width * height * 3:
            raise ValueError(f"not a back's signature: {len(content)} bytes (want {width * height * 3})")
        return cls(np.frombuffer(content, np.uint8).reshape(height, width, 3).copy())

    def __str__(self) -> str:
        return base64.b64encode(self.colours.tobytes()).decode()

    def as_view(self) -> BackView:
        """The signature as if it were seen."""
        return BackView((self.colours.astype(np.float32),))

    @cached_property
    def pattern(self) -> float:
        """How much of the back has a pattern to be told by, 0..1; plain backs have next to none."""
        soft = np.asarray(cv2.GaussianBlur(self.colours.astype(np.float32), (0, 0), SOFT_MM), np.float32)
        inside = soft[RIM_MM:-RIM_MM, RIM_MM:-RIM_MM]
        rows = np.array_split(inside, inside.shape[0] // BLOCK_MM)
        blocks = [block for row in rows for block in np.array_split(row, row.shape[1] // BLOCK_MM, axis=1)]
        return float(np.mean([min(_contrast(block) / CONTRAST, 1.0) for block in blocks]))

    @cached_property
    def encoded(self) -> EncodedBacks:
        """What the network knows of it, as it is and a little off."""
        return shipped_encoder().encode(variants(self.colours.astype(np.float32)))


def _contrast(block: NDArray[np.float32]) -> float:
    """Spread of a block's colours against its brightness."""
    pixels = block.reshape(-1, 3)
    return float(np.sqrt(pixels.var(axis=0).sum()) / (pixels.mean() + DARKEST))


@dataclass(frozen=True, slots=True, kw_only=True)
class BackMatch:
    """Whose back it is. name: None where it is none of those enrolled, or two are equally likely.

    confidence: 0..1, of the answer. likeness: of the one most like it, 0..1.
    """

    name: str | None
    confidence: float
    likeness: float


class TooAlikeError(ValueError):
    """A new back cannot be told from one that is enrolled."""

    def __init__(self, name: str, other: str, likeness: float, most: float) -> None:
        super().__init__(
            f"the back of {name} is too like that of {other}: {likeness:.3f} of 1 (want at most {most:.3f})"
        )
        self.other = other


@dataclass(frozen=True)
class BackBook:
    """The backs that are enrolled, by the name of their player."""

    backs: tuple[tuple[str, BackSignature], ...] = ()
    settings: BackSettings = field(default_factory=BackSettings)

    def with_back(self, name: str, signature: BackSignature) -> "BackBook":
        """This book with one more back; the player's earlier one goes. Raises ``TooAlikeError``."""
        others = tuple((other, known) for other, known in self.backs if other != name)
        most = as_share(self.settings.alike)
        for other, known in others:
            found = likeness_between(signature, known)
            if found > most:
                raise TooAlikeError(name, other, found, most)
        return BackBook((*others, (name, signature)), self.settings)

    def owner_of(self, view: BackView) -> BackMatch:
        """Whose back this is."""
        return self.judged(log_odds(view, [known for _, known in self.backs]))

    def judged(self, found_log_odds: Sequence[float]) -> BackMatch:
        """Whose back it is that is so like each of the book's."""
        found = sorted(zip(found_log_odds, self.names, strict=True), reverse=True)
        if not found:
            return BackMatch(name=None, confidence=1.0, likeness=0.0)
        best, name = found[0]
        odds = np.exp([each - self.settings.accept for each, _ in found])
        chance = float(odds[0] / (1 + odds.sum()))
        is_alone = len(found) == 1 or best - found[1][0] >= self.settings.margin
        if best < self.settings.accept or not is_alone:
            return BackMatch(name=None, confidence=1 - chance, likeness=as_share(best))
        return BackMatch(name=name, confidence=chance, likeness=as_share(best))

    @property
    def names(self) -> tuple[str, ...]:
        """The players."""
        return tuple(name for name, _ in self.backs)


def as_share(log_odds: float) -> float:
    """Log odds as 0..1."""
    return float(1 / (1 + np.exp(-log_odds)))


def likeness_between(one: BackSignature, other: BackSignature) -> float:
    """How like two enrolled backs are, whichever of them is seen, 0..1."""
    return as_share(max(*log_odds(one.as_view(), [other]), *log_odds(other.as_view(), [one])))


def log_odds(view: BackView, backs: Sequence[BackSignature]) -> list[float]:
    """How like the view is to each back, at the place and turn that speak most for it."""
    if not backs:
        return []
    encoder = shipped_encoder()
    seen = encoder.encode(placements(view))
    known = EncodedBacks(
        np.concatenate([back.encoded.vectors for back in backs]),
        np.concatenate([back.encoded.weights for back in backs]),
    )
    found = encoder.likeness(seen, known).reshape(-1, len(backs), len(VARIANTS))
    return [float(value) for value in found.mean(axis=2).max(axis=0)]

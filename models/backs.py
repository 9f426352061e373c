"""Tells card backs apart: one picture of a deck's back is remembered, and a back in view is named after it.

A back is kept as a picture of it, 1 mm a pixel. A view is compared with it block by block: each block of the
view looks for its like near its place, by correlation of its colours, which light does not change. That bears
corners that are some mm off. ``docs/decks.md`` tells what was tried and measured.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import cv2
import numpy as np
from numpy.typing import NDArray

from models.cut import order_quad

Colours = NDArray[np.float32]
"""float32 BGR (h, w, 3), 0..255."""

CARD_WH_MM = (63, 88)
"""And the size of a whole back in pixels, at 1 mm a pixel."""
WHOLE_TOLERANCE = 0.15
"""A view whose sides are this near to a card's shows a whole card."""
WHOLE_ASPECT = (1.15, 1.75)
"""Longer by shorter side of a whole card, bridge or poker, as a tilted camera may see it."""
NEARLY_WHOLE_MM = 3
"""A view is as wide, or as tall, as a card where no more is missing."""
OVERSAMPLED = 3
"""A view is cut this much finer and averaged down, so that fine patterns do not alias."""
BLOCK_MM = 15
"""Side of a block: large enough for a pattern, small enough for a card that is bent or seen askew."""
RIM_MM = 6
"""Outermost part of a view that is not compared: the border is white on nearly all backs."""
REACH_MM = 4
"""How far from its place a block's like is looked for."""
SOFT_MM = 0.8
"""Blur of view and signature, so that sharp and soft pictures are alike."""
CONTRAST = 0.15
"""Of a block, against its brightness: from here on its pattern counts in full."""
LEAST_WEIGHT = 0.02
"""Of a block without any pattern."""
FLAT = 0.01
"""A block of less contrast has no pattern that could correlate."""
BEST_SHARE = 0.8
"""Part of the blocks that counts, best ones first: the rest may show a hand, a glare or another card."""
DARKEST = 10.0
"""Levels added to a brightness that contrast is measured against, for noise in the dark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackSettings:
    """How like is like enough, as correlations, -1..1; docs/decks.md has the measurements.

    accept: least likeness of a back that is one of those enrolled. margin: the next one is at least so much
    less like it. alike: two backs that are more like one another are not both enrolled: the margin would not
    hold between them. steepness: of the logistic function that makes likeness a chance, fitted to views of
    73 designs.
    """

    accept: float = 0.78
    margin: float = 0.25
    alike: float = 0.75
    steepness: float = 12.0


@dataclass(frozen=True, slots=True, eq=False)
class BackView:
    """What is seen of one back: the ways in which it may be part of a whole one.

    Each is float32 BGR (h, w, 3) at 1 mm a pixel, upright or on its side or head: that is not known.
    """

    candidates: tuple[Colours, ...]


def cut_back(
    image_bgr: NDArray[np.uint8], quad_px: NDArray[np.float32], px_per_mm: float | None = None
) -> BackView:
    """The back in ``quad_px`` (4, 2), in pixels of ``image_bgr``, uint8 (h, w, 3).

    px_per_mm: scale at the card. Where it is not known a strip is taken to be as long, or as wide, as a card.
    """
    quad = order_quad(quad_px.astype(np.float32))
    across = float(np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    down = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    sizes = _sizes_mm(max(across, 1.0), max(down, 1.0), px_per_mm)
    return BackView(tuple(_cut(image_bgr, quad, size_mm) for size_mm in sizes))


def _sizes_mm(across_px: float, down_px: float, px_per_mm: float | None) -> list[tuple[float, float]]:
    """What a view of this size may measure on its card, across and down (the longer side), in mm."""
    wide, tall = CARD_WH_MM
    aspect = down_px / across_px
    if px_per_mm is not None:
        across, down = across_px / px_per_mm, down_px / px_per_mm
        if abs(across / wide - 1) < WHOLE_TOLERANCE and abs(down / tall - 1) < WHOLE_TOLERANCE:
            return [(wide, tall)]
        return [(across, down)]
    if WHOLE_ASPECT[0] <= aspect <= WHOLE_ASPECT[1]:
        return [(wide, tall)]
    if aspect < WHOLE_ASPECT[0]:
        return [(wide, wide * aspect)]
    return [(tall / aspect, tall), (wide / aspect, wide)]


def _cut(image_bgr: NDArray[np.uint8], quad: NDArray[np.float32], size_mm: tuple[float, float]) -> Colours:
    width, height = (
        int(np.clip(round(side), BLOCK_MM, most)) for side, most in zip(size_mm, CARD_WH_MM, strict=True)
    )
    w, h = width * OVERSAMPLED, height * OVERSAMPLED
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(quad, corners.astype(np.float32))
    fine = cv2.warpPerspective(image_bgr, matrix, (w, h), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), np.float32)


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
        width, height = CARD_WH_MM
        soft = _softened(self.colours)
        parts = [soft[y : y + BLOCK_MM, x : x + BLOCK_MM] for y, x in _blocks(height, width)]
        return float(np.mean([_weight(_contrast(part)) for part in parts]))

    @cached_property
    def surroundings(self) -> Colours:
        """The back, softened, in a rim of ``REACH_MM`` that repeats its edge."""
        rim = (REACH_MM,) * 4
        return np.asarray(cv2.copyMakeBorder(_softened(self.colours), *rim, cv2.BORDER_REPLICATE), np.float32)


def _softened(colours: NDArray[np.uint8] | Colours) -> Colours:
    return np.asarray(cv2.GaussianBlur(colours.astype(np.float32), (0, 0), SOFT_MM), np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class BackMatch:
    """Whose back it is. name: None where it is none of those enrolled, or two are equally likely.

    confidence: 0..1, of the answer. likeness: of the one most like it, -1..1.
    """

    name: str | None
    confidence: float
    likeness: float


class TooAlikeError(ValueError):
    """A new back cannot be told from one that is enrolled."""

    def __init__(self, name: str, other: str, likeness: float, most: float) -> None:
        super().__init__(
            f"the back of {name} is too like that of {other}: {likeness:.2f} of 1 (want at most {most:.2f})"
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
        for other, known in others:
            found = likeness_between(signature, known)
            if found > self.settings.alike:
                raise TooAlikeError(name, other, found, self.settings.alike)
        return BackBook((*others, (name, signature)), self.settings)

    def owner_of(self, view: BackView) -> BackMatch:
        """Whose back this is."""
        found = [(likeness(view, known), name) for name, known in self.backs]
        if not found:
            return BackMatch(name=None, confidence=1.0, likeness=-1.0)
        found.sort(key=lambda each: -each[0])
        best, name = found[0]
        odds = np.exp([self.settings.steepness * (each - self.settings.accept) for each, _ in found])
        chance = float(odds[0] / (1 + odds.sum()))
        is_alone = len(found) == 1 or best - found[1][0] >= self.settings.margin
        if best < self.settings.accept or not is_alone:
            return BackMatch(name=None, confidence=1 - chance, likeness=best)
        return BackMatch(name=name, confidence=chance, likeness=best)


def likeness_between(one: BackSignature, other: BackSignature) -> float:
    """How like two enrolled backs are, whichever of them is seen, -1..1."""
    return max(likeness(one.as_view(), other), likeness(other.as_view(), one))


def likeness(view: BackView, back: BackSignature) -> float:
    """How like the view is to this back, -1..1, at the place and turn that speak most for it."""
    found = [
        _correlation(_softened(turned), left_mm, back.surroundings)
        for candidate in view.candidates
        for turned in _turns(candidate)
        for left_mm in _lefts(turned)
    ]
    return max(found, default=-1.0)


def _turns(view: Colours) -> list[Colours]:
    """The view in every way of the four in which it fits in a card; a whole one stands on one short side."""
    wide, tall = CARD_WH_MM
    turns = [np.ascontiguousarray(np.rot90(view, k)) for k in range(4)]
    return [turned for turned in turns if turned.shape[0] <= tall and turned.shape[1] <= wide]


def _lefts(view: Colours) -> tuple[int, ...]:
    """Where the view may begin, from the left: at either edge. Its top is the card's, or it is turned."""
    room = CARD_WH_MM[0] - view.shape[1]
    return (0,) if room <= NEARLY_WHOLE_MM else (0, room)


def _correlation(view: Colours, left_mm: int, surroundings: Colours) -> float:
    """The weighted mean correlation of those blocks of the view that fit best."""
    found = [_best_block(view, x, y, left_mm, surroundings) for y, x in _blocks(*view.shape[:2])]
    pattern, weight = (np.array(values) for values in zip(*found, strict=True))
    order = np.argsort(-pattern, kind="stable")
    counted = order[np.cumsum(weight[order]) <= BEST_SHARE * weight.sum() + 1e-6]
    counted = counted if len(counted) else order[:1]
    return float((pattern * weight)[counted].sum() / weight[counted].sum())


def _blocks(height: int, width: int) -> Iterator[tuple[int, int]]:
    """Top left corners of blocks that cover a view of this size but for its rim, some of them overlapping."""
    for y in _block_starts(height):
        for x in _block_starts(width):
            yield y, x


def _block_starts(side: int) -> list[int]:
    rim = min(RIM_MM, (side - BLOCK_MM) // 2)
    inside = side - 2 * rim
    return [int(at) for at in np.linspace(rim, side - rim - BLOCK_MM, max(1, inside // BLOCK_MM))]


def _best_block(view: Colours, x: int, y: int, left_mm: int, surroundings: Colours) -> tuple[float, float]:
    """A block's best correlation near its place, -1..1, and its weight by its contrast."""
    block = view[y : y + BLOCK_MM, x : x + BLOCK_MM]
    side = BLOCK_MM + 2 * REACH_MM
    around = surroundings[y : y + side, x + left_mm : x + left_mm + side]
    if min(_contrast(block), _contrast(around)) < FLAT:
        return 0.0, _weight(max(_contrast(block), _contrast(around)))
    correlation = cv2.matchTemplate(around, block, cv2.TM_CCOEFF_NORMED)
    dy, dx = divmod(int(correlation.argmax()), correlation.shape[1])
    like = around[dy : dy + BLOCK_MM, dx : dx + BLOCK_MM]
    return float(correlation.max()), _weight(max(_contrast(block), _contrast(like)))


def _weight(contrast: float) -> float:
    return float(np.clip(contrast / CONTRAST, LEAST_WEIGHT, 1.0))


def _contrast(block: Colours) -> float:
    """Spread of a block's colours against its brightness."""
    pixels = block.reshape(-1, 3)
    return float(np.sqrt(pixels.var(axis=0).sum()) / (pixels.mean() + DARKEST))

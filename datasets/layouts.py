"""What lies on the table of a synthetic scene: which cards, and how they are laid out, in millimetres."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.decks import CARD_SIZE_MM, Deck, plain_back, with_four_indices, with_other_inks
from models.classes import BACK, JOKER

Image = NDArray[np.uint8]
Rng = np.random.Generator

CARD_W_MM, CARD_H_MM = CARD_SIZE_MM
INKED_SHARE = 0.35
"""Decks on tinted or dark stock, or with faded ink."""
PLAIN_SHARE = 0.3
"""So many scenes have a plain dark back: 46 in photographs were not found by what was taught without."""
PLAIN_OWN_SHARE = 0.8
"""There so many of the backs are that one; players bring decks of their own."""
LEAST_BACKS = 0.35
"""Where the scene's back is plain, at least so many of the cards that may be backs are."""

Point = Sequence[float] | NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """A printed side of a card.

    label: for the reader; None: do not teach. indices: corners that hold rank and suit, 0, 2 or 4.
    """

    sprite: Image
    label: str | None
    indices: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaidCard:
    """A card on the table: what is up, and where it lies."""

    side: Side
    centre_mm: tuple[float, float]
    angle_rad: float

    @property
    def table_from_card_mm(self) -> NDArray[np.float64]:
        """(3, 3): from the card's own mm (origin at its top left) to the table's."""
        c, s = np.cos(self.angle_rad), np.sin(self.angle_rad)
        x, y = self.centre_mm
        to_centre = np.array([[1, 0, -CARD_W_MM / 2], [0, 1, -CARD_H_MM / 2], [0, 0, 1]])
        return np.asarray(np.array([[c, -s, x], [s, c, y], [0, 0, 1]]) @ to_centre, np.float64)


class SceneDecks:
    """The decks of one scene, each varied once, as all cards of one real deck vary together."""

    def __init__(self, decks: Sequence[Deck], rng: Rng) -> None:
        self._rng = rng
        self._decks = [decks[i] for i in rng.choice(len(decks), size=int(rng.integers(1, 4)))]
        self._four_index = [rng.random() < 0.18 for _ in self._decks]
        self._ink_seed = [
            int(rng.integers(1 << 30)) if rng.random() < INKED_SHARE else None for _ in self._decks
        ]
        self._backs = [b for d in decks for b in d.backs]
        self._plain = plain_back(rng) if rng.random() < PLAIN_SHARE else None

    def share_of_backs(self, usual: float) -> float:
        """How many of the cards that may be backs are, where ``usual`` is what the layout has; 0 stays 0."""
        return usual if self._plain is None or usual in {0.0, 1.0} else max(usual, LEAST_BACKS)

    def face(self) -> Side:
        """A random face."""
        rng = self._rng
        i = int(rng.integers(len(self._decks)))
        deck = self._decks[i]
        if deck.jokers and rng.random() < 0.025:
            return Side(self._vary(deck.jokers[int(rng.integers(len(deck.jokers)))], i), JOKER)
        name = list(deck.faces)[int(rng.integers(len(deck.faces)))]
        sprite = deck.faces[name]
        if self._four_index[i]:
            sprite = with_four_indices(sprite)
        return Side(self._vary(sprite, i), deck.label_of(name), 4 if self._four_index[i] else deck.indices)

    def back(self) -> Side:
        """A back: mostly this scene's own, recoloured at random."""
        rng = self._rng
        if self._plain is not None and rng.random() < PLAIN_OWN_SHARE:
            return Side(self._plain, BACK)
        own = [b for d in self._decks for b in d.backs]
        backs = own if own and rng.random() < 0.5 else self._backs
        sprite = backs[int(rng.integers(len(backs)))]
        if rng.random() < 0.6:
            hsv = cv2.cvtColor(sprite[..., :3], cv2.COLOR_BGR2HSV).astype(np.int16)
            hsv[..., 0] = (hsv[..., 0] + int(rng.integers(180))) % 180
            hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.3, 1.6), 0, 255)
            hsv[..., 2] = np.clip(hsv[..., 2] * rng.uniform(0.5, 1.1), 0, 255)
            sprite = np.dstack([cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), sprite[..., 3]])
        if rng.random() < 0.1:
            sprite = sprite.copy()
            sprite[..., :3] = rng.integers(0, 256, 3)
        return Side(sprite, BACK)

    def _vary(self, sprite: Image, deck_index: int) -> Image:
        seed = self._ink_seed[deck_index]
        return sprite if seed is None else with_other_inks(sprite, np.random.default_rng(seed))


Layout = Callable[["SceneDecks", Rng], list[LaidCard]]


def _lay(decks: SceneDecks, rng: Rng, at_mm: Point, angle: float, *, back: float) -> LaidCard:
    side = decks.back() if rng.random() < decks.share_of_backs(back) else decks.face()
    return LaidCard(side=side, centre_mm=(float(at_mm[0]), float(at_mm[1])), angle_rad=angle)


def _singles(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    n = int(rng.integers(1, 6))
    spread = 60 + 45 * n
    return [
        _lay(decks, rng, rng.uniform(-spread, spread, 2), rng.uniform(0, 2 * np.pi), back=0.12)
        for _ in range(n)
    ]


def _rows(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    rows, columns = int(rng.integers(1, 5)), int(rng.integers(2, 8))
    gap_x, gap_y = rng.uniform(1, 25, 2)
    turn, jitter = rng.choice([0, np.pi / 2]), rng.uniform(0.005, 0.12)
    return [
        _lay(
            decks,
            rng,
            (
                (c - columns / 2) * (CARD_W_MM + gap_x) + rng.normal(0, 2),
                (r - rows / 2) * (CARD_H_MM + gap_y) + rng.normal(0, 2),
            ),
            turn * (rng.random() < 0.1) + rng.normal(0, jitter),
            back=0.15,
        )
        for r in range(rows)
        for c in range(columns)
    ]


def _fan(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    """A work pile, a waste or a spread pile: cards one over the other along a line or an arc."""
    n = int(rng.integers(2, 12))
    step = rng.uniform(6, 32)
    along = rng.choice([0.0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.08)
    bend = rng.normal(0, 0.03) if rng.random() < 0.6 else rng.uniform(-0.25, 0.25)
    backs_first = int(rng.integers(0, n)) if rng.random() < 0.25 else 0
    cards: list[LaidCard] = []
    x, y, angle = 0.0, 0.0, rng.normal(0, 0.05)
    for i in range(n):
        jitter = rng.normal(0, 1.0, 2)
        at_mm = x + jitter[0], y + jitter[1]
        cards.append(_lay(decks, rng, at_mm, angle + rng.normal(0, 0.03), back=float(i < backs_first)))
        x, y = x + step * np.cos(along), y + step * np.sin(along)
        along, angle = along + bend, angle + bend
    return cards


def _heap(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    n = int(rng.integers(4, 26))
    spread = rng.uniform(15, 22) * np.sqrt(n)
    return [
        _lay(decks, rng, rng.normal(0, spread, 2), rng.uniform(0, 2 * np.pi), back=0.12) for _ in range(n)
    ]


def _pile(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    skew, back = rng.uniform(0.3, 4), float(rng.random() < 0.3)
    return [
        _lay(decks, rng, rng.normal(0, skew, 2), rng.normal(0, 0.05), back=back)
        for _ in range(int(rng.integers(2, 8)))
    ]


def _moved(cards: list[LaidCard], dx: float, dy: float, angle: float) -> list[LaidCard]:
    c, s = np.cos(angle), np.sin(angle)
    return [
        LaidCard(
            side=card.side,
            centre_mm=(
                float(c * card.centre_mm[0] - s * card.centre_mm[1] + dx),
                float(s * card.centre_mm[0] + c * card.centre_mm[1] + dy),
            ),
            angle_rad=card.angle_rad + angle,
        )
        for card in cards
    ]


def _table(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    """Several piles, fans and single cards on a grid of places, as in a game."""
    cards: list[LaidCard] = []
    pitch_x, pitch_y = rng.uniform(80, 125), rng.uniform(105, 190)
    for row in range(int(rng.integers(1, 4))):
        for column in range(int(rng.integers(2, 6))):
            kind = (_fan, _pile, _pile, _one)[int(rng.integers(4))]
            group = kind(decks, rng)[:6]
            turn = np.pi * (rng.random() < 0.3)
            cards += _moved(group, column * pitch_x - 1.5 * pitch_x, row * pitch_y - pitch_y, turn)
    return cards


def _crossed(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    """Fans that run into each other, as where players crowd a small table: cards many deep on cards."""
    cards: list[LaidCard] = []
    spread = rng.uniform(40, 130)
    for _ in range(int(rng.integers(2, 7))):
        x, y = rng.uniform(-spread, spread, 2)
        cards += _moved(_fan(decks, rng), float(x), float(y), float(rng.uniform(0, 2 * np.pi)))
    return cards


def _one(decks: SceneDecks, rng: Rng) -> list[LaidCard]:
    return [_lay(decks, rng, (0, 0), rng.normal(0, 0.05), back=0.2)]


def _nothing(_decks: SceneDecks, _rng: Rng) -> list[LaidCard]:
    return []


LAYOUTS: tuple[tuple[Layout, float], ...] = (
    (_singles, 0.2),
    (_rows, 0.15),
    (_fan, 0.22),
    (_heap, 0.17),
    (_crossed, 0.15),
    (_table, 0.2),
    (_pile, 0.03),
    (_nothing, 0.03),
)
"""Ways to lay cards out, and how often."""

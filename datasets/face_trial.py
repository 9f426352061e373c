"""Scenes to try enrolling a deck with: one photograph of its cards in rows, and pictures of them in play."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.artwork import ODD_INDEX_DECKS, read_deck
from datasets.decks import FIRST_HELD_OUT_STYLE_SEED, SPRITE_SIZE_WH, Deck
from datasets.drawn_deck import BUILT_IN_FONTS, draw_back, draw_face, random_style
from datasets.layouts import CARD_H_MM, CARD_W_MM, LAYOUTS, LaidCard, SceneDecks, Side
from datasets.pictures import PlacedCard, Shadow, background, draw_card, project
from datasets.scenes import Scene, photographed
from models.classes import BACK
from referee.cards import FACES

Image = NDArray[np.uint8]
Rng = np.random.Generator

COLUMNS = 13
OTHER_LETTERS = ("1BDK", "1VDR", "1UOK", "AFDR", "EVDR", "ATDK")
"""Ace, jack, queen and king of drawn decks: German, French and others, also made up."""
PITCH_MM = (70.0, 96.0)
SPREAD_PX = 2000
"""Longer side of the enrolment photograph."""


def odd_artwork_deck(cache: Path, name: str) -> Deck:
    """The deck of artwork of that name, one of ``ODD_INDEX_DECKS``."""
    if name not in ODD_INDEX_DECKS:
        raise ValueError(f"no such odd deck: {name!r} (want one of {', '.join(sorted(ODD_INDEX_DECKS))})")
    pictures = {
        card: np.asarray(cv2.resize(picture, SPRITE_SIZE_WH, interpolation=cv2.INTER_AREA), np.uint8)
        for card, picture in read_deck(cache / "decks" / name).items()
    }
    faces = {str(card): pictures[str(card)] for card in FACES}
    backs = tuple(p for n, p in pictures.items() if n.startswith(BACK))
    return Deck(name=name, faces=faces, jokers=(), backs=backs)


def odd_drawn_deck(number: int) -> Deck:
    """A deck that this project draws, with other letters than A J Q K; never trained on."""
    seed = FIRST_HELD_OUT_STYLE_SEED + 500 + 100 * number
    styles = (random_style(np.random.default_rng(seed + i)) for i in range(100))
    style = next(style for style in styles if style.font in BUILT_IN_FONTS)
    style = replace(style, letters=OTHER_LETTERS[number % len(OTHER_LETTERS)])
    tall = SPRITE_SIZE_WH[1]
    return Deck(
        name=f"drawn {style.letters}",
        faces={str(card): _sprite(draw_face(card, style, tall)) for card in FACES},
        jokers=(),
        backs=(_sprite(draw_back(style, tall)),),
        indices=style.corners,
    )


def _sprite(picture: Image) -> Image:
    return np.asarray(cv2.resize(picture, SPRITE_SIZE_WH, interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """A photograph of all cards in four rows. quads_px: float32 (52, 4, 2), in the order of ``FACES``."""

    image_bgr: Image
    quads_px: NDArray[np.float32]


def spread_photograph(
    deck: Deck, surfaces: Sequence[Image], rng: Rng, *, longer_px: int = SPREAD_PX
) -> Spread:
    """The deck's cards in four rows of thirteen, laid by hand and photographed from above, not quite."""
    wide, tall = COLUMNS * PITCH_MM[0], 4 * PITCH_MM[1]
    table = np.array([[0, 0], [wide, 0], [wide, tall], [0, tall]], np.float32)
    scale = longer_px / wide * rng.uniform(0.86, 0.97)
    shape = (table - (wide / 2, tall / 2)) * scale * rng.uniform(0.96, 1.04, (4, 2))
    angle = rng.normal(0, 0.03)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = (shape @ turn.T + longer_px / 2).astype(np.float32)
    view = np.asarray(cv2.getPerspectiveTransform(table, corners), np.float64)
    picture = background(longer_px, surfaces, rng)
    owner = np.full((longer_px, longer_px), -1, np.int16)
    shadow = Shadow(dx_px=1.0, dy_px=1.5, blur_px=float(rng.uniform(1, 3)))
    quads = []
    for i, card in enumerate(_rows_of(deck, rng)):
        placed = PlacedCard(
            card=card, index=i, image_from_card=view @ card.table_from_card_mm, px_per_mm=scale
        )
        draw_card(picture, owner, placed, shadow)
        whole = np.array([[0, 0], [CARD_W_MM, 0], [CARD_W_MM, CARD_H_MM], [0, CARD_H_MM]])
        quads.append(project(placed.image_from_card, whole))
    light = rng.uniform(0.8, 1.05, (3, 3)).astype(np.float32)
    picture *= cv2.resize(light, (longer_px, longer_px), interpolation=cv2.INTER_CUBIC)[..., None]
    picture *= rng.uniform(0.93, 1.07, 3).astype(np.float32)
    top, bottom = int(corners[:, 1].min() - 40), int(corners[:, 1].max() + 40)
    image = _taken(picture[max(top, 0) : bottom], scale, rng)
    return Spread(image, np.asarray(np.stack(quads) - (0, max(top, 0)), np.float32))


def _taken(picture: NDArray[np.float32], px_per_mm: float, rng: Rng) -> Image:
    """By a telephone held still: next to no blur, some noise, JPEG."""
    blur_px = max(0.3, rng.uniform(0.1, 0.3) * px_per_mm)
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.float32)
    soft += np.float32(rng.uniform(0.5, 3)) * rng.standard_normal(soft.shape, np.float32)
    image = np.clip(soft, 0, 255).astype(np.uint8)
    _, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.uniform(80, 95))])
    return np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8)


def _rows_of(deck: Deck, rng: Rng) -> list[LaidCard]:
    return [
        LaidCard(
            side=Side(deck.faces[str(card)], str(card), deck.indices),
            centre_mm=(
                float((i % COLUMNS + 0.5) * PITCH_MM[0] + rng.normal(0, 1.2)),
                float((i // COLUMNS + 0.5) * PITCH_MM[1] + rng.normal(0, 1.5)),
            ),
            angle_rad=float(rng.normal(0, 0.02)),
        )
        for i, card in enumerate(FACES)
    ]


class OneDeck(SceneDecks):
    """The cards of one deck as they are printed, each face by its true name."""

    def __init__(self, deck: Deck, rng: Rng) -> None:
        super().__init__((deck,), rng)
        self._deck, self._own_rng = deck, rng

    def face(self) -> Side:
        """A random face."""
        name = list(self._deck.faces)[int(self._own_rng.integers(len(self._deck.faces)))]
        return Side(self._deck.faces[name], name, self._deck.indices)

    def back(self) -> Side:
        """The deck's back, or a face where it has none."""
        if not self._deck.backs:
            return self.face()
        return Side(self._deck.backs[int(self._own_rng.integers(len(self._deck.backs)))], BACK)


def play_scene(
    deck: Deck,
    surfaces: Sequence[Image],
    rng: Rng,
    *,
    size_px: int = 640,
    card_px: tuple[float, float] = (90.0, 260.0),
) -> Scene:
    """The deck's cards on a table in one of the training scenes' layouts, under any light and hands."""
    tall_px = float(np.exp(rng.uniform(np.log(card_px[0]), np.log(card_px[1]))))
    weights = np.array([w for _, w in LAYOUTS])
    layout = LAYOUTS[int(rng.choice(len(LAYOUTS), p=weights / weights.sum()))][0]
    return photographed(layout(OneDeck(deck, rng), rng), surfaces, rng, size_px=size_px, tall_px=tall_px)

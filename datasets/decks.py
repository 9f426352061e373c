"""Decks as pictures: artwork from the cache and decks drawn by this project, varied as real decks vary."""

from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.artwork import HELD_OUT_FAMILIES, ODD_INDEX_DECKS, family_of, read_deck
from datasets.drawn_deck import as_colour, draw_back, draw_face, random_style, with_other_pips
from models.classes import BACK, JOKER, UNREADABLE
from referee.cards import FACES, Card

Image = NDArray[np.uint8]

SPRITE_SIZE_WH = (252, 352)
"""63 x 88 mm at 4 px per mm."""
CARD_SIZE_MM = (63.0, 88.0)

FIRST_HELD_OUT_STYLE_SEED = 1_000_000
"""Drawn decks with seeds from here on are never trained on."""

PLAIN_FAINT_SHARE, PLAIN_METAL_SHARE = 0.4, 0.2
"""Of plain dark backs so many have print that is hardly lighter, or in gold; the rest have none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deck:
    """One deck's pictures, uint8 BGRA (352, 252, 4), by card name; ``backs`` and ``jokers`` may be empty.

    indices: corners of a face that hold rank and suit, 2 or 4.
    """

    name: str
    faces: dict[str, Image]
    jokers: tuple[Image, ...]
    backs: tuple[Image, ...]
    indices: int = 2

    def label_of(self, card: str) -> str | None:
        """What a reader should say to this deck's ``card``: its name, ``??``, or None: do not teach it.

        Decks with letters other than J Q K, or a numbered ace, are read as far as their pips go. A German
        K is a king, but a court with another letter or none is not to be guessed.
        """
        if self.name not in ODD_INDEX_DECKS or card[0] in "23456789T":
            return card
        german = self.name in {"berlin", "lattmann", "rheinland"}
        if card[0] == "A":
            return card if german else None
        if card[0] == "K":
            return card if german else None
        return UNREADABLE


def _sprite(picture: Image) -> Image:
    return np.asarray(cv2.resize(picture, SPRITE_SIZE_WH, interpolation=cv2.INTER_AREA), np.uint8)


def load_artwork_decks(cache: Path, *, held_out: bool) -> list[Deck]:
    """The artwork decks of the training families, or of the held-out ones."""
    decks = []
    for folder in sorted((cache / "decks").iterdir()):
        if (family_of(folder.name) in HELD_OUT_FAMILIES) is not held_out:
            continue
        pictures = {name: _sprite(picture) for name, picture in read_deck(folder).items()}
        names = {str(card) for card in FACES}
        decks.append(
            Deck(
                name=folder.name,
                faces={n: p for n, p in pictures.items() if n in names},
                jokers=tuple(p for n, p in pictures.items() if n.startswith(JOKER)),
                backs=tuple(p for n, p in pictures.items() if n.startswith(BACK)),
            )
        )
    return decks


def drawn_deck(style_seed: int) -> Deck:
    """The deck that this project draws for ``style_seed``."""
    rng = np.random.default_rng(style_seed)
    style = with_other_pips(random_style(rng), rng)
    height = SPRITE_SIZE_WH[1]
    return Deck(
        name=f"drawn_{style_seed}",
        faces={str(card): _sprite(draw_face(card, style, height)) for card in FACES},
        jokers=(_sprite(draw_face(Card.parse(JOKER), style, height)),),
        backs=(_sprite(draw_back(style, height)),),
        indices=style.corners,
    )


def plain_back(rng: np.random.Generator) -> Image:
    """A dark back without a border, with faint or metallic print or none: it has little but its outline."""
    ground = rng.uniform(4, 60) * rng.uniform(0.75, 1.25, 3)
    kind = rng.random()
    print_bgr = ground
    if kind < PLAIN_FAINT_SHARE:
        print_bgr = ground + rng.uniform(6, 45)
    elif kind < PLAIN_FAINT_SHARE + PLAIN_METAL_SHARE:
        print_bgr = rng.uniform((50, 140, 165), (150, 205, 240))
    dark, light = as_colour(ground), as_colour(print_bgr)
    style = replace(random_style(rng), back_border_mm=0.0, back_colours=(dark, light, dark), edge=light)
    return _sprite(draw_back(style, SPRITE_SIZE_WH[1]))


def with_four_indices(face: Image) -> Image:
    """The face with its corner index also at the top right and the bottom left."""
    h, w = face.shape[:2]
    bh, bw = round(h * 0.23), round(w * 0.17)
    result = face.copy()
    block = face[:bh, :bw, :3]
    margin = round(0.02 * w)
    inner = block[margin:, margin:]
    target = result[margin:bh, w - bw : w - margin, :3]
    np.minimum(target, inner, out=target)
    turned = inner[::-1, ::-1]
    target = result[h - bh : h - margin, margin:bw, :3]
    np.minimum(target, turned, out=target)
    return result


def with_other_inks(face: Image, rng: np.random.Generator) -> Image:
    """The face on tinted stock, on dark stock with metallic print, with faded or with colourless ink."""
    bgr = face[..., :3].astype(np.float32) / 255
    kind = rng.random()
    if kind < 0.35:
        ink = 1 - bgr.min(axis=2, keepdims=True)
        gold = np.array([rng.uniform(0.2, 0.6), rng.uniform(0.55, 0.8), rng.uniform(0.65, 0.95)])
        stock = rng.uniform(0.04, 0.2) * rng.uniform(0.8, 1.2, 3)
        bgr = stock + ink * (gold - stock)
    elif kind < 0.65:
        bgr = bgr * (1 - rng.uniform(0, 0.16) * rng.uniform(0.1, 1, 3))
    elif kind < 0.85:
        fade = rng.uniform(0.6, 0.95)
        bgr = 1 - fade * (1 - bgr)
    else:
        bgr = np.repeat(bgr @ np.array([[0.114], [0.587], [0.299]]), 3, axis=2)
    return np.dstack([np.clip(bgr * 255, 0, 255).astype(np.uint8), face[..., 3]])

"""French-suited decks that this project draws itself: faces, jokers and backs, with alpha, in many styles.

Everything is drawn from curves in card millimetres (63 x 88 mm, origin at the card's centre, x right, y
down), so that no artwork is needed and any size comes out sharp.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.cards import Card, Rank, Suit

Image = NDArray[np.uint8]
Points = NDArray[np.float64]
Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""

CARD_WIDTH_MM: Final = 63.0
CARD_HEIGHT_MM: Final = 88.0

OWN_FONTS: Final = ("slab", "stroke")
BUILT_IN_FONTS: Final = ("sans", "uni", "italic")
BACK_PATTERNS: Final = ("lattice", "guilloche", "scales", "rosette", "weave", "diamonds", "waves", "dots")

_OVERSAMPLING: Final = 2
_SUB_PIXEL_BITS: Final = 4
_SUIT_ORDER: Final = (Suit.CLUBS, Suit.DIAMONDS, Suit.HEARTS, Suit.SPADES)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckStyle:
    """How one deck is drawn. Lengths in card millimetres, heights of indices as a fraction of the card."""

    index_height: float
    """Height of the rank glyph over the height of the card: 0.09 small, 0.11 usual, 0.20 jumbo."""
    index_aspect: float
    """Width of a glyph over its natural width: below 1 is condensed."""
    index_x_mm: float
    """From the left edge to the centre of the index."""
    index_y_mm: float
    """From the top edge to the top of the rank glyph."""
    index_suit_scale: float
    """Height of the small suit over the height of the rank."""
    index_gap_mm: float
    corners: int
    """2: top left and bottom right; 4: every corner."""
    font: str
    font_weight: float
    """0 thin .. 1 heavy."""
    suit_colours: tuple[Colour, Colour, Colour, Colour]
    """Clubs, diamonds, hearts, spades."""
    pip_mm: float
    """Height of a large pip."""
    pip_spread: float
    """0..1: how far apart the columns stand."""
    heart_depth: float
    diamond_aspect: float
    diamond_hollow: float
    club_lobe: float
    stem_width: float
    ace_mm: float
    ace_ring: bool
    stock: Colour
    edge: Colour
    edge_mm: float
    corner_radius_mm: float
    court_palette: tuple[Colour, Colour, Colour, Colour, Colour, Colour]
    """Red, blue, yellow, ink, skin, hair."""
    court_frame: bool
    court_frame_colour: Colour
    court_slant: float
    """Slope of the line between the two halves of a court."""
    court_pattern: str
    """Of the robes: stripes, dots, chevrons or checks."""
    court_pip_inside: bool
    joker_colour: Colour
    back_pattern: str
    back_colours: tuple[Colour, Colour, Colour]
    """Ground, lines, medallion."""
    back_period_mm: float
    back_border_mm: float
    back_medallion: bool
    back_phase: float
    letters: str = "AJQK"
    """Of ace, jack, queen and king: other countries print others. Fonts of OpenCV have all of them."""
    club_top: float = 1.0
    """Radius of a club's upper lobe over that of the others."""
    club_drop: float = 0.0
    """How much lower than usual a club's side lobes sit, of its height."""
    club_web: float = 0.12
    """Half the width of what joins a club's lobes, of its height: the wider, the more like a spade."""
    spade_girth: float = 1.0
    """Width of a spade over the usual one."""


_INKS: Final[tuple[Colour, ...]] = ((24, 20, 20), (12, 12, 12), (40, 32, 30), (60, 30, 20))
_REDS: Final[tuple[Colour, ...]] = ((34, 28, 205), (40, 20, 180), (50, 45, 225), (20, 15, 160), (60, 40, 230))
_BLUES: Final[tuple[Colour, ...]] = ((190, 90, 30), (160, 60, 10), (200, 120, 40), (140, 50, 20))
_GREENS: Final[tuple[Colour, ...]] = ((60, 130, 20), (40, 110, 10), (80, 150, 40))
_YELLOWS: Final[tuple[Colour, ...]] = ((60, 205, 245), (40, 185, 235), (90, 215, 250), (30, 170, 225))
_SKINS: Final[tuple[Colour, ...]] = ((205, 225, 250), (185, 210, 245), (150, 185, 230), (225, 235, 252))
_HAIRS: Final[tuple[Colour, ...]] = (
    (90, 190, 230),
    (60, 110, 170),
    (40, 60, 90),
    (170, 175, 180),
    (235, 240, 245),
)
_BACK_GROUNDS: Final[tuple[Colour, ...]] = (
    (40, 25, 170), (150, 60, 20), (60, 100, 20), (110, 40, 90), (30, 30, 30), (20, 90, 190),
    (130, 110, 20), (70, 50, 110), (90, 90, 90), (30, 60, 100), (160, 120, 60), (60, 20, 120),
)  # fmt: skip


def as_colour(bgr: NDArray[np.float64]) -> Colour:
    """Three numbers as a colour."""
    blue, green, red = (int(v) for v in np.clip(bgr, 0, 255))
    return blue, green, red


def _pick(rng: np.random.Generator, options: Sequence[Colour]) -> Colour:
    return options[int(rng.integers(len(options)))]


def _random_suit_colours(rng: np.random.Generator) -> tuple[Colour, Colour, Colour, Colour]:
    ink, red = _pick(rng, _INKS), _pick(rng, _REDS)
    if rng.random() < 0.84:
        return ink, red, red, ink
    diamonds = _pick(rng, _BLUES) if rng.random() < 0.75 else (20, 130, 240)
    return _pick(rng, _GREENS), diamonds, red, ink


def random_style(rng: np.random.Generator) -> DeckStyle:
    """A deck unlike the last one; the same for the same state of ``rng``."""
    is_jumbo = rng.random() < 0.2
    index_height = float(rng.uniform(0.145, 0.2) if is_jumbo else rng.uniform(0.09, 0.135))
    font = str(rng.choice(["slab", "slab", "slab", "stroke", "stroke", "sans", "uni", "uni", "italic"]))
    ground = _pick(rng, _BACK_GROUNDS)
    light: Colour = (240, 244, 246) if rng.random() < 0.7 else (150, 205, 230)
    cream = int(rng.integers(0, 16))
    white = int(rng.integers(240, 254))
    shared_ink = _pick(rng, _INKS)
    return DeckStyle(
        index_height=index_height,
        index_aspect=float(rng.uniform(0.8, 1.12)),
        index_x_mm=float(4.4 + 34.0 * (index_height - 0.09) + rng.uniform(0.0, 1.3)),
        index_y_mm=float(rng.uniform(3.0, 5.2)),
        index_suit_scale=float(rng.uniform(0.62, 0.95)),
        index_gap_mm=float(rng.uniform(0.7, 1.8)),
        corners=4 if not is_jumbo and rng.random() < 0.12 else 2,
        font=font,
        font_weight=float(rng.uniform(0.25, 0.85)),
        suit_colours=_random_suit_colours(rng),
        pip_mm=float(rng.uniform(11.5, 15.0)),
        pip_spread=float(rng.uniform(0.86, 1.0)),
        heart_depth=float(rng.uniform(0.12, 0.26)),
        diamond_aspect=float(rng.uniform(0.7, 0.88)),
        diamond_hollow=float(rng.uniform(0.0, 0.14)),
        club_lobe=float(rng.uniform(0.245, 0.285)),
        stem_width=float(rng.uniform(0.2, 0.36)),
        ace_mm=float(rng.uniform(20.0, 40.0)),
        ace_ring=bool(rng.random() < 0.35),
        stock=(white - cream, white - cream // 3, white),
        edge=(170, 172, 175) if rng.random() < 0.6 else (205, 205, 205),
        edge_mm=float(rng.uniform(0.15, 0.35)),
        corner_radius_mm=float(rng.uniform(2.6, 4.2)),
        court_palette=(
            _pick(rng, _REDS),
            _pick(rng, _BLUES),
            _pick(rng, _YELLOWS),
            shared_ink,
            _pick(rng, _SKINS),
            _pick(rng, _HAIRS),
        ),
        court_frame=bool(rng.random() < 0.8),
        court_frame_colour=_pick(rng, (*_BLUES, *_INKS)),
        court_slant=float(rng.choice([0.0, 0.0, 0.35, -0.35, 0.7])),
        court_pattern=str(rng.choice(["stripes", "dots", "chevrons", "checks"])),
        court_pip_inside=bool(rng.random() < 0.85),
        joker_colour=_pick(rng, (*_REDS, *_INKS, *_BLUES)),
        back_pattern=str(rng.choice(BACK_PATTERNS)),
        back_colours=(ground, light, _pick(rng, _BACK_GROUNDS) if rng.random() < 0.3 else ground),
        back_period_mm=float(rng.uniform(3.2, 8.0)),
        back_border_mm=float(rng.uniform(2.5, 5.5) if rng.random() < 0.88 else 0.0),
        back_medallion=bool(rng.random() < 0.6),
        back_phase=float(rng.uniform(0.0, 1.0)),
    )


def with_other_pips(style: DeckStyle, rng: np.random.Generator) -> DeckStyle:
    """The deck with clubs and spades of another shape: printed ones differ more than red suits do."""
    return replace(
        style,
        club_top=float(rng.uniform(0.8, 1.05)),
        club_drop=float(rng.uniform(-0.04, 0.06)),
        club_web=float(rng.uniform(0.06, 0.26)),
        spade_girth=float(rng.uniform(0.82, 1.08)),
    )


# --- Canvas


class _Canvas:
    """A card being drawn, in millimetres from its centre."""

    def __init__(self, px_per_mm: float, ground: Colour) -> None:
        self.px_per_mm = px_per_mm
        size = (round(CARD_HEIGHT_MM * px_per_mm), round(CARD_WIDTH_MM * px_per_mm))
        self.image: Image = np.empty((*size, 3), np.uint8)
        self.image[:] = ground

    def to_px(self, points_mm: Points) -> NDArray[np.int32]:
        """Image pixels, with the binary places that OpenCV's drawing takes."""
        height, width = self.image.shape[:2]
        px = points_mm * self.px_per_mm + (width / 2 - 0.5, height / 2 - 0.5)
        fixed: NDArray[np.int32] = np.rint(px * (1 << _SUB_PIXEL_BITS)).astype(np.int32)
        return fixed

    def fill(self, points_mm: Points, colour: Colour) -> None:
        """Fill one closed outline."""
        cv2.fillPoly(self.image, [self.to_px(points_mm)], colour, cv2.LINE_AA, _SUB_PIXEL_BITS)

    def line(self, points_mm: Points, width_mm: float, colour: Colour, *, closed: bool = False) -> None:
        """Draw a line; at least one pixel wide."""
        width_px = max(1, round(width_mm * self.px_per_mm))
        points = [self.to_px(points_mm)]
        cv2.polylines(self.image, points, closed, colour, width_px, cv2.LINE_AA, _SUB_PIXEL_BITS)

    def shape(self, points_mm: Points, colour: Colour, ink: Colour, ink_mm: float = 0.35) -> None:
        """Fill an outline and draw it in ink."""
        self.fill(points_mm, colour)
        self.line(points_mm, ink_mm, ink, closed=True)

    def stamp(
        self, alpha: NDArray[np.float32], left_top_mm: tuple[float, float], colour: Colour, *, turned: bool
    ) -> None:
        """Lay a glyph down in ``colour``; ``turned``: as seen from the other side of the table."""
        image = self.image[::-1, ::-1] if turned else self.image
        height, width = image.shape[:2]
        x = round(left_top_mm[0] * self.px_per_mm + width / 2)
        y = round(left_top_mm[1] * self.px_per_mm + height / 2)
        x0, y0 = max(x, 0), max(y, 0)
        x1, y1 = min(x + alpha.shape[1], width), min(y + alpha.shape[0], height)
        if x0 >= x1 or y0 >= y1:
            return
        part = alpha[y0 - y : y1 - y, x0 - x : x1 - x, None]
        area = image[y0:y1, x0:x1].astype(np.float32)
        image[y0:y1, x0:x1] = (area + (np.array(colour, np.float32) - area) * part + 0.5).astype(np.uint8)


def _bezier(p0: Sequence[float], p1: Sequence[float], p2: Sequence[float], p3: Sequence[float]) -> Points:
    t = np.linspace(0.0, 1.0, 20, endpoint=False)[:, None]
    a, b, c, d = (np.asarray(p, np.float64) for p in (p0, p1, p2, p3))
    return np.asarray((1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d)


def _ellipse(x: float, y: float, rx: float, ry: float, start: float = 0.0, end: float = 360.0) -> Points:
    """Points of an arc, degrees clockwise from the right."""
    angle = np.radians(np.linspace(start, end, 40))
    return np.stack([x + rx * np.cos(angle), y + ry * np.sin(angle)], 1)


def _points(*xy: tuple[float, float]) -> Points:
    return np.array(xy, np.float64)


def _at(points: Points, x: float, y: float) -> Points:
    moved: Points = points + np.array((x, y))
    return moved


def _mirrored(half: Points) -> Points:
    """A closed outline from its right half, listed from the top to the bottom."""
    return np.concatenate([half, (half * (-1.0, 1.0))[::-1]])


# --- Pips


def _heart(depth: float) -> list[Points]:
    right = np.concatenate([
        _bezier((0.0, -0.5 + depth), (0.08, -0.47), (0.2, -0.52), (0.28, -0.5)),
        _bezier((0.28, -0.5), (0.5, -0.47), (0.55, -0.2), (0.4, 0.0)),
        _bezier((0.4, 0.0), (0.25, 0.2), (0.08, 0.35), (0.0, 0.5)),
        _points((0.0, 0.5)),
    ])  # fmt: skip
    return [_mirrored(right)]


def _stem(width: float, top: float) -> Points:
    half = np.concatenate([
        _points((0.02, top)),
        _bezier((0.03, top + 0.1), (0.05, 0.35), (0.1, 0.45), (width, 0.5)),
        _points((width, 0.5)),
    ])  # fmt: skip
    return _mirrored(half)


def _spade(style: DeckStyle) -> list[Points]:
    leaf = _heart(style.heart_depth)[0] * (0.98 * style.spade_girth, -0.84) + (0.0, -0.08)
    return [leaf, _stem(style.stem_width, 0.0)]


def _club(style: DeckStyle) -> list[Points]:
    lobe, top, web = style.club_lobe, style.club_lobe * style.club_top, style.club_web
    reach, low = 0.5 - lobe, 0.1 + style.club_drop
    return [
        _ellipse(0.0, -0.5 + top, top, top),
        _ellipse(-reach, low, lobe, lobe),
        _ellipse(reach, low, lobe, lobe),
        _points((-web, -0.2), (web, -0.2), (1.5 * web, low + 0.06), (-1.5 * web, low + 0.06)),
        _stem(style.stem_width, 0.0),
    ]


def _diamond(aspect: float, hollow: float) -> list[Points]:
    w = aspect / 2
    m = 0.5 - hollow * 0.5
    corners = ((0.0, -0.5), (w, 0.0), (0.0, 0.5), (-w, 0.0))
    sides = [
        _bezier(a, (a[0] * m + b[0] * (m - 0.2), a[1] * m + b[1] * (m - 0.2)),
                (a[0] * (m - 0.2) + b[0] * m, a[1] * (m - 0.2) + b[1] * m), b)
        if hollow > 0.05 else _points(a)
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]  # fmt: skip
    return [np.concatenate(sides)]


def _pip_outlines(suit: Suit, style: DeckStyle) -> list[Points]:
    """The outlines of one suit, in a box of height 1 around the origin."""
    if suit is Suit.HEARTS:
        return _heart(style.heart_depth)
    if suit is Suit.SPADES:
        return _spade(style)
    if suit is Suit.CLUBS:
        return _club(style)
    return _diamond(style.diamond_aspect, style.diamond_hollow)


def _suit_colour(suit: Suit, style: DeckStyle) -> Colour:
    return style.suit_colours[_SUIT_ORDER.index(suit)]


def _draw_pip(
    canvas: _Canvas, suit: Suit, style: DeckStyle, x: float, y: float, size: float, *, turned: bool
) -> None:
    scale = -size if turned else size
    colour = _suit_colour(suit, style)
    for outline in _pip_outlines(suit, style):
        canvas.fill(outline * scale + (x, y), colour)


_THIRD: Final = 1.0 / 3.0
_SIDES: Final = tuple((x, y) for x in (-1.0, 1.0) for y in (-1.0, 1.0))
_MIDDLES: Final = ((-1.0, 0.0), (1.0, 0.0))
_QUARTERS: Final = tuple((x, y) for x in (-1.0, 1.0) for y in (-1.0, -_THIRD, _THIRD, 1.0))
_LAYOUTS: Final[dict[Rank, tuple[tuple[float, float], ...]]] = {
    Rank.TWO: ((0.0, -1.0), (0.0, 1.0)),
    Rank.THREE: ((0.0, -1.0), (0.0, 0.0), (0.0, 1.0)),
    Rank.FOUR: _SIDES,
    Rank.FIVE: (*_SIDES, (0.0, 0.0)),
    Rank.SIX: (*_SIDES, *_MIDDLES),
    Rank.SEVEN: (*_SIDES, *_MIDDLES, (0.0, -0.5)),
    Rank.EIGHT: (*_SIDES, *_MIDDLES, (0.0, -0.5), (0.0, 0.5)),
    Rank.NINE: (*_QUARTERS, (0.0, 0.0)),
    Rank.TEN: (*_QUARTERS, (0.0, -2 * _THIRD), (0.0, 2 * _THIRD)),
}
"""Column and row of each pip, -1..1."""


def _index_reach_mm(style: DeckStyle) -> float:
    """From the left edge to the right of a wide index."""
    return style.index_x_mm + 0.36 * style.index_height * CARD_HEIGHT_MM * style.index_aspect + 0.6


def _draw_pips(canvas: _Canvas, card: Card, style: DeckStyle) -> None:
    room = CARD_WIDTH_MM / 2 - _index_reach_mm(style)
    size = min(style.pip_mm, 0.72 * room)
    column = min(14.5, room - 0.44 * size) * style.pip_spread
    row = 28.5 if style.index_height < 0.14 else 26.0
    for x, y in _LAYOUTS[card.rank]:
        _draw_pip(canvas, card.suit, style, x * column, y * row, size, turned=y > 0)


def _draw_ace(canvas: _Canvas, card: Card, style: DeckStyle) -> None:
    size = style.ace_mm * (1.25 if card.suit is Suit.SPADES else 1.0)
    _draw_pip(canvas, card.suit, style, 0.0, 0.0, min(size, 44.0), turned=False)
    if style.ace_ring and card.suit is Suit.SPADES:
        for outline in _pip_outlines(card.suit, style):
            canvas.line(outline * size * 0.55, 0.5, style.stock, closed=True)
        _draw_pip(canvas, Suit.SPADES, style, 0.0, 0.0, size * 0.28, turned=False)
        canvas.line(_ellipse(0.0, 0.0, size * 0.13, size * 0.13), 0.5, style.stock, closed=True)


# --- Indices

_STROKES: Final[dict[str, tuple[Points, ...]]] = {
    "A": (_points((0.0, 1.0), (0.34, 0.0), (0.68, 1.0)), _points((0.13, 0.67), (0.55, 0.67))),
    "1": (_points((0.0, 0.18), (0.2, 0.0), (0.2, 1.0)),),
    "2": (np.concatenate([_ellipse(0.32, 0.28, 0.3, 0.28, 190, 395), _points((0.0, 1.0), (0.64, 1.0))]),),
    "3": (
        np.concatenate([_ellipse(0.3, 0.25, 0.27, 0.25, 200, 440), _points((0.22, 0.48))]),
        np.concatenate([_points((0.22, 0.48)), _ellipse(0.3, 0.73, 0.31, 0.27, 280, 520)]),
    ),
    "4": (_points((0.68, 0.72), (0.0, 0.72), (0.48, 0.0), (0.48, 1.0)),),
    "5": (
        np.concatenate(
            [_points((0.58, 0.0), (0.1, 0.0), (0.06, 0.44)), _ellipse(0.3, 0.68, 0.31, 0.32, 222, 505)]
        ),
    ),
    "6": (_ellipse(0.32, 0.69, 0.31, 0.31), _bezier((0.56, 0.02), (0.2, 0.12), (0.01, 0.4), (0.01, 0.69))),
    "7": (_points((0.0, 0.0), (0.62, 0.0), (0.24, 1.0)),),
    "8": (_ellipse(0.32, 0.25, 0.25, 0.25), _ellipse(0.32, 0.74, 0.31, 0.26)),
    "9": (_ellipse(0.32, 0.31, 0.31, 0.31), _bezier((0.63, 0.31), (0.63, 0.6), (0.44, 0.88), (0.08, 0.98))),
    "0": (_ellipse(0.26, 0.5, 0.26, 0.5),),
    "J": (np.concatenate([_points((0.46, 0.0)), _ellipse(0.23, 0.74, 0.23, 0.26, 0, 175)]),),
    "Q": (_ellipse(0.35, 0.5, 0.35, 0.5), _points((0.36, 0.66), (0.74, 1.04))),
    "K": (
        _points((0.05, 0.0), (0.05, 1.0)),
        _points((0.66, 0.0), (0.07, 0.62)),
        _points((0.27, 0.42), (0.68, 1.0)),
    ),
}
"""Centre lines of the glyphs, in a box of height 1."""

_SERIFS: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "A": ((0.0, 1.0), (0.68, 1.0)),
    "1": ((0.2, 1.0),),
    "4": ((0.48, 1.0),),
    "J": ((0.46, 0.0),),
    "K": ((0.05, 0.0), (0.05, 1.0), (0.66, 0.0), (0.68, 1.0)),
    "7": (),
}


def _trimmed(alpha: NDArray[np.uint8]) -> NDArray[np.uint8]:
    rows, columns = np.flatnonzero(alpha.max(1) > 8), np.flatnonzero(alpha.max(0) > 8)
    return alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


def _own_glyph(symbol: str, weight: float, *, serifs: bool) -> NDArray[np.uint8]:
    size = 160.0
    ink = np.zeros((256, 256), np.uint8)
    width = round(size * (0.085 + 0.095 * weight))

    def draw(points: Points, thickness: int) -> None:
        px = np.rint((points * size + (50.0, 48.0)) * 16).astype(np.int32)
        cv2.polylines(ink, [px], False, 255, thickness, cv2.LINE_AA, _SUB_PIXEL_BITS)

    for stroke in _STROKES[symbol]:
        draw(stroke, width)
    for x, y in _SERIFS.get(symbol, ()) if serifs else ():
        draw(_points((x - 0.13, y), (x + 0.13, y)), max(3, round(0.6 * width)))
    return _trimmed(ink)


def _built_in_glyph(symbol: str, font: str, weight: float) -> NDArray[np.uint8]:
    ink = np.zeros((300, 400, 3), np.uint8)
    shown = "O" if symbol == "0" else symbol  # the built-in zero is slashed, as on no card
    cv2.putText(ink, shown, (60, 220), (255, 255, 255), cv2.FontFace(font), 190, int(300 + 500 * weight))
    return _trimmed(ink[:, :, 0])


@lru_cache(maxsize=512)
def _glyph(symbol: str, font: str, weight: float) -> NDArray[np.uint8]:
    """Ink of one glyph, trimmed, some 160 pixels high."""
    if font in BUILT_IN_FONTS:
        return _built_in_glyph(symbol, font, weight)
    return _own_glyph(symbol, weight, serifs=font == "slab")


def _label(text: str, style: DeckStyle, height_px: int) -> NDArray[np.float32]:
    """Alpha of ``text``, uint 0..1, ``height_px`` high; two glyphs are set narrower than one."""
    narrow = style.index_aspect * (0.74 if len(text) > 1 else 1.0)
    parts: list[NDArray[np.uint8]] = []
    for symbol in text:
        ink = _glyph(symbol, style.font, round(style.font_weight, 2))
        width = max(2, round(ink.shape[1] * height_px / ink.shape[0] * narrow))
        if parts:
            parts.append(np.zeros((height_px, max(1, round(0.07 * height_px))), np.uint8))
        parts.append(cv2.resize(ink, (width, height_px), interpolation=cv2.INTER_AREA).astype(np.uint8))
    whole = np.hstack(parts)
    widest = round(0.76 * height_px)  # keeps a jumbo 10 off its pips
    if whole.shape[1] > widest:
        whole = cv2.resize(whole, (widest, height_px), interpolation=cv2.INTER_AREA).astype(np.uint8)
    return whole.astype(np.float32) / np.float32(255.0)


def _rank_text(rank: Rank, letters: str) -> str:
    if rank is Rank.TEN:
        return "10"
    return letters["AJQK".index(rank.symbol)] if rank.symbol in "AJQK" else rank.symbol


def _draw_indices(canvas: _Canvas, card: Card, style: DeckStyle) -> None:
    height_mm = style.index_height * CARD_HEIGHT_MM
    alpha = _label(_rank_text(card.rank, style.letters), style, round(height_mm * canvas.px_per_mm))
    half_width = alpha.shape[1] / canvas.px_per_mm / 2
    x = max(style.index_x_mm, half_width + 1.6) - CARD_WIDTH_MM / 2
    top = style.index_y_mm - CARD_HEIGHT_MM / 2
    suit_mm = height_mm * style.index_suit_scale
    suit_y = top + height_mm + style.index_gap_mm + suit_mm / 2
    colour = _suit_colour(card.suit, style)
    for side in (1.0, -1.0) if style.corners == 4 else (1.0,):
        for turned in (False, True):
            canvas.stamp(alpha, (side * x - half_width, top), colour, turned=turned)
            sign = -1.0 if turned else 1.0
            _draw_pip(canvas, card.suit, style, sign * side * x, sign * suit_y, suit_mm, turned=turned)


# --- Courts and jokers


def _robe_pattern(canvas: _Canvas, outline: Points, style: DeckStyle, colours: tuple[Colour, Colour]) -> None:
    """Fill ``outline`` with the deck's cloth, in two colours."""
    before = canvas.image.copy()
    canvas.fill(outline, colours[0])
    (left, top), (right, bottom) = outline.min(0), outline.max(0)
    cloth = _Canvas(canvas.px_per_mm, colours[0])
    step = 3.2
    for i, x in enumerate(np.arange(left - 30.0, right + 30.0, step)):
        if style.court_pattern == "stripes":
            cloth.line(_points((x, top), (x + 8.0, bottom)), 1.2, colours[1])
        elif style.court_pattern == "chevrons":
            cloth.line(_points((x, top), (x + 9.0, (top + bottom) / 2), (x, bottom)), 0.9, colours[1])
        else:
            for j, y in enumerate(np.arange(top, bottom + step, step)):
                if style.court_pattern == "dots":
                    cloth.fill(_ellipse(x + (j % 2) * step / 2, y, 0.75, 0.75), colours[1])
                elif (i + j) % 2:
                    cloth.fill(
                        _points((x, y), (x + step, y), (x + step, y + step), (x, y + step)), colours[1]
                    )
    mask = np.zeros(canvas.image.shape[:2], np.uint8)
    cv2.fillPoly(mask, [canvas.to_px(outline)], 255, cv2.LINE_8, _SUB_PIXEL_BITS)
    np.copyto(before, cloth.image, where=mask[:, :, None] > 0)
    canvas.image[:] = before


def _draw_head(canvas: _Canvas, rank: Rank, style: DeckStyle, x: float, y: float) -> None:
    red, blue, yellow, ink, skin, hair = style.court_palette
    for side in (-1.0, 1.0):  # rolled hair on both sides
        curls = 3 if rank is Rank.QUEEN else 2
        for i in range(curls):
            canvas.shape(_ellipse(x + side * (5.0 + 0.5 * i), y - 0.5 + 3.1 * i, 2.1, 2.1), hair, ink)
    canvas.shape(
        _points((x - 2.2, y + 3), (x + 2.2, y + 3), (x + 2.6, y + 8.5), (x - 2.6, y + 8.5)), skin, ink
    )
    canvas.shape(_ellipse(x, y, 4.8, 6.2), skin, ink)
    if rank is Rank.KING:
        beard = _mirrored(
            np.concatenate(
                [_bezier((0.0, 2.4), (3.0, 1.6), (4.6, 2.0), (4.7, 0.6)), _points((3.4, 7.0), (0.0, 9.2))]
            )
        )
        canvas.shape(_at(beard, x, y), hair, ink)
        canvas.line(_points((x - 2.6, y + 2.2), (x, y + 1.6), (x + 2.6, y + 2.2)), 0.5, ink)
    for side in (-1.0, 1.0):
        canvas.fill(_ellipse(x + side * 1.9, y - 1.0, 0.75, 0.5), ink)
        canvas.line(_points((x + side * 1.0, y - 2.3), (x + side * 3.0, y - 2.5)), 0.3, ink)
    canvas.line(_points((x + 0.1, y - 1.2), (x - 0.8, y + 1.3), (x + 0.3, y + 1.4)), 0.3, ink)
    canvas.line(_points((x - 1.2, y + 3.2), (x + 1.2, y + 3.2)), 0.5, red)
    _draw_crown(canvas, rank, x, y - 5.2, (red, blue, yellow, ink))


def _draw_crown(
    canvas: _Canvas, rank: Rank, x: float, y: float, colours: tuple[Colour, Colour, Colour, Colour]
) -> None:
    red, blue, yellow, ink = colours
    if rank is Rank.KING:
        crown = _points((-6, 0.6), (-7.4, -6), (-3.6, -2.6), (0, -7.6), (3.6, -2.6), (7.4, -6), (6, 0.6))
        canvas.shape(_at(crown, x, y), yellow, ink, 0.4)
        for tip in (_points((-7.4, -6)), _points((0, -7.6)), _points((7.4, -6))):
            canvas.shape(_ellipse(x + tip[0, 0], y + tip[0, 1], 0.9, 0.9), red, ink)
        canvas.shape(_at(_points((-6, 0.8), (6, 0.8), (6, -1.2), (-6, -1.2)), x, y), red, ink)
    elif rank is Rank.QUEEN:
        half = np.concatenate(
            [_bezier((0, -4.4), (2.0, -6.2), (3.2, -2.6), (5.6, -4.6)), _points((5.2, 0.8), (0.0, 1.2))]
        )
        canvas.shape(_at(_mirrored(half), x, y), yellow, ink, 0.4)
        for i in range(5):
            canvas.shape(_ellipse(x + 2.2 * (i - 2), y - 0.4, 0.8, 0.8), (red, blue)[i % 2], ink)
    else:
        cap = np.concatenate(
            [
                _points((-6.2, 1.2)),
                _bezier((-6.8, -3.0), (-2, -5.4), (5, -5.0), (6.8, -1.2)),
                _points((6.2, 1.2)),
            ]
        )
        canvas.shape(_at(cap, x, y), red, ink, 0.4)
        canvas.shape(_at(_points((-6.6, 1.4), (6.6, 1.4), (6.4, -0.4), (-6.4, -0.4)), x, y), blue, ink)
        feather = np.concatenate(
            [_bezier((4, -3), (9, -8), (12, -6), (11.5, -1)), _bezier((11.5, -1), (9, -3), (7, -2), (4, -1))]
        )
        canvas.shape(_at(feather, x, y), yellow, ink)


def _draw_attribute(canvas: _Canvas, card: Card, style: DeckStyle, x: float, top: float) -> None:
    red, blue, yellow, ink, skin, _ = style.court_palette
    if card.rank is Rank.KING:
        canvas.shape(
            _points((x - 1.2, -6), (x - 1.2, top + 4), (x, top), (x + 1.2, top + 4), (x + 1.2, -6)),
            (230, 225, 215),
            ink,
        )
        canvas.shape(_points((x - 4.2, -8.6), (x + 4.2, -8.6), (x + 4.2, -7), (x - 4.2, -7)), yellow, ink)
    elif card.rank is Rank.QUEEN:
        canvas.line(_points((x, -4), (x + 0.8, top + 9)), 0.7, (40, 120, 40))
        for i in range(5):
            a = 2 * np.pi * i / 5
            canvas.shape(_ellipse(x + 0.8 + 2.1 * np.sin(a), top + 7 - 2.1 * np.cos(a), 1.6, 1.6), red, ink)
        canvas.shape(_ellipse(x + 0.8, top + 7, 1.3, 1.3), yellow, ink)
    else:
        canvas.line(_points((x, 2), (x, top + 1)), 1.1, blue)
        blade = np.concatenate(
            [
                _points((x, top + 4)),
                _bezier((x + 2, top + 2), (x + 6, top + 3), (x + 6, top + 11), (x, top + 11)),
            ]
        )
        canvas.shape(blade, yellow, ink)
    canvas.shape(_ellipse(x + 0.2, -7.0, 2.6, 2.2), skin, ink)


def _frame_mm(style: DeckStyle) -> tuple[float, float]:
    """Half width and half height of a court's picture."""
    inset = max(_index_reach_mm(style) + 0.4, 8.0)
    return CARD_WIDTH_MM / 2 - inset, CARD_HEIGHT_MM / 2 - (6.0 if style.index_height < 0.14 else 8.0)


def _draw_court(canvas: _Canvas, card: Card, style: DeckStyle) -> None:
    red, blue, yellow, ink, _, _ = style.court_palette
    half_w, half_h = _frame_mm(style)
    main, other = (red, blue) if card.suit in {Suit.HEARTS, Suit.CLUBS} else (blue, red)
    if card.rank is Rank.QUEEN:
        main, other = other, main
    turn = 1.0 if card.suit in {Suit.SPADES, Suit.DIAMONDS} else -1.0
    head_x, head_y = turn * 1.6 + 1.0, -half_h + 15.5
    reach = half_w - 0.2
    for side in (-1.0, 1.0):
        sleeve = _points(
            (head_x + side * 3.2, head_y + 6.5),
            (side * reach, head_y + 12),
            (side * reach, 14),
            (head_x + side * 3.0, 14),
        )
        _robe_pattern(canvas, sleeve, style, (main, yellow) if side * turn > 0 else (other, yellow))
        canvas.line(sleeve, 0.4, ink, closed=True)
    front = _points(
        (head_x - 4.2, head_y + 7.4), (head_x + 4.2, head_y + 7.4), (head_x + 5.6, 16), (head_x - 5.6, 16)
    )
    canvas.shape(front, yellow, ink, 0.4)
    for i in range(6):
        y = head_y + 10.0 + 3.4 * i
        canvas.shape(
            _points((head_x, y - 1.5), (head_x + 2, y), (head_x, y + 1.5), (head_x - 2, y)),
            (main, other)[i % 2],
            ink,
        )
    collar = _points(
        (head_x - 5.6, head_y + 6.0),
        (head_x, head_y + 10.4),
        (head_x + 5.6, head_y + 6.0),
        (head_x + 6.4, head_y + 9),
        (head_x, head_y + 13.6),
        (head_x - 6.4, head_y + 9),
    )
    canvas.shape(collar, (242, 244, 246), ink)
    _draw_attribute(canvas, card, style, min(half_w - 4.0, 12.5), -half_h + 4.0)
    _draw_head(canvas, card.rank, style, head_x, head_y)
    if style.court_pip_inside:
        size = min(10.0, 0.46 * half_w)
        _draw_pip(canvas, card.suit, style, -half_w + 0.6 * size, -half_h + 0.72 * size, size, turned=False)
    _join_halves(canvas, style)
    if style.court_frame:
        frame = _points((-half_w, -half_h), (half_w, -half_h), (half_w, half_h), (-half_w, half_h))
        canvas.line(frame, 0.5, style.court_frame_colour, closed=True)


def _join_halves(canvas: _Canvas, style: DeckStyle) -> None:
    """Keep the upper half and put the same, turned, below it."""
    half_w, half_h = _frame_mm(style)
    height, width = canvas.image.shape[:2]
    y, x = np.mgrid[0:height, 0:width]
    above = (y - (height - 1) / 2) < style.court_slant * (x - (width - 1) / 2)
    canvas.image = np.where(above[:, :, None], canvas.image, canvas.image[::-1, ::-1])
    inside = (np.abs(x - (width - 1) / 2) < half_w * canvas.px_per_mm) & (
        np.abs(y - (height - 1) / 2) < half_h * canvas.px_per_mm
    )
    canvas.image[~inside] = style.stock
    belt = _points((-half_w, -half_w * style.court_slant), (half_w, half_w * style.court_slant))
    canvas.line(belt, 1.5, style.court_palette[2])
    for off in (-0.8, 0.8):
        canvas.line(_at(belt, 0.0, off), 0.35, style.court_palette[3])


def _draw_joker(canvas: _Canvas, style: DeckStyle) -> None:
    red, blue, yellow, ink, skin, _ = style.court_palette
    height_mm = min(style.index_height, 0.11) * CARD_HEIGHT_MM * 0.62
    y = style.index_y_mm - CARD_HEIGHT_MM / 2
    for symbol in "JOKER":
        glyph = _glyph(symbol, "sans", round(style.font_weight, 2))
        px = round(height_mm * canvas.px_per_mm)
        alpha = cv2.resize(glyph, (max(2, round(px * 0.72)), px), interpolation=cv2.INTER_AREA)
        left = 5.4 - 0.36 * height_mm - CARD_WIDTH_MM / 2
        for turned in (False, True):
            canvas.stamp(
                alpha.astype(np.float32) / np.float32(255), (left, y), style.joker_colour, turned=turned
            )
        y += height_mm * 1.16
    coat = np.concatenate(
        [
            _bezier((-19, 31), (-17, 9), (-8, 7), (0, 7)),
            _bezier((0, 7), (8, 7), (17, 9), (19, 31)),
            _points((19, 31)),
        ]
    )
    _robe_pattern(canvas, coat, style, (red, yellow))
    canvas.line(coat, 0.5, ink, closed=True)
    for i in range(7):
        angle = np.pi * (0.08 + 0.84 * i / 6)
        tip = (13.5 * np.cos(angle), 6 + 8.5 * np.sin(angle))
        canvas.shape(_points((-3, 5), (3, 5), tip), (blue, yellow)[i % 2], ink)
        canvas.shape(_ellipse(*tip, 1.1, 1.1), yellow, ink)
    canvas.shape(_ellipse(0, -4, 8.2, 10.4), skin, ink, 0.5)
    horns = ((-21.0, -12.0, red), (21.0, -12.0, blue), (0.0, -35.0, yellow))
    for hx, hy, colour in horns:
        side = np.sign(hx)
        outer = _bezier(
            (-8 if side <= 0 else 0, -9), (hx * 0.7 - 6, -26), (hx - 4, -24 if side else hy), (hx, hy)
        )
        inner = _bezier((hx, hy), (hx * 0.6 + 4, -18), (4, -14), (8 if side >= 0 else 0, -9))
        canvas.shape(np.concatenate([outer, inner]), colour, ink, 0.5)
        canvas.shape(_ellipse(hx, hy, 1.9, 1.9), yellow, ink)
    for side in (-1.0, 1.0):
        canvas.shape(_ellipse(side * 3.2, -4.6, 1.5, 1.1), (250, 250, 250), ink)
        canvas.fill(_ellipse(side * 3.2, -4.4, 0.7, 0.7), ink)
    canvas.line(_points((0.2, -4), (-1.3, 0), (0.6, 0.2)), 0.4, ink)
    canvas.line(_ellipse(0, 0, 4.6, 4.2, 20, 160), 0.8, red)


# --- Card


def _px_per_mm(height_px: int) -> float:
    if height_px < 16:
        raise ValueError(f"a card {height_px} px high cannot be drawn (want 16 or more)")
    return _OVERSAMPLING * height_px / CARD_HEIGHT_MM


def _finished(image: Image, style: DeckStyle, height_px: int) -> Image:
    """Cut the corners round, draw the edge, shrink: uint8 BGRA (h, w, 4)."""
    width_px = round(height_px * CARD_WIDTH_MM / CARD_HEIGHT_MM)
    height, width = image.shape[:2]
    px_per_mm = height / CARD_HEIGHT_MM
    radius = style.corner_radius_mm * px_per_mm
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    dx = np.maximum(np.abs(x - (width - 1) / 2) - (width / 2 - radius), 0)
    dy = np.maximum(np.abs(y - (height - 1) / 2) - (height / 2 - radius), 0)
    depth = radius - np.hypot(dx, dy)
    edge = np.clip(1.0 - depth / (style.edge_mm * px_per_mm), 0.0, 1.0)[:, :, None]
    toned = image + (np.array(style.edge, np.float32) - image) * edge * 0.8
    alpha = np.clip(depth + 0.5, 0.0, 1.0)[:, :, None] * 255.0
    whole = np.concatenate([toned, alpha], 2).astype(np.float32)
    small = cv2.resize(whole, (width_px, height_px), interpolation=cv2.INTER_AREA)
    card: Image = np.clip(small + 0.5, 0, 255).astype(np.uint8)
    return card


def draw_face(card: Card, style: DeckStyle, height_px: int = 528) -> Image:
    """The face of ``card``, uint8 BGRA (height, width, 4) with rounded corners cut out by alpha.

    >>> style = random_style(np.random.default_rng(1))
    >>> draw_face(Card.parse("9H"), style, 176).shape
    (176, 126, 4)
    """
    canvas = _Canvas(_px_per_mm(height_px), style.stock)
    if card.is_joker:
        _draw_joker(canvas, style)
        return _finished(canvas.image, style, height_px)
    if card.rank is Rank.ACE:
        _draw_ace(canvas, card, style)
    elif card.rank >= Rank.JACK:
        _draw_court(canvas, card, style)
    else:
        _draw_pips(canvas, card, style)
    _draw_indices(canvas, card, style)
    return _finished(canvas.image, style, height_px)


# --- Backs

Field = NDArray[np.float64]


def _saw(value: Field) -> Field:
    """Distance to the nearest whole number, 0..0.5."""
    return np.abs(value - np.round(value))


def _lattice(x: Field, y: Field, phase: float) -> Field:
    a, b = _saw((x + y) / 1.4 + phase), _saw((x - y) / 1.4 + phase)
    return np.minimum(np.minimum(a, b), np.abs(np.hypot(_saw(x), _saw(y)) - 0.2))


def _guilloche(x: Field, y: Field, phase: float) -> Field:
    angle, radius = np.arctan2(y, x), np.hypot(x, y)
    lobes = 8 + round(8 * phase)
    one = _saw(radius + 0.42 * np.sin(lobes * angle))
    return np.minimum(one, _saw(radius - 0.42 * np.sin(lobes * angle)))


def _scales(x: Field, y: Field, phase: float) -> Field:
    row = np.floor(y * 2)
    shifted = x + 0.5 * np.mod(row, 2)
    local_x, local_y = shifted - np.floor(shifted) - 0.5, y * 2 - row
    return np.abs(_saw(2.5 * np.hypot(local_x, 0.5 * local_y) + phase)) * 0.7


def _rosette(x: Field, y: Field, phase: float) -> Field:
    local_x, local_y = x / 2 - np.round(x / 2), y / 2 - np.round(y / 2)
    angle, radius = np.arctan2(local_y, local_x), np.hypot(local_x, local_y)
    petals = 5 + round(4 * phase)
    distance: Field = 2.0 * np.abs(radius - 0.32 - 0.13 * np.cos(petals * angle))
    return distance


def _weave(x: Field, y: Field, phase: float) -> Field:
    over = np.mod(np.floor(x) + np.floor(y), 2) > 0.5
    return np.where(over, _saw(3 * x + phase), _saw(3 * y + phase)) * 0.8


def _diamonds(x: Field, y: Field, phase: float) -> Field:
    return _saw(2.0 * (_saw(x) + _saw(y * 0.7)) + phase)


def _waves(x: Field, y: Field, phase: float) -> Field:
    bend = 0.35 * np.sin(2 * np.pi * x * 0.6 + 2 * np.pi * phase)
    return np.minimum(_saw(y * 1.3 + bend), _saw(y * 1.3 - bend))


def _dots(x: Field, y: Field, phase: float) -> Field:
    del phase
    stagger = x + 0.5 * np.mod(np.round(y * 1.15), 2)
    return np.abs(np.hypot(_saw(stagger), _saw(y * 1.15)) - 0.18)


_BACK_FIELDS: Final[dict[str, Callable[[Field, Field, float], Field]]] = {
    "lattice": _lattice,
    "guilloche": _guilloche,
    "scales": _scales,
    "rosette": _rosette,
    "weave": _weave,
    "diamonds": _diamonds,
    "waves": _waves,
    "dots": _dots,
}


def draw_back(style: DeckStyle, height_px: int = 528) -> Image:
    """The back of every card of the deck, uint8 BGRA (height, width, 4); looks the same when turned."""
    canvas = _Canvas(_px_per_mm(height_px), style.stock)
    height, width = canvas.image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    x_mm = (x - (width - 1) / 2) / canvas.px_per_mm
    y_mm = (y - (height - 1) / 2) / canvas.px_per_mm
    flip = np.where(y_mm < 0, -1.0, 1.0)  # the lower half is the upper one, turned
    distance = _BACK_FIELDS[style.back_pattern](
        x_mm * flip / style.back_period_mm, y_mm * flip / style.back_period_mm, style.back_phase
    )
    soft = 0.7 / (canvas.px_per_mm * style.back_period_mm)
    lines = np.clip((0.085 - distance) / (2 * soft) + 0.5, 0.0, 1.0)[:, :, None]
    ground, light, medal = (np.array(c, np.float64) for c in style.back_colours)
    picture = ground + (light - ground) * lines
    if style.back_medallion:
        picture = _with_medallion(picture, np.hypot(x_mm, y_mm * 0.8), np.arctan2(y_mm, x_mm), (light, medal))
    inset = (
        np.minimum(CARD_WIDTH_MM / 2 - np.abs(x_mm), CARD_HEIGHT_MM / 2 - np.abs(y_mm)) - style.back_border_mm
    )
    if style.back_border_mm > 0:
        rim = (np.abs(inset - 1.2) < 0.35)[:, :, None]
        picture = np.where(rim, light, picture)
        picture = np.where((inset < 0)[:, :, None], np.array(style.stock, np.float64), picture)
    return _finished(picture.astype(np.uint8), style, height_px)


def _with_medallion(picture: Field, radius: Field, angle: Field, colours: tuple[Field, Field]) -> Field:
    light, medal = colours
    rim = radius - 13.0 - 0.9 * np.cos(12 * angle)
    petals = np.abs(radius - 7.0 - 3.0 * np.cos(6 * angle)) < 0.6
    picture = np.where((rim < 0)[:, :, None], medal, picture)
    return np.where(((np.abs(rim) < 0.5) | ((rim < 0) & petals))[:, :, None], light, picture)

"""Renders a passage frame by frame: a still table in a cache, and over it only what moves."""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.drawn_deck import DeckStyle, draw_back, draw_face, random_style
from datasets.simulator.camera import Camera
from datasets.simulator.cards_on_table import Held
from datasets.simulator.hand import ARM_MM, HandSprite, draw_hand
from datasets.simulator.layout import SIDES, Layout
from datasets.simulator.lighting import LightChanges
from datasets.simulator.motion import HandPath
from datasets.simulator.passage import CARD_THICKNESS_MM, Carry, Passage, Placed, Pose
from datasets.simulator.surface import LIGHT_UNIT, draw_light, draw_surface
from referee.cards import FACES, Card
from referee.piles import PileId, Seat

Image = NDArray[np.uint8]
Points = NDArray[np.float64]

_SPRITE_PAD_PX: Final = 3
_SHADOW_SCALE: Final = 4
"""Moving shadows are drawn so much smaller; they are soft."""
_BLUR_STEP_PX: Final = 2.0
"""A hand that moves further than this while the shutter is open is drawn several times."""
_BLUR_STEPS: Final = 8
_ARM_RISE: Final = 0.13
"""The forearm rises towards the elbow by so much a millimetre."""
_FINGER_MM: Final = 2.0
"""Height of the hand's outline over the card that it holds."""
_UNDER_CARD_MM: Final = 8.0
"""A hand that is lower than this when a card lands on it lies under the card."""
_LONGEST_COVER_US: Final = 3_000_000
_COVER_STEP_US: Final = 8_000
_SQUARED_CARDS_SHOWN: Final = 7
"""Of a squared pile so many are drawn, and of the rest some: the six that a packet in the air shows and the
one that it came to lie on, so that nothing leaps as it is let go."""
_OPAQUE: Final = 127
"""What is more opaque hides what is under it, of 255."""
_EDGE_SHADE: Final = 0.7
"""Darkness beside a lying card, of the darkness of a shadow."""
_STACK_STEP: Final = 5
"""Of a high squared pile, every fifth card is drawn, for its side."""
_BAND_STEP_PX: Final = 2.0
"""Rows between whose exposures a hand moves further than this are drawn at times of their own ..."""
_BANDS_AT_MOST: Final = 24
"""... up to so many times a picture."""
_BAND_PAD_MM: Final = 27.0
"""Around a band so much is drawn too, for soft shadows to go on across its edge."""


@dataclass(frozen=True, slots=True)
class Rect:
    """Pixels of the picture, right and bottom excluded."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it."""
        return self.right <= self.left or self.bottom <= self.top

    @property
    def slices(self) -> tuple[slice, slice]:
        """Rows and columns of it."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height."""
        return self.right - self.left, self.bottom - self.top

    def grown(self, pad_px: int) -> "Rect":
        """The same with ``pad_px`` more on each side."""
        return Rect(self.left - pad_px, self.top - pad_px, self.right + pad_px, self.bottom + pad_px)

    def moved(self, right_px: int, down_px: int) -> "Rect":
        """The same elsewhere."""
        return Rect(self.left + right_px, self.top + down_px, self.right + right_px, self.bottom + down_px)

    def cut(self, other: "Rect") -> "Rect":
        """What both cover."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    @classmethod
    def around(cls, points_px: Points, pad_px: float) -> "Rect":
        """The pixels around points (n, 2)."""
        low = np.floor(points_px.min(0) - pad_px).astype(int)
        high = np.ceil(points_px.max(0) + pad_px).astype(int) + 1
        return cls(int(low[0]), int(low[1]), int(high[0]), int(high[1]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sprite:
    """A flat picture, premultiplied uint8 BGRA, and where its corners are in its own pixels."""

    image: Image
    corners_px: NDArray[np.float32]


def _sprite(bgra: Image, blur_px: float) -> _Sprite:
    """Premultiply, pad and soften a straight-alpha picture."""
    height, width = bgra.shape[:2]
    alpha = bgra[:, :, 3:].astype(np.float32) / 255.0
    flat = np.concatenate([bgra[:, :, :3] * alpha, bgra[:, :, 3:].astype(np.float32)], 2)
    return _padded((flat + 0.5).astype(np.uint8), (width, height), blur_px)


def _padded(premultiplied: Image, size_wh: tuple[int, int], blur_px: float) -> _Sprite:
    pad = _SPRITE_PAD_PX
    image = cv2.copyMakeBorder(premultiplied, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=(0, 0, 0, 0))
    if blur_px > 0.2:
        image = cv2.GaussianBlur(image, (0, 0), blur_px)
    left, top = pad - 0.5, pad - 0.5
    right, bottom = pad + size_wh[0] - 0.5, pad + size_wh[1] - 0.5
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)
    return _Sprite(image=np.ascontiguousarray(image).astype(np.uint8), corners_px=corners)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The seeded taste of a clip's picture."""

    light_mm_per_mm: tuple[float, float]
    """How far a shadow moves aside for each millimetre of height."""
    shadow: float
    """Darkness of a shadow at contact, 0..1."""
    shadow_spread: float
    """Softness: mm of blur for each mm of height."""
    focus_px: float
    """Blur of the lens, at 1080 lines."""
    noise: float
    """Spread of the sensor's noise in grey levels."""
    shutter_us: int

    @classmethod
    def random(cls, rng: np.random.Generator) -> "Look":
        """Some room and some camera."""
        angle, lean = float(rng.uniform(0, 2 * np.pi)), float(rng.uniform(0.25, 0.7))
        return cls(
            light_mm_per_mm=(lean * float(np.cos(angle)), lean * float(np.sin(angle))),
            shadow=float(rng.uniform(0.3, 0.55)),
            shadow_spread=float(rng.uniform(0.08, 0.2)),
            focus_px=float(rng.uniform(0.3, 0.75)),
            noise=float(rng.uniform(0.8, 2.6)),
            shutter_us=int(rng.uniform(3000, 12000)),
        )


@dataclass(slots=True)
class _Lying:
    """A card on a pile, and since when."""

    since_us: int
    placed: Placed


@dataclass(slots=True)
class _Item:
    """Something to draw: a sprite and where its corners are in the room."""

    sprite: _Sprite
    corners_mm: Points
    height_mm: float
    over_mm: float | None = None
    """Of a hand that holds cards: how high they are over where they will lie."""
    ground_mm: float = 0.0
    """Of a card: the height of what it will lie on, which its shadow falls on."""


class Stage:
    """A table with its players, ready to be filmed at any times in rising order."""

    def __init__(
        self,
        passage: Passage,
        camera: Camera,
        rng: np.random.Generator,
        *,
        markers: bool,
        rolling_us: int = 0,
        light_changes: LightChanges | None = None,
    ) -> None:
        """``rolling_us``: from the exposure of the first row to that of the last."""
        self.passage = passage
        self._rolling_us = rolling_us
        self._light_changes = light_changes
        self.camera = camera
        self.look = Look.random(rng)
        width, height = camera.image_size_px
        self._whole = Rect(0, 0, width, height)
        table_width, table_height = passage.layout.size_mm
        self._px_per_mm = camera.px_per_mm_at(table_width / 2, table_height / 2)
        self._focus_px = self.look.focus_px * height / 1080
        self._styles = _unlike_styles(rng, passage.decks)
        self._hands = {
            seat: draw_hand(rng, self._px_per_mm, _arm_mm(passage.layout, seat)) for seat in passage.seats
        }
        self._hand_sprites = {seat: self._hand_sprite(hand) for seat, hand in self._hands.items()}
        self._light = draw_light(rng, camera.image_size_px)
        bare = draw_surface(rng, camera, passage.layout, markers=markers)
        bare = cv2.GaussianBlur(bare, (0, 0), max(self._focus_px, 0.3)).astype(np.uint8)
        self._bare: Image = cv2.multiply(bare, self._light, scale=1 / LIGHT_UNIT).astype(np.uint8)
        self._still = self._bare.copy()
        self._noise_bank = rng.normal(0, self.look.noise, (height + 64, width + 64)).astype(np.int8)
        self._noise_rng = rng
        self._cards: dict[tuple[Card, Seat, bool], _Sprite] = {}
        self._piles = {pile: [_Lying(0, p) for p in cards] for pile, cards in passage.start.items()}
        self._settled_us = self._settled()
        self._changes = self._still_changes()
        self._next_change = 0
        self._drawn = list(passage.seats)
        """In the order in which their hands were last drawn, the lowest first."""
        self._redraw(self._whole)

    # when still cards change

    def _settled(self) -> dict[int, int]:
        """When each carry's cards lie on their pile, by its ``id``: no later than those that cover them."""
        settled_us: dict[int, int] = {}
        upper: dict[PileId, int] = {}
        for carry in sorted(self.passage.carries, key=lambda c: c.contact_us, reverse=True):
            own_us = self._settled_at(carry)
            settled_us[id(carry)] = upper[carry.target] = min(own_us, upper.get(carry.target, own_us))
        return settled_us

    def _settled_at(self, carry: Carry) -> int:
        """When a card lies on its pile: at rest, or once other seats' fingers are out from under it."""
        card = self.camera.project(self._card_corners(carry.landed[-1].pose, 0.0))
        again_us = min((c.lifted_us for c in self.passage.carries if _takes_up(c, carry)), default=None)
        end_us = carry.rest_us + _LONGEST_COVER_US if again_us is None else again_us
        paths = self.passage.paths
        low = [
            seat
            for seat in self.passage.seats
            if seat is not carry.seat and paths[seat].at(carry.rest_us)[2] < _UNDER_CARD_MM
        ]
        for t_us in range(carry.rest_us, end_us, _COVER_STEP_US):
            if not any(hides(self.hand_outline_px(seat, t_us), card) for seat in low):
                return t_us
        return end_us

    def _still_changes(self) -> list[tuple[int, Carry, bool]]:
        """When the still table changes: a carry, and whether it lands (else: lifts)."""
        carries = self.passage.carries
        both = [(self._settled_us[id(c)], c, True) for c in carries] + [
            (c.lifted_us, c, False) for c in carries
        ]
        return sorted(both, key=lambda change: (change[0], not change[2]))

    # sprites

    def _hand_sprite(self, hand: HandSprite) -> _Sprite:
        height, width = hand.premultiplied_bgra.shape[:2]
        return _padded(hand.premultiplied_bgra, (width, height), self._focus_px)

    def _card_sprite(self, held: Held) -> _Sprite:
        key = (held.card if held.face_up else FACES[0], held.deck_of, held.face_up)
        if key not in self._cards:
            style = self._styles[held.deck_of]
            height_px = max(16, round(88 * self._px_per_mm * 1.1))
            picture = draw_face(held.card, style, height_px) if held.face_up else draw_back(style, height_px)
            self._cards[key] = _sprite(picture, self._focus_px * 1.1)
        return self._cards[key]

    # geometry

    def _card_corners(self, pose: Pose, height_mm: float, flip: float = 0.0) -> Points:
        """Corners in the room (4, 3); ``flip`` 0..1 turns the card about its long axis."""
        squeeze, rise = abs(float(np.cos(np.pi * flip))), 31.5 * float(np.sin(np.pi * flip))
        x, y = 31.5 * squeeze, 44.0
        lift = rise if flip < 0.5 else -rise
        local = np.array(
            [[-x, -y, rise - lift], [x, -y, rise + lift], [x, y, rise + lift], [-x, y, rise - lift]]
        )
        angle = np.radians(pose.turn_deg)
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        turned = local.copy()
        turned[:, 0] = cos * local[:, 0] - sin * local[:, 1] + pose.x_mm
        turned[:, 1] = sin * local[:, 0] + cos * local[:, 1] + pose.y_mm
        turned[:, 2] += height_mm
        return turned

    def hand_points(self, seat: Seat, local_mm: Points, tip_mm: tuple[float, float, float]) -> Points:
        """Points around the fingertip (n, 2) in the room (n, 3)."""
        tip = np.array(tip_mm)
        way = np.array(self.passage.shoulders_mm[seat]) - tip[:2]
        way /= np.linalg.norm(way)
        across = np.array((way[1], -way[0]))
        flat = tip[:2] + local_mm[:, :1] * across + local_mm[:, 1:] * way
        height = tip[2] + _FINGER_MM + _ARM_RISE * np.maximum(local_mm[:, 1], 0.0)
        return np.column_stack([flat, height])

    def hand_outline_px(self, seat: Seat, t_us: float) -> Points:
        """The hull of a hand and its arm in the picture, (k, 2)."""
        tip = self.passage.paths[seat].at(t_us)
        return self.camera.project(self.hand_points(seat, self._hands[seat].outline_mm, tip))

    def _shadow_corners(self, corners_mm: Points) -> Points:
        """Where the shadow of a flat thing falls."""
        light_x, light_y = self.look.light_mm_per_mm
        fallen = corners_mm.copy()
        fallen[:, 0] += light_x * corners_mm[:, 2]
        fallen[:, 1] += light_y * corners_mm[:, 2]
        fallen[:, 2] = 0.0
        return fallen

    # drawing

    def _warped(self, sprite: _Sprite, corners_mm: Points, rect: Rect, scale: float = 1.0) -> Image:
        """The sprite as seen in ``rect``, premultiplied uint8 BGRA; ``scale`` below 1 draws it smaller."""
        px = (self.camera.project(corners_mm) - (rect.left, rect.top) + 0.5) * scale - 0.5
        warp = cv2.getPerspectiveTransform(sprite.corners_px, px.astype(np.float32))
        size = (max(1, round(rect.size_wh[0] * scale)), max(1, round(rect.size_wh[1] * scale)))
        warped: Image = cv2.warpPerspective(sprite.image, warp, size, flags=cv2.INTER_LINEAR).astype(np.uint8)
        return warped

    def _blend(self, canvas: Image, rect: Rect, layer: Image) -> None:
        """Lay a premultiplied layer over ``rect``, in the light that falls there."""
        area = canvas[rect.slices]
        lit = cv2.multiply(
            np.ascontiguousarray(layer[:, :, :3]), self._light[rect.slices], scale=1 / LIGHT_UNIT
        )
        through = cv2.merge([255 - layer[:, :, 3]] * 3)
        canvas[rect.slices] = cv2.add(cv2.multiply(area, through, scale=1 / 255), lit)

    def _darken(self, canvas: Image, rect: Rect, mask: Image, strength: float) -> None:
        factor = cv2.convertScaleAbs(mask, alpha=-strength, beta=255)
        area = canvas[rect.slices]
        canvas[rect.slices] = cv2.multiply(area, cv2.merge([factor] * 3), scale=1 / 255)

    def _lay_still(self, canvas: Image, placed: Placed, height_mm: float, clip: Rect) -> None:
        corners = self._card_corners(placed.pose, height_mm)
        px = self.camera.project(corners)
        rect = Rect.around(px, 5.0 * self._px_per_mm).cut(clip)
        if rect.is_empty:
            return
        layer = self._warped(self._card_sprite(placed.held), corners, rect)
        soft = self._edge_shade(self._card_sprite(placed.held), corners, rect)
        self._darken(canvas, rect, soft, _EDGE_SHADE * self.look.shadow)
        self._blend(canvas, rect, layer)

    def _shown_of(self, pile: PileId) -> list[tuple[Placed, float]]:
        """The cards of a pile that can be seen, with their heights."""
        cards = [lying.placed for lying in self._piles[pile]]
        is_fan = self.passage.layout.spots[pile].is_fan
        count = len(cards)
        return [
            (placed, CARD_THICKNESS_MM * (1 if is_fan else i + 1))
            for i, placed in enumerate(cards)
            if is_fan or i >= count - _SQUARED_CARDS_SHOWN or i % _STACK_STEP == 0
        ]

    def _pile_rect(self, pile: PileId) -> Rect:
        corners = [self._card_corners(placed.pose, z) for placed, z in self._shown_of(pile)]
        if not corners:
            return Rect(0, 0, 0, 0)
        return Rect.around(self.camera.project(np.concatenate(corners)), 6.0 * self._px_per_mm)

    def _redraw(self, rect: Rect) -> None:
        """Draw the still table anew inside ``rect``."""
        rect = rect.cut(self._whole)
        if rect.is_empty:
            return
        self._still[rect.slices] = self._bare[rect.slices]
        for pile in self._piles:
            clip = self._pile_rect(pile).cut(rect)
            if not clip.is_empty:
                for placed, height_mm in self._shown_of(pile):
                    self._lay_still(self._still, placed, height_mm, clip)

    def _settle(self, t_us: int) -> None:
        """Take up and put down all still cards as they lie at ``t_us``."""
        while self._next_change < len(self._changes) and self._changes[self._next_change][0] <= t_us:
            _, carry, is_landing = self._changes[self._next_change]
            self._next_change += 1
            pile = carry.target if is_landing else carry.source
            before = self._pile_rect(pile)
            lying = self._piles[pile]
            if is_landing:
                at = next((i for i, x in enumerate(lying) if x.since_us > carry.contact_us), len(lying))
                lying[at:at] = [_Lying(carry.contact_us, placed) for placed in carry.landed]
            else:
                gone = {(p.held.card, p.held.deck_of) for p in carry.cards}
                lying[:] = [x for x in lying if (x.placed.held.card, x.placed.held.deck_of) not in gone]
            self._redraw(before)
            self._redraw(self._pile_rect(pile))

    def still_view(self, t_us: int) -> Image:
        """The table without anything that moves; times must rise from call to call."""
        self._settle(t_us)
        return self._still.copy()

    # moving

    def _carried_items(self, carry: Carry, t_us: float) -> list[_Item]:
        tip = self.passage.paths[carry.seat].at(min(t_us, carry.rest_us))
        progress = carry.progress(t_us)
        flip = progress if carry.is_flipped else 0.0
        cards = carry.landed if flip >= 0.5 else carry.cards
        lead = carry.landed[-1].pose
        came_from = carry.cards[-1].pose
        ground_mm = min(self.passage.paths[carry.seat].at(carry.rest_us)[2], tip[2])
        items = []
        for i, placed in list(enumerate(cards))[-6:]:
            a, b = (carry.cards[-1 - i] if flip >= 0.5 else carry.cards[i]).pose, carry.landed[i].pose
            if carry.is_flipped:
                a, b = came_from, carry.landed[i].pose
            dx = (a.x_mm - came_from.x_mm) * (1 - progress) + (b.x_mm - lead.x_mm) * progress
            dy = (a.y_mm - came_from.y_mm) * (1 - progress) + (b.y_mm - lead.y_mm) * progress
            turn = a.turn_deg + _shortest_turn(a.turn_deg, b.turn_deg) * progress
            pose = Pose(tip[0] + carry.grip_mm[0] + dx, tip[1] + carry.grip_mm[1] + dy, turn)
            corners = self._card_corners(pose, tip[2], flip)
            items.append(_Item(self._card_sprite(placed.held), corners, tip[2], ground_mm=ground_mm))
        return items

    def _items(self, seat: Seat, carry: Carry | None, t_us: float) -> list[_Item]:
        """What a seat moves, lowest first: its cards, its hand."""
        tip = self.passage.paths[seat].at(t_us)
        items = self._carried_items(carry, t_us) if carry is not None else []
        hand_corners = self.hand_points(seat, self._hands[seat].corners_mm, tip)
        over_mm = None
        if carry is not None:
            over_mm = max(0.0, tip[2] - self.passage.paths[seat].at(carry.rest_us)[2])
        return [*items, _Item(self._hand_sprites[seat], hand_corners, tip[2] + 14.0, over_mm)]

    def _carry_of(self, seat: Seat, t_us: float) -> Carry | None:
        """The cards that a seat has in the air, or has laid on the other's fingers."""
        return next(
            (
                c
                for c in self.passage.carries
                if c.seat is seat and c.lifted_us <= t_us < self._settled_us[id(c)]
            ),
            None,
        )

    def _draw_shadow(self, canvas: Image, items: list[_Item], window: Rect) -> None:
        for item in items:
            shade = self._shade(item, window, item.ground_mm)
            if shade is not None:
                self._darken(canvas, *shade)

    def seen_share(self, carry: Carry, t_us: float) -> float:
        """The share of the top card carried that no hand, and no card of another seat, hides; 0 to 1."""
        card = self._carried_items(carry, t_us)[-1]
        rect = Rect.around(self.camera.project(card.corners_mm), 1).cut(self._whole)
        if rect.is_empty:
            return 0.0
        is_card = self._warped(card.sprite, card.corners_mm, rect)[:, :, 3] > _OPAQUE
        over: list[_Item] = []
        for seat in self.passage.seats:
            items = self._items(seat, self._carry_of(seat, t_us), t_us)
            over += items[-1:] if seat is carry.seat else items
        is_seen = is_card.copy()
        for item in over:
            is_seen &= self._warped(item.sprite, item.corners_mm, rect)[:, :, 3] <= _OPAQUE
        return float(is_seen.sum() / max(is_card.sum(), 1))

    def _shade(self, item: _Item, window: Rect, lowered_mm: float = 0.0) -> tuple[Rect, Image, float] | None:
        """Where a thing shades what is ``lowered_mm`` high: the place, how much (255: all), the strength."""
        height_mm = max(item.height_mm - lowered_mm, 0.0)
        ground = np.array((0.0, 0.0, lowered_mm))
        fallen = self._shadow_corners(item.corners_mm - ground) + ground
        blur_mm = 0.7 + self.look.shadow_spread * height_mm
        pad = 3 * blur_mm * self._px_per_mm + _SHADOW_SCALE
        rect = Rect.around(self.camera.project(fallen), pad).cut(window)
        if rect.is_empty:
            return None
        small = self._warped(item.sprite, fallen, rect, 1 / _SHADOW_SCALE)[:, :, 3]
        sigma = blur_mm * self._px_per_mm / _SHADOW_SCALE
        soft = cv2.GaussianBlur(small, (0, 0), max(sigma, 0.3))
        mask = cv2.resize(soft, rect.size_wh, interpolation=cv2.INTER_LINEAR).astype(np.uint8)
        return rect, mask, self.look.shadow / (1 + height_mm / 120)

    def _shade_held(self, layer: Image, hand: _Item, over_mm: float, rect: Rect) -> None:
        """Let a hand shade the cards that it holds, drawn in ``layer``, as it will where they are to lie."""
        shade = self._shade(hand, rect, over_mm)
        if shade is None:
            return
        at, mask, strength = shade
        self._darken(layer[..., :3], at.moved(-rect.left, -rect.top), mask, strength)

    def _shade_edge(self, layer: Image, card: _Item, rect: Rect) -> None:
        """Let a card of a packet, in ``layer``, shade the one that it lies on, as it does at rest."""
        at = Rect.around(self.camera.project(card.corners_mm), 5.0 * self._px_per_mm).cut(rect)
        if not at.is_empty:
            mask = self._edge_shade(card.sprite, card.corners_mm, at)
            self._darken(
                layer[..., :3], at.moved(-rect.left, -rect.top), mask, _EDGE_SHADE * self.look.shadow
            )

    def _edge_shade(self, sprite: _Sprite, corners_mm: Points, rect: Rect) -> Image:
        """How much a card shades what it lies on, uint8 (h, w) of ``rect``."""
        light = np.array((*self.look.light_mm_per_mm, 0.0)) * 1.2
        under = self._warped(sprite, corners_mm + light, rect)[:, :, 3]
        return cv2.GaussianBlur(under, (0, 0), 0.9 * self._px_per_mm).astype(np.uint8)

    def _layer(self, items: list[_Item], rect: Rect) -> Image:
        layer = np.zeros((rect.size_wh[1], rect.size_wh[0], 4), np.uint8)
        for item in items:
            part = Rect.around(self.camera.project(item.corners_mm), 3).cut(rect)
            if part.is_empty:
                continue
            if item.over_mm is not None:
                self._shade_held(layer, item, item.over_mm, rect)
            elif item is not items[0]:
                self._shade_edge(layer, item, rect)
            top = self._warped(item.sprite, item.corners_mm, part)
            rows = slice(part.top - rect.top, part.bottom - rect.top)
            columns = slice(part.left - rect.left, part.right - rect.left)
            through = cv2.merge([255 - top[:, :, 3]] * 4)
            layer[rows, columns] = cv2.add(cv2.multiply(layer[rows, columns], through, scale=1 / 255), top)
        return layer

    def _draw_mover(self, canvas: Image, seat: Seat, t_us: int, window: Rect) -> None:
        carry = self._carry_of(seat, t_us)
        path = self.passage.paths[seat]
        half = self.look.shutter_us / 2
        moved_px = self._moved_px(path, t_us, half)
        steps = min(_BLUR_STEPS, max(1, int(np.ceil(moved_px / _BLUR_STEP_PX))))
        times = [t_us] if steps == 1 else list(np.linspace(t_us - half, t_us + half, steps))
        moments = [self._items(seat, carry, t) for t in times]
        points = np.concatenate([self.camera.project(i.corners_mm) for items in moments for i in items])
        around = Rect.around(points, 3).cut(self._whole)
        if around.is_empty:
            return
        self._draw_shadow(canvas, moments[len(moments) // 2], window)
        rect = around.cut(window)
        if rect.is_empty:
            return
        if steps == 1:
            self._blend(canvas, rect, self._layer(moments[0], rect))
            return
        total = np.zeros((rect.size_wh[1], rect.size_wh[0], 4), np.float32)
        for items in moments:
            cv2.accumulate(self._layer(items, rect), total)
        mean = cv2.convertScaleAbs(total, alpha=1 / steps)
        gap_px = moved_px / (steps - 1)
        if gap_px > _BLUR_STEP_PX:  # no ghosts between the steps of a fast hand
            mean = cv2.GaussianBlur(mean, (0, 0), 0.4 * gap_px)
        self._blend(canvas, rect, mean.astype(np.uint8))

    def _order(self, t_us: int) -> tuple[Seat, ...]:
        """The seats, the lowest hand first; where hands are level, as before."""
        order: list[Seat] = []
        for seat in self._drawn:
            at = len(order)
            while at > 0 and self._lower_of(order[at - 1], seat, t_us) is seat:
                at -= 1
            order.insert(at, seat)
        self._drawn = order
        return tuple(order)

    def _lower_of(self, first: Seat, second: Seat, t_us: int) -> Seat:
        """Of two hands the one under a card, else the lower one; ``first`` was drawn before the other."""
        one, two = sorted((first, second), key=self.passage.seats.index)
        height_mm = {seat: self.passage.paths[seat].at(t_us)[2] for seat in (one, two)}
        carries = [c for c in (self._carry_of(seat, t_us) for seat in (one, two)) if c is not None]
        if len(carries) == 2 and carries[0].target == carries[1].target:
            return min(carries, key=lambda c: c.contact_us).seat
        for carry in carries:
            other = two if carry.seat is one else one
            if t_us >= carry.contact_us and height_mm[other] < _UNDER_CARD_MM:
                return other
        return first if height_mm[first] <= height_mm[second] + _UNDER_CARD_MM else second

    def frame(self, t_us: int) -> Image:
        """The picture at ``t_us``, the middle of the exposure: uint8 BGR (h, w, 3), without noise.

        Of a rolling shutter: the middle of the middle row's exposure. Times must rise from call to call, by
        ``rolling_us`` or more.
        """
        canvas, scratch = np.empty_like(self._still), np.empty_like(self._still)
        for band, band_us in self._bands(t_us):
            window = band.grown(round(_BAND_PAD_MM * self._px_per_mm)).cut(self._whole)
            self._draw(scratch, band_us, window)
            canvas[band.slices] = scratch[band.slices]
        if self._light_changes is None:
            return canvas
        half_us = self._rolling_us / 2
        return self._light_changes.shine(canvas, t_us - half_us, t_us + half_us)

    def _draw(self, canvas: Image, t_us: int, window: Rect) -> None:
        """Draw inside ``window`` all that is there at one moment."""
        self._settle(t_us)
        canvas[window.slices] = self._still[window.slices]
        for seat in self._order(t_us):
            self._draw_mover(canvas, seat, t_us, window)

    def _bands(self, t_us: int) -> list[tuple[Rect, int]]:
        """Rows that are exposed at nearly the same time, top to bottom, and when."""
        half_us = self._rolling_us / 2
        moved_px = max(self._moved_px(path, t_us, half_us) for path in self.passage.paths.values())
        count = min(_BANDS_AT_MOST, max(1, int(np.ceil(moved_px / _BAND_STEP_PX))))
        width, height = self._whole.size_wh
        edges = [round(height * i / count) for i in range(count + 1)]
        return [
            (
                Rect(0, top, width, bottom),
                round(t_us + self._rolling_us * ((top + bottom) / 2 / height - 0.5)),
            )
            for top, bottom in pairwise(edges)
        ]

    def _moved_px(self, path: HandPath, t_us: int, half_us: float) -> float:
        """How far a hand moves in the picture in ``half_us`` before and after ``t_us``."""
        ends = self.camera.project(np.array([path.at(t_us - half_us), path.at(t_us + half_us)]))
        return float(np.linalg.norm(ends[1] - ends[0]))

    def noisy_i420(self, image_bgr: Image) -> Image:
        """A frame as yuv420p planes (h * 3 / 2, w), with the sensor's noise on the brightness."""
        width, height = self.camera.image_size_px
        planes: Image = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2YUV_I420).astype(np.uint8)
        x, y = (int(v) for v in self._noise_rng.integers(0, 64, 2))
        noise = self._noise_bank[y : y + height, x : x + width]
        bright = cv2.add(planes[:height], np.maximum(noise, 0).astype(np.uint8))
        planes[:height] = cv2.subtract(bright, np.maximum(-noise, 0).astype(np.uint8))
        return planes


def _shortest_turn(a_deg: float, b_deg: float) -> float:
    return (b_deg - a_deg + 180.0) % 360.0 - 180.0


def _takes_up(later: Carry, carry: Carry) -> bool:
    """Whether ``later`` lifts the card that ``carry`` put down."""
    return (
        later.lifted_us > carry.rest_us
        and later.source == carry.target
        and any(p.held == carry.landed[-1].held for p in later.cards)
    )


def hides(outline_px: Points, zone_px: Points) -> bool:
    """Whether two convex outlines have an area in common."""
    area, _ = cv2.intersectConvexConvex(outline_px.astype(np.float32), zone_px.astype(np.float32))
    return area > 0


def _arm_mm(layout: Layout, seat: Seat) -> float:
    """How long an arm reaches from the fingertip to beyond its edge, wherever on the table it is."""
    (width, height), (out_x, _) = layout.size_mm, SIDES[seat].out
    across_mm = height if out_x == 0 else width
    return max(ARM_MM, across_mm) if len(layout.seats) > 2 else ARM_MM


def _unlike_styles(rng: np.random.Generator, decks: tuple[Seat, ...]) -> dict[Seat, DeckStyle]:
    """A style for each deck; the backs are unlike (rule N4)."""
    styles = {seat: random_style(rng) for seat in decks}
    used: list[object] = []
    for seat, style in styles.items():
        unlike = style
        while unlike.back_colours[0] in used:
            unlike = replace(unlike, back_colours=random_style(rng).back_colours)
        styles[seat] = unlike
        used.append(unlike.back_colours[0])
    return styles

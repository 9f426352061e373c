"""Views of card backs for teaching which are of one design: each seen once in mild light and again in any.

Designs are open artwork, backs that this project draws, and ornaments folded out of pictures, in other inks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.build import split_surfaces
from datasets.crops import aligned, jittered
from datasets.decks import FIRST_HELD_OUT_STYLE_SEED, SPRITE_SIZE_WH, drawn_deck, load_artwork_decks
from datasets.drawn_deck import draw_back, random_style
from datasets.layouts import CARD_H_MM, CARD_W_MM, LaidCard, Side
from datasets.pictures import PlacedCard, Shadow, background, draw_card, hand, light, project, sensor
from models.back_view import WHOLE_TOLERANCE, cut_part, placed_at
from models.classes import BACK

Image = NDArray[np.uint8]
Rng = np.random.Generator

ROOM_MM = 135.0
"""Side of the piece of table that is photographed: a card in any turn, and some of what lies beside it."""
LEAST_PX, MOST_PX = 96, 520
COVERED_SHARE = 0.5
"""Views that another card lies on."""
LEAST_VISIBLE = 0.15
"""Of a back's area: less is not taught, nor measured."""
LEAST_STRIP_MM = 12
"""Nor is a narrower part."""
LEAST_FILL = 0.6
"""Part of its box that must be visible."""
LOCATED_SHARE = 0.15
"""Views cut by a locator's box, the others by an aligner's corners."""
HAND_SHARE = 0.12
DRAWN_SHARE, ARTWORK_SHARE = 0.35, 0.2
"""Of the designs; the rest are ornaments."""
SIZE_SPREAD = 0.03
"""Of a part's width and height in mm, as they are worked out from the scale of a picture."""
COVERS = 60
"""Sides of other cards that may lie over or beside a back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackViewSettings:
    """How many shards of how many designs, each with one picture to enrol from and ``views`` later ones.

    px_per_mm: least and greatest scale of later views; a back is enrolled at twice the least and more.
    """

    train_shards: int = 60
    val_shards: int = 3
    designs: int = 100
    views: int = 5
    px_per_mm: tuple[float, float] = (0.9, 4.0)
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class BackDesigns:
    """Where designs and what lies on them come from. backs, covers: sprites, uint8 BGRA."""

    backs: Sequence[Image]
    covers: Sequence[Image]
    surfaces: Sequence[Image]
    first_style_seed: int

    @classmethod
    def of_split(cls, cache: Path, split: str) -> "BackDesigns":
        """Those to train on (``train``), or the families and surfaces held out (``val``)."""
        is_val = split == "val"
        first_seed = FIRST_HELD_OUT_STYLE_SEED if is_val else 0
        decks = [*load_artwork_decks(cache, held_out=is_val), drawn_deck(first_seed + 1)]
        faces = [face for deck in decks for face in deck.faces.values()]
        step = max(1, len(faces) // COVERS)
        backs = [back for deck in decks for back in deck.backs]
        return cls(backs, faces[::step], split_surfaces(cache, split), first_seed)

    def design(self, rng: Rng) -> Image:
        """A back, uint8 BGRA (352, 252, 4), that was hardly drawn before."""
        kind = rng.random()
        if kind < DRAWN_SHARE:
            return self._drawn(rng)
        if kind < DRAWN_SHARE + ARTWORK_SHARE:
            return _other_inks(self.backs[int(rng.integers(len(self.backs)))], rng)
        return self._ornament(rng)

    def made(self, rng: Rng) -> Image:
        """A back, uint8 BGRA (352, 252, 4), that is no open artwork."""
        return self._drawn(rng) if rng.random() < 0.5 else self._ornament(rng)

    def _drawn(self, rng: Rng) -> Image:
        seed = self.first_style_seed + int(rng.integers(FIRST_HELD_OUT_STYLE_SEED))
        back = draw_back(random_style(np.random.default_rng(seed)), SPRITE_SIZE_WH[1])
        back = np.asarray(cv2.resize(back, SPRITE_SIZE_WH, interpolation=cv2.INTER_AREA), np.uint8)
        return _other_inks(back, rng) if rng.random() < 0.5 else back

    def _ornament(self, rng: Rng) -> Image:
        """A piece of some picture, mirrored and repeated, in two inks or its own, within a border."""
        pools = (self.surfaces, self.covers, self.backs)
        pool = pools[int(rng.choice(3, p=(0.4, 0.35, 0.25)))]
        picture = pool[int(rng.integers(len(pool)))][..., :3]
        repeats = int(rng.integers(1, 5))
        tile = _folded(_piece(picture, rng), rng)
        width, height = SPRITE_SIZE_WH
        size = max(8, width // repeats), max(8, height // max(1, round(repeats * rng.uniform(0.7, 1.5))))
        tile = np.asarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA), np.uint8)
        sheet = np.tile(tile, (height // size[1] + 2, width // size[0] + 2, 1))
        y, x = (sheet.shape[0] - height) // 2, (sheet.shape[1] - width) // 2
        back = np.asarray(sheet[y : y + height, x : x + width], np.uint8).copy()
        if rng.random() < 0.6:
            back = _in_two_inks(back, rng)
        if rng.random() < 0.4:
            _centre(back, self._drawn(rng) if rng.random() < 0.5 else self.design(rng), rng)
        _border(back, rng)
        alpha = self.backs[0][..., 3]
        return np.dstack([back, alpha])


def _piece(picture: Image, rng: Rng) -> Image:
    side = min(picture.shape[:2])
    part = int(side * rng.uniform(0.2, 0.9))
    y, x = (int(rng.integers(0, picture.shape[k] - part + 1)) for k in (0, 1))
    return picture[y : y + part, x : x + part]


def _folded(piece: Image, rng: Rng) -> Image:
    """Mirrored both ways, or put beside itself upside down, or (seldom) left as it is."""
    kind = rng.random()
    if kind < 0.55:
        half = np.hstack([piece, piece[:, ::-1]])
        return np.asarray(np.vstack([half, half[::-1]]), np.uint8)
    if kind < 0.85:
        return np.asarray(np.vstack([piece, piece[::-1, ::-1]]), np.uint8)
    return piece


def _in_two_inks(back: Image, rng: Rng) -> Image:
    """Its brightness as a mixture of two colours, hard or soft."""
    gray = cv2.cvtColor(back, cv2.COLOR_BGR2GRAY).astype(np.float32)
    low, high = np.percentile(gray, (10, 90))
    share = np.clip((gray - low) / max(high - low, 4.0), 0, 1)
    hard = rng.uniform(1, 8)
    share = np.clip((share - 0.5) * hard + 0.5, 0, 1)[..., None]
    dark, pale = rng.uniform(10, 190, 3), rng.uniform(150, 250) * rng.uniform(0.75, 1.0, 3)
    if rng.random() < 0.25:
        dark, pale = pale, dark
    return np.asarray(dark + (pale - dark) * share, np.uint8)


def _centre(back: Image, other: Image, rng: Rng) -> None:
    """Another design in an oval or a box in the middle."""
    height, width = back.shape[:2]
    mask = np.zeros((height, width), np.uint8)
    half = int(width * rng.uniform(0.12, 0.4)), int(height * rng.uniform(0.1, 0.38))
    middle = width // 2, height // 2
    if rng.random() < 0.6:
        cv2.ellipse(mask, middle, half, 0, 0, 360, 255, -1)
    else:
        low, high = np.subtract(middle, half), np.add(middle, half)
        cv2.rectangle(mask, [int(v) for v in low], [int(v) for v in high], 255, -1)
    back[mask > 0] = other[..., :3][mask > 0]


def _border(back: Image, rng: Rng) -> None:
    """A border of stock, and perhaps a line along it, in place."""
    height = back.shape[0]
    wide = int(rng.uniform(2, 6) * height / CARD_H_MM) if rng.random() < 0.85 else 0
    stock = rng.uniform(225, 252) * np.array([rng.uniform(0.92, 1), rng.uniform(0.96, 1), 1])
    line = tuple(float(v) for v in rng.uniform(0, 255, 3))
    for thick, colour, seldom in ((wide + int(rng.integers(2, 8)), line, 0.5), (wide, tuple(stock), 1.0)):
        if thick > 0 and rng.random() < seldom:
            for part in (back[:thick], back[-thick:], back[:, :thick], back[:, -thick:]):
                part[:] = colour


def _other_inks(sprite: Image, rng: Rng) -> Image:
    """The back in another hue, strength and brightness of ink; one in five as it is."""
    if rng.random() < 0.2:
        return sprite
    hsv = cv2.cvtColor(sprite[..., :3], cv2.COLOR_BGR2HSV).astype(np.int16)
    hsv[..., 0] = (hsv[..., 0] + int(rng.integers(180))) % 180
    hsv[..., 1] = np.clip(hsv[..., 1] * rng.uniform(0.4, 1.5), 0, 255)
    hsv[..., 2] = np.clip(hsv[..., 2] * rng.uniform(0.6, 1.1), 0, 255)
    return np.dstack([cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR), sprite[..., 3]])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BackShot:
    """One photographed back.

    quad_px: (4, 2), the visible part's box along the card's edges. box_mm: the same on the card, left, top,
    right, bottom. fraction: visible part of the card. px_per_mm: scale at the card.
    """

    image_bgr: Image
    quad_px: NDArray[np.float32]
    box_mm: tuple[int, int, int, int]
    fraction: float
    px_per_mm: float

    def located(self, rng: Rng) -> NDArray[np.float32]:
        """The quad as the card models would give it."""
        return jittered(self.quad_px, rng) if rng.random() < LOCATED_SHARE else aligned(self.quad_px, rng)


def photographed_back(
    back: Image, covers: Sequence[Image], surfaces: Sequence[Image], rng: Rng, px_per_mm: float, *, mild: bool
) -> BackShot:
    """The back on a table: to enrol it from (``mild``: whole, steady light), or as it comes in a game."""
    while True:
        shot = _photographed(back, covers, surfaces, rng, px_per_mm, mild=mild)
        if shot is not None:
            return shot


def _photographed(
    back: Image, covers: Sequence[Image], surfaces: Sequence[Image], rng: Rng, px_per_mm: float, *, mild: bool
) -> BackShot | None:
    size = int(np.clip(px_per_mm * ROOM_MM, LEAST_PX, MOST_PX))
    view = _camera(size, px_per_mm, rng, steady=mild)
    cards, own = _laid(back, covers, rng, alone=mild)
    picture = background(size, surfaces, rng)
    owner = np.full((size, size), -1, np.int16)
    reach = float(rng.uniform(0, 1.2) * px_per_mm)
    shadow = Shadow(dx_px=reach, dy_px=reach, blur_px=max(0.4, reach * 0.8) if rng.random() < 0.7 else 0.0)
    placed = [
        PlacedCard(card=card, index=i, image_from_card=view @ card.table_from_card_mm, px_per_mm=px_per_mm)
        for i, card in enumerate(cards)
    ]
    for each in placed:
        draw_card(picture, owner, each, shadow)
    if not mild and rng.random() < HAND_SHARE:
        hand(picture, owner, px_per_mm * CARD_H_MM, rng)
    visible = _visible(placed[own], owner)
    if visible is None:
        return None
    (left, top, right, bottom), fraction = visible
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float64)
    if mild:
        image = _steady(picture, px_per_mm, rng)
    else:
        image = sensor(light(picture, rng), px_per_mm * CARD_H_MM, rng)
    return BackShot(
        image_bgr=image,
        quad_px=project(placed[own].image_from_card, corners).astype(np.float32),
        box_mm=(left, top, right, bottom),
        fraction=fraction,
        px_per_mm=px_per_mm,
    )


def _camera(size: int, px_per_mm: float, rng: Rng, *, steady: bool) -> NDArray[np.float64]:
    """image_px_from_table_mm (3, 3): the table's origin in the middle, some turn and tilt."""
    turn = rng.uniform(0, 2 * np.pi)
    c, s = np.cos(turn) * px_per_mm, np.sin(turn) * px_per_mm
    flat = np.array([[c, -s, size / 2], [s, c, size / 2], [0, 0, 1]])
    tilt = 0.0 if rng.random() < 0.3 else abs(rng.normal(0, 0.08 if steady else 0.2))
    toward, focal = rng.uniform(0, 2 * np.pi), size * rng.uniform(2, 4)
    rotation, _ = cv2.Rodrigues(np.array([np.cos(toward), np.sin(toward), 0.0]) * tilt)
    centre = np.array([[1, 0, -size / 2], [0, 1, -size / 2], [0, 0, 1.0]])
    plane = np.column_stack([rotation[:, 0], rotation[:, 1], [0, 0, focal]])
    view = np.linalg.inv(centre) @ np.diag([focal, focal, 1.0]) @ plane @ centre @ flat
    return np.asarray(view / view[2, 2], np.float64)


def _laid(back: Image, covers: Sequence[Image], rng: Rng, *, alone: bool) -> tuple[list[LaidCard], int]:
    """The back in the middle, other cards below and perhaps one above; and its number among them."""

    def other(at_mm: NDArray[np.float64], angle: float) -> LaidCard:
        side = Side(covers[int(rng.integers(len(covers)))], None)
        return LaidCard(side=side, centre_mm=(float(at_mm[0]), float(at_mm[1])), angle_rad=angle)

    def away(angle: float, low: float, high: float) -> NDArray[np.float64]:
        return np.array([np.cos(angle), np.sin(angle)]) * rng.uniform(low, high)

    cards = [other(away(rng.uniform(0, 7), 5, 90), rng.uniform(0, 7)) for _ in range(int(rng.integers(0, 3)))]
    own = len(cards)
    cards.append(LaidCard(side=Side(back, BACK), centre_mm=(0.0, 0.0), angle_rad=0.0))
    if not alone and rng.random() < COVERED_SHARE:
        if rng.random() < 0.8:
            over = away(rng.integers(4) * np.pi / 2 + rng.normal(0, 0.1), 18, 60)
        else:
            over = away(rng.uniform(0, 7), 40, 70)
        cards.append(other(over, rng.normal(0, 0.08) + np.pi * rng.integers(2)))
    return cards, own


def _visible(placed: PlacedCard, owner: NDArray[np.int16]) -> tuple[tuple[int, int, int, int], float] | None:
    """The box of the visible part in mm on the card, and its share of the card; None where too little."""
    grid = np.stack(np.meshgrid(np.arange(0.5, CARD_W_MM), np.arange(0.5, CARD_H_MM)), axis=-1)
    at = np.floor(project(placed.image_from_card, grid.reshape(-1, 2))).astype(int)
    inside = ((at >= 0) & (at < (owner.shape[1], owner.shape[0]))).all(axis=1)
    seen = np.zeros(len(at), bool)
    seen[inside] = owner[at[inside, 1], at[inside, 0]] == placed.index
    seen_grid = seen.reshape(grid.shape[:2])
    rows = np.flatnonzero(seen_grid.mean(axis=1) > 0.04)
    columns = np.flatnonzero(seen_grid.mean(axis=0) > 0.04)
    fraction = float(seen_grid.mean())
    if fraction < LEAST_VISIBLE or min(len(rows), len(columns)) < LEAST_STRIP_MM:
        return None
    left, top, right, bottom = int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
    if seen_grid[top:bottom, left:right].mean() < LEAST_FILL:
        return None
    return (left, top, right, bottom), fraction


def _steady(picture: NDArray[np.float32], px_per_mm: float, rng: Rng) -> Image:
    """Even light, a sharp camera: how a back is photographed to be enrolled."""
    shade = rng.uniform(0.85, 1.1, (3, 3)).astype(np.float32)
    field = cv2.resize(shade, (picture.shape[1], picture.shape[0]), interpolation=cv2.INTER_CUBIC)
    tint = (rng.uniform(0.9, 1.1, 3) * rng.uniform(0.8, 1.1)).astype(np.float32)
    soft = cv2.GaussianBlur(picture * field[..., None] * tint, (0, 0), max(0.3, 0.15 * px_per_mm))
    return np.asarray(np.clip(soft + rng.normal(0, 2, soft.shape), 0, 255), np.uint8)


def view_of(shot: BackShot, rng: Rng) -> Image:
    """The shot laid out as the network sees it, at its place on the card: uint8 (88, 63, 4)."""
    left, top, right, bottom = shot.box_mm
    quad = shot.located(rng)
    whole_wh = np.array([CARD_W_MM, CARD_H_MM])
    seen_wh = np.array([right - left, bottom - top])
    if (seen_wh > (1 - WHOLE_TOLERANCE) * whole_wh).all():
        return placed_at(cut_part(shot.image_bgr, quad, (CARD_W_MM, CARD_H_MM)), 0, 0)
    width, height = seen_wh * np.exp(rng.normal(0, SIZE_SPREAD, 2))
    part = cut_part(shot.image_bgr, quad, (float(width), float(height)))
    room = whole_wh - part.shape[1::-1]
    x, y = np.rint(room * (left, top) / np.maximum(1, whole_wh - seen_wh)).astype(int)
    return placed_at(part, int(np.clip(x, 0, room[0])), int(np.clip(y, 0, room[1])))


@dataclass(frozen=True, slots=True)
class _Job:
    """One shard."""

    folder: Path
    settings: BackViewSettings
    split: str
    shard: int

    def done(self, designs: BackDesigns) -> None:
        """Make it."""
        rng = np.random.default_rng([self.settings.seed, int(self.split == "val"), self.shard])
        rows = [views_of_design(designs, self.settings, rng) for _ in range(self.settings.designs)]
        path = self.folder / f"{self.split}_{self.shard:04d}.npz"
        partial = path.with_suffix(".part.npz")
        np.savez(partial, backs=np.stack(rows), designs=np.arange(len(rows), dtype=np.int32))
        partial.rename(path)


def views_of_design(designs: BackDesigns, settings: BackViewSettings, rng: Rng) -> Image:
    """A new design as it is enrolled and, below, as it is seen later: uint8 ((1 + views) * 88, 63, 4)."""
    back = designs.design(rng)
    low, high = np.log(settings.px_per_mm)
    scales = [float(np.exp(rng.uniform(low + (high - low) / 2, high)))]
    scales += [float(np.exp(rng.uniform(low, high))) for _ in range(settings.views)]
    covers = [*designs.covers, *designs.backs]
    shots = [
        photographed_back(back, covers, designs.surfaces, rng, scale, mild=i == 0)
        for i, scale in enumerate(scales)
    ]
    return np.concatenate([view_of(shot, rng) for shot in shots])


def build_back_views(
    folder: Path,
    cache: Path,
    settings: BackViewSettings,
    *,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Path:
    """Build or complete a set in ``folder``: shards ``train_0000.npz`` of ``backs`` and ``designs``."""
    folder.mkdir(parents=True, exist_ok=True)
    cv2.setNumThreads(1)
    total, done = settings.train_shards + settings.val_shards, 0
    for split, count in (("val", settings.val_shards), ("train", settings.train_shards)):
        jobs = [_Job(folder, settings, split, shard) for shard in range(count)]
        missing = [job for job in jobs if not (folder / f"{split}_{job.shard:04d}.npz").exists()]
        designs = BackDesigns.of_split(cache, split) if missing else None
        done += count - len(missing)
        for job in missing:
            assert designs is not None  # there are some where anything is missing
            job.done(designs)
            done += 1
            progress(done, total)
    return folder

"""Whose hand is where: what lies in front of the table's background and reaches in over a player's edge."""

from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.settings import WatchSettings
from vision.table import Edge, Table

Picture = TypeVar("Picture", np.uint8, np.uint16, np.bool_)

NOBODY = 0
UNCERTAIN = 255
"""A hand whose seat is not known: several seats sit at its edge, or hands have touched from the start."""

FAINT_LEVELS, FAINT_COLOUR_LEVELS = 14, 10
"""A pixel that differs from the background by more, and by more of it in colour than as a shadow would, is a
sleeve that is nearly as dark as the cloth. A navy sleeve on green differed by 20 to 35 and 20 to 30, shadows
of hands by up to 28 and by 5, the camera's noise by up to 12. On charcoal a black sleeve differs in colour by
3, dark hands by 20."""
SMALLEST_HAND_MM2 = 800.0
"""Where less than this lies in front of the table no hand does, and no sleeve is looked for."""
SAME_HAND_SHARE = 0.5
"""What reaches no edge is a hand where one was a frame ago in so much of it: hands move by a tenth of their
length from frame to frame."""
HAND_COLOUR_LEVELS = 45.0
"""A hand is, on average, of the colour that it had at the edge as it came in, to this, a carried card in it
too. White cards are lighter than light skin by 50 in blue, than other skin by more."""
FRESH_SHARE = 0.2
"""A part at the edge comes in where less of it was that seat's hand a frame ago."""
COLOUR_MM = 20.0
"""So much of a hand at the edge is looked at ..."""
COLOUR_FRAMES = 6
"""... in so many frames, 0.1 s: fingers come in in less, and a sleeve follows."""
SAMPLE_STEP = 7
"""Every so many-th pixel each way tells how bright the picture is: some 700 of 37,000."""


@dataclass(frozen=True, slots=True, eq=False)
class Hands:
    """labels: uint8 (h, w) at ``hand_px_per_mm``: 0 nobody, i + 1 the seat i of the table, 255 uncertain."""

    labels: NDArray[np.uint8]
    gain: float
    """Brightness of this picture over that of the background."""
    is_any: bool


class HandFinder:
    """Keeps a background that only takes over what stands still, and labels what reaches in over an edge."""

    def __init__(self, table: Table, settings: WatchSettings) -> None:
        self._settings = settings
        self._edges = [place.edge for place in table.seats]
        self._colours: dict[int, list[NDArray[np.float64]]] = {}
        self._seats_at: dict[Edge, list[int]] = {edge: [] for edge in Edge}
        for i, place in enumerate(table.seats):
            self._seats_at[place.edge].append(i)
        self._background: _Background | None = None
        self._labels: NDArray[np.uint8] | None = None

    def see(self, view_bgr: NDArray[np.uint8], t_us: int) -> Hands:
        """The hands in a picture of the whole table, uint8 (h, w, 3)."""
        if self._background is None:
            self._background = _Background(view_bgr, t_us, self._settings)
        gain = brightness_ratio(view_bgr, self._background.image_bgr)
        labels = self._label(self._background.foreground(view_bgr, gain), view_bgr, self._background)
        self._background.take_over(view_bgr, labels, t_us)
        self._labels = labels
        return Hands(labels, gain, bool(labels.any()))

    def _label(
        self, foreground: NDArray[np.uint8], view_bgr: NDArray[np.uint8], background: "_Background"
    ) -> NDArray[np.uint8]:
        """Label the connected parts that cross a player's edge, and hands that did before."""
        labels = np.zeros_like(foreground)
        reaching = {edge: self._crossing(strip) for edge, strip in edge_strips(foreground).items()}
        was_any = self._labels is not None and bool(self._labels.any())
        if not (was_any or any(reaching.values())):
            return labels
        _, numbered = cv2.connectedComponents(foreground, connectivity=8, ltype=cv2.CV_16U)
        parts = numbered.astype(np.uint16, copy=False)
        seats_of: dict[int, set[int]] = {}
        for edge, strip in edge_strips(parts).items():
            counts = np.bincount(strip.ravel()) if reaching[edge] else np.zeros(1, int)
            for part in (np.flatnonzero(counts[1:] >= self._wrist_px) + 1).tolist():
                seats_of.setdefault(part, set()).update(self._seats_at[edge])
        for part, seats in seats_of.items():
            self._remember_colour(seats, parts == part, view_bgr, background.image_bgr)
        if was_any:
            seats_of |= self._severed(parts, seats_of, view_bgr)
            self._add_joined(parts, seats_of, view_bgr)
        for part, seats in seats_of.items():
            inside = parts == part
            if len(seats) == 1:
                labels[inside] = seats.pop() + 1
            elif seats:
                labels[inside] = self._split(inside, seats)
        return labels

    def _severed(
        self, parts: NDArray[np.uint16], seats_of: dict[int, set[int]], view_bgr: NDArray[np.uint8]
    ) -> dict[int, set[int]]:
        """Parts that reach no edge, each with the seat whose hand was there a frame ago and now reaches none.

        It has the colour of that hand: a card that was put down has not. Of several the one nearest to the
        seat's edge counts. That is the hand of an arm whose sleeve looks like the cloth.
        """
        before = self._labels
        lost = [] if before is None else [n - 1 for n in np.unique(before) if n not in {NOBODY, UNCERTAIN}]
        found: dict[int, set[int]] = {}
        for seat in lost:
            if before is None or self._shows_hand(seat, parts, seats_of, view_bgr):
                continue
            held_px = np.bincount(parts[before == seat + 1], minlength=int(parts.max()) + 1)
            all_px = np.bincount(parts.ravel())
            is_hand = (all_px >= self._hand_px) & (held_px >= SAME_HAND_SHARE * all_px)
            candidates = [
                part
                for part in np.flatnonzero(is_hand).tolist()
                if part and part not in seats_of and self._is_of_hand(seat, view_bgr[parts == part])
            ]
            edge = self._edges[seat]
            nearest = min(candidates, key=lambda part: _px_from_edge(parts == part, edge), default=None)
            if nearest is not None:
                found.setdefault(nearest, set()).add(seat)
        return found

    def _add_joined(
        self, parts: NDArray[np.uint16], seats_of: dict[int, set[int]], view_bgr: NDArray[np.uint8]
    ) -> None:
        """Let a part be of those seats too whose hand was in it a frame ago: it need not reach their edge.

        That is a hand whose sleeve looks like the cloth and which has run into another's. A card that it left
        there is not of its colour.
        """
        before = self._labels
        if before is None:
            return
        for seat in (n - 1 for n in np.unique(before).tolist() if n not in {NOBODY, UNCERTAIN}):
            held_px = np.bincount(parts[before == seat + 1], minlength=int(parts.max()) + 1)
            for part, seats in seats_of.items():
                if seats and seat not in seats and held_px[part] >= self._hand_px:
                    ours = view_bgr[(parts == part) & (before == seat + 1)]
                    if self._is_of_hand(seat, ours):
                        seats.add(seat)

    def _remember_colour(
        self,
        seats: set[int],
        inside: NDArray[np.bool_],
        view_bgr: NDArray[np.uint8],
        background_bgr: NDArray[np.uint8],
    ) -> None:
        """What a hand looks like at the edge as it comes in: fingers first, its sleeve later.

        One that was there from the start, or has been in for long, shows a sleeve.
        """
        if len(seats) != 1 or self._labels is None:
            return
        (seat,) = seats
        is_coming_in = np.mean(self._labels[inside] == seat + 1) < FRESH_SHARE
        known = self._colours.get(seat)
        if not is_coming_in and (known is None or len(known) >= COLOUR_FRAMES):
            return
        depth_px = round(COLOUR_MM * self._settings.hand_px_per_mm)
        at_edge = _along_edge(inside, self._edges[seat], depth_px)
        seen, cloth = (
            _along_edge(picture, self._edges[seat], depth_px)[at_edge].mean(axis=0)
            for picture in (view_bgr, background_bgr)
        )
        light = (seen.sum() + 1) / (cloth.sum() + 1)
        if light < 1 and np.abs(seen - cloth * light).max() <= FAINT_COLOUR_LEVELS:
            return  # As the cloth looks in a shadow, so does a sleeve by which no hand can be known.
        self._colours[seat] = [seen] if known is None or is_coming_in else [*known, seen]

    def _shows_hand(
        self, seat: int, parts: NDArray[np.uint16], seats_of: dict[int, set[int]], view_bgr: NDArray[np.uint8]
    ) -> bool:
        """Whether a seat's hand itself hangs together with its edge, and not only a piece of its sleeve."""
        ours = [part for part, seats in seats_of.items() if seat in seats]
        known = self._colours.get(seat)
        if not known or not ours:
            return bool(ours)
        pixels = view_bgr[np.isin(parts, ours)].astype(np.float32)
        is_skin = np.abs(pixels - np.mean(known, axis=0)).max(axis=1) <= HAND_COLOUR_LEVELS
        return bool(is_skin.sum() >= self._hand_px)

    def _is_of_hand(self, seat: int, pixels_bgr: NDArray[np.uint8]) -> bool:
        known = self._colours.get(seat)
        if not known:
            return False
        return bool(np.abs(pixels_bgr.mean(axis=0) - np.mean(known, axis=0)).max() <= HAND_COLOUR_LEVELS)

    @property
    def _hand_px(self) -> float:
        return SMALLEST_HAND_MM2 * self._settings.hand_px_per_mm**2

    @property
    def _wrist_px(self) -> float:
        return self._settings.hand_edge_mm * self._settings.hand_px_per_mm

    def _crossing(self, strip: NDArray[np.uint8]) -> bool:
        return cv2.countNonZero(strip) >= self._wrist_px

    def _split(self, inside: NDArray[np.bool_], seats: set[int]) -> NDArray[np.uint8]:
        """Share one part among several seats: each pixel goes to the hand that was nearest a frame ago."""
        before = self._labels
        wanted = [seat + 1 for seat in seats]
        if before is None or not all((before == label).any() for label in wanted):
            return np.full(int(inside.sum()), UNCERTAIN, np.uint8)
        ours = np.isin(before, wanted)
        _, nearest = cv2.distanceTransformWithLabels(
            (~ours).astype(np.uint8), cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL
        )
        label_of = np.zeros(int(nearest.max()) + 1, np.uint8)
        label_of[nearest[ours]] = before[ours]
        return np.asarray(label_of[nearest[inside]], dtype=np.uint8)


class _Background:
    """The table as it looks without hands; takes over what stands still."""

    def __init__(self, view_bgr: NDArray[np.uint8], t_us: int, settings: WatchSettings) -> None:
        self.image_bgr = view_bgr.copy()
        self._settings = settings
        self._step_view, self._step_us = view_bgr, t_us
        self._still_steps = np.zeros(view_bgr.shape[:2], np.uint8)

    def foreground(self, view_bgr: NDArray[np.uint8], gain: float) -> NDArray[np.uint8]:
        """uint8 (h, w), 255 where the picture differs from the background at that brightness."""
        background = self.image_bgr
        if abs(gain - 1) > 0.02:
            background = cv2.convertScaleAbs(background, alpha=gain).astype(np.uint8, copy=False)
        most = _most_apart(view_bgr, background)
        _, differs = cv2.threshold(most, self._settings.hand_levels, 255, cv2.THRESH_BINARY)
        mask: NDArray[np.uint8] = cv2.medianBlur(differs, 3).astype(np.uint8, copy=False)
        if cv2.countNonZero(mask) >= SMALLEST_HAND_MM2 * self._settings.hand_px_per_mm**2:
            mask |= _sleeves(view_bgr, background, most, surely=mask)
        return cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)).astype(np.uint8, copy=False)

    def take_over(self, view_bgr: NDArray[np.uint8], labels: NDArray[np.uint8], t_us: int) -> None:
        """Let the background have what stood still for long enough."""
        settings = self._settings
        if t_us - self._step_us < settings.background_step_us:
            return
        moved = _most_apart(view_bgr, self._step_view) > settings.background_levels
        self._still_steps = np.where(moved, 0, np.minimum(self._still_steps, 254) + 1).astype(np.uint8)
        step_us = settings.background_step_us
        steps = np.where(
            labels == NOBODY,
            settings.background_still_us // step_us,
            min(254, settings.background_hand_us // step_us),
        )
        np.copyto(self.image_bgr, view_bgr, where=(self._still_steps >= steps)[:, :, None])
        self._step_view, self._step_us = view_bgr, t_us


def _most_apart(one_bgr: NDArray[np.uint8], other_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """By how much each pixel differs, of its three colours the one that does most: uint8 (h, w)."""
    blue, green, red = cv2.split(cv2.absdiff(one_bgr, other_bgr))
    return cv2.max(cv2.max(blue, green), red).astype(np.uint8, copy=False)


def _sleeves(
    view_bgr: NDArray[np.uint8],
    background_bgr: NDArray[np.uint8],
    most: NDArray[np.uint8],
    *,
    surely: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """uint8 (h, w), 255 where the picture differs a little, and not as if a shadow fell there.

    most: by how much each pixel differs, of its three colours the one that does most. surely: 255 where that
    alone tells that something is there.
    """
    mask = np.zeros_like(most)
    where = np.nonzero((most > FAINT_LEVELS) & (surely == 0))
    view, background = view_bgr[where].astype(np.float32), background_bgr[where].astype(np.float32)
    light = (view.sum(axis=1, keepdims=True) + 1) / (background.sum(axis=1, keepdims=True) + 1)
    mask[where] = np.where(np.abs(view - background * light).max(axis=1) > FAINT_COLOUR_LEVELS, 255, 0)
    return cv2.medianBlur(mask, 3).astype(np.uint8, copy=False)


def brightness_ratio(view_bgr: NDArray[np.uint8], background: NDArray[np.uint8]) -> float:
    """How much brighter the picture is as a whole: the median over a grid of samples, blind to hands."""
    now = view_bgr[::SAMPLE_STEP, ::SAMPLE_STEP].astype(np.float32).sum(axis=2)
    then = background[::SAMPLE_STEP, ::SAMPLE_STEP].astype(np.float32).sum(axis=2)
    return float(np.median((now + 8) / (then + 8)))


def _px_from_edge(inside: NDArray[np.bool_], edge: Edge) -> int:
    """How far the nearest pixel of a part, bool (h, w), is from an edge of the picture."""
    lines = np.flatnonzero(inside.any(axis=1 if edge in {Edge.TOP, Edge.BOTTOM} else 0))
    return int(lines[0] if edge in {Edge.TOP, Edge.LEFT} else -lines[-1])


def _along_edge(picture: NDArray[Picture], edge: Edge, depth_px: int) -> NDArray[Picture]:
    """The rows or columns of a picture (h, w, ...) at an edge, so many of them."""
    match edge:
        case Edge.TOP:
            return picture[:depth_px]
        case Edge.BOTTOM:
            return picture[-depth_px:]
        case Edge.LEFT:
            return picture[:, :depth_px]
        case Edge.RIGHT:
            return picture[:, -depth_px:]


def edge_strips(picture: NDArray[Picture]) -> dict[Edge, NDArray[Picture]]:
    """The outermost row or column at each edge, one pixel in: the very border may be cut by rounding."""
    return {
        Edge.TOP: picture[1],
        Edge.BOTTOM: picture[-2],
        Edge.LEFT: picture[:, 1],
        Edge.RIGHT: picture[:, -2],
    }

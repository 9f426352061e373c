"""A small table filmed from above, drawn frame by frame, and a detector that needs no weights.

Its cards carry an ArUco marker for a face, so that reading them is exact and works at any angle.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import cv2
import numpy as np
import pytest

from models.classes import CARD_NAMES, CLASS_ID
from models.detections import Detections
from vision.frames import Frame
from vision.pictures import Bgr
from vision.table import CARD_MM
from vision.table_file import parse_table

PX_PER_MM = 2.0
SIZE_MM = (440, 400)
MARK_MM = 42.0
FELT_BGR = (70, 110, 60)
SKIN_BGR = (120, 150, 205)

TABLE = f"""
format = 1
game = "nerts"
[table]
name = "test"
width_mm = {SIZE_MM[0]}
height_mm = {SIZE_MM[1]}
[camera]
image_size_px = [{SIZE_MM[0] * 2}, {SIZE_MM[1] * 2}]
corners_px = [[0, 0], [{SIZE_MM[0] * 2}, 0], [{SIZE_MM[0] * 2}, {SIZE_MM[1] * 2}], [0, {SIZE_MM[1] * 2}]]
[[seats]]
seat = "south"
player = "Ana"
edge = "bottom"
[[seats]]
seat = "north"
player = "Ben"
edge = "top"
[[piles]]
pile = "table/foundation[0]"
polygon_mm = [[60, 140], [155, 140], [155, 255], [60, 255]]
[[piles]]
pile = "table/foundation[1]"
polygon_mm = [[270, 140], [365, 140], [365, 255], [270, 255]]
[[piles]]
pile = "south/reserve"
polygon_mm = [[165, 270], [260, 270], [260, 385], [165, 385]]
[[piles]]
pile = "north/reserve"
polygon_mm = [[165, 15], [260, 15], [260, 130], [165, 130]]
"""
CENTRES_MM = {
    "table/foundation[0]": (107.0, 197.0),
    "table/foundation[1]": (317.0, 197.0),
    "south/reserve": (212.0, 327.0),
    "north/reserve": (212.0, 72.0),
    "table/spit[1]": (107.0, 197.0),
    "table/spit[2]": (317.0, 197.0),
    "south/tableau[1]": (212.0, 327.0),
    "north/tableau[1]": (212.0, 72.0),
    "south/hand": (317.0, 327.0),
}

_DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_100)


def face_of(name: str) -> np.ndarray:
    """The upright picture of a card, uint8 (h, w, 3), at ``PX_PER_MM``."""
    width, height = (round(side * PX_PER_MM) for side in CARD_MM)
    mark = round(MARK_MM * PX_PER_MM)
    face = np.full((height, width), 245, np.uint8)
    top, left = (height - mark) // 2, (width - mark) // 2
    drawn = cv2.aruco.generateImageMarker(_DICTIONARY, CLASS_ID[name], mark)
    face[top : top + mark, left : left + mark] = np.clip(drawn, 25, 245)
    cv2.putText(face, name, (6, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, 30, 2)
    cv2.rectangle(face, (0, 0), (width - 1, height - 1), 150, 1)
    return cv2.cvtColor(face, cv2.COLOR_GRAY2BGR)


class MarkDetector:
    """Reads the marks of the drawn cards, as ``models.detections.CardDetector`` asks."""

    def __init__(self) -> None:
        self._detector = cv2.aruco.ArucoDetector(_DICTIONARY, cv2.aruco.DetectorParameters())
        self.calls = 0

    def detect(self, image_bgr: np.ndarray) -> Detections:
        self.calls += 1
        marks, ids, _ = self._detector.detectMarkers(image_bgr)
        known = [] if ids is None else [(m, int(i)) for m, i in zip(marks, ids.ravel(), strict=True)]
        known = [(mark, i) for mark, i in known if i < len(CARD_NAMES)]
        quads = [self._card_around(mark.reshape(4, 2)) for mark, _ in known]
        return Detections(
            corners_px=np.array(quads, np.float32).reshape(-1, 4, 2),
            class_id=np.array([i for _, i in known], np.int16),
            confidence=np.full(len(known), 0.97, np.float32),
        )

    @staticmethod
    def _card_around(mark: np.ndarray) -> np.ndarray:
        half_w, half_h = CARD_MM[0] / MARK_MM / 2, CARD_MM[1] / MARK_MM / 2
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        card = np.array([[-half_w, -half_h], [half_w, -half_h], [half_w, half_h], [-half_w, half_h]]) + 0.5
        homography = cv2.getPerspectiveTransform(unit, mark.astype(np.float32))
        return cv2.perspectiveTransform(card[None].astype(np.float32), homography)[0]


@dataclass
class Scene:
    """Cards on the table and hands over it; every ``film`` adds frames at 60 fps unless told otherwise."""

    period: Fraction = Fraction(1, 60)
    noise: float = 2.0
    seed: int = 1
    cards: list[tuple[str, float, float, float]] = field(default_factory=list)
    """Name, centre x and y in mm, angle in degrees; the last lies on top."""
    light: float = 1.0
    index: int = 0
    frames: list[Frame] = field(default_factory=list)

    def __post_init__(self) -> None:
        shape = (round(SIZE_MM[1] * PX_PER_MM), round(SIZE_MM[0] * PX_PER_MM), 3)
        self._drawn: tuple[list[tuple[str, float, float, float]], np.ndarray] | None = None
        self._noise = np.random.default_rng(self.seed).normal(0, self.noise, shape).astype(np.int16)

    def put(self, name: str, pile: str, *, dx: float = 0.0, dy: float = 0.0, angle: float = 0.0) -> None:
        x, y = CENTRES_MM[pile]
        self.cards.append((name, x + dx, y + dy, angle))

    def take(self, *piles: str) -> None:
        """The top card of each of these piles goes."""
        for pile in piles:
            x, y = CENTRES_MM[pile]
            top = [card for card in self.cards if abs(card[1] - x) < 5 and abs(card[2] - y) < 5][-1]
            self.cards.remove(top)

    def film(self, count: int, *hands: tuple[str, float, float], held: str | None = None) -> None:
        """``hands``: edge ("bottom", "top"), x and y of the fingertips; the first holds ``held``."""
        for _ in range(count):
            self._shoot(hands, held)

    def sweep(
        self,
        edge: str,
        start: tuple[float, float],
        end: tuple[float, float],
        count: int,
        *others: tuple[str, float, float],
        held: str | None = None,
    ) -> None:
        """A hand that goes from one place to another in so many frames."""
        for share in np.linspace(0, 1, count):
            x, y = (a + (b - a) * share for a, b in zip(start, end, strict=True))
            self._shoot(((edge, float(x), float(y)), *others), held)

    def _shoot(self, hands: tuple[tuple[str, float, float], ...], held: str | None) -> None:
        picture = self._cards_lying().copy()
        for i, (edge, x, y) in enumerate(hands):
            if held is not None and i == 0:
                _paste(picture, held, x, y, 0.0)
            _draw_arm(picture, edge, x, y)
        if self.light != 1.0:
            picture = cv2.convertScaleAbs(picture, alpha=self.light)
        picture = cv2.add(picture, np.roll(self._noise, 7919 * self.index), dtype=cv2.CV_8U)
        pts = self.index
        frame = Frame(
            picture=Bgr(picture), pts=pts, time_base=self.period, index=self.index, source_id="scene"
        )
        self.frames.append(frame)
        self.index += 1

    def _cards_lying(self) -> np.ndarray:
        """The table without hands; drawn anew when a card has moved."""
        if self._drawn is None or self._drawn[0] != self.cards:
            size = tuple(round(side * PX_PER_MM) for side in SIZE_MM)
            picture = np.full((size[1], size[0], 3), FELT_BGR, np.uint8)
            for name, x, y, angle in self.cards:
                _paste(picture, name, x, y, angle)
            self._drawn = (list(self.cards), picture)
        return self._drawn[1]

    @property
    def now_us(self) -> int:
        """Time of the last frame."""
        return self.frames[-1].t_us


def _paste(picture: np.ndarray, name: str, x: float, y: float, angle: float) -> None:
    face = face_of(name)
    centre = (face.shape[1] / 2 - 0.5, face.shape[0] / 2 - 0.5)
    turn = cv2.getRotationMatrix2D(centre, angle, 1.0)
    turn[:, 2] += np.array([x, y]) * PX_PER_MM - 0.5 - centre
    size = (picture.shape[1], picture.shape[0])
    moved = cv2.warpAffine(face, turn, size, flags=cv2.INTER_LINEAR)
    mask = cv2.warpAffine(np.full(face.shape[:2], 255, np.uint8), turn, size)
    picture[mask > 127] = moved[mask > 127]


def _draw_arm(picture: np.ndarray, edge: str, x: float, y: float) -> None:
    """An arm as wide as a wrist, from its edge to fingertips that cover the near third of a card."""
    tip_y = y + 20 if edge == "bottom" else y - 20
    end_y = SIZE_MM[1] + 40 if edge == "bottom" else -40
    tip, end = ((round(v * PX_PER_MM) for v in point) for point in ((x, tip_y), (x, end_y)))
    tip_px, end_px = tuple(tip), tuple(end)
    cv2.line(picture, tip_px, end_px, SKIN_BGR, round(50 * PX_PER_MM))


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def make_scene() -> type[Scene]:
    return Scene


@pytest.fixture
def table():
    return parse_table(TABLE)


@pytest.fixture
def stock_table():
    """South's stock in the place of a foundation, its waste in that of north's reserve."""
    text = TABLE.replace("table/foundation[1]", "south/stock").replace("north/reserve", "south/waste")
    return parse_table(text)


@pytest.fixture
def race_table():
    """South's stock in the place of a foundation, its waste in that of its reserve."""
    text = TABLE.replace("table/foundation[1]", "south/stock").replace("south/reserve", "south/waste")
    return parse_table(text)


@pytest.fixture
def spit_table():
    """Two spit piles, a stock pile before each seat, and south's packet of spit cards."""
    text = TABLE.replace('game = "nerts"', 'game = "spit"')
    text = text.replace("foundation[1]", "spit[2]").replace("foundation[0]", "spit[1]")
    text = text.replace("/reserve", "/tableau[1]")
    packet = "polygon_mm = [[270, 270], [365, 270], [365, 385], [270, 385]]"
    return parse_table(f'{text}[[piles]]\npile = "south/hand"\n{packet}\n')


@pytest.fixture
def eight_table():
    """The same table with four foundations more, in its corners: enough piles to tell a knock from hands."""
    corners = (("[2]", 60, 15), ("[3]", 270, 15), ("[4]", 60, 270), ("[5]", 270, 270))
    more = [
        f'[[piles]]\npile = "table/foundation{name}"\n'
        f"polygon_mm = [[{x}, {y}], [{x + 95}, {y}], [{x + 95}, {y + 115}], [{x}, {y + 115}]]\n"
        for name, x, y in corners
    ]
    return parse_table(TABLE + "".join(more))


@pytest.fixture
def detector() -> Iterator[MarkDetector]:
    return MarkDetector()

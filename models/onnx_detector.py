"""Finds and names the cards of a picture.

A locator looks at the whole picture, an aligner at each located card for its corners, a reader at what they
frame. The locator finds corner indices too; the reader's word on them corrects and completes the cards.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.classes import CARD_NAMES, CLASS_ID, INDEX_CLASS, READER_NAMES, UNREADABLE
from models.cut import cut_patches, cut_view, cut_wide, order_quad
from models.detections import Detections
from models.geometry import intersection_area, quad_areas, suppress_overlaps
from models.indices import holds_index, unexplained, with_indices

WEIGHTS = Path(__file__).parent / "weights"
STRIDE_PX = 32
CONTAINED = 0.9
"""Two boxes that would share this much if both were as large as the larger one are the same."""
FACE_COUNT = 52
NEGATIVE_FACTOR = 0.98
"""Where both see a card alike, the picture itself is believed."""
SAME_CARD = 0.5
"""Two boxes of one name that share this part of the smaller one are of one card."""
BRIGHT_LEVEL = 235.0
"""To which the brightest parts of a dark picture are brought, of 255."""
INNER_SHARE = 0.88
"""A face without its rim: within it, of its sides."""
INNER_AREA = 0.4
"""Area of the picture that some decks frame on a face, against the card: 0.28."""
WELL_INSIDE = 0.99
LEAST_OUTLINE, LARGEST_OUTLINE = 0.3, 1.7
"""Area of a card's visible part against its box: a squeezed card that lies askew fills half of it."""
MOSTLY = 0.8
"""A box with this part of it in a larger one is a piece of that card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Thresholds, chosen on synthetic validation scenes of unseen decks (see the model card).

    Recall / precision on two sets of 64 such scenes, heaped ones included: ``located`` 0.3 with ``read`` 0.6:
    0.475 / 0.817 and 0.583 / 0.881; ``located`` 0.2: 0.477 / 0.796 and 0.589 / 0.867; ``read`` 0.5: 0.499 /
    0.792 and 0.611 / 0.854; both: 0.504 / 0.771 and 0.623 / 0.847.

    input_px: longer sides, in pixels, to which a picture is brought for the locator, ascending; one that
        would enlarge the picture by more than ``largest_zoom`` is left out. On the scenes of ``read_index``
        1.7 gave 0.694 / 0.840, in twice the time.
    tallest_px: a card taller than this at an input is the next smaller input's to find: what a larger input
        sees inside it are pieces.
    dark_level: a picture whose brightest half percent is darker than this is brightened first.
    located: least confidence of a located card.
    align_passes: how often a located card is aligned. On 40 such scenes recall / precision were 0.546 /
        0.899 with one pass and 0.589 / 0.914 with two.
    located_vague: the same where the reader cannot bear it out: of backs and jokers, which may look like
        anything, and of what is unreadable.
    read: least probability of a face; below it is ``??``.
    read_vague: the same of a back or joker: in photographs bricks and headlines are called so with less;
        the synthetic scenes do not tell (0.583 / 0.881 with 0.8, 0.594 / 0.883 with 0.6).
    nothing: a view is no card where the reader says so with at least this probability.
    overlap: most intersection over union of two cards.
    index_located, read_index: the same as ``located`` and ``read``, of corner indices. On 80 such scenes
        with 530 cards recall / precision were 0.630 / 0.893 without indices, 0.672 / 0.875 with 0.7, and
        0.675 / 0.860 with 0.6.
    located_by_index: the same as ``located`` where a corner of the box holds an index that was surely read
        and is of no card found so far;
        0.1 in its place: 0.668 / 0.870.
    negative: look at the negative of the picture too: a black deck with light print is then a white one.
        What is seen there only must be surer, ``negative_located`` and ``negative_read``. On 80 such scenes
        this gave 0.573 / 0.887 where it was 0.564 / 0.895 without.
    """

    align_passes: int = 2
    input_px: tuple[int, ...] = (256, 512, 1024, 1600)
    largest_zoom: float = 1.3
    tallest_px: float = 330.0
    dark_level: float = 130.0
    located: float = 0.3
    located_vague: float = 0.65
    read: float = 0.6
    read_vague: float = 0.8
    nothing: float = 0.5
    negative: bool = True
    negative_located: float = 0.5
    negative_read: float = 0.85
    overlap: float = 0.6
    index_located: float = 0.3
    read_index: float = 0.7
    located_by_index: float = 0.2
    threads: int = 2


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """quads_px: float32 (n, 4, 2). confidence: float32 (n,)."""

    quads_px: NDArray[np.float32]
    confidence: NDArray[np.float32]

    @classmethod
    def none(cls) -> Self:
        """No box."""
        return cls(np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32))

    def __len__(self) -> int:
        return len(self.quads_px)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> "Boxes":
        """Those of a mask or of indices."""
        return Boxes(self.quads_px[which], self.confidence[which])

    def joined(self, other: "Boxes", *, overlap: float) -> "Boxes":
        """Both, best first, each thing once."""
        quads = np.concatenate([self.quads_px, other.quads_px])
        confidence = np.concatenate([self.confidence, other.confidence])
        both = Boxes(quads, confidence)
        return both.chosen(suppress_overlaps(quads, confidence, iou=overlap, contained=CONTAINED))


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """What the locator found: visible parts of cards, and corner indices."""

    cards: Boxes
    indices: Boxes


class OnnxDetector:
    """The shipped detector on ONNX Runtime. Thread-safe for reading; make one a process."""

    def __init__(self, settings: DetectorSettings | None = None, weights: Path = WEIGHTS) -> None:
        self.settings = settings or DetectorSettings()
        self._weights = weights

    @cached_property
    def _locator(self) -> ort.InferenceSession:
        return self._session("locator.onnx")

    @cached_property
    def _reader(self) -> ort.InferenceSession:
        return self._session("reader.onnx")

    @cached_property
    def _aligner(self) -> ort.InferenceSession:
        return self._session("aligner.onnx")

    def _session(self, name: str) -> ort.InferenceSession:
        return self._opened(str(self._file(name)))

    def _file(self, name: str) -> Path:
        path = self._weights / name
        if not path.is_file():
            raise FileNotFoundError(f"no weights at {path} (want {name}, made by 'touchjudge train')")
        return path

    def _opened(self, model: str | bytes) -> ort.InferenceSession:
        """A session of a model file, by its path, or of its content."""
        options = ort.SessionOptions()
        options.intra_op_num_threads = self.settings.threads
        options.log_severity_level = 3
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each weight file, as the model card records them."""
        card = json.loads((self._weights / "model_card.json").read_text())
        return {name: str(entry["sha256"]) for name, entry in card["files"].items()}

    def detect(self, image_bgr: NDArray[np.uint8]) -> Detections:
        """Find every visible card in ``image_bgr``, uint8 (h, w, 3), and name it."""
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"image_bgr: want uint8 (h, w, 3), got {image_bgr.dtype} {image_bgr.shape}")
        image_bgr = self._brightened(image_bgr)
        located = self.locate(image_bgr)
        indices = self._indices(image_bgr, located.indices)
        is_sure = located.cards.confidence >= self.settings.located
        cards = self._named(image_bgr, located.cards.chosen(is_sure))
        of_others = indices.corners_px[unexplained(cards, indices)]
        is_wanted = ~is_sure & holds_index(located.cards.quads_px, of_others)
        if is_wanted.any():
            cards = self._named(image_bgr, located.cards.chosen(is_sure | is_wanted))
        return with_indices(cards, indices)

    def _indices(self, image_bgr: NDArray[np.uint8], boxes: Boxes) -> Detections:
        """The corner indices that are surely read as those of faces."""
        if not len(boxes):
            return _nothing()
        probability = self.read(np.stack([cut_view(image_bgr, quad) for quad in boxes.quads_px]))
        faces = probability[:, :FACE_COUNT]
        sure = faces.max(axis=1) >= self.settings.read_index
        return Detections(
            corners_px=boxes.quads_px[sure],
            class_id=faces[sure].argmax(axis=1).astype(np.int16),
            confidence=np.minimum(faces[sure].max(axis=1), 1.0).astype(np.float32),
        )

    def _named(self, image_bgr: NDArray[np.uint8], boxes: Boxes) -> Detections:
        """The cards in the boxes, each once."""
        if not len(boxes):
            return _nothing()
        located = boxes.confidence
        quads = self.align(image_bgr, boxes.quads_px)
        probability = self.read(np.stack([cut_view(image_bgr, quad) for quad in quads]))
        names = probability[:, : len(CARD_NAMES)]
        class_id = names.argmax(axis=1).astype(np.int16)
        confidence = np.minimum(names.max(axis=1), 1.0).astype(np.float32)
        is_face = class_id < FACE_COUNT
        sure = np.where(is_face, self.settings.read, self.settings.read_vague)
        class_id[confidence < sure] = CLASS_ID[UNREADABLE]
        vague = class_id >= FACE_COUNT
        is_card = probability[:, READER_NAMES.index("")] < self.settings.nothing
        is_card &= ~vague | (located >= self.settings.located_vague)
        chosen = np.flatnonzero(is_card)
        chosen = chosen[one_of_each(quads[chosen], class_id[chosen], confidence[chosen] * located[chosen])]
        around = face_around(quads[chosen], class_id[chosen] < FACE_COUNT)
        for i, k in enumerate(around):
            if k is not None and confidence[chosen[i]] > confidence[chosen[k]]:
                class_id[chosen[k]], confidence[chosen[k]] = class_id[chosen[i]], confidence[chosen[i]]
        chosen = chosen[[k is None for k in around]]
        return Detections(
            corners_px=np.stack([order_quad(quad) for quad in quads[chosen]]).astype(np.float32)
            if len(chosen)
            else np.zeros((0, 4, 2), np.float32),
            class_id=class_id[chosen],
            confidence=confidence[chosen],
        )

    def _brightened(self, image_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture itself, or, of a dark one, a copy scaled so that its brightest parts are light."""
        sample = image_bgr[:: max(1, image_bgr.shape[0] // 200), :: max(1, image_bgr.shape[1] // 200)]
        brightest = float(np.percentile(sample, 99.5))
        if brightest >= self.settings.dark_level or brightest < 1:
            return image_bgr
        lighter = cv2.convertScaleAbs(image_bgr, alpha=BRIGHT_LEVEL / brightest)
        return np.asarray(lighter, np.uint8)

    def locate(self, image_bgr: NDArray[np.uint8]) -> Located:
        """Boxes of visible card parts and of corner indices, in pixels, best first."""
        found = self._locate_once(image_bgr)
        if not self.settings.negative:
            return found
        dark = self._locate_once(255 - image_bgr)
        return Located(self._with_dark(found.cards, dark.cards), self._with_dark(found.indices, dark.indices))

    def _with_dark(self, boxes: Boxes, dark: Boxes) -> Boxes:
        sure = dark.chosen(dark.confidence >= self.settings.negative_located)
        less = Boxes(sure.quads_px, sure.confidence * NEGATIVE_FACTOR)
        return boxes.joined(less, overlap=self.settings.overlap)

    def _locate_once(self, image_bgr: NDArray[np.uint8]) -> Located:
        longer = max(image_bgr.shape[:2])
        sizes = [s for s in self.settings.input_px if s <= longer * self.settings.largest_zoom]
        cards, indices = Boxes.none(), Boxes.none()
        for size in sizes or self.settings.input_px[:1]:
            scale = size / longer
            found = self._locate_at(image_bgr, scale)
            tall_px = self.settings.tallest_px / scale
            too_tall = cards.quads_px[_longer_sides(cards.quads_px) > tall_px]
            is_new = (_longer_sides(found.cards.quads_px) <= tall_px) | (len(cards) == 0)
            is_new &= ~_inside_any(found.cards.quads_px, too_tall)
            cards = cards.joined(found.cards.chosen(is_new), overlap=self.settings.overlap)
            indices = indices.joined(found.indices, overlap=self.settings.overlap)
        return Located(cards, indices)

    def _locate_at(self, image_bgr: NDArray[np.uint8], scale: float) -> Located:
        h, w = image_bgr.shape[:2]
        size = max(1, round(w * scale)), max(1, round(h * scale))
        small = cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
        padded_w, padded_h = (-(-side // STRIDE_PX) * STRIDE_PX for side in size)
        canvas = np.full((padded_h, padded_w, 3), 114, np.uint8)
        canvas[: size[1], : size[0]] = small
        blob = canvas[None, :, :, ::-1].transpose(0, 3, 1, 2).astype(np.float32) / 255
        (output,) = self._locator.run(None, {"images": np.ascontiguousarray(blob)})
        rows = output[0].T
        card = rows[:, 4 : 4 + INDEX_CLASS].max(axis=1)
        index = rows[:, 4 + INDEX_CLASS : -1].max(axis=1, initial=0.0)
        is_card = (card >= min(self.settings.located, self.settings.located_by_index)) & (card > index)
        is_index = (index >= self.settings.index_located) & (index >= card)
        to_image = w / size[0]
        return Located(
            Boxes(_corners(rows[is_card]) * to_image, card[is_card].astype(np.float32)),
            Boxes(_corners(rows[is_index]) * to_image, index[is_index].astype(np.float32)),
        )

    def align(self, image_bgr: NDArray[np.uint8], boxes_px: NDArray[np.float32]) -> NDArray[np.float32]:
        """The corners of what the boxes, float32 (n, 4, 2), hold: along the cards' own edges, (n, 4, 2).

        What comes out is framed by a rectangle and aligned once more: the locator's box may be far off.
        """
        quads = boxes_px
        for _ in range(self.settings.align_passes):
            boxes = [cv2.boxPoints(cv2.minAreaRect(quad)).astype(np.float32) for quad in quads]
            quads = self._align_once(image_bgr, np.stack(boxes))
        return quads

    def _align_once(self, image_bgr: NDArray[np.uint8], boxes_px: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of rectangles (n, 4, 2); where the aligner gives what can be no card's outline, the rectangle."""
        cuts = [cut_wide(image_bgr, box) for box in boxes_px]
        views = np.stack([cut.view for cut in cuts])
        corners = np.concatenate(
            [self._aligner.run(None, {"views": views[i : i + 64]})[0] for i in range(0, len(views), 64)]
        )
        aligned = []
        for cut, box, found in zip(cuts, boxes_px, corners, strict=True):
            image_from_view = cv2.invertAffineTransform(cut.view_from_image)
            quad = cv2.transform(found[None], image_from_view)[0].astype(np.float32)
            aligned.append(quad if could_be_outline(found, cut.box_px) else box)
        return np.stack(aligned)

    def read(self, views: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Probabilities (n, 56) of the reader's names for views uint8 (n, 128, 96, 3), tried both ways up.

        With ``negative`` a view in which no face is read is read once more as a grey negative.
        """
        probability = self._read_once(views)
        faceless = np.flatnonzero(probability[:, :FACE_COUNT].max(axis=1) < self.settings.read)
        if not self.settings.negative or not len(faceless):
            return probability
        grey = 255 - views[faceless].mean(axis=3, keepdims=True).astype(np.uint8)
        negative = self._read_once(np.repeat(grey, 3, axis=3))
        surer = negative[:, :FACE_COUNT].max(axis=1) >= self.settings.negative_read
        probability[faceless[surer]] = negative[surer]
        return probability

    def _read_once(self, views: NDArray[np.uint8]) -> NDArray[np.float32]:
        both = np.concatenate([views, views[:, ::-1, ::-1]])
        parts = [
            self._reader.run(None, {"views": part, "corners": cut_patches(part)})[0]
            for part in (np.ascontiguousarray(both[i : i + 64]) for i in range(0, len(both), 64))
        ]
        probability = np.concatenate(parts)
        return np.asarray((probability[: len(views)] + probability[len(views) :]) / 2, np.float32)


def _corners(boxes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Corners (n, 4, 2) of rows (centre x, centre y, width, height, ..., angle in radians)."""
    c, s = np.cos(boxes[:, -1]), np.sin(boxes[:, -1])
    across = np.stack([c, s], axis=1) * boxes[:, 2:3] / 2
    down = np.stack([-s, c], axis=1) * boxes[:, 3:4] / 2
    centre = boxes[:, :2]
    corners = [centre - across - down, centre + across - down, centre + across + down, centre - across + down]
    return np.stack(corners, axis=1).astype(np.float32)


def one_of_each(
    quads_px: NDArray[np.float32], class_id: NDArray[np.int16], strength: NDArray[np.float32]
) -> NDArray[np.intp]:
    """Indices of the detections that stay where one card was found twice, by name and place: the stronger."""
    areas = quad_areas(quads_px)
    kept: list[int] = []
    for i in np.argsort(-strength, kind="stable"):
        twins = (k for k in kept if class_id[k] == class_id[i])
        if all(
            intersection_area(quads_px[i], quads_px[k]) < SAME_CARD * min(areas[i], areas[k]) for k in twins
        ):
            kept.append(int(i))
    return np.sort(np.asarray(kept, np.intp))


def face_around(quads_px: NDArray[np.float32], is_face: NDArray[np.bool_]) -> list[int | None]:
    """For each box (n,) the far larger face that it lies well inside of: its picture's frame, or a pip.

    Cards are of one size: what shows of another one reaches the edge of what it lies on, or under.
    """
    areas = quad_areas(quads_px)
    centres = quads_px.mean(axis=1, keepdims=True)
    inner = (centres + (quads_px - centres) * INNER_SHARE).astype(np.float32)
    around: list[int | None] = []
    for quad, area in zip(quads_px, areas, strict=True):
        larger = [int(k) for k in np.flatnonzero(is_face) if area < INNER_AREA * areas[k]]
        holding = (k for k in larger if intersection_area(quad, inner[k]) > WELL_INSIDE * area)
        around.append(next(holding, None))
    return around


def could_be_outline(quad_px: NDArray[np.float32], box_px: NDArray[np.float32]) -> bool:
    """Whether ``quad_px`` (4, 2) is convex and of about the size of the box that it was found in."""
    if not cv2.isContourConvex(quad_px.astype(np.float32).reshape(-1, 1, 2)):
        return False
    share = float(quad_areas(quad_px[None])[0] / quad_areas(box_px[None])[0])
    return LEAST_OUTLINE <= share <= LARGEST_OUTLINE


def _longer_sides(quads_px: NDArray[np.float32]) -> NDArray[np.float32]:
    sides = np.linalg.norm(quads_px - np.roll(quads_px, 1, axis=1), axis=2)
    return np.asarray(sides.max(axis=1, initial=0.0), np.float32)


def _inside_any(quads_px: NDArray[np.float32], others_px: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Bool (n,): which boxes lie, for the most part, in one of the others."""
    areas = quad_areas(quads_px)
    return np.array(
        [
            any(intersection_area(quad, other) > MOSTLY * area for other in others_px)
            for quad, area in zip(quads_px, areas, strict=True)
        ],
        bool,
    )


def _nothing() -> Detections:
    return Detections(
        corners_px=np.zeros((0, 4, 2), np.float32),
        class_id=np.zeros(0, np.int16),
        confidence=np.zeros(0, np.float32),
    )

"""Finds and names the cards of a picture.

A locator looks at the whole picture, an aligner at each located card for its corners, a reader at what they
frame. The locator finds corner indices too; what an index reader says of them corrects and completes the
cards.
"""

import json
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray

from models.classes import CARD_NAMES, CLASS_ID, READER_NAMES, UNREADABLE
from models.cut import cut_patches, cut_view, cut_wide, order_quad
from models.detections import Detections
from models.detector_settings import DetectorSettings
from models.geometry import quad_areas
from models.index_reading import read_indices
from models.indices import holds_index, unexplained, with_indices
from models.locating import Boxes, Located, Locator
from models.one_card import face_around, in_pieces, one_of_each, outline_of, parts_of_whole
from models.squeeze import stretch_for
from models.two_looks import joined

WEIGHTS = Path(__file__).parent / "weights"
FACE_COUNT = 52
LEAST_PROBABILITY = 1e-4
"""No reader rules a name out more than this."""
SQUARE = 0.9
"""Pictures of such a shape, shorter against longer side, may have been squeezed to it: no camera makes them.
Of others with three cards or more 8 of 130 photographs seemed squeezed; none of those was."""
BRIGHT_LEVEL = 235.0
"""To which the brightest parts of a dark picture are brought, of 255."""
LEAST_OUTLINE, LARGEST_OUTLINE = 0.3, 1.7
"""Area of a card's visible part against its box: a squeezed card that lies askew fills half of it."""


class OnnxDetector:
    """The shipped detector on ONNX Runtime. Thread-safe for reading; make one a process."""

    def __init__(self, settings: DetectorSettings | None = None, weights: Path = WEIGHTS) -> None:
        self.settings = settings or DetectorSettings()
        self._weights = weights

    @cached_property
    def _locator(self) -> Locator:
        return Locator(self._session("locator.onnx"), self.settings)

    @cached_property
    def _reader(self) -> ort.InferenceSession:
        return self._session("reader.onnx")

    @cached_property
    def _aligner(self) -> ort.InferenceSession:
        return self._session("aligner.onnx")

    @cached_property
    def _index_reader(self) -> ort.InferenceSession:
        return self._session("index_reader.onnx")

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
        # Waiting threads sleep: spinning, the four pools took as much processor time as the work itself.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    @cached_property
    def hashes(self) -> dict[str, str]:
        """SHA-256 of each weight file, as the model card records them."""
        card = json.loads((self._weights / "model_card.json").read_text())
        return {name: str(entry["sha256"]) for name, entry in card["files"].items()}

    def detect(self, image_bgr: NDArray[np.uint8]) -> Detections:
        """Find every visible card in ``image_bgr``, uint8 (h, w, 3), and name it.

        A picture whose cards are squeezed is looked at once more, stretched, if its settings say so.
        """
        if image_bgr.ndim != 3 or image_bgr.shape[2] != 3 or image_bgr.dtype != np.uint8:
            raise ValueError(f"image_bgr: want uint8 (h, w, 3), got {image_bgr.dtype} {image_bgr.shape}")
        image_bgr = self._brightened(image_bgr)
        found = self._detect_as_it_is(image_bgr)
        height, width = image_bgr.shape[:2]
        may_be_squeezed = self.settings.unsqueeze and min(height, width) / max(height, width) >= SQUARE
        stretch = stretch_for(found.corners_px) if may_be_squeezed else None
        return found if stretch is None else joined(found, self._detect_stretched(image_bgr, stretch))

    def _detect_stretched(self, image_bgr: NDArray[np.uint8], stretch: float) -> Detections:
        """What is seen in the picture, stretched in width or else in height, in pixels as they are."""
        by = np.array([max(1.0, stretch), max(1.0, 1 / stretch)], np.float32)
        wider = cv2.resize(image_bgr, None, fx=float(by[0]), fy=float(by[1]), interpolation=cv2.INTER_CUBIC)
        seen = self._detect_as_it_is(np.asarray(wider, np.uint8))
        return replace(seen, corners_px=seen.corners_px / by)

    def _detect_as_it_is(self, image_bgr: NDArray[np.uint8]) -> Detections:
        """Find and name the cards of a picture in which they look as long as cards are."""
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
        faces = self._index_faces(image_bgr, boxes.quads_px)
        sure = faces.max(axis=1) >= self.settings.read_index
        return Detections(
            corners_px=boxes.quads_px[sure],
            class_id=faces[sure].argmax(axis=1).astype(np.int16),
            confidence=np.minimum(faces[sure].max(axis=1), 1.0).astype(np.float32),
        )

    def _index_faces(
        self, image_bgr: NDArray[np.uint8], quads_px: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Probabilities (n, 52) of the faces: what both readers say, each with half a vote.

        The index reader knows indices better, the reader knows what is none, and foreign letters.
        """
        close = read_indices(self._index_reader, image_bgr, quads_px)
        unsure = np.flatnonzero(close[:, :FACE_COUNT].max(axis=1) < self.settings.read_index)
        if self.settings.negative and len(unsure):
            grey = 255 - image_bgr.mean(axis=2, keepdims=True).astype(np.uint8)
            negative = read_indices(self._index_reader, np.repeat(grey, 3, axis=2), quads_px[unsure])
            surer = negative[:, :FACE_COUNT].max(axis=1) >= self.settings.negative_read
            close[unsure[surer]] = negative[surer]
        whole = self.read(np.stack([cut_view(image_bgr, quad) for quad in quads_px]))[:, :FACE_COUNT]
        whole = np.column_stack([whole, 1 - whole.sum(axis=1)])
        joint = np.sqrt(np.maximum(close, LEAST_PROBABILITY) * np.maximum(whole, LEAST_PROBABILITY))
        return np.asarray((joint / joint.sum(axis=1, keepdims=True))[:, :FACE_COUNT], np.float32)

    def _named(self, image_bgr: NDArray[np.uint8], boxes: Boxes) -> Detections:
        """The cards in the boxes, each once: boxes that make up a card are read as that card."""
        if not len(boxes):
            return _nothing()
        cards = self._read_each(image_bgr, self.align(image_bgr, boxes.quads_px), boxes.confidence)
        for pieces in in_pieces(cards.corners_px):
            outline = outline_of(cards.corners_px[pieces])[None]
            whole = self._read_each(image_bgr, outline, np.ones(1, np.float32))
            if len(whole) and whole.class_id[0] < FACE_COUNT:
                cards = cards.without(pieces).and_also(whole)
        return cards

    def _read_each(
        self, image_bgr: NDArray[np.uint8], quads: NDArray[np.float32], located: NDArray[np.float32]
    ) -> Detections:
        """The cards that quads (n, 4, 2) frame, located so surely (n,); each once."""
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
        chosen = chosen[~parts_of_whole(quads[chosen], class_id[chosen] < FACE_COUNT)]
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
        return self._locator.locate(image_bgr)

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


def could_be_outline(quad_px: NDArray[np.float32], box_px: NDArray[np.float32]) -> bool:
    """Whether ``quad_px`` (4, 2) is convex and of about the size of the box that it was found in."""
    if not cv2.isContourConvex(quad_px.astype(np.float32).reshape(-1, 1, 2)):
        return False
    share = float(quad_areas(quad_px[None])[0] / quad_areas(box_px[None])[0])
    return LEAST_OUTLINE <= share <= LARGEST_OUTLINE


def _nothing() -> Detections:
    return Detections(
        corners_px=np.zeros((0, 4, 2), np.float32),
        class_id=np.zeros(0, np.int16),
        confidence=np.zeros(0, np.float32),
    )

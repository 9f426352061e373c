"""The file that holds the faces of one deck: JSON, ``NAME.faces.json``. ``docs/decks.md`` describes it.

The cards are kept as pictures beside what was learnt from them, so that a deck outlives the reader's weights:
with other weights it is learnt again.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from models.classes import CARD_NAMES, UNREADABLE
from models.enrolled import EnrolledDetector
from models.face_looks import CARD_WH_MM, FaceCrop
from models.faces import DeckFaces
from models.open_file import open_file
from models.wanted import wanted_of
from referee.codec import parse_json

SUFFIX = ".faces.json"
LARGEST_BYTES = 16_000_000
JPEG_QUALITY = 92
LARGEST_CROP_PX = 400
MOST_CROPS = 52 * 4
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
FEATURES = 256
KINDS = (*CARD_NAMES[:52], UNREADABLE)
"""What a prototype can be of; the index is its class id."""


class FaceFileError(ValueError):
    """A file of faces does not hold. One line for a person: the file, where in it, what was wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class StoredDeck:
    """One deck. crops: cards and their pictures as JPEG. reader_sha256: of the weights it was learnt with."""

    name: str
    crops: tuple[tuple[str, bytes], ...]
    faces: DeckFaces
    reader_sha256: str

    @property
    def cards(self) -> int:
        """How many different cards are enrolled."""
        return len({card for card, _ in self.crops})

    def fits(self, detector: EnrolledDetector) -> bool:
        """Whether it was learnt with this detector's weights."""
        return self.reader_sha256 == detector.reader_sha256

    def relearnt(
        self,
        detector: EnrolledDetector,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> "StoredDeck":
        """The same cards, learnt with this detector's weights. ``FaceFileError`` where a picture is none."""
        faces = DeckFaces.learnt(
            [decoded(*crop) for crop in self.crops], detector.features, detector.faces, progress=progress
        )
        return replace(self, faces=faces, reader_sha256=detector.reader_sha256)


def encoded(crop: FaceCrop) -> tuple[str, bytes]:
    """A card and its picture as it is kept."""
    _, code = cv2.imencode(".jpg", crop.image_bgr, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return crop.name, code.tobytes()


def decoded(name: str, jpeg: bytes) -> FaceCrop:
    """The picture of a card; ``FaceFileError`` for what is none."""
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    if (
        picture is None
        or max(picture.shape) > LARGEST_CROP_PX
        or min(picture.shape[:2]) < min(CARD_WH_MM) / 2
    ):
        raise FaceFileError(f"{name}: not the picture of a card")
    return FaceCrop(name, np.asarray(picture, np.uint8))


def is_deck_name(text: str) -> bool:
    """Whether decks may be called so: it is part of a file's name."""
    return re.fullmatch(NAME_PATTERN, text) is not None


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Card(_Strict):
    card: Literal[CARD_NAMES[:52]]  # type: ignore[valid-type]  # a tuple of literals, known when it runs
    jpeg: str = Field(max_length=200_000)


class _Learnt(_Strict):
    """reader: SHA-256. projection, prototypes: float32, little endian, row by row, as base64.

    faces: what each prototype is of; ``??`` is a piece of a card.
    """

    reader: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
    dimensions: int = Field(ge=1, le=FEATURES)
    projection: str = Field(max_length=400_000)
    prototypes: str = Field(max_length=2_000_000)
    faces: list[Literal[KINDS]] = Field(max_length=1000)  # type: ignore[valid-type]  # as above


class _FaceFile(_Strict):
    format: Literal[1]
    deck: Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
    cards: list[_Card] = Field(min_length=2, max_length=MOST_CROPS)
    learnt: _Learnt


def load_faces(path: Path) -> StoredDeck:
    """The deck that a file holds; ``FaceFileError`` (one line) if it does not hold."""
    try:
        with open_file(path) as file:
            content = file.read(LARGEST_BYTES + 1)
        if len(content) > LARGEST_BYTES:
            raise FaceFileError(f"{path}: too large for a deck's faces (want at most {LARGEST_BYTES} bytes)")
        return _deck(_FaceFile.model_validate(parse_json(content.decode("utf-8"))))
    except FileNotFoundError:
        raise FaceFileError(f"{path}: no such file (want one made by 'touchjudge deck enrol')") from None
    except ValidationError as error:
        raise FaceFileError(f"{path}: {_one_line(error)}") from None
    except FaceFileError:
        raise
    except (OSError, UnicodeDecodeError):
        raise FaceFileError(f"{path}: cannot be read as text (want a deck's faces)") from None
    except ValueError as error:
        raise FaceFileError(f"{path}: {' '.join(str(error).split())[:200]} (want a deck's faces)") from None


def _deck(parsed: _FaceFile) -> StoredDeck:
    learnt = parsed.learnt
    faces = DeckFaces(
        projection=_matrix(learnt.projection, FEATURES, learnt.dimensions),
        prototypes=_matrix(learnt.prototypes, len(learnt.faces), learnt.dimensions),
        class_id=np.array([KINDS.index(face) for face in learnt.faces], np.int16),
    )
    crops = tuple((card.card, _bytes(card.jpeg)) for card in parsed.cards)
    return StoredDeck(parsed.deck, crops, faces, learnt.reader)


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"not base64: {text[:20]!r}") from None


def _matrix(text: str, rows: int, columns: int) -> NDArray[np.float32]:
    content = _bytes(text)
    if len(content) != rows * columns * 4:
        raise ValueError(f"{len(content)} bytes of numbers (want {rows} x {columns} of 4)")
    return np.frombuffer(content, "<f4").reshape(rows, columns).astype(np.float32)


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the file"
    if first["type"] == "extra_forbidden":
        return f"{place[:80]}: no such key (want format, deck, cards and learnt)"
    return f"{place[:80]}: {wanted_of(first)[:160]}"


def save_faces(deck: StoredDeck, path: Path) -> None:
    """Write the file, whole or not at all."""
    faces = deck.faces
    content = {
        "format": 1,
        "deck": deck.name,
        "cards": [{"card": card, "jpeg": base64.b64encode(jpeg).decode()} for card, jpeg in deck.crops],
        "learnt": {
            "reader": deck.reader_sha256,
            "dimensions": faces.projection.shape[1],
            "projection": _text(faces.projection),
            "prototypes": _text(faces.prototypes),
            "faces": [KINDS[face] for face in faces.class_id],
        },
    }
    partial = path.with_name(path.name + ".part")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def _text(matrix: NDArray[np.float32]) -> str:
    return base64.b64encode(np.ascontiguousarray(matrix, "<f4").tobytes()).decode()

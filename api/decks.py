"""Enrolled decks by name: where their files are, and a detector that reads them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from api.errors import MisuseError

if TYPE_CHECKING:
    from models.detector_settings import DetectorSettings
    from models.enrolled import EnrolledDetector
    from models.face_file import StoredDeck


def deck_file(name: str, *, beside: Path | None = None) -> Path:
    """The file of the deck of that name, here or beside ``beside``; or ``name`` itself where it is a file.

    ``MisuseError`` where there is none.
    """
    from models.face_file import SUFFIX

    folders = [Path(), *([beside.parent] if beside is not None else [])]
    places = [Path(name), *(folder / f"{name}{SUFFIX}" for folder in folders)]
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        looked = ", ".join(str(place) for place in dict.fromkeys(places[1:]))
        raise MisuseError(
            f"no deck {name!r} (want one made by 'touchjudge deck enrol {name} --faces': {looked})"
        )
    return found


def open_deck(path: Path) -> "StoredDeck":
    """The deck in a file; ``MisuseError`` if it does not hold."""
    from models.face_file import FaceFileError, load_faces

    try:
        return load_faces(path)
    except FaceFileError as error:
        raise MisuseError(str(error)) from None


def detector_for(
    files: Sequence[Path],
    notes: Console,
    *,
    settings: "DetectorSettings | None" = None,
    weights: Path | None = None,
) -> "EnrolledDetector":
    """A detector that reads these decks. What was enrolled with other weights is learnt again, and told.

    weights: a folder with other weights than those shipped.
    """
    from models.enrolled import EnrolledDetector
    from models.onnx_detector import WEIGHTS

    detector = EnrolledDetector(settings, weights or WEIGHTS)
    decks = []
    for file in files:
        deck = open_deck(file)
        if not deck.fits(detector):
            deck = _relearnt(deck, detector, file, notes)
        decks.append(deck.faces)
    detector.decks = tuple(decks)
    return detector


def _relearnt(deck: "StoredDeck", detector: "EnrolledDetector", file: Path, notes: Console) -> "StoredDeck":
    from models.face_file import FaceFileError, save_faces

    notes.print(f"{file} was enrolled with other weights: learning it again", markup=False)
    try:
        deck = deck.relearnt(detector)
    except FaceFileError as error:
        raise MisuseError(f"{file}: {error}") from None
    try:
        save_faces(deck, file)
    except OSError:
        notes.print(f"{file} cannot be written: it will be learnt again next time", markup=False)
    return deck

"""Finds what is wrong with a labelled set before anything is taught or measured with it."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.formats.labels import (
    PICTURE_SUFFIXES,
    LabelledCard,
    LabelledPicture,
    LabelledSet,
    file_inside,
    is_card_name,
)
from models.classes import BACK, UNREADABLE
from models.detections import CardDetector, Detections
from models.geometry import intersection_area, quad_areas

NEAR_BITS = 5
"""Of the 128 bits of a perceptual hash: pictures that differ in no more are taken for one picture, saved or
shrunk anew. Neighbouring frames of one sitting differ in 6 and more."""
LEAST_SIDE_PX = 2.0
"""A smaller box shows nothing."""
OUTSIDE_SHARE = 0.5
"""More of a box outside its picture is a mistake, and no card cut by the border."""
SLACK_PX = 2.0
"""Rounding may lay a box this far over the border."""
SAME_BOX = 0.9
"""Intersection over union at which two labels of one name are of one card."""
CONTRADICTS = 0.9
"""Least confidence of a reading that is held against a label."""


class Fault(StrEnum):
    """What can be wrong with a set."""

    MISSING = "missing picture"
    EXTRA = "picture without labels"
    ORPHAN = "labels without picture"
    BROKEN = "not a picture"
    SIZE = "other size than labelled"
    CLASS = "unknown class"
    BOX = "impossible box"
    TWICE = "labelled twice"
    DUPLICATE = "same picture twice"
    NEAR = "nearly the same picture"
    LEAK = "leak between splits"
    CONTRADICTED = "models contradict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, in one picture of the set."""

    fault: Fault
    image: str
    what: str


def lint(
    labelled: LabelledSet,
    *,
    detector: CardDetector | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[Finding]:
    """Everything that is wrong with the set; with ``detector`` also labels that its readings contradict."""
    findings = [Finding(fault=Fault.ORPHAN, image=name, what="no such picture") for name in labelled.orphans]
    findings += _extra(labelled)
    prints: dict[str, _Print] = {}
    for done, picture in enumerate(labelled.pictures, 1):
        findings += _label_findings(picture)
        path = file_inside(labelled.root, picture.image)
        image = _image(path)
        if image is None:
            fault = Fault.BROKEN if path.is_file() else Fault.MISSING
            findings.append(Finding(fault=fault, image=picture.image, what=str(path)))
        else:
            prints[picture.image] = _Print.of(path, image)
            findings += _picture_findings(picture, image, detector)
        progress(done, len(labelled.pictures))
    return findings + list(_duplicates(labelled, prints)) + list(_group_leaks(labelled))


def _image(path: Path) -> NDArray[np.uint8] | None:
    if not path.is_file():
        return None
    encoded = np.fromfile(path, np.uint8)
    try:
        image = cv2.imdecode(encoded, cv2.IMREAD_COLOR) if encoded.size else None
    except cv2.error:  # more pixels than OpenCV takes
        return None
    return None if image is None else np.asarray(image, np.uint8)


def _extra(labelled: LabelledSet) -> Iterator[Finding]:
    """Pictures in the folders of labelled ones that have no labels."""
    known = {picture.image for picture in labelled.pictures}
    for folder in sorted({str(Path(image).parent) for image in known}):
        place = labelled.root / folder
        for path in sorted(place.iterdir()) if place.is_dir() else []:
            name = path.relative_to(labelled.root).as_posix()
            if path.suffix.lower() in PICTURE_SUFFIXES and name not in known:
                yield Finding(fault=Fault.EXTRA, image=name, what="it is in no row")


def _label_findings(picture: LabelledPicture) -> Iterator[Finding]:
    for card in picture.cards:
        if not is_card_name(card.card):
            yield Finding(fault=Fault.CLASS, image=picture.image, what=repr(card.card)[:60])
        wrong = _impossible(card, picture)
        if wrong:
            yield Finding(fault=Fault.BOX, image=picture.image, what=f"{card.card}: {wrong}"[:120])
    for one, other in combinations(picture.cards, 2):
        if one.card == other.card and _overlap(one, other) >= SAME_BOX:
            yield Finding(fault=Fault.TWICE, image=picture.image, what=f"{one.card} twice in one place")


def _impossible(card: LabelledCard, picture: LabelledPicture) -> str:
    """What is wrong with a label's place; empty if nothing is."""
    if card.box_px is not None and (card.box_px[2] <= card.box_px[0] or card.box_px[3] <= card.box_px[1]):
        return "right or lower side before the left or upper one"
    if card.bounds_px is None:
        return ""
    x0, y0, x1, y1 = card.bounds_px
    if min(x1 - x0, y1 - y0) < LEAST_SIDE_PX:
        return f"{x1 - x0:.1f} x {y1 - y0:.1f} px"
    across = max(0.0, min(x1, picture.width) - max(x0, 0.0))
    down = max(0.0, min(y1, picture.height) - max(y0, 0.0))
    if across * down < (1 - OUTSIDE_SHARE) * (x1 - x0) * (y1 - y0):
        return f"lies outside the picture: {x0:.0f}, {y0:.0f} to {x1:.0f}, {y1:.0f}"
    if card.quad_px is not None and not cv2.isContourConvex(np.asarray(card.quad_px, np.float32)[:, None]):
        return "its corners do not go around it"
    return ""


def _overlap(one: LabelledCard, other: LabelledCard) -> float:
    """Intersection over union of two labels' upright boxes; 0 where one has no place."""
    if one.bounds_px is None or other.bounds_px is None:
        return 0.0
    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = one.bounds_px, other.bounds_px
    shared = max(0.0, min(ax1, bx1) - max(ax0, bx0)) * max(0.0, min(ay1, by1) - max(ay0, by0))
    union = (ax1 - ax0) * (ay1 - ay0) + (bx1 - bx0) * (by1 - by0) - shared
    return shared / union if union > 0 else 0.0


def _picture_findings(
    picture: LabelledPicture, image: NDArray[np.uint8], detector: CardDetector | None
) -> Iterator[Finding]:
    height, width = image.shape[:2]
    if (width, height) != (picture.width, picture.height):
        what = f"{width} x {height}, labelled {picture.width} x {picture.height}"
        yield Finding(fault=Fault.SIZE, image=picture.image, what=what)
        return
    if detector is not None:
        found = detector.detect(image)
        for what in contradictions(picture, found):
            yield Finding(fault=Fault.CONTRADICTED, image=picture.image, what=what)


def contradictions(picture: LabelledPicture, found: Detections) -> Iterator[str]:
    """Sure readings that labels deny: another name at a label's place, or a name that no label has."""
    named = {card.card for card in picture.cards}
    sure = [
        (name, quad)
        for name, confidence, quad in zip(found.names, found.confidence, found.corners_px, strict=True)
        if confidence >= CONTRADICTS and name not in {BACK, UNREADABLE}
    ]
    for name, quad in sure:
        if any(_is_called(name, label) for label in named):
            continue
        at = [card.card for card in picture.cards if _lies_in(card, quad)]
        if at:
            yield f"{' '.join(sorted(set(at)))} is read as {name}"
        elif picture.is_complete:
            yield f"{name} is read and not labelled"


def _is_called(name: str, label: str) -> bool:
    return name == label or (
        len(label) == 2 and "?" in label and any(a == b for a, b in zip(name, label, strict=False))
    )


def _lies_in(card: LabelledCard, quad_px: NDArray[np.float32]) -> bool:
    """Whether most of the label's place is in the reading's, or the other way round."""
    if card.corners_px is None:
        return False
    label = np.asarray(card.corners_px, np.float32)
    smaller = min(float(area) for area in quad_areas(np.stack([label, quad_px])))
    return intersection_area(label, quad_px) > SAME_PLACE * max(smaller, 1e-6)


SAME_PLACE = 0.6
"""Part of the smaller of two boxes that lies in the other where both are of one card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Print:
    """What tells a picture again: a hash of its file, and 128 bits of its look."""

    digest: str
    bits: NDArray[np.uint8]

    @staticmethod
    def of(path: Path, image: NDArray[np.uint8]) -> "_Print":
        grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        across = np.asarray(cv2.resize(grey, (9, 8), interpolation=cv2.INTER_AREA), np.int16)
        down = np.asarray(cv2.resize(grey, (8, 9), interpolation=cv2.INTER_AREA), np.int16)
        signs = np.concatenate([(np.diff(across, axis=1) > 0).ravel(), (np.diff(down, axis=0) > 0).ravel()])
        return _Print(digest=hashlib.sha256(path.read_bytes()).hexdigest(), bits=np.packbits(signs))


def _duplicates(labelled: LabelledSet, prints: dict[str, _Print]) -> Iterator[Finding]:
    """Pairs of equal or nearly equal pictures; across splits they are leaks."""
    pictures = [picture for picture in labelled.pictures if picture.image in prints]
    if not pictures:
        return
    bits = np.stack([prints[picture.image].bits for picture in pictures])
    for i, picture in enumerate(pictures[:-1]):
        apart = np.bitwise_count(bits[i + 1 :] ^ bits[i]).sum(axis=1)
        for j in np.flatnonzero(apart <= NEAR_BITS):
            other = pictures[i + 1 + int(j)]
            same = prints[picture.image].digest == prints[other.image].digest
            fault = Fault.DUPLICATE if same else Fault.NEAR
            what = f"{other.image} ({int(apart[j])} of 128 bits differ)"
            if picture.split != other.split:
                fault, what = Fault.LEAK, f"{picture.split or 'none'} and {other.split or 'none'}: {what}"
            yield Finding(fault=fault, image=picture.image, what=what)


def _group_leaks(labelled: LabelledSet) -> Iterator[Finding]:
    splits: dict[str, dict[str, str]] = defaultdict(dict)
    for picture in labelled.pictures:
        if picture.group:
            splits[picture.group].setdefault(picture.split, picture.image)
    for group, by_split in sorted(splits.items()):
        if len(by_split) > 1:
            names = " and ".join(split or "none" for split in sorted(by_split))
            image = by_split[min(by_split)]
            yield Finding(fault=Fault.LEAK, image=image, what=f"group {group[:60]!r} is in {names}")

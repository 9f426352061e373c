"""Measures how well an enrolled deck is read: cards of known name, whole, in strips and by their index."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.classes import CARD_NAMES
from models.enrolled import EnrolledDetector
from models.face_looks import FaceCrop, Look, looks_of

FACE_COUNT = 52
CONFUSED_PAIRS = (("6", "9"), ("2C", "2S"))
"""Ranks, or cards, that are always asked for: a six is a nine that lies on its head."""
MEASURING_SEED = 89


@dataclass(frozen=True, slots=True, kw_only=True)
class PassMark:
    """Least share of right names, of views of whole cards and of strips, and most wrong ones of either.

    wrong_small: most wrong ones of corners, indices and pieces, which may be left unnamed.
    """

    right: float = 0.95
    right_strips: float = 0.85
    wrong: float = 0.03
    wrong_small: float = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFigures:
    """Of one kind of view. Shares, 0..1; what is neither right nor wrong was left unnamed."""

    look: Look
    views: int
    right_before: float
    wrong_before: float
    right: float
    wrong: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceReport:
    """What was measured. confusions: (card, taken for, views), most frequent first."""

    figures: tuple[LookFigures, ...]
    confusions: tuple[tuple[str, str, int], ...]
    mark: PassMark

    @property
    def has_passed(self) -> bool:
        """Whether whole cards and strips reach the mark, and few views of any kind are named wrongly."""
        return all(self._holds(each) for each in self.figures)

    def _holds(self, each: LookFigures) -> bool:
        if each.look in {Look.CORNER, Look.INDEX, Look.PIECE}:
            return each.wrong <= self.mark.wrong_small
        least = self.mark.right if each.look is Look.WHOLE else self.mark.right_strips
        return each.right >= least and each.wrong <= self.mark.wrong

    def confused(self, one: str, other: str) -> int:
        """Views of ``one`` taken for ``other`` or the other way round: ranks or cards."""
        return sum(
            count
            for card, given, count in self.confusions
            if (card.startswith(one) and given.startswith(other))
            or (card.startswith(other) and given.startswith(one))
        )


def measure(
    crops: Sequence[FaceCrop],
    before: EnrolledDetector,
    after: EnrolledDetector,
    mark: PassMark,
    *,
    share: float,
) -> FaceReport:
    """How the cards are read without the deck and with it; ``share``: of the usual number of views a card."""
    rng = np.random.default_rng(MEASURING_SEED)
    looks: list[Look] = []
    truth: list[int] = []
    figures: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for crop in crops:
        seen = list(looks_of(crop, rng, share=share))
        views = np.stack([view for _, view in seen])
        kinds = np.array([look for look, _ in seen])
        looks += [look for look, _ in seen]
        truth += [CARD_NAMES.index(crop.name)] * len(seen)
        figures.append((_named(before, views, kinds), _named(after, views, kinds)))
    was, now = (np.concatenate(kind) for kind in zip(*figures, strict=True))
    cards, kinds = np.array(truth), np.array(looks)
    wrong = Counter(
        (CARD_NAMES[card], CARD_NAMES[given])
        for card, given in zip(cards, now, strict=True)
        if given not in {card, -1}
    )
    return FaceReport(
        figures=tuple(_figures(look, kinds == look, cards, was, now) for look in Look),
        confusions=tuple((card, given, count) for (card, given), count in wrong.most_common()),
        mark=mark,
    )


def _named(
    detector: EnrolledDetector, views: NDArray[np.uint8], kinds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The class id of each view's face, -1 where none is named."""
    faces = detector.read(views)[:, :FACE_COUNT]
    settings = detector.settings
    least = np.where(kinds == Look.INDEX, settings.read_index, settings.read)
    return np.where(faces.max(axis=1) >= least, faces.argmax(axis=1), -1)


def _figures(
    look: Look,
    chosen: NDArray[np.bool_],
    cards: NDArray[np.int64],
    was: NDArray[np.int64],
    now: NDArray[np.int64],
) -> LookFigures:
    def share(given: NDArray[np.int64], *, right: bool) -> float:
        hits = (given == cards) if right else ((given != cards) & (given >= 0))
        return float(hits[chosen].mean()) if chosen.any() else 0.0

    return LookFigures(
        look=look,
        views=int(chosen.sum()),
        right_before=share(was, right=True),
        wrong_before=share(was, right=False),
        right=share(now, right=True),
        wrong=share(now, right=False),
    )

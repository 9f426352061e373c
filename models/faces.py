"""Learns the faces of one deck from few pictures, in the reader's own feature space.

A deck that the reader misreads still looks to it like something: its 256 features tell the cards apart
better than its names do. Each card is cut from the picture, shown to the reader as it may be seen later
(whole, in strips, its index alone, in other light, smaller, blurred), and remembered as prototypes of those
looks. A view that is like one of them is named after it; the reader's own word is mixed in. ``docs/decks.md``
has figures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from models.classes import BACK, CARD_NAMES, READER_NAMES, UNREADABLE
from models.face_looks import FaceCrop, Look, looks_of

Image = NDArray[np.uint8]
Features = NDArray[np.float32]
"""Float32 (n, 256): of a view, the mean of both ways up."""
FeaturesOf = Callable[[Image], Features]
"""Of views uint8 (n, 128, 96, 3)."""

FACE_COUNT = 52
PIECE = FACE_COUNT
"""In place of a face's class id: a piece of a card that none is to be named by."""
FACELESS = (READER_NAMES.index(BACK), READER_NAMES.index(""))
"""What the reader is believed about, however much it looks like a face of the deck."""
LEARNING_SEED = 52


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceSettings:
    """How prototypes are made and believed; chosen on four synthetic decks (docs/decks.md).

    dimensions: of the space in which views are compared. shrink: how far the spread of one card's views is
    taken to be the same in all directions, 0..1: there are few views. spread, steepness: a view at squared
    distance d from a prototype speaks for it with (1 + d / spread) ** -steepness: far away it says little.
    own_word: power of the reader's own probability beside that. least_word: the reader's probability of a
    name that it holds for impossible. strange, strange_softness: squared distance at which a view is half
    believed to be of this deck, and in which that changes; beyond it the reader's own word is kept. sure:
    least share of the best name; with less the reader's own word is kept, too.
    views: share of the usual number of views a card is learnt from.
    """

    dimensions: int = 128
    shrink: float = 0.1
    spread: float = 100.0
    steepness: float = 9.0
    own_word: float = 0.4
    least_word: float = 0.003
    sure: float = 0.9
    strange: float = 1000.0
    strange_softness: float = 120.0
    views: float = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class DeckFaces:
    """The faces of one deck, as prototypes.

    projection: float32 (256, d), from features to a space where one card's views spread by 1 in every
    direction. prototypes: float32 (m, d). class_id: int16 (m,), which face each is of, 0..51, or
    ``PIECE``.
    """

    projection: NDArray[np.float32]
    prototypes: NDArray[np.float32]
    class_id: NDArray[np.int16]

    def __post_init__(self) -> None:
        width = self.projection.shape[1] if self.projection.ndim == 2 else -1
        if self.prototypes.ndim != 2 or self.prototypes.shape[1] != width or width < 1:
            raise ValueError(f"prototypes: want shape (m, {width}), got {self.prototypes.shape}")
        if self.class_id.shape != (len(self.prototypes),) or not len(self.prototypes):
            raise ValueError(f"class_id: want shape ({len(self.prototypes)},), got {self.class_id.shape}")
        if self.class_id.min() < 0 or self.class_id.max() > PIECE:
            raise ValueError(f"class_id: want 0..{PIECE}")
        if not (np.isfinite(self.projection).all() and np.isfinite(self.prototypes).all()):
            raise ValueError("prototypes: want numbers")

    @classmethod
    def learnt(
        cls,
        crops: Sequence[FaceCrop],
        features_of: FeaturesOf,
        settings: FaceSettings,
        *,
        progress: Callable[[int, int], None] = lambda _done, _all: None,
    ) -> Self:
        """From cards cut out of pictures, one or more of each; the same of the same ones.

        ``ValueError`` where there are fewer than two cards.
        """
        if len({crop.name for crop in crops}) < 2:
            raise ValueError("want two or more different cards to tell apart")
        rng = np.random.default_rng(LEARNING_SEED)
        kinds: list[tuple[int, Look]] = []
        parts: list[Features] = []
        for done, crop in enumerate(crops, 1):
            looks = list(looks_of(crop, rng, share=settings.views))
            kinds += [(CARD_NAMES.index(crop.name), look) for look, _ in looks]
            parts.append(features_of(np.stack([view for _, view in looks])))
            progress(done, len(crops))
        features = np.concatenate(parts)
        is_piece = np.array([look is Look.PIECE for _, look in kinds])
        whole = [kind for kind in kinds if kind[1] is not Look.PIECE]
        return cls._fitted(features[~is_piece], whole, features[is_piece], settings)

    @classmethod
    def _fitted(
        cls, features: Features, kinds: Sequence[tuple[int, Look]], pieces: Features, settings: FaceSettings
    ) -> Self:
        """One prototype for each kind of view, in directions that tell kinds apart (linear discriminants).

        Pieces have nothing in common: each is a prototype.
        """
        each = sorted(set(kinds))
        of_kind = np.array([each.index(kind) for kind in kinds])
        count = np.bincount(of_kind)
        means = np.stack([features[of_kind == k].mean(axis=0) for k in range(len(each))]).astype(np.float64)
        off = features - means[of_kind]
        off *= np.sqrt(count / np.maximum(count - 1, 1))[of_kind][:, None]
        spread = off.T @ off / len(off)
        even = np.trace(spread) / len(spread)
        spread = (1 - settings.shrink) * spread + settings.shrink * even * np.eye(len(spread))
        values, vectors = np.linalg.eigh(spread)
        whitening = vectors / np.sqrt(np.maximum(values, 1e-9))
        white = means @ whitening
        _, _, directions = np.linalg.svd(white - white.mean(axis=0), full_matrices=False)
        projection = whitening @ directions[: settings.dimensions].T
        prototypes = np.concatenate([means, pieces]) @ projection
        class_id = np.array([face for face, _ in each] + [PIECE] * len(pieces), np.int16)
        return cls(projection.astype(np.float32), prototypes.astype(np.float32), class_id)

    def distances(self, features: Features) -> NDArray[np.float32]:
        """Squared distance of views to the nearest prototype of each face, and piece, (n, 53); inf: none."""
        seen = features @ self.projection
        squared = (seen**2).sum(axis=1)[:, None] - 2 * seen @ self.prototypes.T
        squared += (self.prototypes**2).sum(axis=1)
        nearest = np.full((len(features), FACE_COUNT + 1), np.inf, np.float32)
        for face in np.unique(self.class_id):
            nearest[:, face] = squared[:, self.class_id == face].min(axis=1)
        return np.maximum(nearest, 0)

    def mixed(
        self, probability: NDArray[np.float32], features: Features, settings: FaceSettings
    ) -> NDArray[np.float32]:
        """The reader's probabilities (n, 56) of views, corrected where they are like this deck's cards."""
        distance = self.distances(features)
        unread = CARD_NAMES.index(UNREADABLE)
        words = np.maximum(probability[:, [*range(FACE_COUNT), unread]], settings.least_word)
        said = settings.own_word * np.log(words) - settings.steepness * np.log1p(distance / settings.spread)
        said = np.exp(said - said.max(axis=1, keepdims=True))
        said /= said.sum(axis=1, keepdims=True)
        strangeness = (distance.min(axis=1) - settings.strange) / settings.strange_softness
        own = (said.max(axis=1) >= settings.sure) / (1 + np.exp(np.clip(strangeness, -60, 60)))
        own = (own * (1 - probability[:, FACELESS].sum(axis=1)))[:, None]
        result = probability * (1 - own)
        result[:, :FACE_COUNT] += own * said[:, :FACE_COUNT]
        result[:, unread] += own[:, 0] * said[:, PIECE]
        return np.asarray(result, np.float32)

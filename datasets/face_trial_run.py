"""Tries enrolling odd decks: how play scenes of them are read before and after, from one photograph each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from datasets.build import split_surfaces
from datasets.decks import Deck
from datasets.face_trial import odd_artwork_deck, odd_drawn_deck, play_scene, spread_photograph
from datasets.report_looks import readings_of
from datasets.report_outcomes import CardOutcome
from datasets.scenes import Scene
from datasets.synthetic_photographs import scene_outcome, truth_row
from models.card_rows import NoRowsError
from models.classes import BACK, UNREADABLE
from models.detections import CardDetector
from models.detector_settings import DetectorSettings
from models.enrolled import EnrolledDetector
from models.faces import DeckFaces
from models.laid_out import WrongOrderError, understand
from models.onnx_detector import WEIGHTS

TRIED_ARTWORK = ("berlin", "lattmann", "ancient_french", "tarocco", "rheinland", "orell", "dondorf")
"""German, French, Italian, Swiss; the settings of ``FaceSettings`` were chosen on the third to fifth."""
TRIED_DRAWN = (0, 1, 2, 3)
"""Settings were chosen on the second and the third."""
MOSTLY_SEEN = 0.5
"""Visible part of a card from which it counts as mostly seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Of the cards whose name can be asked for, so many. unread: found and left ``??``.

    The rest was not found. wrong: names where no card is count too, where all cards are meant.
    """

    cards: int
    right: float
    wrong: float
    unread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckTrial:
    """One deck, read before and after it was enrolled; mostly: cards of which half and more is seen.

    refused: why it was not enrolled; empty if it was.
    """

    deck: str
    refused: str
    before: Shares
    after: Shares
    mostly_before: Shares
    mostly_after: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSettings:
    """How much is tried. seed: other scenes and photographs."""

    scenes: int = 20
    seed: int = 0
    threads: int = 2


def try_decks(
    cache: Path,
    settings: TrialSettings,
    *,
    names: Sequence[str] = (),
    weights: Path = WEIGHTS,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[DeckTrial]:
    """Each deck enrolled from one photograph, and measured on scenes that it was not learnt from.

    names: of artwork, or the numbers of drawn decks; all of those tried where none is given.
    """
    chosen = list(names) or [*TRIED_ARTWORK, *map(str, TRIED_DRAWN)]
    trials = []
    for done, name in enumerate(chosen, 1):
        deck = odd_drawn_deck(int(name)) if name.isdecimal() else odd_artwork_deck(cache, name)
        trials.append(_try(deck, cache, settings, weights))
        progress(done, len(chosen))
    return trials


def _try(deck: Deck, cache: Path, settings: TrialSettings, weights: Path) -> DeckTrial:
    threads = DetectorSettings(threads=settings.threads)
    before = EnrolledDetector(threads, weights)
    rng = np.random.default_rng([settings.seed, *deck.name.encode()])
    spread = spread_photograph(deck, split_surfaces(cache, "train"), rng)
    after, refused = before, ""
    try:
        after = EnrolledDetector(threads, weights, decks=(enrolled(spread.image_bgr, before),))
    except (NoRowsError, WrongOrderError) as error:
        refused = str(error)
    was: list[CardOutcome] = []
    now: list[CardOutcome] = []
    for _ in range(settings.scenes):
        scene = play_scene(deck, split_surfaces(cache, "val"), rng)
        was += _outcomes(scene, before)
        now += _outcomes(scene, after)
    return DeckTrial(
        deck=deck.name,
        refused=refused,
        before=_shares(was, 0),
        after=_shares(now, 0),
        mostly_before=_shares(was, MOSTLY_SEEN),
        mostly_after=_shares(now, MOSTLY_SEEN),
    )


def enrolled(photograph_bgr: NDArray[np.uint8], reader: EnrolledDetector) -> DeckFaces:
    """The deck that lies in rows in the photograph, learnt. ``NoRowsError``, ``WrongOrderError``."""
    laid = understand(photograph_bgr, reader)
    return DeckFaces.learnt(laid.crops(photograph_bgr), reader.features, reader.faces)


def _outcomes(scene: Scene, detector: CardDetector) -> tuple[CardOutcome, ...]:
    truth = [truth_row(card) for card in reversed(scene.cards)]
    truth.sort(key=lambda row: not row["label"])  # a card's reading is not to be paired with one below it
    return scene_outcome("scene", "trial", truth, readings_of(detector, scene.image_bgr)).cards


def _shares(cards: Sequence[CardOutcome], least_seen: float) -> Shares:
    faces = [c for c in cards if c.truth not in {"", BACK} and (c.visible or 0) >= least_seen]
    extra = sum(c.truth == "" and c.is_wrong for c in cards) if least_seen == 0 else 0
    count = max(len(faces), 1)
    return Shares(
        cards=len(faces),
        right=sum(c.given == c.truth for c in faces) / count,
        wrong=(sum(c.is_wrong for c in faces) + extra) / count,
        unread=sum(c.given == UNREADABLE for c in faces) / count,
    )

"""Tries how surely backs are told apart: designs that never taught the network, six enrolled at a time."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.back_views import BackDesigns, BackShot, Image, Rng, photographed_back
from models.back_view import cut_back
from models.backs import BackBook, BackMatch, BackSignature, as_share, likeness_between, log_odds

WHOLE = 0.9
"""Visible part of a back from which it counts as whole."""
GREY = 0.03
"""Mean difference of colours, against their brightness, below which a picture is without colour."""

DRAWING_WH, DRAWING_RIM = (63, 88), 8
SAME_DRAWING = 0.7
"""Correlation of brightness, of either sign, from which two backs are one drawing in other colours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTrialSettings:
    """made: designs besides the open ones that are held out. views: of each. games: for each view.

    colours: one drawing in several colours may be in a game, as several designs; else it may not.
    px_per_mm: least and greatest scale of views; backs are enrolled at twice the least and more.
    """

    made: int = 40
    views: int = 10
    games: int = 6
    enrolled: int = 6
    colours: bool = False
    px_per_mm: tuple[float, float] = (1.0, 4.0)
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BackTrial:
    """Shares of views of one kind.

    right: the own back is the most like of those enrolled. named, wrong: the answer is the own player, or
    another one. accepted: views of a design that is not enrolled which are given a name.
    """

    kind: str
    views: int
    right: float
    named: float
    wrong: float
    accepted: float


@dataclass(frozen=True, slots=True, eq=False)
class _Outcome:
    """Of one view in several games: (right, named, wrong, accepted) each."""

    shot: BackShot
    games: tuple[tuple[bool, bool, bool, bool], ...]


def try_backs(
    designs: BackDesigns,
    settings: BackTrialSettings,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> list[BackTrial]:
    """Enrol every design from one picture, and see in random games of six whose its other views are.

    Designs that ``deck enrol`` would refuse beside each other are in no game together, enrolled or unknown.
    """
    rng = np.random.default_rng(settings.seed)
    backs = [*_distinct(designs.backs), *(designs.made(rng) for _ in range(settings.made))]
    covers = [*designs.covers, *designs.backs]
    low, high = np.log(settings.px_per_mm)

    def shot_of(back: Image, *, mild: bool) -> BackShot:
        scale = float(np.exp(rng.uniform(low + (high - low) / 2 * mild, high)))
        return photographed_back(back, covers, designs.surfaces, rng, scale, mild=mild)

    enrolled = [shot_of(back, mild=True) for back in backs]
    known = [BackSignature.of(cut_back(shot.image_bgr, shot.quad_px)) for shot in enrolled]
    games = _Games(known, settings, rng, set() if settings.colours else _one_drawing(backs))
    outcomes = []
    for own, back in enumerate(backs):
        for _ in range(settings.views):
            shot = shot_of(back, mild=False)
            view = cut_back(shot.image_bgr, shot.located(rng), shot.px_per_mm)
            outcomes.append(_Outcome(shot, tuple(games.of(own, log_odds(view, known)))))
        progress(own + 1, len(backs))
    return _told(outcomes)


class _Games:
    """Draws who is enrolled, and asks the book."""

    def __init__(
        self,
        known: Sequence[BackSignature],
        settings: BackTrialSettings,
        rng: Rng,
        apart: set[tuple[int, int]],
    ) -> None:
        self._known, self._settings, self._rng = known, settings, rng
        most = as_share(BackBook().settings.alike)
        self._refused = apart | {
            (i, j)
            for i, one in enumerate(known)
            for j, other in enumerate(known)
            if i != j and likeness_between(one, other) > most
        }

    def of(self, own: int, odds: Sequence[float]) -> Iterator[tuple[bool, bool, bool, bool]]:
        """Right, named, wrong and accepted in each game of a view of the design ``own``."""
        for _ in range(self._settings.games):
            others = self._apart(own)
            match = self._asked([own, *others[:-1]], odds)
            is_right = max(odds[i] for i in others[:-1]) < odds[own]
            named, wrong = match.name == str(own), match.name not in {str(own), None}
            yield is_right, named, wrong, self._asked(others, odds).name is not None

    def _apart(self, own: int) -> list[int]:
        """Other designs, so many as are enrolled, no two alike."""
        chosen = [own]
        for other in self._rng.permutation(len(self._known)):
            if int(other) not in chosen and all((int(other), each) not in self._refused for each in chosen):
                chosen.append(int(other))
            if len(chosen) > self._settings.enrolled:
                break
        return chosen[1:]

    def _asked(self, enrolled: Sequence[int], odds: Sequence[float]) -> BackMatch:
        book = BackBook(tuple((str(i), self._known[i]) for i in enrolled))
        return book.judged([odds[i] for i in enrolled])


def _distinct(backs: Sequence[Image]) -> list[Image]:
    return list({back.tobytes(): back for back in backs}.values())


def _one_drawing(backs: Sequence[Image]) -> set[tuple[int, int]]:
    """Pairs of backs that are one drawing, in any colours."""
    drawings = []
    for back in backs:
        small = cv2.resize(back[..., :3], DRAWING_WH, interpolation=cv2.INTER_AREA).astype(np.float32)
        pattern = small.mean(axis=2)[DRAWING_RIM:-DRAWING_RIM, DRAWING_RIM:-DRAWING_RIM].ravel()
        pattern = pattern - pattern.mean()
        drawings.append(pattern / max(float(np.linalg.norm(pattern)), 1.0))
    likeness = np.abs(np.stack(drawings) @ np.stack(drawings).T)
    return {(int(i), int(j)) for i, j in np.argwhere(likeness > SAME_DRAWING) if i != j}


def _is_grey(shot: BackShot) -> bool:
    small = cv2.resize(shot.image_bgr, (96, 96)).astype(np.float32)
    mean = small.mean(axis=2)
    return bool((np.abs(small - mean[..., None]).mean(axis=2) / (mean + 15)).mean() < GREY)


def _told(outcomes: Sequence[_Outcome]) -> list[BackTrial]:
    kinds: tuple[tuple[str, Callable[[BackShot], bool]], ...] = (
        ("all", lambda _shot: True),
        ("in colour", lambda shot: not _is_grey(shot)),
        ("half seen and more, in colour", lambda shot: shot.fraction >= 0.5 and not _is_grey(shot)),
        ("whole, in colour", lambda shot: shot.fraction >= WHOLE and not _is_grey(shot)),
        ("grey", _is_grey),
    )
    trials = []
    for kind, belongs in kinds:
        games = np.array([each.games for each in outcomes if belongs(each.shot)], float)
        if len(games):
            right, named, wrong, accepted = (float(share) for share in games.mean(axis=(0, 1)))
            trial = BackTrial(
                kind=kind, views=len(games), right=right, named=named, wrong=wrong, accepted=accepted
            )
            trials.append(trial)
    return trials

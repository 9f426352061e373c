"""A correction folds only what follows it, and comes to the same as a fold from the start."""

import pickle
from itertools import islice

import pytest
from case_files import CASES

from api.referee_bench import SEATS, made_plays, made_setup
from referee import folding, trail
from referee.folding import Fold
from referee.notation import Said
from referee.observations import CardsCounted, known_us
from referee.piles import PileId
from referee.proceedings import Proceedings, Ruled, Standing
from referee.reviews import Decision, Resolution, Revert
from referee.shelf import Entered
from referee.verdicts import Ruling

PLAYS = 90


def resolution(number: int, verdict_id: str, at_us: int, **answer: object) -> Resolution:
    return Resolution(
        resolution_id=f"r{number}",
        verdict_id=verdict_id,
        decision=Decision.OVERTURNED,
        reason="I saw it",
        reviewer="Rita",
        at_us=at_us,
        **answer,
    )


def standing(match: Proceedings, at: int) -> str:
    """The first verdict about plays, from the one at this place on, that nobody has touched."""
    rulings = list(match.rulings)[at:]
    return next(
        each.verdict.verdict_id
        for each in rulings
        if each.standing is Standing.STANDING
        and each.verdict.kept
        and each.entries
        and not any(
            set(each.entries) & set(seen.entries) for seen in match.rulings if _is_answered(match, seen)
        )
    )


def _is_answered(match: Proceedings, ruled: Ruled) -> bool:
    """Whether somebody ruled on it or corrected it, whether or not that was taken back."""
    about = {getattr(review, "verdict_id", None) for review in match.reviews.values()}
    return ruled.verdict.verdict_id in about


def reviewed(monkeypatch: pytest.MonkeyPatch, mark_every: int) -> tuple[list[object], int]:
    """A match with reviews of early, middle and late plays, while it runs and after; how much was folded."""
    monkeypatch.setattr(trail, "MARK_EVERY", mark_every)
    folded = 0
    observe = Fold.observe

    def counted(self: Fold, entered: Entered) -> list:
        nonlocal folded
        folded += 1
        return observe(self, entered)

    monkeypatch.setattr(folding.Fold, "observe", counted)
    match = Proceedings(made_setup())
    match.look_back()
    told: list[object] = []
    plays = made_plays()
    for part, (owner, ruled) in enumerate(((2, 5), (40, 20), (70, 30))):
        for play in islice(plays, PLAYS // 3):
            for observation in play:
                at_us = max(known_us(observation), match.referee.now_us or 0)
                told += match.observe(observation, at_us=at_us)
        told += match.advance((match.referee.now_us or 0) + 3_000_000)
        at_us = match.referee.now_us or 0
        owned = standing(match, owner)
        seat = next(each for each in SEATS if each is not match.verdict(owned).seat)
        wanted = resolution(3 * part + 1, owned, at_us, facts=match.correction(owned, seat=seat))
        told.append(match.what_if(wanted))
        told += match.review(wanted)
        entry = max(match.reviews)
        illegal = resolution(3 * part + 2, standing(match, ruled), at_us, ruling=Ruling.ILLEGAL)
        told += match.review(illegal)
        undo = Revert(revert_id=f"u{part + 1}", entry=entry, reason="no", reviewer="Rita", at_us=at_us)
        told += match.review(undo)
    told += match.finish()
    late = CardsCounted(pile=PileId.parse("south/reserve"), count=2, told_by="Rita", at_us=at_us)
    told.append(match.what_if_counted(late))
    told += match.observe(late)
    told += [*match.rulings, match.scorecard]
    return told, folded


@pytest.mark.parametrize("mark_every", [1, 7])
def test_it_comes_to_the_same_as_a_fold_from_the_start(monkeypatch: pytest.MonkeyPatch, mark_every: int):
    with monkeypatch.context() as patch:
        told, all_of_it = reviewed(patch, 1 << 40)

    with monkeypatch.context() as patch:
        the_same, less = reviewed(patch, mark_every)

    assert the_same == told
    assert less < all_of_it, "not all was folded again"


def test_a_late_correction_folds_little(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trail, "MARK_EVERY", 32)
    match = Proceedings(made_setup())
    match.look_back()
    for play in islice(made_plays(), PLAYS):
        for observation in play:
            match.observe(observation)
    match.advance((match.referee.now_us or 0) + 3_000_000)
    last = match.rulings[-1].verdict
    seat = next(seat for seat in SEATS if seat is not last.seat)
    wanted = resolution(
        1, last.verdict_id, match.referee.now_us or 0, facts=match.correction(last.verdict_id, seat=seat)
    )
    folded: list[int] = []
    observe = Fold.observe
    monkeypatch.setattr(
        folding.Fold, "observe", lambda self, entered: folded.append(entered.entry) or observe(self, entered)
    )

    match.what_if(wanted)
    match.review(wanted)

    assert 0 < len(folded) <= 2 * 32


def test_every_game_goes_on_from_a_copy_of_where_it_stood():
    for case in CASES:
        fold, copy = Fold(case.game.setup), Fold(case.game.setup)
        for number, step in enumerate((each for each in case.game.steps if isinstance(each, Said)), 1):
            entered = Entered(number, step.observation, step.at_us)
            assert copy.observe(entered) == fold.observe(entered), case.case_id
            copy = pickle.loads(pickle.dumps(fold))  # noqa: S301 - our own
        assert copy.finish() == fold.finish(), case.case_id

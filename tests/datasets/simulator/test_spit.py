"""Simulated Spit: a round by the rules, from the deal to the slap, with its truth."""

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from datasets.match_score import true_plays
from datasets.simulator import SimulationSettings, Story, simulate_clip
from datasets.simulator.passage import Passage
from datasets.simulator.plan import plan_passage, random_layout
from datasets.simulator.spit_game import SpitGame, spit_played_on
from datasets.simulator.spit_layout import SPIT_PILES, SPIT_SEATS, spit_cards, stock_piles
from referee.cards import Card
from referee.piles import PileId, PileKind, Seat
from referee.setup import Game
from referee.spit.layout import are_neighbours
from vision.table_file import load_table

LONG = SimulationSettings(game=Game.SPIT, seconds=60.0, contested_share=0.3, illegal_share=0.15)
TINY = SimulationSettings(
    game=Game.SPIT, width_px=320, height_px=180, fps=8.0, seconds=8.0, warmup_plays=0, pass_share=0.0
)
SPIT_PILE = SPIT_PILES[Seat.SOUTH]


def _passage(seed: int, settings: SimulationSettings = LONG) -> Passage:
    rng = np.random.default_rng(seed)
    return plan_passage(rng, random_layout(rng, settings), settings)


def _whole_rounds(count: int) -> list[Passage]:
    """Passages in which the round comes to its end."""
    settings = replace(LONG, seconds=120.0, illegal_share=0.0, pass_share=0.0)
    passages = (_passage(seed, settings) for seed in range(40))
    ended = (p for p in passages if any(a.kind == "gather" for a in p.actions))
    return [passage for passage, _ in zip(ended, range(count), strict=False)]


def _lying(passage: Passage) -> dict[PileId, list[Card]]:
    return {pile: [placed.held.card for placed in cards] for pile, cards in passage.start.items()}


def test_a_deal_is_five_piles_with_their_tops_up_and_eleven_spit_cards_each() -> None:
    game = SpitGame.deal(np.random.default_rng(1))

    for seat in SPIT_SEATS:
        piles = [game.piles[pile] for pile in stock_piles(seat)]
        assert [len(cards) for cards in piles] == [1, 2, 3, 4, 5]
        assert all(cards[-1].face_up and not any(h.face_up for h in cards[:-1]) for cards in piles)
        assert len(game.piles[spit_cards(seat)]) == 11
    assert not game.has_begun


@pytest.mark.parametrize(
    ("top", "card", "is_accepted"),
    [
        pytest.param("7S", "8H", True, id="one up"),
        pytest.param("7S", "6S", True, id="one down"),
        pytest.param("AS", "KD", True, id="a king on an ace"),
        pytest.param("KS", "AD", True, id="an ace on a king"),
        pytest.param("7S", "7H", False, id="no double"),
        pytest.param("KS", "2D", False, id="no leap over the ace"),
    ],
)
def test_a_spit_pile_takes_the_neighbours_of_its_top(top: str, card: str, *, is_accepted: bool) -> None:
    game = SpitGame.deal(np.random.default_rng(1))
    held = game.piles[stock_piles(Seat.SOUTH)[0]][0]
    game.piles[SPIT_PILE] = [replace(held, card=Card.parse(top))]

    assert game.accepts(Card.parse(card), SPIT_PILE) is is_accepted


@pytest.mark.parametrize("plays", [0, 5, 26])
def test_an_unseen_beginning_leaves_something_to_film(plays: int) -> None:
    game = spit_played_on(np.random.default_rng(3), plays)

    assert game.has_begun is (plays > 0)
    assert all(game.stock(seat) >= 2 for seat in SPIT_SEATS)
    assert set(game.count_cards().values()) == {1}
    assert sum(game.count_cards().values()) == 52


@pytest.mark.parametrize("seed", range(6))
def test_no_card_is_made_or_lost(seed: int) -> None:
    passage = _passage(seed)

    at_first = Counter((p.held.card, p.held.deck_of) for cards in passage.start.values() for p in cards)
    assert passage.final.count_cards() == at_first
    assert len(at_first) == 52


@pytest.mark.parametrize("seed", range(8))
def test_a_play_is_legal_where_it_is_next_to_the_top_and_nobody_was_first(seed: int) -> None:
    passage = _passage(seed, replace(LONG, seconds=40.0))
    lying = _lying(passage)
    came_back = 0

    for action in passage.actions:
        if action.target is None or action.card is None or action.kind in {"flip", "gather"}:
            continue
        below = lying[action.target]
        if action.kind == "play" and action.rule in {"S12", "S13"}:
            fits = are_neighbours(action.card.rank, below[-1].rank, wrap=True)
            assert fits is action.is_legal
        if action.kind == "return":
            came_back += 1
        lying[action.source].remove(action.card)
        below.append(action.card)
    assert came_back == sum(a.kind == "play" and a.rule != "S22" and not a.is_legal for a in passage.actions)


def test_both_turn_a_spit_card_together_before_the_first_play() -> None:
    passage = _passage(2, replace(LONG, warmup_plays=0))

    first, second, *others = [a for a in passage.actions if a.kind != "pass"]

    assert {first.kind, second.kind} == {"spit"}
    assert {(a.seat, a.source, a.target) for a in (first, second)} == {
        (seat, spit_cards(seat), pile) for seat, pile in SPIT_PILES.items()
    }
    assert second.contact_us - first.contact_us <= 140_000
    assert others[0].contact_us > second.contact_us


def test_spit_cards_are_turned_again_only_where_nobody_can_play() -> None:
    again = 0
    for seed in range(8):
        passage = _passage(seed, replace(LONG, warmup_plays=0, illegal_share=0.0, contested_share=0.0))
        game = SpitGame({pile: [p.held for p in cards] for pile, cards in passage.start.items()})
        told: list[int] = []
        for carry in passage.carries:
            if carry.source.kind is PileKind.HAND and game.has_begun and not told:
                again += 1
                assert game.is_blocked()
            told = [carry.contact_us] if carry.source.kind is PileKind.HAND and not told else []
            game.take(carry.source, len(carry.cards))
            game.put(carry.target, [placed.held for placed in carry.landed])
    assert again >= 4


def test_races_are_for_one_spit_pile_and_the_later_card_goes_back() -> None:
    settings = replace(LONG, story=Story.RACES, contested_gaps_us=(0, 5_000, 80_000) * 3)
    actions = _passage(4, settings).actions

    races = {
        name: [a for a in actions if a.contest == name]
        for name in sorted({a.contest for a in actions} - {None})
    }
    assert len(races) >= 4
    assert {race[1].gap_us for race in races.values()} >= {0, 5_000, 80_000}
    for first, second in races.values():
        assert (first.target, first.seat is second.seat) == (second.target, False)
        assert second.contact_us - first.contact_us == second.gap_us
        assert (first.is_legal, second.is_legal, second.rule) == (True, False, "S18")
        assert any(
            a.kind == "return" and a.card == second.card and a.target == second.source for a in actions
        )


def test_at_the_end_of_a_round_both_slap_and_take_a_pile_each() -> None:
    rounds = _whole_rounds(4)
    assert len(rounds) == 4

    for passage in rounds:
        slaps = [a for a in passage.actions if a.kind == "slap"]
        gathered = {a.seat: a.source for a in passage.actions if a.kind == "gather"}
        assert [slap.gap_us for slap in slaps] == [0, slaps[1].contact_us - slaps[0].contact_us]
        assert slaps[0].seat is not slaps[1].seat
        assert gathered[slaps[0].seat] == slaps[0].target
        assert len(set(gathered.values())) == 2
        last = max(a.contact_us for a in passage.actions if a.kind in {"play", "spit"})
        assert slaps[0].contact_us > last or any(a.rule == "S22" for a in passage.actions)


def test_whoever_is_out_of_stock_slaps_the_smaller_pile_first() -> None:
    for passage in _whole_rounds(4):
        slap = next(a for a in passage.actions if a.kind == "slap")
        sizes = {a.source: a.count for a in passage.actions if a.kind == "gather"}
        assert sizes[slap.target] == min(sizes.values())


@pytest.mark.parametrize("seed", range(6))
def test_times_of_an_action_follow_one_another(seed: int) -> None:
    passage = _passage(seed)

    for action in passage.actions:
        assert 0 < action.lifted_us < action.contact_us <= action.rest_us < passage.duration_us
    for seat in SPIT_SEATS:
        carries = sorted((c for c in passage.carries if c.seat is seat), key=lambda c: c.lifted_us)
        assert all(a.rest_us < b.lifted_us for a, b in pairwise(carries)), seat


def test_a_passage_of_passes_moves_no_card() -> None:
    passage = _passage(1, replace(LONG, story=Story.PASSES))

    assert {action.kind for action in passage.actions} == {"pass"}
    assert not passage.carries


def test_the_files_are_those_of_spit(tmp_path: Path) -> None:
    clip = simulate_clip(tmp_path / "clip.mp4", seed=2, settings=TINY)

    table = load_table(clip.table_file)
    piles = {str(zone.pile) for zone in table.zones}
    lines = [json.loads(line) for line in clip.truth_file.read_text().splitlines()]
    assert table.game == "spit"
    assert {"table/spit[1]", "table/spit[2]", "south/tableau[1]", "north/tableau[5]", "south/hand"} <= piles
    assert len(piles) == 2 + 2 * 6
    assert [line["kind"] for line in lines[:2]] == ["spit", "spit"]
    plays = true_plays(clip.truth_file)
    assert len(plays) == len(lines)
    assert all(play.is_on_foundation for play in plays[:2])


def test_a_seed_films_the_same_round_again(tmp_path: Path) -> None:
    first = simulate_clip(tmp_path / "first.mp4", seed=2, settings=TINY)

    again = simulate_clip(tmp_path / "again.mp4", seed=2, settings=TINY)

    assert again.video.read_bytes() == first.video.read_bytes()
    assert again.truth_file.read_text() == first.truth_file.read_text()

"""What holds of every match, whatever the cameras say."""

import json
import re
from dataclasses import replace
from itertools import groupby, pairwise

from hypothesis import given
from hypothesis import strategies as st
from nerts_strategies import SEATS, landings, looks, matches, moved_to, observations, old_matches, plays
from typed_match import judged, setup

from referee.cards import Rank
from referee.codec import (
    canonical,
    decode_observation,
    decode_verdict,
    encode,
    encode_observation,
    parse_json,
)
from referee.logs import RecordError, read_log, read_record, verify
from referee.nerts_rules import NertsRules
from referee.notation import Said, TypedGame, Wait, parse_game, print_game
from referee.observations import known_us
from referee.record import ModelHash, RecordedMatch, RecordHeader
from referee.replay import first_difference, replay
from referee.setup import SeatSetup
from referee.verdicts import Ruling

HEADER = RecordHeader(setup=setup(), table="kitchen", models=(ModelHash("reader", "ab" * 32),))


def written(told, *, is_ended=True):
    """The record of a match, and the verdicts that were given while it ran."""
    match = RecordedMatch(HEADER)
    lines, verdicts = [match.header_line], []
    for observation in told:
        judged_now = match.observe(observation)
        lines += judged_now.lines
        verdicts += judged_now.verdicts
    if is_ended:
        last = match.finish("the source ended")
        lines += last.lines
        verdicts += last.verdicts
    return lines, verdicts, match.referee.scorecard


def payloads(verdicts):
    return [canonical(encode(verdict)) for verdict in verdicts]


@given(plays)
def test_standing_cards_count_up_from_the_ace_in_one_suit(told):
    outcome = judged(told)

    standing = {}
    for verdict in outcome.verdicts:
        for play in verdict.goes_back:
            standing.pop(play, None)
        standing.update(dict.fromkeys(verdict.stands))
    for _, pile in groupby(sorted(standing, key=lambda play: str(play.target)), key=lambda play: play.target):
        ranks = sorted({play.card.rank for play in pile})
        assert ranks == list(range(Rank.ACE, len(ranks) + 1))
    assert sum(points for _, points in outcome.scorecard.totals) == len(standing) - len(
        [unknown for unknown in outcome.scorecard.unknowns if unknown.pile.seat is None]
    )


@given(old_matches)
def test_every_card_that_comes_to_a_foundation_is_ruled_on_once(told):
    outcome = judged(told)

    landed = {
        (o.pile, o.touch, o.card, o.seat, o.settled_us)
        for o in told
        if hasattr(o, "settled_us") and o.pile.seat is None
    }
    ruled = {
        (play.target, play.touch, play.card, play.seat, play.settled_us)
        for verdict in outcome.verdicts
        for play in verdict.event.plays
        if play.target.seat is None
    }
    assert ruled == landed


@given(matches)
def test_a_verdict_keeps_and_returns_different_plays(told):
    for verdict in judged(told).verdicts:
        assert not set(verdict.kept) & set(verdict.returned)
        is_open = verdict.ruling in {Ruling.UNDECIDED, Ruling.FLAG} or verdict.event.plays == ()
        assert is_open or len(verdict.kept) + len(verdict.returned) == len(verdict.event.plays)


@given(matches, st.permutations(SEATS))
def test_e8_renamed_seats_change_nothing_but_names(told, renamed):
    seat_of = dict(zip(SEATS, renamed, strict=True))
    seats = tuple(replace(item, seat=seat_of[item.seat]) for item in setup().seats)

    straight = judged(told)
    turned = judged([moved_to(observation, seat_of) for observation in told], setup(seats=seats))

    names = re.compile("|".join(rf"\b{seat}\b" for seat in SEATS))
    expected = [names.sub(lambda found: seat_of[found[0]], text) for text in payloads(straight.verdicts)]
    assert payloads(turned.verdicts) == expected
    assert [points for _, points in turned.scorecard.totals] == [
        points for _, points in straight.scorecard.totals
    ]


@given(matches, st.randoms(use_true_random=False))
def test_e8_the_order_of_simultaneous_observations_changes_nothing(told, random):
    shuffled = []
    for _, together in groupby(told, key=known_us):
        group = list(together)
        random.shuffle(group)
        shuffled += group

    straight, turned = judged(told), judged(shuffled)

    assert payloads(turned.verdicts) == payloads(straight.verdicts)
    assert turned.scorecard.lines == straight.scorecard.lines


@given(observations)
def test_an_observation_survives_being_written(observation):
    text = canonical(encode_observation(observation))

    assert decode_observation(parse_json(text)) == observation


@given(observations)
def test_an_observation_survives_being_typed(observation):
    game = TypedGame(setup(), (Said(observation),))

    assert parse_game(print_game(game)) == game


@given(matches, st.lists(st.integers(0, 10_000_000), max_size=3))
def test_a_game_survives_being_typed(told, waits):
    steps = [Said(each, known_us(each) + 7) for each in told] + [Wait(until_us) for until_us in waits]
    game = TypedGame(setup(rules=NertsRules(nerts_penalty=1, work_piles=(6, 5, 4)), hears=True), tuple(steps))

    assert parse_game(print_game(game)) == game


@given(matches)
def test_verdicts_survive_being_written(told):
    for verdict in judged(told).verdicts:
        assert decode_verdict(parse_json(canonical(encode(verdict)))) == verdict


@given(matches)
def test_a_replay_gives_the_same_bytes(told):
    lines, verdicts, scorecard = written(told)

    log = read_log(lines)
    again = replay(log)

    assert verify(lines).is_ok
    assert verify(lines).is_ended
    assert log.header == HEADER
    assert payloads(log.verdicts) == payloads(verdicts) == payloads(again.verdicts)
    assert first_difference(log, again) is None
    assert again.scorecard == scorecard


@given(matches, st.integers(20_000, 400_000))
def test_a_replay_does_not_depend_on_how_often_the_clock_was_told(told, step_us):
    match, verdicts, lines = RecordedMatch(HEADER), [], []
    lines.append(match.header_line)
    for before, observation in pairwise([None, *told]):
        if before is not None:
            for now_us in range(known_us(before), known_us(observation), step_us):
                tick = match.advance(now_us)
                lines += tick.lines
                verdicts += tick.verdicts
        now = match.observe(observation)
        lines += now.lines
        verdicts += now.verdicts
    last = match.finish("the source ended")

    again = replay(read_record([*lines, *last.lines]))

    assert payloads(again.verdicts) == payloads([*verdicts, *last.verdicts])


@given(matches.filter(lambda told: len(told) > 1), st.data())
def test_a_flipped_byte_anywhere_is_found(told, data):
    record = bytearray("".join(written(told)[0]).encode())
    at = data.draw(st.integers(0, len(record) - 1), label="at")
    record[at] ^= data.draw(st.integers(1, 255), label="with")

    found = verify(_lines(bytes(record)))

    assert not found.is_ok


@given(matches.filter(lambda told: len(told) > 1), st.data())
def test_a_missing_or_moved_line_is_found(told, data):
    lines = written(told)[0]
    at = data.draw(st.integers(0, len(lines) - 2), label="at")
    missing = lines[:at] + lines[at + 1 :]
    moved = [*missing[:-1], lines[at], missing[-1]] if at < len(lines) - 2 else [*missing, lines[at]]

    assert not verify(missing).is_ok
    assert not verify(moved).is_ok


@given(matches, st.data())
def test_a_record_cut_anywhere_is_whole_up_to_there(told, data):
    lines = written(told)[0]
    record = "".join(lines).encode()
    at = data.draw(st.integers(len(lines[0]), len(record)), label="at")
    whole = record[:at].count(b"\n") - 1

    log = read_log(_lines(record[:at]))

    is_bare_of_its_end = any(len("".join(lines[: i + 1])) - 1 == at for i in range(len(lines)))
    assert len(log.entries) == whole + is_bare_of_its_end
    assert (log.cut_line is None) == (record[:at].endswith(b"\n") or is_bare_of_its_end)
    assert first_difference(log, replay(log)) is None


@given(st.binary(min_size=1, max_size=200))
def test_any_bytes_give_a_named_error_or_a_log(raw):
    for lines in (_lines(raw), [*_lines(raw), written([])[0][0]]):
        message = _read(lines)

        assert message is None or message.startswith("line ")
        assert not verify(lines).is_ok


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(observations, st.data())
def test_an_observation_with_one_wrong_value_is_refused_or_read(observation, data):
    value = encode_observation(observation)
    key = data.draw(st.sampled_from(sorted(value)))
    value[key] = data.draw(json_values)

    message = _read([json.dumps(value)])

    assert message is None or message.startswith("line 1: ")


@given(landings(), looks())
def test_the_cost_of_an_observation_does_not_grow(landed, look):
    outcome = judged([landed, look, landed])

    assert outcome.referee.pending == ()
    for foundation in outcome.referee.table.foundations:
        assert len(foundation.steps) <= 4
        assert len(foundation.to_return) <= 8


def test_seats_of_a_header_come_back():
    assert read_record([written([])[0][0]]).header.setup.seats[0] == SeatSetup(seat=SEATS[0], player="Ana")


def _lines(raw):
    """As a file opened for bytes gives them."""
    *whole, rest = raw.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _read(lines):
    """What ``read_log`` says: None, or the message of a named error."""
    try:
        read_log(lines)
    except RecordError as error:
        return str(error)
    return None

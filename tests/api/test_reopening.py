"""A record opened again takes reviews, and one whose program was killed is closed by the first of them."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from desk_match import DeskMatch
from reviewed_matches import ReviewedMatch

from api.desk import Answer, MatchDesk, RefusedError, Undoing
from api.errors import CommandError
from api.record_file import HeldError
from api.record_shelf import shown_match
from api.reopening import BROKEN_OFF
from api.schemas import MatchState
from referee.logs import read_log, verify
from referee.record import RecordChain
from referee.replay import first_difference, replay
from referee.tellings import CallKind
from referee.verdicts import Ruling

STANDS = Answer("v1", None, (), "seen again", "Rita")


@pytest.fixture
def lines(tmp_path: Path) -> list[bytes]:
    """A match with a call, an appeal and its answer, a correction and its undoing; then it ends."""
    path = tmp_path / "whole.jsonl"
    match = DeskMatch(path).play()
    desk = match.desk
    desk.call(CallKind.STUCK, "Ana", "Ana")
    desk.appeal("v1", "Ben", "me first")
    enter(desk, Answer("v1", Ruling.FIRST, (1,), "Ben's hand", "Rita"))
    enter(desk, desk.correction("v3", 0, card="7H", reason="a seven", reviewer="Rita"))
    desk.advance(30_000_000)
    match.finish()
    enter(desk, Answer("v2", None, (), "so it is", "Rita"))
    return path.read_bytes().splitlines(keepends=True)


def enter(desk: MatchDesk, wish) -> int | None:
    return desk.wish(wish, desk.wish(wish, None).confirm).entry


def assert_whole(path: Path) -> None:
    held = path.read_bytes().splitlines(keepends=True)
    log = read_log(held)
    assert verify(held).is_ok, verify(held)
    assert log.is_ended
    assert first_difference(log, replay(log)) is None


def test_what_was_shown_live_is_shown_again(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines))

    feed, desk, note = shown_match(path, match_id="r")[:3]

    seen = feed.seen(0)
    assert (note, feed.score.state, desk is not None) == ("", MatchState.FINISHED, True)
    assert [(v.verdict_id, v.standing) for v in feed.verdicts[:3]] == [
        ("v1", "overturned"),
        ("v2", "confirmed"),
        ("v3", "overturned"),
    ]
    assert [(r.review_id, r.is_taken_back) for r in seen.reviews] == [
        ("a1", False),
        ("r1", False),
        ("r2", False),
        ("r3", False),
    ]
    assert [call.call for call in seen.calls] == ["stuck"]
    assert path.read_bytes() == b"".join(lines), "to look changes nothing"


def test_reviews_go_on(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines))
    feed, desk, _ = shown_match(path, match_id="r")[:3]

    with pytest.raises(RefusedError, match="one review for each act"):
        enter(desk, STANDS)
    undone = enter(desk, undo_of(feed, "r2"))

    assert undone == len(lines)
    assert path.read_bytes().startswith(b"".join(lines))
    assert_whole(path)
    assert {v.verdict_id: v.standing for v in feed.verdicts}["v3"] == "standing"


def undo_of(feed, review_id: str):
    entry = next(review.entry for review in feed.seen(0).reviews if review.review_id == review_id)
    return Undoing(entry, "a slip", "Rita")


def test_a_record_cut_anywhere_is_closed_by_its_first_review(tmp_path: Path, lines: list[bytes]):
    """Whole lines and half lines: whatever a killed program left, nothing that is whole is lost."""
    content = b"".join(lines)
    first_verdict = next(i for i, line in enumerate(lines) if b'"kind":"verdict"' in line)
    at_lines = [len(b"".join(lines[:count])) for count in range(first_verdict + 1, len(lines) + 1)]
    path = tmp_path / "r.jsonl"

    for size in [*at_lines, *(size - 40 for size in at_lines[1:])]:
        path.write_bytes(content[:size])
        feed, desk, _ = shown_match(path, match_id="r")[:3]
        assert path.read_bytes() == content[:size], "to look changes nothing"
        review_one(desk, feed)

        whole = content[: content[:size].rfind(b"\n") + 1]
        assert path.read_bytes().startswith(whole)
        assert_whole(path)


def review_one(desk: MatchDesk, feed) -> None:
    """Enter whatever can still be entered about the first verdict that nobody answered."""
    for verdict in feed.verdicts:
        if verdict.standing in {"standing", "under appeal"}:
            try:
                enter(desk, Answer(verdict.verdict_id, None, (), "seen again", "Rita"))
            except RefusedError:
                continue
            return
    raise AssertionError("every verdict is answered")


def test_a_broken_off_match_says_so(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines[:7]))
    feed, desk, _ = shown_match(path, match_id="r")[:3]

    assert feed.score.state is MatchState.BROKEN
    with pytest.raises(RefusedError, match="the match is over"):
        desk.call(CallKind.NERTS, "Ana", "Ana")
    review_one(desk, feed)

    assert BROKEN_OFF.encode() in path.read_bytes()
    again = shown_match(path, match_id="r")[0]
    assert again.score.state is MatchState.BROKEN  # Reviewing it has not ended it.


@pytest.mark.parametrize(
    ("text", "note"),
    [
        pytest.param(
            '{"kind":"cards_counted","pile":"south/reserve","count":3,"told_by":"Ana","at_us":9}\n',
            "it has no hashes",
            id="bare observations",
        ),
        pytest.param(
            (Path(__file__).parents[1] / "referee" / "record_format_1.jsonl").read_text(),
            "form 1 has no place for reviews",
            id="an older form",
        ),
    ],
)
def test_what_cannot_be_reviewed_is_still_shown(tmp_path: Path, text: str, note: str):
    path = tmp_path / "r.jsonl"
    path.write_text(text)

    _, desk, said = shown_match(path, match_id="r")[:3]

    assert (desk, note in said) == (None, True)


def test_a_record_with_other_verdicts_is_only_shown(tmp_path: Path):
    match = ReviewedMatch("F1: ... 4H\nland Ana 5H waste F1 983.3..1000\n")
    log = read_log(match.finished())
    chain = RecordChain(log.header)
    made = [chain.header_line]
    for entry in log.entries:
        if entry.kind == "verdict":
            made.append(chain.verdict(replace(entry.payload, reason="because"), at_us=entry.t_us))
        elif entry.kind == "end":
            made.append(chain.end(entry.payload.cause, at_us=entry.t_us))
        else:
            made.append(chain.observation(entry.payload, at_us=entry.t_us))
    path = tmp_path / "r.jsonl"
    path.write_text("".join(made))

    _, desk, said = shown_match(path, match_id="r")[:3]

    assert desk is None
    assert said.endswith("is shown only: the verdicts in it are not those of its observations")


def test_a_record_that_grew_meanwhile_is_left_alone(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines[:-2]))
    feed, desk, _ = shown_match(path, match_id="r")[:3]
    path.write_bytes(b"".join(lines))

    with pytest.raises(CommandError, match="it was added to while it was read"):
        review_one(desk, feed)

    assert path.read_bytes() == b"".join(lines)


def test_of_two_who_read_a_cut_record_the_second_takes_nothing_back(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    first, second = (shown_match(path, match_id="r").desk for _ in range(2))
    wish = Undoing(1, "to mend it", "Rita")
    first.wish(wish, first.wish(wish, None).confirm)
    mended = path.read_bytes()

    with pytest.raises(CommandError, match="it was added to while it was read"):
        second.wish(wish, second.wish(wish, None).confirm)

    assert path.read_bytes() == mended
    assert verify(mended.splitlines(keepends=True)).is_ok


def test_a_record_is_held_by_one(tmp_path: Path, lines: list[bytes]):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines))
    wish = Undoing(1, "to try it", "Rita")

    with ExitStack() as first:
        desk = shown_match(path, match_id="r", holding=first).desk
        with ExitStack() as second, pytest.raises(HeldError):
            shown_match(path, match_id="r", holding=second)
        desk.wish(wish, desk.wish(wish, None).confirm)
    with ExitStack() as third:
        shown_match(path, match_id="r", holding=third)

    assert verify(path.read_bytes().splitlines(keepends=True)).is_ok


@pytest.mark.parametrize(
    ("is_replaced", "said"),
    [
        pytest.param(False, "No such file", id="taken away"),
        pytest.param(True, "another file lies there now", id="replaced"),
    ],
)
def test_nothing_is_entered_into_a_held_record_that_is_not_there_any_more(
    tmp_path: Path, lines: list[bytes], *, is_replaced: bool, said: str
):
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"".join(lines))
    wish = Undoing(1, "to try it", "Rita")

    with ExitStack() as holding:
        desk = shown_match(path, match_id="r", holding=holding).desk
        path.rename(tmp_path / "elsewhere.jsonl")
        if is_replaced:
            path.write_bytes(b"".join(lines))
        with pytest.raises(CommandError, match=said):
            desk.wish(wish, desk.wish(wish, None).confirm)

    assert (tmp_path / "elsewhere.jsonl").read_bytes() == b"".join(lines)

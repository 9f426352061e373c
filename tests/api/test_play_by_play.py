"""Verdicts as the terminal tells them."""

import io
import json
from collections.abc import Callable

import pytest
from desk_match import DeskMatch
from made_matches import verdict

from api.console import LineConsole, notes, shown
from api.desk import Answer, MatchDesk, Undoing
from api.lasting import LastingTeller
from api.play_by_play import PlayByPlay, players_text, verdict_line
from api.schemas import PlayOut, Span
from referee.verdicts import Ruling


def play(player: str | None) -> PlayOut:
    span = Span(start_us=0, end_us=16_667)
    return PlayOut(seat=None, player=player, card="5H", source=None, touch=span, stands=True)


@pytest.mark.parametrize(
    ("player", "racing", "told"),
    [
        pytest.param("Ana", ("Ana", "Ben"), "Ana", id="the first of a race"),
        pytest.param(None, ("Ana", "Ben"), "Ana and Ben", id="a tie is of both"),
        pytest.param(None, (None,), "player not known", id="a hand that was not seen"),
    ],
)
def test_who_made_the_play(player: str | None, racing: tuple[str | None, ...], told: str):
    ruled = verdict(1, player=player, plays=tuple(play(name) for name in racing))

    assert players_text(ruled) == told


def test_a_reason_that_opens_with_the_names_does_not_tell_them_twice():
    racing = (play("Ben"), play("Ana"))

    line = verdict_line(verdict(1, player=None, plays=racing, reason="Ben and Ana touched together"))

    assert line.endswith("N26  Ben and Ana touched together")


def test_a_name_is_no_markup():
    line = verdict_line(verdict(1, player="[red]Ana[/red]", reason="[link]"))

    assert line.endswith(r"\[red]Ana\[/red]: \[link]")


def test_names_bring_no_control_characters_to_the_terminal():
    line = verdict_line(verdict(1).model_copy(update={"player": "A\x1b[2Jna", "reason": "B\u202een\n\x07"}))

    assert "A\ufffd[2Jna: B\ufffden\ufffd\ufffd" in line.replace("\\[", "[")


@pytest.mark.parametrize("name", ["Zoë", "Ольга", "דנה", "王", "a b"])
def test_names_of_any_script_are_shown_as_they_are(name: str):
    assert shown(name) == name


def test_a_console_keeps_line_ends_only():
    printed = io.StringIO()

    LineConsole(file=printed, width=80).print("a\x1b]0;b\x07\nc", markup=False)

    assert printed.getvalue() == "a\ufffd]0;b\ufffd\nc\n"


# --- what a person says afterwards


def told_of(entered: Callable[[MatchDesk], object], *, as_json: bool = False) -> list[str]:
    """What the terminal tells while ``entered`` writes into a match that is over."""
    printed = io.StringIO()
    match = DeskMatch(None)
    with PlayByPlay(LineConsole(file=printed, width=200), notes(), as_json=as_json) as teller:
        match.desk.begin(None, LastingTeller(teller))
        while match.step():
            pass
        match.desk.advance(20_000_000)
        match.desk.finish("the source ended")
        printed.seek(0)
        printed.truncate()
        entered(match.desk)
    return printed.getvalue().splitlines()


def reverse(desk: MatchDesk) -> None:
    """Ben was first after all."""
    wish = Answer("v1", Ruling.FIRST, (1,), "I saw it", "Rita")
    desk.wish(wish, desk.wish(wish, None).confirm)


def test_a_reversal_tells_the_verdict_what_fell_and_the_score():
    new, old, score = told_of(reverse)

    assert " v4   FIRST " in new
    assert " v1   FIRST " in old
    assert old.endswith("(v1 overturned by r1, see v4)")
    assert score == "score: Ana 0   Ben 2"


def test_a_reversal_is_told_as_json_too():
    rows = [json.loads(line) for line in told_of(reverse, as_json=True)]

    assert [row["kind"] for row in rows] == ["verdict", "revision", "score"]
    assert (rows[1]["verdict_id"], rows[1]["standing"]) == ("v1", "overturned")
    assert [player["total"] for player in rows[2]["players"]] == [0, 2]


def test_an_appeal_is_told_and_changes_no_score():
    (line,) = told_of(lambda desk: desk.appeal("v1", "north", "look again"))

    assert line.endswith("(v1 under appeal)")


def test_what_was_taken_back_is_told_as_standing_again():
    def back_and_forth(desk: MatchDesk) -> None:
        reverse(desk)
        undone = Undoing(desk.read(lambda kept: max(kept.proceedings.reviews)), "a slip", "Rita")
        desk.wish(undone, desk.wish(undone, None).confirm)

    lines = told_of(back_and_forth)

    assert any(line.endswith("(v1 stands again)") for line in lines), lines
    assert lines[-1] == "score: Ana 1   Ben 1"

"""Verdicts as the terminal tells them."""

import io

import pytest
from made_matches import verdict

from api.console import LineConsole, shown
from api.play_by_play import players_text, verdict_line
from api.schemas import PlayOut, Span


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

"""Verdicts as the terminal tells them."""

import pytest
from made_matches import verdict

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

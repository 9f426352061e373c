"""One catalogue: every key is used, every reason comes from it, and it can be translated."""

from pathlib import Path

import pytest
from case_files import CASES

import referee
from referee.cases import play
from referee.messages import CATALOGUES, ENGLISH, Reason, say

SOURCES = [
    path.read_text(encoding="utf-8")
    for path in Path(referee.__file__).parent.rglob("*.py")
    if not path.name.endswith("messages.py")
]


@pytest.mark.parametrize("key", ENGLISH)
def test_every_key_is_used(key):
    stem = key.partition(".")[0]

    assert any(f'"{key}"' in source or f'f"{stem}.{{' in source for source in SOURCES)


def test_no_key_stands_in_two_catalogues():
    keys = [key for catalogue in CATALOGUES for key in catalogue]

    assert sorted(keys) == sorted(set(keys))


def test_every_reason_is_a_sentence_of_the_catalogue():
    for case in CASES:
        for verdict in play(case.game).verdicts:
            assert verdict.reason == "; ".join(reason.text() for reason in verdict.reasons)
            assert verdict.reason_key != ""


def test_a_reason_is_said_in_another_language():
    german = {"foundation_sequence.suit": "{card} darf nicht auf {base}: eine Farbe, aufsteigend"}
    reason = say("foundation_sequence.suit", card="5D", base="4H")

    assert reason.text(german) == "5D darf nicht auf 4H: eine Farbe, aufsteigend"
    assert say("set_aside", pile="F1").text(german) == "F1 is complete and was set aside"


def test_a_key_may_hold_its_arguments():
    reason = say("nerts_pile_{count}_not_{want}", player="Ana", count=12, want=13)

    assert reason.code == "nerts_pile_12_not_13"
    assert (reason.fact("count"), reason.fact("card")) == ("12", None)


def test_what_is_not_in_the_catalogue_cannot_be_said():
    with pytest.raises(ValueError, match="no such reason: 'sorry'"):
        Reason("sorry")

"""What is refused has a name, so that pages say why in the reader's language."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from asking_app import Asked
from desk_match import DeskMatch

from api.hub import Hub
from api.languages import CODES, language

MATCH = "/api/v1/matches/friday"
Ask = Callable[..., httpx.Response]


@pytest.fixture
def ask(played: DeskMatch) -> Iterator[Ask]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with Asked(hub) as asked:
        yield lambda what, **body: asked.post(f"{MATCH}/{what}", json=body)


def answered(ask: Ask, **more: object) -> httpx.Response:
    body = {"verdict_id": "v1", "decision": "stands", "reason": "I saw it", "reviewer": "Rita", **more}
    confirm = ask("resolutions", **body).json()["confirm"]
    return ask("resolutions", **body, confirm=confirm)


def code_of(answer: httpx.Response) -> str:
    assert answer.status_code == 409, answer.text
    code = answer.json()["code"]
    assert [c for c in CODES if f"refused.{code}" not in language(c).words] == []
    return str(code)


def test_a_second_appeal(ask: Ask):
    ask("appeals", verdict_id="v1", seat="Ben")

    assert code_of(ask("appeals", verdict_id="v1", seat="Ana")) == "under_appeal"


def test_a_second_answer_and_an_appeal_against_one(ask: Ask):
    answered(ask)

    again = ask("resolutions", verdict_id="v1", decision="overturned", ruling="TIE", kept=[0, 1], reason="x")
    assert code_of(again) == "answered"
    assert code_of(ask("appeals", verdict_id="v1", seat="Ana")) == "answered"


def test_an_answer_that_changes_nothing(ask: Ask):
    same = ask("resolutions", verdict_id="v1", decision="overturned", ruling="FIRST", kept=[0], reason="x")

    assert code_of(same) == "same"


def test_a_confirmation_of_what_would_change_otherwise(ask: Ask):
    body = {"verdict_id": "v1", "decision": "stands", "reason": "I saw it", "confirm": 16 * "0"}

    assert code_of(ask("resolutions", **body)) == "changed"


def test_what_is_taken_back_twice(ask: Ask):
    entry = answered(ask).json()["entry"]
    confirm = ask("corrections", kind="undo", entry=entry).json()["confirm"]
    ask("corrections", kind="undo", entry=entry, confirm=confirm)

    assert code_of(ask("corrections", kind="undo", entry=entry)) == "taken_back"


def test_an_appeal_that_was_answered(ask: Ask):
    appeal = ask("appeals", verdict_id="v1", seat="Ben").json()["review"]["entry"]
    answered(ask)

    assert code_of(ask("corrections", kind="undo", entry=appeal)) == "answered"


def test_a_verdict_that_fell(ask: Ask):
    confirm = ask("corrections", kind="owner", verdict_id="v2", seat="Ana").json()["confirm"]
    ask("corrections", kind="owner", verdict_id="v2", seat="Ana", confirm=confirm)

    assert code_of(ask("appeals", verdict_id="v2", seat="Ben")) in {"fell", "answered"}


def test_more_appeals_than_the_house_allows(tmp_path: Path):
    race = (
        "rules appeals=1\nF1: ... 4H\nland Ana 5H waste F1 983.3..1000\nland Ana 8C waste F1 4033.3..4050\n"
    )
    match = DeskMatch(None, race).play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    with Asked(hub) as asked:
        first, second = (
            asked.post(f"{MATCH}/appeals", json={"verdict_id": name, "seat": "Ana"}) for name in ("v1", "v2")
        )

    assert first.status_code == 201, first.text
    assert code_of(second) == "no_appeal_left"


def test_calls_before_and_after(tmp_path: Path):
    match = DeskMatch(tmp_path / "friday.jsonl")
    hub = Hub()
    hub.add(match.feed, match.desk)
    with Asked(hub) as asked:
        early = asked.post(f"{MATCH}/calls", json={"call": "nerts", "seat": "Ana"})
        match.play().finish()
        late = asked.post(f"{MATCH}/calls", json={"call": "nerts", "seat": "Ana"})

    assert [code_of(early), code_of(late)] == ["not_begun", "match_over"]


def test_a_match_that_is_only_shown(hub: Hub):
    with Asked(hub) as asked:
        assert code_of(asked.post(f"{MATCH}/calls", json={"call": "nerts", "seat": "Ana"})) == "only_shown"


def test_other_errors_have_no_name_and_say_themselves(hub: Hub):
    with Asked(hub) as asked:
        missing = asked.get("/api/v1/matches/saturday").json()

    assert missing["code"] == ""
    assert "saturday" in missing["detail"]

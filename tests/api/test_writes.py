"""What people write over the web: kept before it is answered, tried before it is entered, shown to all."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from desk_match import DeskMatch

from api.errors import CommandError
from api.hub import Hub
from api.server import serving
from referee.logs import read_log, verify
from referee.replay import first_difference, replay

MATCH = "/api/v1/matches/friday"


@pytest.fixture
def client(played: DeskMatch) -> Iterator[httpx.Client]:
    hub = Hub()
    hub.add(played.feed, played.desk)
    with serving(hub) as address, httpx.Client(base_url=address, timeout=30) as client:
        yield client


def post(client: httpx.Client, what: str, **body: object) -> httpx.Response:
    return client.post(f"{MATCH}/{what}", json=body)


def kinds(tmp_path: Path) -> list[str]:
    """The kinds of entries on disk, where all of it holds and replays alike."""
    lines = (tmp_path / "friday.jsonl").read_bytes().splitlines(keepends=True)
    log = read_log(lines)
    assert verify(lines).is_ok
    assert first_difference(log, replay(log)) is None
    return [entry.kind for entry in log.entries]


def in_short(changes: list[dict]) -> list[tuple[str | None, str | None]]:
    return [
        tuple(
            change[side] and f"{change[side]['verdict_id']} {change[side]['ruling']}".strip()
            for side in ("before", "after")
        )
        for change in changes
    ]


def totals(standings: dict) -> list[int]:
    return [player["total"] for player in standings["players"]]


def test_a_call_is_in_the_record_when_it_is_answered(client: httpx.Client, played: DeskMatch, tmp_path: Path):
    answer = post(client, "calls", call="nerts", seat="Ana")

    entry = answer.json()["entry"]
    assert answer.status_code == 201, answer.text
    assert kinds(tmp_path)[entry - 1] == "called"
    assert answer.json()["is_on_disk"] is True
    assert answer.json()["t_us"] == 20_000_000
    assert [(call["player"], call["call"], call["by"]) for call in client.get(f"{MATCH}/calls").json()] == [
        ("Ana", "nerts", "this computer")
    ]


def test_a_call_is_ruled_on_when_its_window_has_closed(client: httpx.Client, played: DeskMatch):
    post(client, "calls", call="nerts", seat="south")
    before = len(played.feed.verdicts)

    played.desk.advance(25_000_000)

    assert [verdict.rule for verdict in played.feed.verdicts[before:]] == ["N36"]


@pytest.mark.usefixtures("with_jokers")
def test_declarations_and_counts_are_told(client: httpx.Client, tmp_path: Path):
    declared = post(client, "declarations", seat="Ben", card="6S")
    counted = post(client, "counts", pile="south/reserve", count=3, by="Rita")
    backs = post(client, "counts", deck="north", count=9)

    assert [answer.status_code for answer in (declared, counted, backs)] == [201, 201, 201]
    assert kinds(tmp_path)[declared.json()["entry"] - 1] == "declared"
    assert [(c["pile"], c["seat"], c["count"], c["by"]) for c in client.get(f"{MATCH}/counts").json()] == [
        ("south/reserve", None, 3, "Rita"),
        (None, "north", 9, "this computer"),
    ]
    assert client.get(f"{MATCH}/declarations").json()[0]["card"] == "6S"


def test_a_correction_is_tried_before_it_is_entered(client: httpx.Client, tmp_path: Path):
    before = kinds(tmp_path)
    wanted = {"kind": "card", "verdict_id": "v3", "card": "7H"}

    tried = post(client, "corrections", **wanted)

    assert (tried.status_code, tried.json()["state"]) == (200, "preview")
    assert in_short(tried.json()["changes"]) == [("v3 ILLEGAL", "LEGAL")]
    assert (totals(tried.json()["score_before"]), totals(tried.json()["score_after"])) == ([1, 1], [2, 1])
    assert kinds(tmp_path) == before, "a try enters nothing"

    entered = post(client, "corrections", **wanted, confirm=tried.json()["confirm"])

    assert (entered.status_code, entered.json()["state"]) == (201, "entered")
    assert kinds(tmp_path)[len(before) :] == ["resolution", "verdict"]
    assert client.get(f"{MATCH}/score").json()["players"][0]["total"] == 2
    assert [v["standing"] for v in client.get(f"{MATCH}/verdicts").json()] == [
        "standing",
        "standing",
        "overturned",
        "standing",
    ]
    assert client.get(f"{MATCH}/verdicts").json()[2]["replaced_by"] == ["v4"]


def test_that_was_the_other_players(client: httpx.Client):
    wanted = {"kind": "owner", "verdict_id": "v2", "seat": "Ana"}
    confirm = post(client, "corrections", **wanted).json()["confirm"]

    entered = post(client, "corrections", **wanted, confirm=confirm)

    assert totals(entered.json()["score_after"]) == [2, 0]
    assert client.get(f"{MATCH}/corrections").json()[0]["review_id"] == "r1"


def test_a_correction_is_undone_by_its_entry(client: httpx.Client, tmp_path: Path):
    wanted = {"kind": "card", "verdict_id": "v3", "card": "7H"}
    confirm = post(client, "corrections", **wanted).json()["confirm"]
    entry = post(client, "corrections", **wanted, confirm=confirm).json()["entry"]
    undo = {"kind": "undo", "entry": entry, "reason": "it was the 8 after all"}
    confirm = post(client, "corrections", **undo).json()["confirm"]

    post(client, "corrections", **undo, confirm=confirm)

    assert client.get(f"{MATCH}/score").json()["players"][0]["total"] == 1
    assert kinds(tmp_path)[-1] == "revert"
    rows = {row["review_id"]: row for row in client.get(f"{MATCH}/corrections").json()}
    assert (rows["r1"]["is_taken_back"], rows["u1"]["undoes"]) == (True, entry)
    assert [v["standing"] for v in client.get(f"{MATCH}/verdicts").json()][2:] == ["standing", "overturned"]


def test_what_would_change_otherwise_by_now_is_not_entered(client: httpx.Client, tmp_path: Path):
    stale = post(client, "corrections", kind="undo", entry=2).json()["confirm"]
    owner = {"kind": "owner", "verdict_id": "v2", "seat": "Ana"}
    post(client, "corrections", **owner, confirm=post(client, "corrections", **owner).json()["confirm"])
    before = kinds(tmp_path)

    other_body = post(client, "corrections", kind="undo", entry=3, confirm=stale)
    made_up = post(client, "corrections", kind="undo", entry=3, confirm="0123456789abcdef")

    assert [other_body.status_code, made_up.status_code] == [409, 409]
    assert "try it again first" in made_up.json()["detail"]
    assert kinds(tmp_path) == before


def test_an_appeal_its_answer_and_what_is_shown(client: httpx.Client, tmp_path: Path):
    appealed = post(client, "appeals", verdict_id="v1", seat="Ben", grounds="me first")

    assert (appealed.status_code, appealed.json()["review"]["by"], appealed.json()["appeals_left"]) == (
        201,
        "Ben",
        2,
    )
    assert client.get(f"{MATCH}/appeals", params={"open": True}).json()[0]["verdict_id"] == "v1"
    assert client.get("/api/v1/tables").json()[0]["attention"]["appeals_open"] == 1
    waiting = client.get(f"{MATCH}/verdicts", params={"waiting": True}).json()
    assert [verdict["verdict_id"] for verdict in waiting] == ["v1"]

    answer = {
        "verdict_id": "v1",
        "decision": "overturned",
        "ruling": "FIRST",
        "kept": [1],
        "reason": "Ben's hand is there a frame before",
        "reviewer": "Rita",
    }
    confirm = post(client, "resolutions", **answer).json()["confirm"]
    published = post(client, "resolutions", **answer, confirm=confirm)

    assert published.status_code == 201, published.text
    assert client.get(f"{MATCH}/appeals", params={"open": True}).json() == []
    assert client.get(f"{MATCH}/appeals").json()[0]["answered_by"] == "r1"
    assert client.get(f"{MATCH}/verdicts").json()[0]["standing"] == "overturned"
    assert kinds(tmp_path)[-3:] == ["appeal", "resolution", "verdict"]


def test_a_verdict_that_stands(client: httpx.Client):
    answer = {"verdict_id": "v3", "decision": "stands", "reason": "clear as day", "reviewer": "Rita"}
    confirm = post(client, "resolutions", **answer).json()["confirm"]

    published = post(client, "resolutions", **answer, confirm=confirm)

    assert (published.status_code, published.json()["changes"]) == (201, [])
    assert client.get(f"{MATCH}/verdicts").json()[2]["standing"] == "confirmed"


def test_every_open_page_is_told_of_a_reversal(client: httpx.Client, played: DeskMatch):
    told_before = played.feed.snapshot().number
    wanted = {"kind": "card", "verdict_id": "v3", "card": "7H"}
    confirm = post(client, "corrections", **wanted).json()["confirm"]

    post(client, "corrections", **wanted, confirm=confirm)

    changes = played.feed.changes_after(told_before)
    assert [change.event for change in changes] == ["review", "verdict", "revision", "score"]
    revised = json.loads(changes[2].data)
    assert (revised["verdict_id"], revised["standing"], revised["replaced_by"]) == (
        "v3",
        "overturned",
        ["v4"],
    )


def test_a_match_that_is_over_takes_reviews_only(client: httpx.Client, played: DeskMatch, tmp_path: Path):
    played.finish()
    wanted = {"kind": "card", "verdict_id": "v3", "card": "7H"}

    called = post(client, "calls", call="nerts", seat="south")
    confirm = post(client, "corrections", **wanted).json()["confirm"]
    entered = post(client, "corrections", **wanted, confirm=confirm)

    assert (called.status_code, "the match is over" in called.json()["detail"]) == (409, True)
    assert entered.status_code == 201
    assert kinds(tmp_path)[-3:] == ["end", "resolution", "verdict"]


@pytest.mark.parametrize(
    ("what", "body", "status", "detail"),
    [
        pytest.param("calls", {"call": "uno"}, 422, "call: want 'ready', ", id="no such call"),
        pytest.param(
            "calls", {"call": "nerts", "seat": "Cy"}, 422, "nobody is called 'Cy'", id="a stranger calls"
        ),
        pytest.param(
            "calls", {"call": "nerts", "when": 5}, 422, "when: unknown (want it left out)", id="unknown key"
        ),
        pytest.param(
            "declarations", {"seat": "Ana", "card": "1H"}, 422, "card: want a card such as 9H", id="no card"
        ),
        pytest.param("counts", {"count": 3}, 422, "want a pile whose cards", id="a count of nothing"),
        pytest.param(
            "counts", {"pile": "south/sofa", "count": 3}, 422, "not a pile: 'south/sofa'", id="no pile"
        ),
        pytest.param(
            "counts",
            {"pile": "south/reserve", "count": 14},
            422,
            "count: 14 cards in south/reserve, where at most 13 can be",
            id="a Nerts pile does not grow",
        ),
        pytest.param(
            "counts",
            {"pile": "north/waste", "count": 53},
            422,
            "53 cards in north/waste, where at most 52 can be",
            id="more than a deck in a pile of one seat",
        ),
        pytest.param(
            "counts",
            {"pile": "table/foundation[0]", "count": 105},
            422,
            "where at most 104 can be",
            id="more than all decks in a shared pile",
        ),
        pytest.param(
            "counts",
            {"deck": "Ana", "count": 53},
            422,
            "53 cards with the back of Ana, where at most 52 can be",
            id="more backs than a deck has",
        ),
        pytest.param("counts", {"deck": "Ana", "count": -1}, 422, "count: ", id="fewer than none"),
        pytest.param("counts", {"deck": "Ana", "count": 2.5}, 422, "count: ", id="half a card"),
        pytest.param("counts", {"deck": "Ana", "count": "3"}, 422, "count: ", id="a text"),
        pytest.param("counts", {"deck": "Ana", "count": True}, 422, "count: ", id="yes"),
        pytest.param(
            "corrections",
            {"kind": "card", "verdict_id": "v9", "card": "7H"},
            409,
            "there is no verdict 'v9'",
            id="no verdict",
        ),
        pytest.param(
            "corrections",
            {"kind": "card", "verdict_id": "v3", "card": "8C"},
            409,
            "would be ruled just the same",
            id="it was the same card",
        ),
        pytest.param(
            "corrections", {"kind": "guess"}, 422, "want 'kind' to be 'card'", id="no such correction"
        ),
        pytest.param(
            "corrections", {"kind": "undo", "entry": 4}, 409, "entry 4 is no", id="a verdict is not undone"
        ),
        pytest.param(
            "resolutions",
            {"verdict_id": "v1", "decision": "overturned", "reason": "so"},
            422,
            "overturned wants a ruling",
            id="overturned by nothing",
        ),
        pytest.param(
            "resolutions",
            {"verdict_id": "v1", "decision": "stands", "reason": "  "},
            409,
            "reason: a person who answers says who and why",
            id="no reason",
        ),
        pytest.param(
            "resolutions",
            {"verdict_id": "v1", "decision": "stands", "reason": "\u200b \u3164\u2800\ufe0f"},
            409,
            "reason: a person who answers says who and why",
            id="a reason that nobody sees",
        ),
        pytest.param(
            "calls", {"call": "nerts", "seat": "\u2060"}, 422, "nobody is called ''", id="a seat nobody sees"
        ),
    ],
)
def test_what_cannot_be_is_a_problem_and_enters_nothing(
    client: httpx.Client, tmp_path: Path, what: str, body: dict, status: int, detail: str
):
    before = (tmp_path / "friday.jsonl").read_bytes()

    answer = post(client, what, **body)

    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert detail in answer.json()["detail"]
    assert (tmp_path / "friday.jsonl").read_bytes() == before


def test_a_match_that_is_only_shown_takes_nothing(hub: Hub):
    with serving(hub) as address:
        answer = httpx.post(f"{address}{MATCH}/calls", json={"call": "nerts"}, timeout=30)

    assert (answer.status_code, "only shown here" in answer.json()["detail"]) == (409, True)


def test_who_writes_a_name_that_nobody_sees_is_named_by_the_token(client: httpx.Client, tmp_path: Path):
    answer = post(client, "calls", call="nerts", seat="Ana", by="\u115f\u200d")

    lines = (tmp_path / "friday.jsonl").read_bytes().splitlines(keepends=True)
    assert json.loads(lines[answer.json()["entry"]])["payload"]["told_by"] == "this computer"


def test_what_the_record_does_not_take_is_not_acknowledged(
    client: httpx.Client, played: DeskMatch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    before = (tmp_path / "friday.jsonl").read_bytes()

    def full(_: str) -> None:
        raise CommandError("cannot go on with the record: the disk is full")

    monkeypatch.setattr(played.record, "append", full)
    answers = [post(client, "calls", call="nerts", seat="south") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [503, 503]
    assert "the disk is full" in answers[1].json()["detail"]
    assert client.get(f"{MATCH}/calls").json() == []
    assert (tmp_path / "friday.jsonl").read_bytes() == before

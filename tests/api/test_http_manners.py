"""What HTTP itself asks for: ranges, HEAD, tags, keys sent twice, bodies that nobody means."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking_app import Asked
from desk_match import DeskMatch
from numbered_films import write_film

from api.door import DoorPlan, plan_for
from api.errors import MisuseError
from api.evidence_shelf import EvidenceShelf
from api.hub import Hub
from api.problems import MEDIA_TYPE
from api.settings import Settings
from vision.evidence import write_clip
from vision.evidence.files import cut_from_file

MATCH = "/api/v1/matches/friday"
VIDEO = f"{MATCH}/clips/c1/video"
CALL = {"call": "nerts", "seat": "south"}


@pytest.fixture
def hub(played: DeskMatch, tmp_path: Path) -> Hub:
    """A match with one clip of two seconds."""
    film = write_film(tmp_path / "made.mp4", "libx264", {"g": "20"}, range(0, 100 * 1800, 1800))
    hub = Hub()
    hub.evidence = EvidenceShelf(tmp_path / "evidence")
    hub.add(played.feed, played.desk)
    index, row, packets = cut_from_file(film, "c1", start_us=0, end_us=1_900_000)
    write_clip(hub.evidence.new_match("friday").path, index, row, packets)
    return hub


@pytest.fixture
def asked(hub: Hub) -> Iterator[Asked]:
    with Asked(hub) as asked:
        yield asked


# --- ranges


@pytest.mark.parametrize(
    "told",
    [
        pytest.param("bytes=abc", id="no numbers"),
        pytest.param("bytes", id="no parts"),
        pytest.param("bytes=", id="empty"),
        pytest.param("bytes=-", id="neither end"),
        pytest.param("bytes=9-4", id="the end before the start"),
        pytest.param("lines=0-3", id="another unit"),
        pytest.param("bytes=0-3,x-9", id="half of it"),
        pytest.param("bytes=" + ",".join(f"{i}-{i}" for i in range(200)), id="very many"),
        pytest.param("bytes=" + 40 * "9" + "-", id="a long number"),
    ],
)
def test_a_range_that_cannot_be_meant_is_ignored(asked: Asked, told: str):
    whole = asked.get(VIDEO)

    answer = asked.get(VIDEO, headers={"Range": told})

    assert (answer.status_code, answer.content == whole.content) == (200, True)


@pytest.mark.parametrize("told", ["bytes=99999999-", "bytes=-0", "bytes=99999999-,88888888-99999999"])
def test_a_range_behind_the_end_is_told(asked: Asked, told: str):
    size = len(asked.get(VIDEO).content)

    answer = asked.get(VIDEO, headers={"Range": told})

    assert (answer.status_code, answer.headers["content-type"]) == (416, MEDIA_TYPE)
    assert answer.headers["content-range"] == f"bytes */{size}"
    assert str(size) in answer.json()["detail"]


@pytest.mark.parametrize(
    ("told", "first", "last"),
    [
        pytest.param("bytes=4-7", 4, 7, id="from the middle"),
        pytest.param("bytes=0-", 0, None, id="from the start"),
        pytest.param("bytes=-4", -4, None, id="the last four"),
        pytest.param("Bytes=4-99999999", 4, None, id="more than there is"),
        pytest.param("bytes=4-7,99999999-", 4, 7, id="what is there of it"),
    ],
)
def test_a_part_is_sent(asked: Asked, told: str, first: int, last: int | None):
    whole = asked.get(VIDEO).content

    answer = asked.get(VIDEO, headers={"Range": told})

    assert answer.status_code == 206
    assert answer.content == whole[first : None if last is None else last + 1]


# --- HEAD and tags


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(f"{MATCH}/score", id="a state"),
        pytest.param(VIDEO, id="a file"),
        pytest.param(f"{MATCH}/stream", id="a stream"),
        pytest.param("/live/kitchen", id="a page"),
        pytest.param("/healthz", id="health"),
        pytest.param(f"{MATCH}/verdicts/v99/clip", id="what is not there"),
    ],
)
def test_head_is_get_without_the_content(asked: Asked, path: str):
    head = asked.ask("HEAD", path)

    if not path.endswith("/stream"):
        whole = asked.get(path)
        assert (head.status_code, head.headers.get("etag")) == (whole.status_code, whole.headers.get("etag"))
        assert head.headers["content-length"] == str(len(whole.content))
    assert head.content == b""
    assert head.headers["x-content-type-options"] == "nosniff"


TAGGED = (
    "/api/v1/tables",
    "/api/v1/tables/kitchen",
    MATCH,
    f"{MATCH}/score",
    f"{MATCH}/standings",
    f"{MATCH}/verdicts",
    f"{MATCH}/clips/c1",
    f"{MATCH}/clips/c1/index",
    f"{MATCH}/clips/c1/frames/0.jpg",
)


@pytest.mark.parametrize("path", TAGGED)
def test_what_is_held_already_is_not_sent_again(asked: Asked, path: str):
    tag = asked.get(path).headers["etag"]

    for told in (tag, f'"other", W/{tag}', "*"):
        again = asked.get(path, headers={"If-None-Match": told})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), told
    assert asked.get(path, headers={"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize("path", TAGGED[:6])
def test_a_state_that_changed_has_another_tag(asked: Asked, path: str):
    tag = asked.get(path).headers["etag"]
    asked.post(f"{MATCH}/appeals", json={"verdict_id": "v1", "seat": "Ben"})

    again = asked.get(path, headers={"If-None-Match": tag})

    assert (again.status_code, again.headers["etag"] != tag) == (200, True)


# --- keys


def test_a_key_with_another_body_is_refused(asked: Asked):
    key = {"Idempotency-Key": "k1"}
    first = asked.post(f"{MATCH}/calls", json=CALL, headers=key)
    again = asked.post(f"{MATCH}/calls", json=CALL, headers=key)

    other = asked.post(f"{MATCH}/calls", json={**CALL, "seat": "north"}, headers=key)
    elsewhere = asked.post(f"{MATCH}/counts", json={"pile": "south/reserve", "count": 3}, headers=key)

    assert (first.json(), again.headers["idempotent-replayed"]) == (again.json(), "true")
    assert (other.status_code, other.headers["content-type"]) == (422, MEDIA_TYPE)
    assert "used for another request" in other.json()["detail"]
    assert elsewhere.status_code == 201, "a key belongs to its address"
    assert len(asked.get(f"{MATCH}/calls").json()) == 1


# --- bodies


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        pytest.param(b"[" * 30_000 + b"]" * 30_000, "not nested so deep", id="nested lists"),
        pytest.param(b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "not nested so deep", id="nested objects"),
        pytest.param(b'{"call": "\xff\xfe"}', "in UTF-8", id="no UTF-8"),
        pytest.param(b'{"call": ' + b"9" * 20_000 + b"}", "numbers of a usual length", id="a long number"),
        pytest.param(b'{"call": ', "", id="cut off"),
        pytest.param(b"", "", id="nothing"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(asked: Asked, body: bytes, wanted: str):
    for what in ("calls", "corrections", "resolutions"):
        answer = asked.post(f"{MATCH}/{what}", content=body, headers={"Content-Type": "application/json"})

        assert (answer.status_code, answer.headers["content-type"]) == (422, MEDIA_TYPE), answer.text
        assert wanted in answer.json()["detail"]


# --- origins


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        pytest.param("http://127.0.0.1:8765", 201, id="our own page"),
        pytest.param("HTTP://127.0.0.1:8765", 201, id="in capitals"),
        pytest.param("https://127.0.0.1:8765", 403, id="another scheme"),
        pytest.param("ftp://127.0.0.1:8765", 403, id="no web page"),
        pytest.param("http://127.0.0.1", 403, id="the usual port"),
        pytest.param("http://127.0.0.1:8765@evil.example", 403, id="a name before another"),
        pytest.param("http://127.0.0.1:87650000", 403, id="no port"),
        pytest.param("https://table.example", 201, id="the proxy that was set"),
        pytest.param("http://table.example", 403, id="the proxy by another scheme"),
    ],
)
def test_scheme_host_and_port_must_be_ours(hub: Hub, origin: str, status: int):
    plan = plan_for("127.0.0.1", Settings(origins="https://table.example:443, https://b.example"), "box")

    with Asked(hub, plan=plan) as asked:
        answer = asked.post(f"{MATCH}/calls", json=CALL, headers={"Origin": origin})

    assert answer.status_code == status


def test_an_origin_that_is_none_is_told():
    with pytest.raises(MisuseError, match="TOUCHJUDGE_ORIGINS: want addresses such as"):
        plan_for("127.0.0.1", Settings(origins="table.example"), "box")


def test_the_usual_port_need_not_be_said(hub: Hub):
    with Asked(hub, plan=DoorPlan()) as asked:
        told = {"Origin": "http://localhost", "Host": "localhost:80"}

        assert asked.post(f"{MATCH}/calls", json=CALL, headers=told).status_code == 201


# --- webhooks


def test_deliveries_of_no_webhook_are_not_there(asked: Asked):
    answer = asked.get("/api/v1/webhooks/0123456789ab/deliveries")

    assert (answer.status_code, answer.headers["content-type"]) == (404, MEDIA_TYPE)


# --- what may be asked at an address


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        pytest.param(f"{MATCH}/calls", "GET, HEAD, POST", id="read and written"),
        pytest.param("/api/v1/tournament", "DELETE, GET, HEAD, POST", id="three ways"),
        pytest.param("/api/v1/session", "DELETE, GET, HEAD, POST", id="a session"),
        pytest.param(f"{MATCH}/score", "GET, HEAD", id="read only"),
        pytest.param("/api/v1/tokens/0123456789ab", "DELETE", id="written only"),
        pytest.param("/live/kitchen", "GET, HEAD", id="a page"),
        pytest.param("/assets/base.css", "GET, HEAD", id="a part of a page"),
    ],
)
def test_a_refused_way_of_asking_is_told_all_that_there_are(asked: Asked, path: str, allowed: str):
    for method in {"PUT", "PATCH", "OPTIONS", "DELETE"} - set(allowed.split(", ")):
        answer = asked.ask(method, path)

        assert (answer.status_code, answer.headers["allow"]) == (405, allowed), method


# --- words


@pytest.mark.parametrize(
    ("what", "body", "said"),
    [
        pytest.param(
            "calls", b'{"call": }', "body: want JSON (Expecting value) at character 9", id="no JSON"
        ),
        pytest.param("calls", b"[]", "body: want an object", id="a list"),
        pytest.param("counts", b'{"pile": 3, "count": "3"}', "body.pile: want text", id="no text"),
        pytest.param(
            "counts", b'{"pile": 3, "count": "3"}', "body.count: want a whole number", id="no number"
        ),
        pytest.param("counts", b'{"count": 433}', "body.count: want at most 432", id="too many"),
        pytest.param("counts", b"{}", "body.count: missing", id="missing"),
        pytest.param(
            "declarations",
            b'{"seat": "", "card": "9H"}',
            "body.seat: want at least 1 character",
            id="too short",
        ),
        pytest.param(
            "corrections", b'{"kind": "x"}', "body: want 'kind' to be 'card', 'owner'", id="no such"
        ),
        pytest.param("corrections", b"{}", "body: want an object with 'kind'", id="of no kind"),
        pytest.param(
            "resolutions",
            b'{"verdict_id": "v1", "decision": "overturned", "reason": "x"}',
            "body: decision: overturned wants a ruling, and stands wants none",
            id="a rule of ours",
        ),
        pytest.param(
            "resolutions",
            b'{"verdict_id": "1", "decision": "falls", "reason": "x"}',
            "body.decision: want 'stands' or 'overturned'",
            id="no such word",
        ),
    ],
)
def test_a_refusal_is_in_our_words(asked: Asked, what: str, body: bytes, said: str):
    answer = asked.post(f"{MATCH}/{what}", content=body, headers={"Content-Type": "application/json"})

    detail = answer.json()["detail"]
    assert (answer.status_code, said in detail) == (422, True), detail
    assert not any(word in detail for word in ("should", "Input", "String", "Value error", "decode error"))


@pytest.mark.parametrize("value", [False, True, "0", 0.0, "", None, [0]])
@pytest.mark.parametrize(
    ("what", "body", "key"),
    [
        pytest.param(
            "corrections", {"kind": "owner", "verdict_id": "v3", "seat": "south"}, "play", id="owner"
        ),
        pytest.param("corrections", {"kind": "card", "verdict_id": "v3", "card": "7H"}, "play", id="card"),
        pytest.param("corrections", {"kind": "undo"}, "entry", id="entry"),
        pytest.param("corrections", {"kind": "count", "pile": "south/reserve"}, "count", id="late count"),
        pytest.param("counts", {"pile": "south/reserve"}, "count", id="count"),
    ],
)
def test_only_a_number_is_a_number(asked: Asked, what: str, body: dict, key: str, value: object):
    answer = asked.post(f"{MATCH}/{what}", json={**body, key: value})

    assert (answer.status_code, f"{key}: want a whole number" in answer.json()["detail"]) == (422, True)


@pytest.mark.parametrize("kept", [[False], ["0"], [0.0]])
def test_only_numbers_are_kept_plays(asked: Asked, kept: list[object]):
    body = {"verdict_id": "v1", "decision": "overturned", "ruling": "FIRST", "reason": "x"}

    answer = asked.post(f"{MATCH}/resolutions", json={**body, "kept": kept})

    assert (answer.status_code, "kept.0: want a whole number" in answer.json()["detail"]) == (422, True)

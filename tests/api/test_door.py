"""Who comes in: tokens and what they permit, hosts, origins, paces, sizes; and what is written down."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from asking_app import BEYOND, Asked
from desk_match import DeskMatch

from api.access import PERMITS, Permission, Scope
from api.door import COOKIE, Buckets, DoorPlan, plan_for
from api.hub import Hub
from api.logs import LogFile
from api.settings import Settings

MATCH = "/api/v1/matches/friday"
CALL = {"call": "nerts", "seat": "south"}
GUESS = "tj_guess"


@pytest.fixture
def shown(played: DeskMatch) -> Hub:
    hub = Hub()
    hub.add(played.feed, played.desk)
    return hub


@pytest.fixture
def open_to_all(shown: Hub) -> Iterator[Asked]:
    """A server that answers more than this machine."""
    with Asked(shown, plan=BEYOND) as asked:
        yield asked


@pytest.fixture
def here(shown: Hub) -> Iterator[Asked]:
    """A server that answers this machine only."""
    with Asked(shown) as asked:
        yield asked


def token(asked: Asked, *scopes: Scope, delay_s: float = 0.0) -> str:
    return asked.store.tokens.make("+".join(scopes) or "x", scopes, delay_s=delay_s)[0]


# --- every route, with every token

WANTS: dict[tuple[str, str], Permission | None] = {
    ("GET", "/healthz"): None,
    ("GET", "/readyz"): None,
    ("GET", "/api/v1/session"): None,
    ("POST", "/api/v1/session"): None,
    ("DELETE", "/api/v1/session"): None,
    ("GET", "/metrics"): Permission.INSPECT,
    ("GET", "/api/v1/tokens"): Permission.ADMIN,
    ("POST", "/api/v1/tokens"): Permission.ADMIN,
    ("DELETE", "/api/v1/tokens/{token_id}"): Permission.ADMIN,
    ("POST", "/api/v1/tournament"): Permission.ADMIN,
    ("DELETE", "/api/v1/tournament"): Permission.ADMIN,
    ("GET", "/api/v1/audit"): Permission.ADMIN,
    ("GET", "/api/v1/matches/{match_id}/verdicts/{verdict_id}"): Permission.INSPECT,
    ("GET", "/api/v1/matches/{match_id}/verdicts/{verdict_id}/case.zip"): Permission.INSPECT,
    ("GET", "/api/v1/matches/{match_id}/entries"): Permission.INSPECT,
    ("GET", "/api/v1/matches/{match_id}/record.jsonl"): Permission.INSPECT,
    ("GET", "/api/v1/matches/{match_id}/export.zip"): Permission.INSPECT,
    ("GET", "/api/v1/matches/{match_id}/clips/{clip_id}/frames/{t_us}.jpg"): Permission.INSPECT,
    ("POST", "/api/v1/matches/{match_id}/calls"): Permission.CALL,
    ("POST", "/api/v1/matches/{match_id}/declarations"): Permission.CALL,
    ("POST", "/api/v1/matches/{match_id}/counts"): Permission.CALL,
    ("POST", "/api/v1/matches/{match_id}/appeals"): Permission.APPEAL,
    ("POST", "/api/v1/matches/{match_id}/corrections"): Permission.CORRECT,
    ("POST", "/api/v1/matches/{match_id}/resolutions"): Permission.RESOLVE,
}
"""What a route wants, where that is not to watch."""


def wanted(method: str, path: str) -> Permission | None:
    if path.startswith("/api/v1/webhooks"):
        return Permission.ADMIN
    return WANTS.get((method, path), Permission.WATCH)


def routes(asked: Asked) -> list[tuple[str, str]]:
    return [
        (method.upper(), path)
        for path, operations in asked.app.openapi()["paths"].items()
        for method in operations
        if not path.endswith("/stream")
    ]


def filled(path: str) -> str:
    known = {"match_id": "friday", "verdict_id": "v1", "table": "kitchen", "token_id": "0" * 12}
    for name, value in known.items():
        path = path.replace(f"{{{name}}}", value)
    return path.replace("{clip_id}", "c1").replace("{t_us}", "1").replace("{webhook_id}", "0" * 12)


def test_every_route_refuses_a_missing_a_wrong_and_an_under_scoped_token(open_to_all: Asked):
    tokens = {scope: token(open_to_all, scope) for scope in Scope}
    found = routes(open_to_all)
    assert set(WANTS) <= set(found), set(WANTS) - set(found)

    for method, path in found:
        wants = wanted(method, path)
        if wants is None:
            continue
        address = filled(path)
        missing = open_to_all.ask(method, address)
        wrong = open_to_all.ask(method, address, token=tokens[Scope.ADMIN][:-1] + "?")
        open_to_all.app.middleware_stack = None  # a new door, which has not counted the wrong tokens
        assert (missing.status_code, wrong.status_code) == (401, 401), (method, path)
        assert missing.headers["www-authenticate"].startswith("Bearer"), (method, path)
        for scope, text in tokens.items():
            answer = open_to_all.ask(method, address, token=text)
            may = wants in PERMITS[scope]
            assert (answer.status_code == 403) is not may, (method, path, scope, answer.text)
            assert answer.status_code != 401, (method, path, scope, answer.text)


def test_the_stream_wants_a_token_too(open_to_all: Asked):
    assert open_to_all.get(f"{MATCH}/stream").status_code == 401


def test_pages_come_without_a_token_and_hold_nothing_of_a_match(open_to_all: Asked):
    page = open_to_all.get("/live/kitchen")

    assert (page.status_code, "Ana" in page.text) == (200, False)


def test_this_machine_needs_no_token(here: Asked):
    assert here.post(f"{MATCH}/calls", json=CALL).status_code == 201
    assert here.get("/api/v1/session").json()["name"] == "this computer"


def test_a_token_that_is_not_known_is_told_from_none(open_to_all: Asked):
    asked = [open_to_all.get(f"{MATCH}/score", token=text) for text in (None, GUESS)]
    sessions = [open_to_all.get("/api/v1/session", token=text).json() for text in (None, GUESS)]

    assert [answer.json()["code"] for answer in asked] == ["no_token", "unknown_token"]
    assert [session["code"] for session in sessions] == ["no_token", "unknown_token"]


def test_a_wrong_token_is_refused_on_this_machine_too(here: Asked):
    assert here.get(f"{MATCH}/score", token=GUESS).status_code == 401


def test_wrong_tokens_do_not_lock_out_the_right_one_beside_them(open_to_all: Asked):
    right = token(open_to_all, Scope.OVERLAY)

    refused = {open_to_all.get(f"{MATCH}/score", token=f"{GUESS}{i}").status_code for i in range(40)}

    assert refused == {401, 429}
    assert open_to_all.get(f"{MATCH}/score", token=right).status_code == 200


# --- tokens over the web


def test_tokens_are_made_and_revoked_over_the_web(open_to_all: Asked):
    admin = token(open_to_all, Scope.ADMIN)
    made = open_to_all.post("/api/v1/tokens", token=admin, json={"name": "Rita", "scopes": ["reviewer"]})
    text, token_id = made.json()["token"], made.json()["made"]["token_id"]

    assert made.status_code == 201
    assert open_to_all.get(f"{MATCH}/entries", token=text).status_code == 200
    listed = open_to_all.get("/api/v1/tokens", token=admin)
    assert text.rpartition("_")[2] not in listed.text
    assert open_to_all.ask("DELETE", f"/api/v1/tokens/{token_id}", token=admin).status_code == 204
    assert open_to_all.ask("DELETE", f"/api/v1/tokens/{token_id}", token=admin).status_code == 404
    open_to_all.app.middleware_stack = None  # as after a second: known tokens are looked up again
    assert open_to_all.get(f"{MATCH}/entries", token=text).status_code == 401


def test_a_browser_remembers_a_token_out_of_reach_of_scripts(open_to_all: Asked):
    text = token(open_to_all, Scope.OPERATOR)

    given = open_to_all.post("/api/v1/session", json={"token": text})
    cookie = given.headers["set-cookie"]
    later = open_to_all.get("/api/v1/session", headers={"Cookie": cookie.partition(";")[0]})

    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert later.json()["permits"] == ["watch", "inspect", "call", "appeal", "correct"]
    assert open_to_all.post("/api/v1/session", json={"token": "tj_no"}).status_code == 401
    assert open_to_all.ask("DELETE", "/api/v1/session").status_code == 204


def test_only_a_token_that_watches_may_stand_in_an_address(open_to_all: Asked):
    overlay, operator = token(open_to_all, Scope.OVERLAY), token(open_to_all, Scope.OPERATOR)

    assert open_to_all.get(f"{MATCH}/score?token={overlay}").status_code == 200
    refused = open_to_all.get(f"{MATCH}/score?token={operator}")
    assert (refused.status_code, "Authorization header" in refused.json()["detail"]) == (401, True)


def test_nobody_guesses_tokens_for_long(open_to_all: Asked):
    answers = [open_to_all.get(f"{MATCH}/score", token=GUESS) for _ in range(12)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) >= 1


def test_nobody_guesses_tokens_for_long_by_way_of_a_browser_either(open_to_all: Asked):
    answers = [open_to_all.post("/api/v1/session", json={"token": GUESS}) for _ in range(12)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2


def locked_out(asked: Asked) -> None:
    """Wrong tokens came from this address until it was told to wait."""
    while asked.get(f"{MATCH}/score", token=GUESS).status_code != 429:
        pass


def test_a_right_token_signs_in_beside_wrong_ones_of_the_same_address(open_to_all: Asked):
    right = token(open_to_all, Scope.OPERATOR)
    locked_out(open_to_all)

    wrong = open_to_all.post("/api/v1/session", json={"token": GUESS})
    given = open_to_all.post("/api/v1/session", json={"token": right})

    assert (wrong.status_code, given.status_code, given.json()["is_known"]) == (429, 200, True)
    assert open_to_all.get("/api/v1/session").status_code == 200


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_wrong_sign_in_is_counted_however_it_is_written(open_to_all: Asked, encoding: str):
    body = json.dumps({"token": GUESS}).encode(encoding)
    headers = {"Content-Type": "application/json"}

    answers = [open_to_all.post("/api/v1/session", content=body, headers=headers) for _ in range(11)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429]


def test_a_browser_with_a_token_that_was_revoked_signs_in_anew_and_can_forget_it(open_to_all: Asked):
    right, stale = token(open_to_all, Scope.OPERATOR), {"Cookie": f"{COOKIE}={GUESS}"}
    locked_out(open_to_all)

    given = open_to_all.post("/api/v1/session", json={"token": right}, headers=stale)
    forgotten = open_to_all.ask("DELETE", "/api/v1/session", headers=stale)

    assert (given.status_code, forgotten.status_code) == (200, 204)


def test_a_right_token_in_an_address_comes_in_beside_a_stale_cookie(open_to_all: Asked):
    overlay, stale = token(open_to_all, Scope.OVERLAY), {"Cookie": f"{COOKIE}={GUESS}"}

    answers = {
        open_to_all.get(f"{MATCH}/score?token={overlay}", headers=stale).status_code for _ in range(15)
    }

    assert answers == {200}


def test_signing_in_does_not_wait_for_those_who_show_no_token(open_to_all: Asked):
    right = token(open_to_all, Scope.OPERATOR)
    while open_to_all.get(f"{MATCH}/score").status_code != 429:
        pass

    assert open_to_all.post("/api/v1/session", json={"token": right}).status_code == 200


def test_a_sign_in_is_written_down_by_whose_token_it_was(open_to_all: Asked):
    right = token(open_to_all, Scope.OPERATOR)

    open_to_all.post("/api/v1/session", json={"token": right}, headers={"Idempotency-Key": "k"})
    again = open_to_all.post("/api/v1/session", json={"token": right}, headers={"Idempotency-Key": "k"})

    assert "set-cookie" in again.headers
    assert [line.who for line in open_to_all.store.audit.newest(9)] == ["operator", "operator"]


# --- delay


def test_a_late_viewer_sees_the_match_late_whatever_it_asks_for(open_to_all: Asked, played: DeskMatch):
    late = token(open_to_all, Scope.OVERLAY, delay_s=30)

    for path in ("score", "score?delay_s=0", "verdicts", "plays", "calls", "rounds", "standings"):
        prompt = open_to_all.get(f"{MATCH}/{path}", token=token(open_to_all, Scope.OVERLAY))
        delayed = open_to_all.get(f"{MATCH}/{path}", token=late)
        assert (prompt.status_code, delayed.status_code) == (200, 200)
        if path != "calls":
            assert delayed.json() != prompt.json(), path
    assert open_to_all.get(f"{MATCH}/score", token=late).json()["state"] == "waiting"
    assert open_to_all.get(f"{MATCH}/verdicts", token=late).json() == []
    assert open_to_all.get("/api/v1/tables", token=late).json()[0]["attention"]["undecided"] == 0


def test_the_class_of_viewers_may_be_late_as_a_whole(shown: Hub):
    plan = DoorPlan(wants_tokens=True, hosts=None, settings=Settings(overlay_delay_s=20))
    with Asked(shown, plan=plan) as asked:
        late = asked.get(f"{MATCH}/verdicts", token=token(asked, Scope.OVERLAY))
        prompt = asked.get(f"{MATCH}/verdicts", token=token(asked, Scope.OPERATOR))

    assert (late.json(), len(prompt.json())) == ([], 3)


# --- hosts and origins


@pytest.mark.parametrize(
    ("host", "status"),
    [
        pytest.param("127.0.0.1:8765", 200, id="this machine"),
        pytest.param("localhost", 200, id="by its name"),
        pytest.param("[::1]:8765", 200, id="IPv6"),
        pytest.param("evil.example", 421, id="a name that was pointed here"),
        pytest.param("evil.example:8765", 421, id="with the port"),
        pytest.param("127.0.0.1.evil.example", 421, id="a name that looks like it"),
        pytest.param("192.168.1.7", 421, id="another address"),
        pytest.param("", 421, id="none"),
    ],
)
def test_a_name_that_was_pointed_at_this_machine_gets_nothing(here: Asked, host: str, status: int):
    answer = here.get(f"{MATCH}/score", headers={"Host": host})

    assert answer.status_code == status
    assert ("Ana" in answer.text) is (status == 200)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        pytest.param("192.168.1.7:8765", 401, id="an address in numbers"),
        pytest.param("table.local", 401, id="its own name"),
        pytest.param("evil.example", 421, id="another name"),
    ],
)
def test_beyond_this_machine_too(open_to_all: Asked, host: str, status: int):
    assert open_to_all.get(f"{MATCH}/score", headers={"Host": host}).status_code == status


def test_which_addresses_are_this_machine_only():
    assert [plan_for(host, Settings(), "box").wants_tokens for host in ("127.0.0.1", "::1", "localhost")] == [
        False,
        False,
        False,
    ]
    assert [plan_for(host, Settings(), "box").wants_tokens for host in ("0.0.0.0", "::", "10.0.0.1")] == [  # noqa: S104
        True,
        True,
        True,
    ]
    assert "club.example" in plan_for("0.0.0.0", Settings(hosts="club.example, x"), "box").names  # noqa: S104


@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({"Origin": "https://evil.example"}, id="another server"),
        pytest.param({"Origin": "null"}, id="a sandbox"),
        pytest.param({"Origin": "http://127.0.0.1:9999"}, id="another port"),
        pytest.param({"Sec-Fetch-Site": "cross-site"}, id="as the browser says"),
    ],
)
def test_a_page_of_another_server_writes_nothing(here: Asked, headers: dict[str, str]):
    answer = here.post(f"{MATCH}/calls", json=CALL, headers=headers)

    assert (answer.status_code, here.get(f"{MATCH}/calls").json()) == (403, [])


def test_our_own_page_writes(here: Asked):
    own = {"Origin": "http://127.0.0.1:8765", "Sec-Fetch-Site": "same-origin"}

    assert here.post(f"{MATCH}/calls", json=CALL, headers=own).status_code == 201


def test_a_form_is_no_json(here: Asked):
    text = here.post(f"{MATCH}/calls", content='{"call":"nerts"}', headers={"Content-Type": "text/plain"})

    assert text.status_code == 422


# --- sizes, paces, headers


@pytest.mark.parametrize("chunked", [False, True])
def test_a_huge_body_is_not_read(here: Asked, *, chunked: bool):
    async def chunks():
        for _ in range(70):
            yield b"x" * 1024

    content = chunks() if chunked else b"x" * (70 << 10)

    answer = here.post(f"{MATCH}/calls", content=content, headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")


@pytest.mark.parametrize("depth", [50, 20_000])
def test_a_body_that_nests_without_end_is_one_error(here: Asked, depth: int):
    answer = here.post(f"{MATCH}/calls", content="[" * depth, headers={"Content-Type": "application/json"})

    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_token_comes_so_often_and_no_more(shown: Hub):
    plan = DoorPlan(wants_tokens=True, hosts=None, settings=Settings(requests_per_s=0.001, burst=3))
    with Asked(shown, plan=plan) as asked:
        one, other = token(asked, Scope.OVERLAY), asked.store.tokens.make("y", [Scope.OVERLAY])[0]
        statuses = [asked.get(f"{MATCH}/score", token=one).status_code for _ in range(5)]
        others = asked.get(f"{MATCH}/score", token=other).status_code

    assert (statuses, others) == ([200, 200, 200, 429, 429], 200)


def test_buckets_fill_again():
    now_s = [0.0]
    buckets = Buckets(2.0, 2, lambda: now_s[0])

    waits = [buckets.wait_s("x") for _ in range(3)]
    now_s[0] = 0.5
    again = [buckets.wait_s("x") for _ in range(2)]

    assert (waits, again) == ([0.0, 0.0, 0.5], [0.0, 0.5])


@pytest.mark.parametrize("path", ["/", "/healthz", f"{MATCH}/score", "/nowhere", "/assets/nothing.js"])
def test_every_answer_makes_a_browser_careful(here: Asked, path: str):
    headers = here.get(path).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../app.py",
        "/assets/%2e%2e/app.py",
        "/assets/..%2f..%2fpyproject.toml",
        "/api/v1/matches/..%2f..%2fetc%2fpasswd/record.jsonl",
        "/api/v1/matches/%2e%2e/score",
        "/words/..%2f..%2fen.json",
        "/live/%00",
    ],
)
def test_no_path_of_a_request_leads_to_a_file(here: Asked, path: str):
    answer = here.get(path)

    assert answer.status_code in {200, 404, 422}
    assert "[project]" not in answer.text
    assert "create_app" not in answer.text


# --- the same request twice, and the audit


def test_a_request_sent_twice_is_entered_once(here: Asked, played: DeskMatch, tmp_path: Path):
    key = {"Idempotency-Key": "press-1"}
    first = here.post(f"{MATCH}/calls", json=CALL, headers=key)
    size = (tmp_path / "friday.jsonl").stat().st_size

    second = here.post(f"{MATCH}/calls", json=CALL, headers=key)

    assert (first.status_code, second.status_code, second.json()) == (201, 201, first.json())
    assert second.headers["idempotent-replayed"] == "true"
    assert (tmp_path / "friday.jsonl").stat().st_size == size
    other = here.post(f"{MATCH}/calls", json={"call": "stuck"}, headers=key)
    assert (other.status_code, "used for another request" in other.json()["detail"]) == (422, True)


def test_a_request_that_entered_nothing_may_be_sent_again(here: Asked, tmp_path: Path):
    key = {"Idempotency-Key": "press-2"}
    wrong = {"verdict_id": "v9", "seat": "Ben"}
    assert here.post(f"{MATCH}/appeals", json=wrong, headers=key).status_code == 409

    again = here.post(f"{MATCH}/appeals", json={"verdict_id": "v1", "seat": "Ben"}, headers=key)

    assert again.status_code == 201


def test_a_key_that_is_too_long(here: Asked):
    answer = here.post(f"{MATCH}/calls", json=CALL, headers={"Idempotency-Key": "k" * 201})

    assert answer.status_code == 422


def test_the_log_is_one_object_a_line(here: Asked, tmp_path: Path):
    log = LogFile(tmp_path / "logs" / "touchjudge.log")
    try:
        here.post(f"{MATCH}/calls", json=CALL)
    finally:
        log.close()

    (line,) = (json.loads(line) for line in (tmp_path / "logs" / "touchjudge.log").read_text().splitlines())
    assert (line["event"], line["level"], line["who"], line["status"]) == (
        "write",
        "info",
        "this computer",
        201,
    )
    assert line["timestamp"].endswith("Z")


def test_every_request_to_change_something_is_written_down(open_to_all: Asked):
    admin = token(open_to_all, Scope.ADMIN)
    open_to_all.post(f"{MATCH}/calls", json=CALL)
    open_to_all.post(f"{MATCH}/calls", json=CALL, token=token(open_to_all, Scope.OVERLAY))
    open_to_all.post(f"{MATCH}/calls", json=CALL, token=admin)
    open_to_all.post(f"{MATCH}/calls", content=b"x" * (70 << 10), token=admin)

    lines = open_to_all.get("/api/v1/audit", token=admin).json()

    assert [(line["who"], line["status"]) for line in lines] == [
        ("nobody known", 413),
        ("admin", 201),
        ("overlay", 403),
        ("nobody known", 401),
    ]
    assert lines[1]["path"] == f"{MATCH}/calls"
    assert lines[1]["client"] == "10.0.0.7"
    assert len({line["request_digest"] for line in lines[1:]}) == 1


def test_what_a_token_does_not_permit_is_told_in_words(open_to_all: Asked):
    answer = open_to_all.ask("GET", "/api/v1/tokens", token=token(open_to_all, Scope.OVERLAY))

    assert answer.json()["detail"] == "this token (overlay) does not let you run the server"

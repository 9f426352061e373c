"""``touchjudge token`` and the servers that ask for what it makes; records that are found again."""

import json
from pathlib import Path

import httpx
import pytest
from desk_match import DeskMatch
from started_program import address_told, started

from api import cli
from api.commands.token import app
from api.feed import MatchFeed
from api.hub import Hub
from api.server import serving
from api.settings import Settings, load_settings
from api.store.shelf import open_store

MATCH = "/api/v1/matches/friday"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = cli.run(["token", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_a_token_is_made_shown_once_listed_and_revoked(capsys):
    status, out, err = run(capsys, "new", "OBS in the hall", "--scope", "overlay", "--delay", "20")
    token_id = out.split("_")[1]

    assert (status, out.count("\n"), err.startswith(f"token {token_id} for OBS")) == (0, 1, True)
    _, listed, _ = run(capsys, "list", "--json")
    assert json.loads(listed)["delay_s"] == 20
    assert out.strip().rpartition("_")[2] not in listed
    assert run(capsys, "revoke", token_id)[0] == 0
    status, _, err = run(capsys, "revoke", token_id)
    assert (status, err) == (
        1,
        f"touchjudge: no token '{token_id}' that holds (see 'touchjudge token list')\n",
    )
    assert "revoked" in run(capsys, "list")[1]
    written = open_store(load_settings())
    assert [line.path for line in written.audit.newest(5)] == [
        f"token revoke {token_id}",
        f"token new {token_id}",
    ]
    written.close()


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        pytest.param(["new", "Cy"], "Missing option '--scope'", id="no scope"),
        pytest.param(["new", "Cy", "--scope", "king"], "'king' is not one of", id="no such scope"),
        pytest.param(["new", " ", "--scope", "admin"], "name: want 1 to 100", id="no name"),
        pytest.param(
            ["new", "Cy", "--scope", "admin", "--delay", "5"], "nothing but watch", id="a late admin"
        ),
    ],
)
def test_misuse_is_one_line(capsys, arguments: list[str], wanted: str):
    status, out, err = run(capsys, *arguments)

    assert (status, out, err.count("\n"), wanted in err) == (2, "", 1, True), err


def test_a_home_that_cannot_be_is_one_line(capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("TOUCHJUDGE_HOME", str(tmp_path / "file"))

    status, _, err = run(capsys, "list")

    assert (status, err.count("\n"), "cannot open the store" in err) == (1, 1, True)


def test_a_setting_that_does_not_hold_is_one_line(capsys, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TOUCHJUDGE_OVERLAY_DELAY_S", "soon")

    status, _, err = run(capsys, "list")

    assert (status, err.count("\n")) == (2, 1)
    assert err.startswith("touchjudge: TOUCHJUDGE_OVERLAY_DELAY_S: ")


def test_beyond_this_machine_a_token_is_wanted_and_one_of_the_command_line_opens(
    capsys, tmp_path: Path, home: Path
):
    match = DeskMatch(tmp_path / "friday.jsonl").play()
    hub = Hub()
    hub.add(match.feed, match.desk)
    token = run(capsys, "new", "Rita", "--scope", "reviewer")[1].strip()
    store = open_store(load_settings())

    with serving(hub, host="0.0.0.0", port=0, store=store, settings=Settings()) as address:  # noqa: S104
        here = address.replace("0.0.0.0", "127.0.0.1")  # noqa: S104
        without = httpx.get(f"{here}{MATCH}/score", timeout=30)
        with_it = httpx.get(f"{here}{MATCH}/score", headers={"Authorization": f"Bearer {token}"}, timeout=30)
    store.close()
    match.record.close()

    assert (without.status_code, with_it.status_code) == (401, 200)


def test_a_stream_ends_soon_after_its_token(capsys, feed: MatchFeed, hub: Hub):
    token = run(capsys, "new", "OBS", "--scope", "overlay")[1].strip()
    store = open_store(load_settings())

    with (
        serving(hub, host="0.0.0.0", port=0, store=store, settings=Settings()) as address,  # noqa: S104
        httpx.stream(
            "GET",
            f"{address.replace('0.0.0.0', '127.0.0.1')}{MATCH}/stream?token={token}",  # noqa: S104
            timeout=30,
        ) as answer,
    ):
        lines = answer.iter_lines()
        assert answer.status_code == 200
        next(lines)
        run(capsys, "revoke", token.split("_")[1])
        told = "\n".join(lines)
    store.close()

    assert "event: snapshot" in told, "it ended by itself"


def test_records_that_were_served_are_found_again(capsys, tmp_path: Path, home: Path):
    match = DeskMatch(tmp_path / "friday.jsonl").play().finish()

    before = cli.run(["serve", "--host", "a..b"])
    none = capsys.readouterr().err
    with started("serve", str(match.record.path), "--port", "0") as process:
        address_told(process)
    after = cli.run(["serve", "--host", "a..b"])
    served = capsys.readouterr().err

    assert (before, "no records were kept in" in none) == (2, True)
    assert (after, "cannot serve on 'a..b'" in served) == (1, True), "it came to the serving itself"


def test_every_command_has_its_help():
    assert [command.name for command in app.registered_commands] == ["new", "list", "revoke"]


@pytest.mark.parametrize("days", ["0", "-1", "3651", "99999999999", "9" * 40])
def test_a_time_that_cannot_be_meant_is_misuse(capsys, home: Path, days: str):
    status = cli.run(["token", "new", "x", "--scope", "overlay", "--days", days])

    err = capsys.readouterr().err
    assert (status, err.count("\n"), "days" in err, "fault" in err) == (2, 1, True, False), err


def test_ten_years_are_the_longest(capsys, home: Path):
    assert cli.run(["token", "new", "x", "--scope", "overlay", "--days", "3650"]) == 0


@pytest.mark.parametrize("days", ["-1", "99999999999"])
def test_an_audit_of_no_time_is_misuse(capsys, home: Path, monkeypatch: pytest.MonkeyPatch, days: str):
    monkeypatch.setenv("TOUCHJUDGE_AUDIT_DAYS", days)

    status = cli.run(["serve"])

    assert (status, "TOUCHJUDGE_AUDIT_DAYS: want at " in capsys.readouterr().err) == (2, True)

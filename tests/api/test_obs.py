"""OBS is told of disputes, once each, by its own protocol; it may be away, and nobody waits for it."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from desk_match import DeskMatch
from fake_obs import FakeObs
from made_matches import standings, verdict
from typer.testing import CliRunner

from api.cli import app
from api.desk import Answer
from api.errors import MisuseError
from api.feed import MatchFeed
from api.hub import Hub
from api.obs import LONGEST_CHAPTER, ObsPlan, ObsSettings, ObsTeller, obs_plan, telling_obs
from api.schemas import ReasonOut

SESAME = "open sesame"
QUICK = ObsSettings(retry_s=0.05, look_s=0.05, between_replays_s=600)
EAGER = ObsSettings(retry_s=0.05, look_s=0.05, between_replays_s=0)


class Heard:
    """Notes for a person, and waiting for one."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()

    def __call__(self, line: str) -> None:
        with self._news:
            self.lines.append(line)
            self._news.notify_all()

    def wait_for(self, part: str, times: int = 1) -> None:
        with self._news:
            is_told = self._news.wait_for(lambda: sum(part in line for line in self.lines) >= times, 30)
        assert is_told, self.lines


@contextmanager
def told(hub: Hub, plan: ObsPlan, heard: Heard, settings: ObsSettings = QUICK) -> Iterator[None]:
    teller = ObsTeller(hub, plan, tell=heard, settings=settings)
    teller.start()
    try:
        yield
    finally:
        teller.stop()
    assert not teller._thread.is_alive()


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def obs() -> Iterator[FakeObs]:
    with FakeObs(SESAME) as obs:
        yield obs


@pytest.fixture
def plan(obs: FakeObs) -> ObsPlan:
    return ObsPlan(obs.url, SESAME)


def undecided(number: int, reason: str = "the cameras cannot tell", **more: object):
    return verdict(number, ruling="UNDECIDED", reason=reason, **more)


def test_a_verdict_that_cannot_tell_becomes_a_chapter_and_a_replay(
    hub: Hub, feed: MatchFeed, obs: FakeObs, plan: ObsPlan, heard: Heard
):
    with told(hub, plan, heard):
        heard.wait_for("disputes become chapters")
        feed.rule((verdict(1), undecided(2)), standings())

        asked = obs.wait_for(2)

    assert asked == [
        ("CreateRecordChapter", {"chapterName": "v2: the cameras cannot tell"}),
        ("SaveReplayBuffer", None),
    ]


def test_an_appeal_is_a_dispute_and_its_answer_none(
    played: DeskMatch, obs: FakeObs, plan: ObsPlan, heard: Heard
):
    hub = Hub()
    hub.add(played.feed, played.desk)
    with told(hub, plan, heard, EAGER):
        heard.wait_for("disputes become chapters")
        played.desk.appeal("v1", "Ben", "I was there")
        obs.wait_for(2)
        answer = Answer("v1", None, (), "it stands", "Rita")
        played.desk.wish(answer, played.desk.wish(answer, None).confirm)
        played.desk.appeal("v3", "Ana", "")
        asked = obs.wait_for(4)

    chapters = [data["chapterName"] for what, data in asked if data is not None and what.startswith("Create")]
    assert chapters == ["v1: Ben appeals: I was there", "v3: Ana appeals"]


def test_noise_and_what_was_before_are_no_disputes(
    hub: Hub, feed: MatchFeed, obs: FakeObs, plan: ObsPlan, heard: Heard
):
    feed.rule((undecided(1),), standings())
    unseen = ReasonOut(key="pile_depth_not_visible", args={"player": "Ana"})
    with told(hub, plan, heard):
        heard.wait_for("disputes become chapters")
        feed.rule((undecided(2, reasons=(unseen,)), verdict(3, ruling="TIE"), undecided(4)), standings())

        asked = obs.wait_for(2)

    assert asked[0] == ("CreateRecordChapter", {"chapterName": "v4: the cameras cannot tell"})


def test_disputes_at_once_share_one_replay(
    hub: Hub, feed: MatchFeed, obs: FakeObs, plan: ObsPlan, heard: Heard
):
    with told(hub, plan, heard):
        heard.wait_for("disputes become chapters")
        feed.rule((undecided(1), undecided(2), undecided(3)), standings())
        asked = obs.wait_for(4)

    assert [what for what, _ in asked].count("SaveReplayBuffer") == 1


def test_a_match_that_comes_later_is_followed_too(hub: Hub, obs: FakeObs, plan: ObsPlan, heard: Heard):
    later = MatchFeed(match_id="later", table="garden", game="nerts", standings=standings())
    with told(hub, plan, heard):
        heard.wait_for("disputes become chapters")
        hub.add(later)
        for number in range(1, 200):
            later.rule((undecided(number),), standings())
            if obs.asked:
                break
            threading.Event().wait(0.05)

    assert obs.asked[0][0] == "CreateRecordChapter"


def test_what_obs_cannot_do_is_told_once_and_the_rest_is_done(
    hub: Hub, feed: MatchFeed, obs: FakeObs, plan: ObsPlan, heard: Heard
):
    obs.failing["CreateRecordChapter"] = "Recording is not active."
    with told(hub, plan, heard, EAGER):
        heard.wait_for("disputes become chapters")
        feed.rule((undecided(1), undecided(2)), standings())
        asked = obs.wait_for(4)

    assert [what for what, _ in asked].count("SaveReplayBuffer") == 2
    assert [line for line in heard.lines if "not active" in line] == [
        "OBS: CreateRecordChapter: Recording is not active."
    ]


def test_a_wrong_password_is_told_and_nothing_is_asked(hub: Hub, feed: MatchFeed, obs: FakeObs, heard: Heard):
    with told(hub, ObsPlan(obs.url, "wrong"), heard):
        heard.wait_for("refuses the password (TOUCHJUDGE_OBS_PASSWORD)")
        feed.rule((undecided(1),), standings())

    assert (obs.asked, obs.greeted) == ([], 0)


def test_an_obs_without_password_needs_none(hub: Hub, feed: MatchFeed, heard: Heard):
    with FakeObs() as obs, told(hub, ObsPlan(obs.url), heard):
        obs.wait_until_greeted()


def test_an_obs_that_goes_is_found_again_and_what_happened_meanwhile_is_not_marked_later(
    hub: Hub, feed: MatchFeed, heard: Heard
):
    first = FakeObs().__enter__()
    with told(hub, ObsPlan(first.url), heard):
        heard.wait_for("disputes become chapters")
        first.close()
        heard.wait_for("does not answer")
        feed.rule((undecided(1),), standings())
        with FakeObs(port=first.port) as second:
            heard.wait_for("disputes become chapters", times=2)
            feed.rule((undecided(2),), standings())
            asked = second.wait_for(1)

    assert asked == [("CreateRecordChapter", {"chapterName": "v2: the cameras cannot tell"})]


def test_nobody_waits_for_an_obs_that_says_nothing(hub: Hub, feed: MatchFeed, obs: FakeObs, heard: Heard):
    obs.is_dumb = True
    settings = ObsSettings(retry_s=0.05, answer_s=0.2)
    with told(hub, ObsPlan(obs.url), heard, settings):
        heard.wait_for("does not greet us")


@pytest.mark.parametrize(
    ("said", "chapter"),
    [
        pytest.param("\u202eAna\u2066\nsaid\x00", "v1: Ana said", id="one line that turns nothing"),
        pytest.param("x" * 500, f"v1: {'x' * (LONGEST_CHAPTER - 5)}…", id="no longer than a list shows"),
    ],
)
def test_a_chapter_is_a_short_line(
    hub: Hub, feed: MatchFeed, obs: FakeObs, plan: ObsPlan, heard: Heard, said: str, chapter: str
):
    with told(hub, plan, heard):
        heard.wait_for("disputes become chapters")
        feed.rule((undecided(1, said),), standings())

        asked = obs.wait_for(1)

    assert asked[0] == ("CreateRecordChapter", {"chapterName": chapter})


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:4455", "127.0.0.1:4455", "ws://", "ws://host:99999", "", "ws://[::1"]
)
def test_an_address_that_is_none_of_obs(url: str):
    with pytest.raises(MisuseError, match=r"want e\.g\. ws://127"):
        obs_plan(url)


def test_a_password_is_not_given_where_others_read_it():
    with pytest.raises(MisuseError, match="TOUCHJUDGE_OBS_PASSWORD"):
        obs_plan("ws://me:secret@127.0.0.1:4455")


def test_where_the_password_comes_from(tmp_path: Path):
    file = tmp_path / "password"
    file.write_text("from the file\n")
    environ = {"TOUCHJUDGE_OBS_PASSWORD": "from the environment"}

    plans = [obs_plan("ws://h:1", environ=environ), obs_plan("ws://h:1", file, environ)]

    assert [plan.password for plan in plans] == ["from the environment", "from the file"]
    assert not obs_plan("ws://h:1", environ={}).password
    assert "from the file" not in repr(plans)


def test_a_password_file_that_is_not_there(tmp_path: Path):
    with pytest.raises(MisuseError, match=r"cannot read .*nowhere: No such file"):
        obs_plan("ws://h:1", tmp_path / "nowhere")


def test_nobody_needs_the_library_who_does_not_ask_for_it(hub: Hub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "simpleobsws", None)

    with telling_obs(hub, None, tell=print):
        pass
    with (
        pytest.raises(MisuseError, match=r"pip install 'touchjudge\[obs\]'"),
        telling_obs(hub, ObsPlan("ws://h:1"), tell=print),
    ):
        pass


@pytest.mark.parametrize("command", [["serve"], ["demo"], ["watch", "clip.mp4"]])
def test_a_command_refuses_an_address_that_is_none(command: list[str]):
    result = CliRunner().invoke(app, [*command, "--obs", "nonsense"])

    assert result.exit_code != 0
    assert "not an address of OBS" in str(result.exception)

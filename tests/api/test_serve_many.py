"""Records of one name, damaged ones and strange files: what can be shown is, and the rest is told."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from reviewed_matches import ReviewedMatch
from started_program import DEADLINE_S, address_told, started

from api import cli
from api.console import notes
from api.evidence_shelf import EvidenceShelf
from api.house import opened_house
from api.hub import Hub
from api.record_shows import RecordShows

GAME = "F1: ... 4H\nland Ana 5H waste F1 983.3..1000\n"


def kept(path: Path, t_ms: int = 3050) -> Path:
    """A match that was played to its end; with another time it is another match."""
    path.parent.mkdir(exist_ok=True)
    match = ReviewedMatch(f"{GAME}land Ben 6H waste F1 {t_ms - 17}..{t_ms}\n")
    path.write_text("".join(match.finished()))
    return path


def shown(*paths: Path) -> Hub:
    hub = Hub()
    with ExitStack() as stack:
        RecordShows(hub, notes(), stack).show_all(paths)
    return hub


def ids(hub: Hub) -> list[str]:
    return [feed.match_id for feed in hub.feeds]


def remembered() -> list[Path]:
    with opened_house(notes()) as house:
        return [match.record for match in house.store.matches.all()]


def served_nowhere(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[str]]:
    """``serve`` up to the moment at which it answers: no host is called so. Its status and its lines."""
    status = cli.run(["serve", *arguments, "--host", "a..b"])
    return status, capsys.readouterr().err.splitlines()


# --- one name in several folders


def test_records_of_one_name_are_told_apart_by_their_folders(tmp_path: Path, capsys):
    paths = [kept(tmp_path / f"d{i}" / "kitchen.jsonl", 3000 + 17 * i) for i in (1, 2, 3)]

    hub = shown(*paths)

    assert ids(hub) == ["kitchen", "kitchen-d2", "kitchen-d3"]
    assert f"note: {paths[1]} is shown as 'kitchen-d2'" in capsys.readouterr().err


def test_an_id_that_is_taken_is_never_given_twice(tmp_path: Path):
    """Also not where a record of another name is called as the one made apart would be."""
    paths = [
        kept(tmp_path / "d1" / "kitchen.jsonl", 3000),
        kept(tmp_path / "d1" / "kitchen-d2.jsonl", 3017),
        kept(tmp_path / "d2" / "kitchen.jsonl", 3034),
    ]

    assert ids(shown(*paths)) == ["kitchen", "kitchen-d2", "kitchen-d2-2"]


def test_a_record_that_is_named_twice_is_shown_once(tmp_path: Path):
    path = kept(tmp_path / "d1" / "kitchen.jsonl")

    assert ids(shown(path, path.parent / ".." / "d1" / "kitchen.jsonl")) == ["kitchen"]


def test_what_was_served_from_two_folders_is_served_again_without_a_name(tmp_path: Path):
    for i in (1, 2):
        kept(tmp_path / f"d{i}" / "kitchen.jsonl", 3000 + 17 * i)
        with started("serve", str(tmp_path / f"d{i}"), "--port", "0") as process:
            address_told(process)
            process.terminate()
            assert process.wait(DEADLINE_S) == 0

    with started("serve", "--port", "0") as process:
        assert process.stderr is not None
        told = [process.stderr.readline() for _ in range(2)]

    assert "is shown as 'kitchen-d2'" in told[0]
    assert told[1].startswith("2 matches at "), told


def test_clips_of_another_match_of_the_same_name_are_not_shown(tmp_path: Path):
    shelf = EvidenceShelf(tmp_path / "evidence")
    shelf.new_match("kitchen")
    hub = Hub()
    hub.evidence = shelf

    with ExitStack() as stack:
        RecordShows(hub, notes(), stack).show_all([kept(tmp_path / "d1" / "kitchen.jsonl")])

    assert shelf.match("kitchen") is None, "its record names no clip"
    assert EvidenceShelf(tmp_path / "evidence").match("kitchen") is not None


# --- a start that was refused


def test_a_start_that_was_refused_is_not_remembered(tmp_path: Path, capsys):
    kept(tmp_path / "d1" / "kitchen.jsonl")

    status, lines = served_nowhere(capsys, str(tmp_path / "d1"))

    assert (status, lines) == (1, ["touchjudge: cannot serve on 'a..b': no such host"])
    assert remembered() == []


# --- what cannot be shown


def damaged(path: Path) -> None:
    path.write_text(kept(path).read_text().replace("Ana", "Eve"))


def test_a_damaged_record_keeps_no_other_from_being_shown(tmp_path: Path, capsys):
    kept(tmp_path / "d" / "a.jsonl")
    damaged(tmp_path / "d" / "b.jsonl")
    (tmp_path / "d" / "notes.jsonl").write_text("hello\n")
    (tmp_path / "d" / "folder.jsonl").mkdir()
    (tmp_path / "d" / "empty.jsonl").touch()
    os.mkfifo(tmp_path / "d" / "pipe.jsonl")

    hub = shown(*sorted((tmp_path / "d").iterdir()))

    lines = capsys.readouterr().err.splitlines()
    assert ids(hub) == ["a"]
    assert [line.startswith("note: ") and line.endswith("; it is not shown") for line in lines] == [True] * 5
    told = "\n".join(lines)
    assert "b.jsonl: line 1: the hash does not fit the line" in told
    assert "notes.jsonl: line 1: not JSON" in told
    assert "Is a directory" in told
    assert "empty.jsonl: line 1: the file is empty" in told
    assert "pipe.jsonl: a pipe (want a file)" in told


@pytest.mark.parametrize("named", ["b.jsonl", ""], ids=["alone", "in a folder of nothing else"])
def test_a_damaged_record_alone_is_an_error(tmp_path: Path, capsys, named: str):
    (tmp_path / "d").mkdir()
    damaged(tmp_path / "d" / "b.jsonl")

    status, lines = served_nowhere(capsys, str(tmp_path / "d" / named))

    assert (status, len(lines), "line 1: the hash does not fit" in lines[0]) == (1, 1, True), lines


def test_plain_serve_leaves_out_what_was_damaged_since(tmp_path: Path, capsys):
    one, two = kept(tmp_path / "d" / "a.jsonl"), kept(tmp_path / "d" / "b.jsonl", 3117)
    with started("serve", str(tmp_path / "d"), "--port", "0") as process:
        address_told(process)
        process.terminate()
        assert process.wait(DEADLINE_S) == 0
    assert sorted(remembered()) == [one, two]
    damaged(two)

    status, lines = served_nowhere(capsys)

    assert (status, len(lines)) == (1, 2), lines
    assert lines[0].startswith(f"note: {two}: line 1: ")


def test_a_record_that_is_not_there_is_misuse(tmp_path: Path, capsys):
    status, lines = served_nowhere(capsys, str(tmp_path / "nofile.jsonl"))

    assert (status, len(lines), "nofile.jsonl" in lines[0]) == (2, 1, True), lines

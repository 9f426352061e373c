"""How a person calls the program that serves a page: by a way that works, and tells nothing of the disk."""

from pathlib import Path

import pytest

from api.machine import own_program, typed_program


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the server was started: with a program below it, beside it, and on the search path."""
    for name in (
        "here/.venv/bin/touchjudge",
        "here/my venv/bin/touchjudge",
        "there/touchjudge",
        "on/touchjudge",
    ):
        program = tmp_path / name
        program.parent.mkdir(parents=True)
        program.touch(mode=0o755)
    (tmp_path / "here" / "cli.py").touch()
    monkeypatch.setenv("PATH", str(tmp_path / "on"))
    return tmp_path / "here"


@pytest.mark.parametrize(
    ("started_as", "typed"),
    [
        pytest.param(".venv/bin/touchjudge", ".venv/bin/touchjudge", id="by its way"),
        pytest.param("{here}/.venv/bin/touchjudge", ".venv/bin/touchjudge", id="by its whole way"),
        pytest.param("my venv/bin/touchjudge", "'my venv/bin/touchjudge'", id="with a blank in it"),
        pytest.param("{here}/../there/touchjudge", "touchjudge", id="outside"),
        pytest.param("../there/touchjudge", "touchjudge", id="outside, by its way"),
        pytest.param("{here}/../on/touchjudge", "touchjudge", id="on the search path"),
        pytest.param("touchjudge", "touchjudge", id="by its name"),
        pytest.param("cli.py", "touchjudge", id="another program"),
        pytest.param("gone/touchjudge", "touchjudge", id="no program"),
        pytest.param("", "touchjudge", id="nothing"),
        pytest.param("-c", "touchjudge", id="from a text"),
    ],
)
def test_the_program_is_called_as_it_was_started(folder: Path, started_as: str, typed: str):
    assert typed_program(started_as.format(here=folder), folder) == typed


def test_a_program_of_the_search_path_is_called_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(folder / ".venv" / "bin"))

    assert typed_program(".venv/bin/touchjudge", folder) == "touchjudge"


def test_where_the_folder_is_gone_it_has_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch):
    gone = folder / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    assert own_program() == "touchjudge"

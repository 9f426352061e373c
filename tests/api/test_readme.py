"""The README keeps its promises: two commands of one line each, and links that lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/architecture.md"]


def test_the_readme_has_exactly_two_commands_of_one_line_each():
    readme = (ROOT / "README.md").read_text()

    blocks = re.findall(r"<!-- (\w+) command -->\n```sh\n(.*?)```", readme, flags=re.DOTALL)

    assert [name for name, _ in blocks] == ["demo", "test"]
    assert readme.count("```") == 4
    assert all(command.count("\n") == 1 for _, command in blocks)
    assert blocks[0][1].endswith("touchjudge demo\n")
    assert "train" not in blocks[0][1]


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_that_are_there(page: str):
    text = (ROOT / page).read_text()

    targets = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in link]

    assert targets
    assert [link for link in targets if not ((ROOT / page).parent / link).exists()] == []


def test_the_ci_script_is_valid_shell():
    checked = subprocess.run(
        ["bash", "-n", str(ROOT / ".ci" / "run")], capture_output=True, text=True, check=False
    )

    assert (checked.returncode, checked.stderr) == (0, "")

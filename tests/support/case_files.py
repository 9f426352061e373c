"""The typed cases of the rule books."""

from pathlib import Path

from referee.cases import Case, parse_cases

CASE_FILES = sorted((Path(__file__).parents[1] / "referee" / "cases").glob("*.txt"))
CASES: tuple[Case, ...] = tuple(
    case for path in CASE_FILES for case in parse_cases(path.read_text(encoding="utf-8"))
)

"""The rule book's cases that this form covers, by their ids."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from nerts_notation import FRAME_US, judged, said, setup, step

from referee.cards import FACES
from referee.observations import CardLanded
from referee.piles import Seat
from referee.nerts_rules import NertsRules

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text().splitlines()]


def built_by(owners):
    """Foundations built from the ace by ``owners`` in turn, one play a second."""
    for i, owner in enumerate(owners):
        yield step(f"land {owner} {FACES[i]} waste F{i // 13} {i + 1}000-{i + 1}010")


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case['id']} {case['says']}") for case in CASES])
def test_case(case):
    match = setup(
        frame_period_us=case.get("frame_us", FRAME_US), rules=NertsRules.from_mapping(case.get("house", {}))
    )
    owners = case.get("built", [seat for seat, count in case.get("stands", {}).items() for _ in range(count)])
    observations = [*built_by(owners), *(step(line) for line in case["steps"])]
    if "resolution_us" in case:
        finer = {"resolution_us": case["resolution_us"]}
        observations = [replace(o, **finer) if isinstance(o, CardLanded) else o for o in observations]

    outcome = judged(observations, match)

    if "want" in case:
        assert [said(verdict) for verdict in outcome.verdicts] == case["want"]
    for seat, points in case.get("points", {}).items():
        assert outcome.scorecard.total(Seat(seat)) == points


def test_every_case_expects_something():
    assert [case["id"] for case in CASES if not case.get("want") and not case.get("points")] == []

"""House rules as data: presets, and every way in which a value cannot be meant."""

import re
import tomllib
from importlib.resources import files

import pytest

from referee.nerts_rules import FillSource, NertsRules
from referee.setup import Game, rules_for

PRESETS = sorted(item.name for item in files("referee.presets").iterdir() if item.name.endswith(".toml"))


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_read(name):
    preset = tomllib.loads((files("referee.presets") / name).read_text())

    rules = rules_for(Game(preset["game"]), preset["rules"])

    assert set(preset) == {"game", "rules"}
    assert set(rules.as_mapping()) <= set(preset["rules"])


def test_the_founding_rules_are_the_defaults():
    preset = tomllib.loads((files("referee.presets") / "nerts.toml").read_text())

    assert rules_for(Game.NERTS, preset["rules"]) == NertsRules()


def test_rules_are_told_by_what_differs():
    rules = NertsRules.from_mapping(
        {"fill_sources": ["nerts", "work"], "work_piles": {"2": 6, "3": 5, "4": 4}, "burn_alone": False}
    )

    assert rules.as_mapping() == {
        "work_piles": [6, 5, 4],
        "fill_sources": ["nerts", "work"],
        "burn_alone": False,
    }
    assert NertsRules.from_mapping(rules.as_mapping()) == rules


def test_one_item_stands_for_a_list():
    rules = NertsRules.from_mapping({"fill_sources": "nerts", "work_piles": 5})

    assert (rules.fill_sources, rules.work_piles) == ((FillSource.NERTS,), (5,))


@pytest.mark.parametrize(("players", "piles"), [(1, 6), (2, 6), (3, 5), (4, 4), (8, 4)], ids=str)
def test_work_piles_by_the_number_of_players(players, piles):
    assert NertsRules(work_piles=(6, 5, 4)).work_piles_for(players) == piles


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        pytest.param({"burn_alone": 1}, "rule burn_alone: want true or false, got 1", id="no yes or no"),
        pytest.param({"fill_sources": []}, "rule fill_sources: want one or more", id="an empty list"),
        pytest.param(
            {"fill_sources": ["stock"]},
            "rule fill_sources: want one of nerts, work, waste, got 'stock'",
            id="a wrong item",
        ),
        pytest.param({"work_piles": [6, 13]}, "rule work_piles: want 1 to 12 piles, got 13", id="a big item"),
        pytest.param(
            {"target": 10**9}, "rule target: want a whole number within 1000000", id="out of all measure"
        ),
    ],
)
def test_values_that_cannot_be_meant(mapping, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        NertsRules.from_mapping(mapping)

"""The catalogue: every language says everything, in the same places, and pages ask for nothing else."""

import json
import re
from pathlib import Path
from string import Formatter

import pytest

from api.languages import CODES, chosen, language
from api.page_routes import PAGES, filled
from referee.messages import ENGLISH
from referee.piles import PileKind, Seat
from referee.rule_texts import RULE_TEXTS
from referee.score import ScoreItem
from referee.verdicts import Ruling

OTHERS = [code for code in CODES if code != "en"]
SCRIPTS = {"ar": r"[\u0600-\u06ff]", "mr": r"[\u0900-\u097f]"}
FIXED = {"lang", "dir", "languages", "program"}


def slots(text: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(text) if name is not None)


# Forms that CLDR 46 has for each language: https://cldr.unicode.org, supplemental/plurals.xml.
FORMS = {
    "en": {"one", "other"},
    "ar": {"zero", "one", "two", "few", "many", "other"},
    "mr": {"one", "other"},
    "su": {"other"},
    "af": {"one", "other"},
}
# Reasons that speak of cards, piles, players, points or rounds, and never of one.
NEVER_ONE = {
    "6plus_should_be_partnerships",
    "one_card_at_a_time",
    "one_motion_many_cards",
    "players_{count}_too_few",
    "sum_{sum}_of_{wanted}",
    "work_pile_of_{count}_cards",
}
COUNTED = re.compile(r"\{(count|points|hand|wanted)\} (?:\w+ )?(cards|piles|players|points|rounds)\b")


def page_texts() -> dict[Path, str]:
    return {
        path: path.read_text(encoding="utf-8")
        for path in sorted(PAGES.rglob("*"))
        if path.suffix in {".html", ".js"}
    }


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("section", ["words", "reasons", "rules"])
def test_no_key_is_missing_and_none_is_left_over(code: str, section: str):
    english, other = getattr(language("en"), section), getattr(language(code), section)

    assert sorted(other) == sorted(english)


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("section", ["words", "reasons", "rules"])
def test_every_sentence_has_the_places_of_the_english_one(code: str, section: str):
    english, other = getattr(language("en"), section), getattr(language(code), section)

    wrong = {key: text for key, text in other.items() if slots(text) != slots(english[key])}

    assert wrong == {}


@pytest.mark.parametrize("code", CODES)
def test_what_is_counted_has_every_form_of_its_language(code: str):
    plurals = language(code).plurals

    assert sorted(plurals) == sorted(language("en").plurals)
    assert {key: set(forms) for key, forms in plurals.items() if set(forms) != FORMS[code]} == {}


@pytest.mark.parametrize("code", CODES)
def test_forms_have_the_same_places_and_may_say_the_number_in_words(code: str):
    wrong = [
        (key, form)
        for key, forms in language(code).plurals.items()
        for form, text in forms.items()
        if set(slots(text)) | {"count"} != set(slots(language("en").plurals[key]["other"]))
        or ("count" not in slots(text) and form not in {"zero", "one", "two"})
    ]

    assert wrong == []


@pytest.mark.parametrize("code", [code for code in CODES if code not in {"ar", "su"}])
def test_reasons_that_may_count_one_say_it_as_one(code: str):
    spoken = language(code)
    counting = {key for key, text in ENGLISH.items() if COUNTED.search(text)} - NEVER_ONE

    assert counting <= set(spoken.reason_forms)
    assert {
        key: text
        for key, text in spoken.reason_forms.items()
        if slots(text) != slots(spoken.reasons[key])
        or (text == spoken.reasons[key] and key != "players_agreed")
    } == {}


def test_languages_that_say_one_like_many_need_no_other_sentence():
    assert [code for code in ("ar", "su") if language(code).reason_forms] == []


@pytest.mark.parametrize("code", OTHERS)
def test_sentences_are_translated(code: str):
    spoken, english = language(code), language("en")

    same = [
        key
        for key, text in spoken.reasons.items()
        if text == english.reasons[key] and text.strip("{}_abcdefghijklmnopqrstuvwxyz")
    ]
    same += [key for key, text in spoken.rules.items() if text == english.rules[key]]

    assert same == []
    if code in SCRIPTS:
        sentences = [*spoken.rules.values(), *(text for text in spoken.reasons.values() if " " in text)]
        assert [text for text in sentences if not re.search(SCRIPTS[code], text)] == []


def test_the_referee_says_nothing_that_the_catalogue_lacks():
    words = language("en").words

    assert set(language("en").reasons) == set(ENGLISH)
    assert set(language("en").rules) == {rule.value for rule in RULE_TEXTS}
    assert [item for item in ScoreItem if f"item.{item.value}" not in words] == []
    assert [ruling for ruling in Ruling if f"ruling.{ruling.value}" not in words] == []
    assert [kind for kind in PileKind if f"pile.{kind.value}" not in words] == []
    assert [seat for seat in Seat if f"seat.{seat.value}" not in words] == []


def test_pages_ask_only_for_words_that_there_are():
    words = language("en").words
    asked: set[str] = set()
    for text in page_texts().values():
        asked |= set(re.findall(r"\bt\(\s*\"([^\"]+)\"", text))
        asked |= {name for name in re.findall(r"\{\{([\w.]+)\}\}", text) if name not in FIXED}
    counted = {
        key for text in page_texts().values() for key in re.findall(r"\bcounted\(\s*\"([^\"]+)\"", text)
    }

    assert sorted(asked - set(words)) == []
    assert sorted(counted - set(language("en").plurals)) == []


def test_no_word_is_left_that_no_page_says():
    everything = "\n".join(page_texts().values())
    prefixes = set(re.findall(r"`([\w.]+[._])\$\{", everything))

    unused = [
        key
        for key in [*language("en").words, *language("en").plurals]
        if f'"{key}"' not in everything
        and f"{{{{{key}}}}}" not in everything
        and not any(key.startswith(prefix) for prefix in prefixes)
    ]

    assert unused == []


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("page", sorted(path.name for path in PAGES.glob("*.html")))
def test_a_page_is_filled_in_every_language(code: str, page: str):
    html = filled((PAGES / page).read_text(encoding="utf-8"), language(code))

    assert f'<html lang="{code}" dir="{language(code).direction}"' in html
    assert "{{" not in html


@pytest.mark.parametrize("code", CODES)
def test_a_file_holds_each_key_once(code: str):
    def refuse_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), [key for key in keys if keys.count(key) > 1]
        return dict(pairs)

    path = PAGES.parent / "languages" / f"{code}.json"

    json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=refuse_doubles)


@pytest.mark.parametrize(
    ("asked", "accepted", "wanted"),
    [
        pytest.param("ar", "af", "ar", id="the address has the last word"),
        pytest.param(None, "mr-IN,mr;q=0.9,en;q=0.8", "mr", id="the browser's first"),
        pytest.param(None, "en;q=0.3, su;q=0.9", "su", id="the heaviest wish"),
        pytest.param(None, "fr, de", "en", id="none that we speak"),
        pytest.param(None, None, "en", id="nothing said"),
        pytest.param("../x", None, "en", id="no language at all"),
        pytest.param(None, "ar;q=x, af;q=0, en;q=0.1", "en", id="weights that are none"),
        pytest.param(None, "ar," * 5_000, "ar", id="a header without end"),
    ],
)
def test_the_language_that_is_answered_in(asked: str | None, accepted: str | None, wanted: str):
    assert chosen(asked, accepted) == wanted

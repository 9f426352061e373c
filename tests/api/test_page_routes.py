"""How pages are answered: in which language, what is named at their top, and the words that they load."""

import re
from collections.abc import Iterator

import pytest
from asking_app import Asked

from api.hub import Hub
from api.languages import CODES
from api.page_routes import PAGES, hastened, modules_of
from vision.seat_marks import SEAT_MARKS

NAMES = sorted(path.name for path in PAGES.glob("*.html"))


@pytest.fixture
def asked(hub: Hub) -> Iterator[Asked]:
    with Asked(hub) as asked:
        yield asked


@pytest.mark.parametrize("name", NAMES)
def test_a_page_names_every_module_that_it_will_load_once(name: str):
    html = hastened((PAGES / name).read_text(encoding="utf-8"))

    named = re.findall(r'modulepreload" href="/assets/([\w.]+)"', html)
    scripts = re.findall(r'src="/assets/([\w.]+)"', html)
    loaded = {*scripts, *named}
    asked_for = {
        each
        for module in loaded
        for each in re.findall(r'"\./([\w.]+\.js)"', (PAGES / "assets" / module).read_text(encoding="utf-8"))
    }
    assert len(named) == len(set(named)) > 3
    assert asked_for <= loaded


def test_modules_that_import_each_other_are_named_once():
    assert "words.js" in modules_of("live.js")
    assert "live.js" not in modules_of("live.js")


def test_a_page_says_that_it_depends_on_the_readers_language(asked: Asked):
    answer = asked.get("/live/kitchen", headers={"Accept-Language": "su"})

    assert '<html lang="su" dir="ltr"' in answer.text
    assert answer.headers["vary"] == "Accept-Language"


def test_words_are_sent_once_to_a_browser_that_keeps_them(asked: Asked):
    first = asked.get("/words/ar.json")
    again = asked.get("/words/ar.json", headers={"If-None-Match": first.headers["etag"]})

    assert first.json()["words"]["ruling.TIE"] == "تعادل"
    assert "pile_depth_not_visible" in first.json()["quiet"]
    assert (again.status_code, again.content) == (304, b"")


def test_pages_mark_seats_as_pictures_do(asked: Asked):
    seats = asked.get("/words/en.json").json()["seats"]

    assert [seat["colour"] for seat in seats] == [mark.colour for mark in SEAT_MARKS]
    assert [seat["points"].split()[0] for seat in seats] == [
        f"{mark.outline[0][0]:g},{mark.outline[0][1]:g}" for mark in SEAT_MARKS
    ]
    scripts = [
        path.read_text(encoding="utf-8")
        for path in (PAGES / "assets").glob("*.js")
        if path.name != "top.js"  # its sign of ours is as white as the last seat
    ]
    assert [mark.colour for mark in SEAT_MARKS if any(mark.colour in text for text in scripts)] == []


@pytest.mark.parametrize("code", ["xx", "..%2Fen", "en.json"])
def test_there_is_no_other_language(asked: Asked, code: str):
    answer = asked.get(f"/words/{code}.json")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_page_of_a_table_that_is_not_there_yet_waits(asked: Asked):
    assert [asked.get(f"/{page}/garden").status_code for page in ("live", "overlay")] == [200, 200]


@pytest.mark.parametrize("path", ["/nosuch", "/live", "/review/", "/assets/nosuch.js"])
def test_a_browser_is_told_by_a_page_that_there_is_none_and_a_program_by_a_problem(asked: Asked, path: str):
    page = asked.get(path, headers={"Accept": "text/html,*/*;q=0.8", "Accept-Language": "ar"})
    problem = asked.get(path, headers={"Accept": "*/*"})

    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert '<html lang="ar" dir="rtl"' in page.text
    assert (problem.status_code, problem.headers["content-type"]) == (404, "application/problem+json")


def test_the_interface_tells_programs_even_in_a_browser(asked: Asked):
    answer = asked.get("/api/v1/nosuch", headers={"Accept": "text/html"})

    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


@pytest.mark.parametrize("lang", CODES)
def test_no_sentence_of_a_page_has_a_typewriter_apostrophe(asked: Asked, lang: str):
    words = asked.get(f"/words/{lang}.json").json()

    texts = [text for part in ("words", "reasons", "reason_forms", "rules") for text in words[part].values()]
    assert [text for text in texts if "'" in text] == []

"""The evaluation's figures, its text, its pictures, and going on after a stop."""

import json
from pathlib import Path

import numpy as np
import pytest

from datasets.report import as_json, calibration, ranges, report_of, smallest_size, top_confusions
from datasets.report_outcomes import CardOutcome, Look, LookBook, PictureOutcome, Reading
from datasets.report_sheet import CAPTION_PX, TILE_PX, WRONG_BGR, contact_sheet
from datasets.report_text import as_markdown
from datasets.synthetic_photographs import scene_outcome

ABOUT = {"what": "a test", "weights": {}}


def card(truth: str, given: str, confidence: float = 0.9, **known: float | str) -> CardOutcome:
    return CardOutcome(truth=truth, given=given, confidence=confidence, **known)


def picture(*cards: CardOutcome, image: str = "a.jpg", source: str = "s", deck: str = "d") -> PictureOutcome:
    return PictureOutcome(
        image=image,
        source=source,
        deck=deck,
        is_complete=True,
        cards=cards,
        unreadable=0,
        backs_labelled=True,
    )


def sized(n: int, right: int, px_per_mm: float) -> list[CardOutcome]:
    return [card("9H", "9H" if i < right else "", px_per_mm=px_per_mm) for i in range(n)]


def test_figures_are_grouped() -> None:
    pictures = [
        picture(card("9H", "9H"), card("BACK", "BACK"), source="one"),
        picture(card("9H", "6H"), card("", "BACK"), source="two", deck="e"),
    ]

    report = report_of(pictures)

    assert {name: (t.truth, t.right, t.wrong) for name, t in report.sources.items()} == {
        "one": (2, 2, 0),
        "two": (1, 0, 2),
    }
    assert {name: (t.truth, t.wrong) for name, t in report.decks.items()} == {"d": (2, 0), "e": (1, 2)}
    assert {name: (t.truth, t.wrong) for name, t in report.cards.items()} == {"9H": (2, 1), "BACK": (1, 1)}
    assert {name: (t.recall, t.precision) for name, t in report.backs.items()} == {
        "one": (1, 1),
        "two": (1, 0),
    }
    assert top_confusions(report) == [("", "BACK", 1), ("9H", "6H", 1)]


@pytest.mark.parametrize(
    ("cards", "smallest"),
    [
        pytest.param(sized(50, 50, 2.0) + sized(50, 49, 1.0) + sized(50, 40, 0.8), 0.9, id="down to 0.9"),
        pytest.param(
            sized(50, 50, 2.0) + sized(50, 40, 1.0) + sized(50, 50, 0.8), 1.8, id="no hole in between"
        ),
        pytest.param(sized(50, 45, 2.0), None, id="nowhere"),
        pytest.param(sized(50, 50, 2.0) + sized(9, 9, 1.0), 1.8, id="few cards say nothing"),
        pytest.param([], None, id="no sizes known"),
    ],
)
def test_smallest_size_at_which_reading_holds(cards: list[CardOutcome], smallest: float | None) -> None:
    report = report_of([picture(*cards)])

    assert report.smallest_px_per_mm == smallest
    assert smallest_size(report.top_sizes) == smallest


def test_hidden_cards_are_no_top_cards() -> None:
    hidden = [card("9H", "", px_per_mm=2.0, visible=0.5) for _ in range(40)]
    top = [card("9H", "9H", px_per_mm=2.0, visible=1.0) for _ in range(40)]

    report = report_of([picture(*hidden, *top)])

    assert report.smallest_px_per_mm == 1.8
    assert [(r.least, r.recall) for r in report.visible] == [(0.5, 0.0), (0.95, 1.0)]


def test_calibration_of_a_reader_that_is_half_as_right_as_sure() -> None:
    cards = [card("9H", "9H" if i % 2 else "6H", confidence=0.98) for i in range(100)]

    found = calibration(cards)

    assert found.ece == pytest.approx(0.48)
    assert [(b.readings, b.right) for b in found.bins] == [(100, 50)]


def test_what_unreadable_hides() -> None:
    cards = [card("9H", "??", guess="9H"), card("9H", "??", guess="6H"), card("", "??", guess="2C")]

    found = calibration(cards)

    assert (found.unreadable, found.hidden_right, found.hidden_wrong, found.named) == (3, 1, 1, 0)


def test_sure_readings_fall_in_the_last_bin() -> None:
    assert [b.readings for b in calibration([card("9H", "9H", confidence=1.0)]).bins] == [1]


def test_ranges_leave_out_cards_of_unknown_size() -> None:
    cards = [card("9H", "9H", px_per_mm=1.0), card("9H", "9H")]

    assert [r.cards for r in ranges(cards, (0, 2), lambda c: c.px_per_mm)] == [1]


def test_a_report_says_what_matters() -> None:
    pictures = [
        picture(card("9H", "6H", px_per_mm=1.0), card("2C", "", px_per_mm=1.0)),
        picture(card("2C", "2C")),
    ]

    text = as_markdown(report_of(pictures), ABOUT, [("Plot", "plot.png")])

    assert "2 pictures, 3 labelled cards. Recall 0.333, precision 0.500" in text
    assert "| 9H | 6H | 1 |" in text
    assert "| a.jpg | s | 9H as 6H | 2C |" in text
    assert "![Plot](plot.png)" in text


def test_an_empty_report_can_be_written() -> None:
    report = report_of([picture()])

    assert json.loads(json.dumps(as_json(report, ABOUT)))["total"]["cards"] == 0
    assert as_markdown(report, ABOUT, [])


def test_the_contact_sheet_shows_wrong_names() -> None:
    corners = ((20.0, 20.0), (80.0, 20.0), (80.0, 80.0), (20.0, 80.0))
    wrong = picture(card("9H", "6H", quad_px=corners))

    sheet = contact_sheet([wrong], lambda _: np.full((100, 100, 3), 128, np.uint8))

    assert sheet is not None
    assert sheet.shape == (TILE_PX + CAPTION_PX, TILE_PX, 3)
    assert (sheet == WRONG_BGR).all(axis=2).sum() > 100
    assert contact_sheet([], lambda _: np.zeros((1, 1, 3), np.uint8)) is None


def test_plots_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need the report extra")
    from datasets.report_plots import draw_plots  # noqa: PLC0415

    cards = [card("9?", "9H", px_per_mm=1.0, visible=0.5), card("", "2C"), card("BACK", "??"), card("AS", "")]

    made = draw_plots(report_of([picture(*cards)]), tmp_path)

    assert [name for _, name in made] == ["reliability.png", "sizes.png", "visible.png", "confusion.png"]
    assert all((tmp_path / name).stat().st_size > 1000 for _, name in made)


READING = Reading(name="9H", confidence=0.5, quad_px=((0.0, 1.0), (2.0, 3.0)), guess="")


def test_looks_are_taken_once(tmp_path: Path) -> None:
    taken = []

    def take() -> Look:
        taken.append(1)
        return Look(image="a", readings=(READING,), truth=({"label": "9H"},))

    first = LookBook(tmp_path / "looks.jsonl", {"model": 1}).at("a", take)
    with (tmp_path / "looks.jsonl").open("a") as file:
        file.write('{"image": "b", "rea')
    again = LookBook(tmp_path / "looks.jsonl", {"model": 1})

    assert again.at("a", take) == first
    assert (len(again), len(taken)) == (1, 1)
    assert len(LookBook(tmp_path / "looks.jsonl", {"model": 2})) == 0


def test_a_scene_is_scored_by_place() -> None:
    def at(x: float) -> list[list[float]]:
        return [[x, 0], [x + 10, 0], [x + 10, 14], [x, 14]]

    truth = [
        {"label": label, "px_per_mm": 1.5, "visible": 1.0, "quad_px": at(20 * i)}
        for i, label in enumerate(("9H", "2C", "", "AS"))
    ]
    names = {0: "9H", 1: "2S", 2: "KD", 5: "BACK"}
    readings = [
        Reading(name=name, confidence=0.9, quad_px=tuple((x, y) for x, y in at(20 * i + 1)))
        for i, name in names.items()
    ]

    outcome = scene_outcome("0/0/0", "s", truth, readings)

    assert [(c.truth, c.given) for c in outcome.cards] == [
        ("9H", "9H"),
        ("2C", "2S"),
        ("AS", ""),
        ("", "BACK"),
    ]
    assert outcome.errors == 6


@pytest.mark.parametrize(("given", "errors"), [("5S", 0), ("5C", 1)])
def test_an_index_read_of_a_card_that_no_name_is_asked_for(given: str, errors: int) -> None:
    covered = [[0.0, 0.0], [63.0, 0.0], [63.0, 20.0], [0.0, 20.0]]
    truth = [{"label": "", "name": "5S", "px_per_mm": 1.5, "visible": 0.25, "quad_px": covered}]
    index = ((0.0, 0.0), (13.0, 0.0), (13.0, 26.0), (0.0, 26.0))

    outcome = scene_outcome("0", "s", truth, [Reading(name=given, confidence=0.9, quad_px=index)])

    assert len(outcome.cards) == errors

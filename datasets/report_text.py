"""A report as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from datasets.report import (
    LEAST_CARDS,
    READING_HOLDS,
    Calibration,
    Range,
    Report,
    top_confusions,
    wrong_per_image,
)
from datasets.report_outcomes import PictureOutcome, Tally

CARD_HEADINGS = ("images", "cards", "recall", "precision", "wrong names an image", "`??`")


def as_markdown(report: Report, about: Mapping[str, Any], plots: Sequence[tuple[str, str]]) -> str:
    """The report as text; plots: (title, file name) of the pictures that lie beside it."""
    sections = [
        f"# How well cards are read: {about['what']}",
        _totals(report.total),
        holds_line(report),
        "Models: "
        + (", ".join(f"`{name}` {sha[:12]}" for name, sha in about["weights"].items()) or "none")
        + ".",
        _tallies("By source", report.sources),
        _tallies("By deck", report.decks),
        _backs(report.backs),
        _ranges("By size, px per mm", report.sizes),
        _ranges("By size, px per mm: cards on top", report.top_sizes),
        _ranges("By visible part of the card", report.visible),
        _calibration(report.calibration),
        _confusions(report),
        _tallies("By card", report.cards),
        _worst(report.worst),
        *(f"## {title}\n\n![{title}]({name})" for title, name in plots),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _totals(total: Tally) -> str:
    return (
        f"{total.images} pictures, {total.truth} labelled cards. Recall {total.recall:.3f}, precision "
        f"{total.precision:.3f}, {wrong_per_image(total):.3f} wrong names a picture, {total.unreadable} `??`."
    )


def holds_line(report: Report) -> str:
    """At which size reading holds, in a sentence."""
    known = [size for size in report.top_sizes if size.cards >= LEAST_CARDS]
    if not known:
        return f"At which size reading holds is not known: no size has {LEAST_CARDS} cards on top."
    if report.smallest_px_per_mm is not None:
        return (
            f"Reading holds (>= {READING_HOLDS} of cards on top) from **{report.smallest_px_per_mm:g} px per "
            f"mm** on; the smallest size measured is {known[0].least:g}."
        )
    best = max(known, key=lambda size: size.recall)
    return (
        f"Reading holds (>= {READING_HOLDS} of cards on top) at no size; the best is {best.recall:.3f} at "
        f"{best.least:g}-{best.most:g} px per mm."
    )


def _table(title: str, headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [" | ".join(str(cell).replace("|", "/") for cell in row) for row in rows]
    if not lines:
        return ""
    top = [f"## {title}", "", f"| {' | '.join(headings)} |", "|---" * len(headings) + "|"]
    return "\n".join([*top, *(f"| {line} |" for line in lines)])


def _tallies(title: str, tallies: Mapping[str, Tally]) -> str:
    rows = [
        (
            name,
            t.images,
            t.truth,
            f"{t.recall:.3f}",
            f"{t.precision:.3f}",
            f"{wrong_per_image(t):.3f}",
            t.unreadable,
        )
        for name, t in tallies.items()
    ]
    return _table(title, ("", *CARD_HEADINGS), rows)


def _backs(tallies: Mapping[str, Tally]) -> str:
    rows = [(name, t.truth, f"{t.recall:.3f}", f"{t.precision:.3f}") for name, t in tallies.items()]
    return _table("Backs, where they are labelled", ("", "backs", "recall", "precision"), rows)


def _ranges(title: str, found: Sequence[Range]) -> str:
    rows = [
        (
            f"{r.least:g}-{min(r.most, 1.0) if r.most < 1.05 else r.most:g}",
            r.cards,
            f"{r.recall:.3f}",
            r.wrong,
        )
        for r in found
    ]
    return _table(title, ("", "cards", "recall", "wrong names"), rows)


def _calibration(found: Calibration) -> str:
    rows = [
        (f"{b.least:.2f}-{b.most:.2f}", b.readings, f"{b.mean_confidence:.3f}", f"{b.right_share:.3f}")
        for b in found.bins
    ]
    table = _table("Calibration", ("confidence", "readings", "mean confidence", "right"), rows)
    lines = [f"Expected calibration error {found.ece:.3f} over {found.named} names."]
    hidden = found.hidden_right + found.hidden_wrong
    if hidden and found.named:
        lines.append(
            f"Of {hidden} labelled cards that were read as `??` the likeliest name would have been right for "
            f"{found.hidden_right / hidden:.3f}; of names given {found.named_right / found.named:.3f} are."
        )
    return "\n\n".join([table, *lines]) if table else ""


def _confusions(report: Report) -> str:
    rows = [(truth or "no card", given, n) for truth, given, n in top_confusions(report)]
    return _table("Commonest wrong names", ("label", "name given", "times"), rows)


def _worst(pictures: Sequence[PictureOutcome]) -> str:
    rows = []
    for picture in pictures:
        wrong = [f"{card.truth or 'no card'} as {card.given}" for card in picture.cards if card.is_wrong]
        missed = [
            card.truth for card in picture.cards if card.truth and not card.is_right and not card.is_wrong
        ]
        rows.append((PurePath(picture.image).name, picture.source, ", ".join(wrong), " ".join(missed)))
    return _table("Worst pictures", ("picture", "source", "wrong", "missed or `??`"), rows)

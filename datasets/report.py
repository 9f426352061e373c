"""The figures of an evaluation: by source, deck, card, size and visible part; calibration; worst pictures."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from datasets.report_outcomes import CardOutcome, PictureOutcome, Tally, all_cards, fits, tally_of
from models.classes import BACK, CARD_NAMES, UNREADABLE

SIZE_EDGES_PX_PER_MM = (0.0, 0.5, 0.7, 0.9, 1.1, 1.4, 1.8, 2.5, 4.0, 50.0)
VISIBLE_EDGES = (0.0, 0.15, 0.3, 0.5, 0.7, 0.95, 1.01)
TOP_CARD_VISIBLE = 0.95
"""A card of which at least this part is seen lies on top."""
READING_HOLDS = 0.98
"""Least part of top cards that are named right where reading holds."""
LEAST_CARDS = 30
"""Fewer cards of one size say nothing about it."""
CALIBRATION_BINS = 15
WORST_PICTURES = 24
CONFUSIONS_TOLD = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The figures of cards between two values; ``least`` counts, ``most`` does not."""

    least: float
    most: float
    cards: int
    right: int
    wrong: int

    @property
    def recall(self) -> float:
        """Right names of cards."""
        return self.right / self.cards if self.cards else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceBin:
    """Readings of like confidence: how many, how sure on the mean, how many of them right."""

    least: float
    most: float
    readings: int
    mean_confidence: float
    right: int

    @property
    def right_share(self) -> float:
        """Right ones of all."""
        return self.right / self.readings if self.readings else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Whether a reading at confidence c is right c of the time.

    bins: readings with a name. ece: expected calibration error, the mean gap between confidence and right
    share. unreadable: cards that were read as ``??`` and have a label; hidden_right: of those, how many the
    likeliest name would have named right.
    """

    bins: tuple[ConfidenceBin, ...]
    ece: float
    unreadable: int
    hidden_right: int
    hidden_wrong: int
    named: int
    named_right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that one evaluation found. smallest_px_per_mm: None where reading holds at no size."""

    total: Tally
    sources: dict[str, Tally]
    decks: dict[str, Tally]
    cards: dict[str, Tally]
    sizes: tuple[Range, ...]
    top_sizes: tuple[Range, ...]
    visible: tuple[Range, ...]
    backs: dict[str, Tally]
    confusion: dict[tuple[str, str], int]
    calibration: Calibration
    smallest_px_per_mm: float | None
    worst: tuple[PictureOutcome, ...]


def report_of(pictures: Sequence[PictureOutcome]) -> Report:
    """The figures of these pictures."""
    cards = list(all_cards(pictures))
    top = [card for card in cards if card.visible is None or card.visible >= TOP_CARD_VISIBLE]
    top_sizes = ranges(top, SIZE_EDGES_PX_PER_MM, lambda card: card.px_per_mm)
    return Report(
        total=tally_of(pictures),
        sources=_grouped(pictures, lambda picture: picture.source),
        decks=_grouped(pictures, lambda picture: picture.deck),
        cards=_by_card(pictures),
        sizes=ranges(cards, SIZE_EDGES_PX_PER_MM, lambda card: card.px_per_mm),
        top_sizes=top_sizes,
        visible=ranges(cards, VISIBLE_EDGES, lambda card: card.visible),
        backs=_backs(pictures),
        confusion=dict(Counter((card.truth, card.given) for card in cards)),
        calibration=calibration(cards),
        smallest_px_per_mm=smallest_size(top_sizes),
        worst=tuple(sorted((p for p in pictures if p.errors), key=lambda p: -p.errors)[:WORST_PICTURES]),
    )


def _grouped(
    pictures: Iterable[PictureOutcome],
    key: Callable[[PictureOutcome], str],
    is_counted: Callable[[CardOutcome], bool] | None = None,
) -> dict[str, Tally]:
    groups = defaultdict(list)
    for picture in pictures:
        groups[key(picture)].append(picture)
    return {name: tally_of(group, is_counted) for name, group in sorted(groups.items())}


def _by_card(pictures: Sequence[PictureOutcome]) -> dict[str, Tally]:
    """By the label; a name where no card is counts as wrong for that name."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for picture in pictures:
        for card in picture.cards:
            tallies[card.truth or card.given].add_cards([card])
        for name in {card.truth for card in picture.cards if card.truth}:
            tallies[name].images += 1
    order = {name: i for i, name in enumerate(CARD_NAMES)}
    return dict(sorted(tallies.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def _backs(pictures: Iterable[PictureOutcome]) -> dict[str, Tally]:
    """The figures of backs alone, where they are labelled."""
    labelled = [picture for picture in pictures if picture.backs_labelled]
    tallies = _grouped(labelled, lambda p: p.source, lambda card: BACK in {card.truth, card.given})
    return {source: tally for source, tally in tallies.items() if tally.truth or tally.wrong}


def ranges(
    cards: Iterable[CardOutcome], edges: Sequence[float], value_of: Callable[[CardOutcome], float | None]
) -> tuple[Range, ...]:
    """The figures of labelled cards by a value of theirs; cards without it and empty ranges are left out."""
    known = [(value, card) for card in cards if card.truth and (value := value_of(card)) is not None]
    made = []
    for least, most in pairwise(edges):
        inside = [card for value, card in known if least <= value < most]
        right, wrong = sum(card.is_right for card in inside), sum(card.is_wrong for card in inside)
        if inside:
            made.append(Range(least=least, most=most, cards=len(inside), right=right, wrong=wrong))
    return tuple(made)


def smallest_size(top_sizes: Sequence[Range]) -> float | None:
    """The least px per mm from which on ``READING_HOLDS`` of top cards are named right, or None."""
    smallest = None
    for size in reversed([size for size in top_sizes if size.cards >= LEAST_CARDS]):
        if size.recall < READING_HOLDS:
            break
        smallest = size.least
    return smallest


def calibration(cards: Iterable[CardOutcome]) -> Calibration:
    """How far confidence can be believed, over all readings that can be judged."""
    read = [card for card in cards if card.given]
    named = [card for card in read if card.given != UNREADABLE]
    hidden = [card for card in read if card.given == UNREADABLE and card.truth and card.guess]
    bins = []
    for i in range(CALIBRATION_BINS):
        least, most = i / CALIBRATION_BINS, (i + 1) / CALIBRATION_BINS
        inside = [c for c in named if least <= c.confidence < most or (most >= 1 <= c.confidence)]
        if inside:
            mean = sum(c.confidence for c in inside) / len(inside)
            right = sum(c.is_right for c in inside)
            bins.append(
                ConfidenceBin(least=least, most=most, readings=len(inside), mean_confidence=mean, right=right)
            )
    gaps = sum(b.readings * abs(b.mean_confidence - b.right_share) for b in bins)
    hidden_right = sum(fits(card.guess, card.truth) for card in hidden)
    return Calibration(
        bins=tuple(bins),
        ece=gaps / len(named) if named else 0.0,
        unreadable=sum(card.given == UNREADABLE for card in read),
        hidden_right=hidden_right,
        hidden_wrong=len(hidden) - hidden_right,
        named=len(named),
        named_right=sum(card.is_right for card in named),
    )


def top_confusions(report: Report) -> list[tuple[str, str, int]]:
    """Wrong names by how often they were given: (label, name, times); an empty label is no card."""
    wrong = [
        (truth, given, n)
        for (truth, given), n in report.confusion.items()
        if given not in {"", UNREADABLE} and not fits(given, truth)
    ]
    return sorted(wrong, key=lambda each: (-each[2], each[0], each[1]))[:CONFUSIONS_TOLD]


def source_row(tally: Tally, backs: Tally | None) -> dict[str, Any]:
    """A source's figures for JSON: its cards, and its backs where they are labelled."""
    row = tally.as_row() | {"wrong_per_image": wrong_per_image(tally)}
    if backs is not None:
        row["backs"] = _back_row(backs)
    return row


def wrong_per_image(tally: Tally) -> float:
    """Wrong names for each picture."""
    return round(tally.wrong / tally.images, 4) if tally.images else 0.0


def _back_row(tally: Tally) -> dict[str, Any]:
    figures = tally.as_row()
    return {key: figures[key] for key in ("images", "cards", "right", "wrong", "recall", "precision")}


def as_json(report: Report, about: dict[str, Any]) -> dict[str, Any]:
    """The whole report as JSON values; ``about`` says what was measured with what."""
    return {
        "about": about,
        "total": source_row(report.total, None),
        "sources": {name: source_row(t, report.backs.get(name)) for name, t in report.sources.items()},
        "decks": {name: source_row(tally, None) for name, tally in report.decks.items()},
        "cards": {name: tally.as_row() for name, tally in report.cards.items()},
        "sizes_px_per_mm": [_range_row(each) for each in report.sizes],
        "sizes_of_top_cards_px_per_mm": [_range_row(each) for each in report.top_sizes],
        "visible_fraction": [_range_row(each) for each in report.visible],
        "reading_holds_from_px_per_mm": report.smallest_px_per_mm,
        "calibration": _calibration_row(report.calibration),
        "confusions": [{"label": t, "name": g, "times": n} for t, g, n in top_confusions(report)],
        "worst": [{"image": p.image, "source": p.source, "errors": p.errors} for p in report.worst],
    }


def _range_row(each: Range) -> dict[str, Any]:
    return asdict(each) | {"recall": round(each.recall, 4)}


def _calibration_row(found: Calibration) -> dict[str, Any]:
    return asdict(found) | {
        "ece": round(found.ece, 4),
        "bins": [asdict(each) | {"right_share": round(each.right_share, 4)} for each in found.bins],
    }

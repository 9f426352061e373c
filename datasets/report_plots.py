"""Plots of a report. matplotlib is the ``report`` extra, imported where it is used."""

from pathlib import Path
from typing import Any

import numpy as np

from datasets.report import READING_HOLDS, Range, Report
from models.classes import CARD_NAMES, UNREADABLE

NOTHING = "none"
"""Row of what was read where no card is, and column of cards that were not found."""


def draw_plots(report: Report, folder: Path) -> list[tuple[str, str]]:
    """Write the plots as PNG into ``folder``; gives (title, file name) of each.

    Raises ``ImportError`` where matplotlib is not installed.
    """
    made = []
    for title, name, draw in (
        ("Reliability", "reliability.png", _reliability),
        ("Recall by size", "sizes.png", _sizes),
        ("Recall by visible part", "visible.png", _visible),
        ("Confusion matrix", "confusion.png", _confusion),
    ):
        figure = draw(report)
        if figure is not None:
            figure.savefig(folder / name, dpi=100)
            made.append((title, name))
    return made


def _figure(width_in: float, height_in: float) -> tuple[Any, Any]:
    """A figure with one set of axes, drawn without any window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415  # the report extra
    from matplotlib.figure import Figure  # noqa: PLC0415  # the report extra

    figure = Figure(figsize=(width_in, height_in), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _reliability(report: Report) -> Any | None:  # noqa: ANN401  # matplotlib's figure
    bins = report.calibration.bins
    if not bins:
        return None
    figure, axes = _figure(5.5, 5)
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="as sure as right")
    sizes = [12 + 200 * b.readings / max(each.readings for each in bins) for b in bins]
    means, shares = [b.mean_confidence for b in bins], [b.right_share for b in bins]
    axes.plot(means, shares, color="tab:blue")
    axes.scatter(means, shares, s=sizes, color="tab:blue", label="readings (area: how many)")
    axes.set(xlim=(0, 1.02), ylim=(0, 1.02), xlabel="confidence", ylabel="share of right names")
    axes.set_title(f"expected calibration error {report.calibration.ece:.3f}")
    axes.legend(loc="upper left")
    return figure


def _sizes(report: Report) -> Any | None:  # noqa: ANN401  # matplotlib's figure
    if not report.sizes:
        return None
    figure, axes = _figure(6.5, 4)
    for ranges, label in ((report.sizes, "all cards"), (report.top_sizes, "cards on top")):
        _line(axes, ranges, label)
    axes.axhline(READING_HOLDS, color="0.6", linewidth=1)
    axes.set(ylim=(0, 1.02), xlabel="px per mm", ylabel="recall")
    axes.legend(loc="lower right")
    return figure


def _visible(report: Report) -> Any | None:  # noqa: ANN401  # matplotlib's figure
    if not report.visible:
        return None
    figure, axes = _figure(6.5, 4)
    _line(axes, report.visible, "all cards")
    axes.set(ylim=(0, 1.02), xlabel="visible part of the card", ylabel="recall")
    return figure


def _line(axes: Any, ranges: tuple[Range, ...], label: str) -> None:  # noqa: ANN401  # matplotlib's axes
    at = range(len(ranges))
    axes.plot(at, [r.recall for r in ranges], marker="o", label=label)
    axes.set_xticks(list(at), [f"{r.least:g}-\n{min(r.most, 99):g}\n({r.cards})" for r in ranges])


def _confusion(report: Report) -> Any | None:  # noqa: ANN401  # matplotlib's figure
    seen = {name for pair in report.confusion for name in pair}
    halves = sorted(name for name in seen if name.endswith("?") and name != UNREADABLE)
    rows = [name for name in (*CARD_NAMES, *halves) if name in seen and name != UNREADABLE] + [NOTHING]
    columns = [name for name in (*CARD_NAMES, *halves) if name in seen] + [NOTHING]
    matrix = np.zeros((len(rows), len(columns)))
    for (truth, given), n in report.confusion.items():
        matrix[rows.index(truth or NOTHING), columns.index(given or NOTHING)] += n
    shares = matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1)
    figure, axes = _figure(13, 12.5)
    shown = axes.imshow(np.sqrt(shares), cmap="viridis", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=7)
    axes.set_yticks(range(len(rows)), rows, fontsize=7)
    axes.set(xlabel="name given", ylabel="label")
    figure.colorbar(shown, ax=axes, label="square root of the share of the label's cards", shrink=0.6)
    return figure

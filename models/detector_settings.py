"""What the detector takes for a card and for a reading, in numbers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorSettings:
    """Thresholds, chosen on synthetic validation scenes of unseen decks (see the model card).

    Recall / precision on two sets of 64 such scenes, heaped ones included: ``located`` 0.3 with ``read`` 0.6:
    0.475 / 0.817 and 0.583 / 0.881; ``located`` 0.2: 0.477 / 0.796 and 0.589 / 0.867; ``read`` 0.5: 0.499 /
    0.792 and 0.611 / 0.854; both: 0.504 / 0.771 and 0.623 / 0.847.

    input_px: longer sides, in pixels, to which a picture is brought for the locator, ascending; one that
        would enlarge the picture by more than ``largest_zoom`` is left out. On the scenes of ``read_index``
        1.7 gave 0.694 / 0.840, in twice the time.
    tallest_px: a card taller than this at an input is the next smaller input's to find: what a larger input
        sees inside it are pieces.
    dark_level: a picture whose brightest half percent is darker than this is brightened first.
    located: least confidence of a located card.
    align_passes: how often a located card is aligned. On 40 such scenes recall / precision were 0.546 /
        0.899 with one pass and 0.589 / 0.914 with two.
    located_vague: the same where the reader cannot bear it out: of backs and jokers, which may look like
        anything, and of what is unreadable. On 473 cards of 160 such scenes right and wrong names were 352
        and 39 with 0.65, 351 and 32 with 0.72, 342 and 31 with 0.8.
    read: least probability of a face; below it is ``??``.
    read_vague: the same of a back or joker: in photographs bricks and headlines are called so with less;
        the synthetic scenes do not tell (0.583 / 0.881 with 0.8, 0.594 / 0.883 with 0.6).
    nothing: a view is no card where the reader says so with at least this probability.
    overlap: most intersection over union of two cards.
    index_located, read_index: the same as ``located`` and ``read``, of corner indices. On 80 scenes with 513
        cards right and wrong names were 350 and 51 by the reader alone, 355 and 58 by the index reader
        alone (0.6: 357 and 63; 0.8: 352 and 55), 351 and 54 by both.
    located_by_index: the same as ``located`` where a corner of the box holds an index that was surely read
        and is of no card found so far;
        0.1 in its place: 0.668 / 0.870.
    negative: look at the negative of the picture too: a black deck with light print is then a white one.
        What is seen there only must be surer, ``negative_located`` and ``negative_read``. On 80 such scenes
        this gave 0.573 / 0.887 where it was 0.564 / 0.895 without.
    unsqueeze: look once more at a picture whose cards are squeezed, stretched so that they are not
        (``models.squeeze``), and join both looks (``models.two_looks``, with what that gave).
    """

    align_passes: int = 2
    input_px: tuple[int, ...] = (256, 512, 1024, 1600)
    largest_zoom: float = 1.3
    tallest_px: float = 330.0
    dark_level: float = 130.0
    located: float = 0.3
    located_vague: float = 0.72
    read: float = 0.6
    read_vague: float = 0.8
    nothing: float = 0.5
    negative: bool = True
    negative_located: float = 0.5
    negative_read: float = 0.85
    overlap: float = 0.6
    index_located: float = 0.3
    read_index: float = 0.7
    located_by_index: float = 0.2
    unsqueeze: bool = True
    threads: int = 2


ZONES = DetectorSettings(unsqueeze=False)
"""For zones of a known table: they are cut at its scale, so no card in them is squeezed."""

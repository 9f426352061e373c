"""Sentences that every game uses: races, clocks, what could not be seen."""

SHARED = {
    "touched_first": "{player} touched first with {card}",
    "touched_later": "{player} was {margin} later, so {card} goes back",
    "tie_both_keep": "{players} touched together, a clear tie: each keeps the card there",
    "too_close.wide": (
        "too close to call between {players}: a touch is known only to within {width} ms; "
        "each keeps the card there, and a person looks"
    ),
    "too_close.clock": (
        "too close to call between {players}: the frame times of this source are made up; "
        "each keeps the card there, and a person looks"
    ),
    "lower_card_first": (
        "the times do not tell {players} apart; {card} of {player} lies below, so it was first"
    ),
    "lies_above": "{card} of {player} lies above and goes back",
    "source_unseen": "where it came from was not seen",
    "owner_unseen": "whose card it is was not seen",
    "timestamp_repeat": (
        "two frames of {source} carry the same time: use the capture clock; touches are widened until then"
    ),
    "vfr_clock": (
        "the times of {source} were counted by frame rate, which is wrong where the rate varies: "
        "touches are widened by {lag} ms"
    ),
    "clock_lag": "{source} runs {lag} ms behind: touches are widened by as much",
    "view_lost": "no card could be seen on the whole table from {start} to {end} s: nothing is ruled on",
    "untrusted_clock": (
        "{player} says to have played {card} on {pile}, by a device of its own: no evidence, so not ruled on"
    ),
    "claim_unseen": "{player} says to have played {card} on {pile}, but no camera saw it",
    "incoherent_outputs": "{shown_on} showed {shown} first on {pile}, but the verdict says {said}",
    "false_precision": (
        "{shown_on} showed {margin}, finer than a frame of {frame} ms can tell: say an interval"
    ),
}
"""Each sentence by its key."""

"""The sentences of Nerts."""

NERTS = {
    "nerts_count_over": ("{count} cards were counted in {pile}, but at most {most} can be left: count again"),
    "foundation_sequence.suit": "{card} may not go on {base}: a foundation goes up in one suit",
    "foundation_sequence.rank": "{card} may not go on {base}: {wanted} is next",
}
"""Each sentence by its key."""

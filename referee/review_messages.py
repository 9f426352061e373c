"""Sentences of verdicts that a person gave in answer to one of the referee's."""

REVIEWS = {
    "reviewed": "{reviewer} looked again: {reason}",
}
"""Each sentence by its key."""

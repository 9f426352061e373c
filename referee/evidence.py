"""Where a person can look."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evidence:
    """A source and the frame times in it."""

    source_id: str
    frames_us: tuple[int, ...]
    """Times of the frames that decided, as the source stamped them."""

"""Shapes of evidence: clips, what they were cut for, and where their piles lie."""

from api.schemas import Schema, Span


class ClipOut(Schema):
    """A clip that is kept."""

    clip_id: str
    verdict_ids: tuple[str, ...]
    """What it was cut for."""
    shows: Span
    """From its first frame to its last."""
    asked: Span
    """Some seconds before the first touch to some after the last; a clip begins earlier, at a key frame."""
    frames: int
    codec: str
    is_playable: bool
    """Whether browsers play it; its single frames can be had in any case."""
    index_sha256: str
    """Of its index: what the record says of it."""


class MarkOut(Schema):
    """One verdict that a clip was cut for."""

    verdict_id: str
    pile: str | None
    seats: tuple[str, ...]
    touches: tuple[Span, ...]
    """Of each play: surely without touch, surely with it."""


class ZoneOut(Schema):
    """A pile's place, clockwise, in pixels of the upright frame."""

    pile: str
    polygon_px: tuple[tuple[float, float], ...]


class ClipDetailOut(ClipOut):
    """A clip with its frames."""

    times_us: tuple[int, ...]
    """Of every frame, in microseconds: any of them names a frame exactly."""
    marks: tuple[MarkOut, ...]
    zones: tuple[ZoneOut, ...]

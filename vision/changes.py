"""What became of a pile between two looks."""

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.cards import Card
from referee.piles import PileKind
from vision.card_seen import CardSeen
from vision.readings import Reading
from vision.settings import WatchSettings
from vision.settle import Look, ZonePlace
from vision.table import CARD_MM, Zone
from vision.touch import agreement

STAYS_SHARE = 0.65
"""So much of what showed of the old top beside the new one looks as before: it still lies there."""

GONE_SHARE = 0.3
"""No more than this looks as before: the old top is gone."""

FAN_STEP_MM = 16.0
"""Cards of a fan that can be read lie further apart than this: an index is 12 mm high."""

STRIP_MARGIN_PX = 2
"""Around a card so much is its edge and its shadow."""

LEVELS_APART = 22
"""Pixels of two looks that differ by more show something else."""

STRIP_GONE_SHARE = 0.6
"""So much of where a covered card would show has changed: one lay there, and went. White cards on dark cloth
change nearly all of it; a card's shadow, 3 mm wide, a fifth."""

LONGER_MM = 3.0
"""Cards look longer than they are by no more than this: the outline's own error."""

SAME_PLACE_MM = 3.0
"""A card whose middle lies within this of where it was has not been moved by a person."""


class Change(StrEnum):
    """From one look at rest to the next."""

    NOTHING = "nothing"
    MOVED = "moved"
    """The same cards lie a little differently, or were read otherwise."""
    LANDED = "landed"
    LIFTED = "lifted"
    FACED = "faced"
    """A face where a back was: the top card was turned over, or one came on top."""
    UNCLEAR = "unclear"
    """Another top: one card came, or one went."""


@dataclass(frozen=True, slots=True, eq=False)
class Below:
    """What is known of the card under a pile's top.

    face: None if not known. look: the pile before the top came; None if not seen.
    """

    face: Card | None
    look: Look | None


def explain(old: Look, new: Look, place: ZonePlace, below: Below, settings: WatchSettings) -> Change:
    """What happened to a pile; ``below`` is what is known to lie under the old look's top."""
    before, after = old.reading, new.reading
    zone = place.zone
    if zone.is_supply or (after.top_quad_mm is None and not after.is_empty):
        return Change.MOVED
    if before.is_empty or after.is_empty:
        return _with_bare_table(old, new, zone)
    if (before.top, before.face_up) == (after.top, after.face_up):
        return _same_face(old, new, place, settings)
    if not after.face_up or not before.face_up:
        return _turned(old, zone)
    return _other_face(old, new, place, below, settings)


def _with_bare_table(old: Look, new: Look, zone: Zone) -> Change:
    if old.reading.is_empty and new.reading.is_empty:
        return Change.NOTHING
    if zone.is_stock_pile and old.reading.is_empty and not new.reading.face_up:
        return Change.MOVED  # Dealt anew: nothing is played face down.
    return Change.LANDED if old.reading.is_empty else Change.LIFTED


def _turned(old: Look, zone: Zone) -> Change:
    """Between a back and a face: over backs a face went or was turned up; elsewhere it came."""
    if zone.has_backs:
        return Change.LIFTED if old.reading.face_up else Change.FACED
    return Change.LANDED


def _same_face(old: Look, new: Look, place: ZonePlace, settings: WatchSettings) -> Change:
    """The same card at its place, pushed aside, or an equal card of another deck on top."""
    before_mm, after_mm = old.reading.top_quad_mm, new.reading.top_quad_mm
    if before_mm is None or after_mm is None:
        return Change.MOVED
    shift_mm = float(np.linalg.norm(before_mm.mean(axis=0) - after_mm.mean(axis=0)))
    alike = agreement(old.grey, new.grey, place.mask_of(after_mm), settings)
    if shift_mm <= SAME_PLACE_MM and (alike is None or alike > STAYS_SHARE):
        return Change.NOTHING
    remains = remaining_share(old, new, place, settings)
    added = remains is not None and remains >= STAYS_SHARE
    return Change.LANDED if added else Change.MOVED


def _other_face(old: Look, new: Look, place: ZonePlace, below: Below, settings: WatchSettings) -> Change:
    before, after = old.reading, new.reading
    zone, kind = place.zone, place.zone.pile.kind
    was_below = _was_below(new, place, below, settings)
    if zone.is_common:
        return Change.LIFTED if was_below else Change.LANDED
    if zone.has_backs:
        return Change.LIFTED
    remains = remaining_share(old, new, place, settings)
    still_shows = before.top is not None and str(before.top) in after.faces
    showed_before = after.top is not None and str(after.top) in before.faces
    stays = kind is not PileKind.WASTE and remains is not None and remains >= STAYS_SHARE
    if still_shows or stays:  # On a waste the next card below has the same border in nearly the same place.
        return Change.LANDED
    is_gone = kind is PileKind.TABLEAU and remains is not None and remains <= GONE_SHARE
    return Change.LIFTED if was_below or showed_before or is_gone else Change.UNCLEAR


def _was_below(new: Look, place: ZonePlace, below: Below, settings: WatchSettings) -> bool:
    """Whether the new top is the card that was under the old one, by its face or by its picture."""
    if below.face is not None:
        return below.face == new.reading.top
    if below.look is None or new.reading.top_quad_mm is None:
        return False
    alike = agreement(below.look.grey, new.grey, place.mask_of(new.reading.top_quad_mm), settings)
    return alike is not None and alike >= STAYS_SHARE


def is_same_place(one: Look, other: Look) -> bool:
    """Whether the top cards of two looks lie in one place: then they are one card, however it was read."""
    first_mm, second_mm = one.reading.top_quad_mm, other.reading.top_quad_mm
    if first_mm is None or second_mm is None:
        return False
    return float(np.linalg.norm(first_mm.mean(axis=0) - second_mm.mean(axis=0))) <= SAME_PLACE_MM


def lies_beneath(place: ZonePlace, old: Look, visit: Look, new: Look, settings: WatchSettings) -> bool | None:
    """Whether a card that lay on the old top still lies there, below the new one. None: too little shows.

    Where it was taken away, the old look shows again beside the new top. What it looked like itself is no
    help: a hand lay on it.
    """
    visit_mm, top_mm = visit.reading.top_quad_mm, new.reading.top_quad_mm
    if visit_mm is None or top_mm is None:
        return None
    beside: NDArray[np.uint8] = cv2.bitwise_and(
        place.mask_of(visit_mm), cv2.bitwise_not(place.mask_of(top_mm, margin_px=2))
    ).astype(np.uint8, copy=False)
    alike = agreement(old.grey, new.grey, beside, settings)
    return None if alike is None else alike < STAYS_SHARE


def cards_gone(old: Reading, new: Reading, towards: tuple[float, float]) -> tuple[Card | None, ...]:
    """The cards of a fan that lay further towards its player than its new top does, the lowest first.

    Of a covered card the end away from the player shows, so that is where each one is. One whose name is
    still read has not gone, wherever its box lies.
    """
    direction = np.array(towards)
    lying = [
        (_far_end_mm(card.quad_mm, direction), card)
        for card in _apart(old, direction)
        if card.face is None or card.name not in new.faces
    ]
    rows = sorted(lying, key=lambda row: row[0])
    if new.top_quad_mm is None:
        return tuple(card.face for _, card in rows)
    top_mm = _far_end_mm(new.top_quad_mm, direction)
    return tuple(card.face for at_mm, card in rows if at_mm > top_mm + FAN_STEP_MM / 2)


def is_more_gone(place: ZonePlace, old: Look, new: Look, towards: tuple[float, float]) -> bool:
    """Whether the strip of a fan that the old top left uncovered went too: a card that was not read there."""
    top_mm = old.reading.top_quad_mm
    if top_mm is None:
        return False
    beyond_mm = (top_mm - FAN_STEP_MM * np.array(towards, np.float32)).astype(np.float32)
    strip = cv2.bitwise_and(
        place.mask_of(beyond_mm), cv2.bitwise_not(place.mask_of(top_mm, margin_px=STRIP_MARGIN_PX))
    )
    changed = cv2.absdiff(old.grey, new.grey) > LEVELS_APART
    strip_px = cv2.countNonZero(strip)
    gone_px = int(np.count_nonzero(changed & (strip > 0)))
    return strip_px > 0 and gone_px >= STRIP_GONE_SHARE * strip_px


def _apart(reading: Reading, direction: NDArray[np.float64]) -> list[CardSeen]:
    """The cards of a fan, without second readings of one card."""
    found: list[CardSeen] = []
    for card in sorted(reading.cards, key=lambda card: -card.confidence):
        at_mm = _far_end_mm(card.quad_mm, direction)
        if all(abs(at_mm - _far_end_mm(other.quad_mm, direction)) > FAN_STEP_MM / 2 for other in found):
            found.append(card)
    return found


def _far_end_mm(quad_mm: NDArray[np.float32], direction: NDArray[np.float64]) -> float:
    """Where the end of a card away from its player is, along the fan.

    The outline of a card may take in the strip of the one below it; no card is longer than a card.
    """
    along = quad_mm @ direction
    return max(float(along.min()), float(along.max()) - CARD_MM[1] - LONGER_MM)


def remaining_share(old: Look, new: Look, place: ZonePlace, settings: WatchSettings) -> float | None:
    """How much of the old top beside the new one looks as before. None: too little shows."""
    before_mm, after_mm = old.reading.top_quad_mm, new.reading.top_quad_mm
    if before_mm is None or after_mm is None:
        return None
    beside: NDArray[np.uint8] = cv2.bitwise_and(
        place.mask_of(before_mm, margin_px=2), cv2.bitwise_not(place.mask_of(after_mm, margin_px=2))
    ).astype(np.uint8, copy=False)
    return agreement(old.grey, new.grey, beside, settings)

"""The picture of the table at rest, against which every frame is held."""

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.hands import Hands
from vision.settings import WatchSettings
from vision.settle import ZonePlace

SAME_BRIGHTNESS = 0.02
"""A picture whose brightness is that of the table at rest to within this share is taken as it is: that is
5 grey levels in white, far under ``change_levels``."""


class RestPicture:
    """How every pile looked when it was last at rest.

    grey: uint8 (h, w), the table as it is watched.
    """

    def __init__(self, watched: NDArray[np.uint8], settings: WatchSettings) -> None:
        self.grey = watched.copy()
        self._settings = settings
        self._followed_us = 0

    def changed(self, watched: NDArray[np.uint8], hands: Hands) -> NDArray[np.uint8]:
        """Where a picture differs from the table at rest: uint8 (h, w), 255 there."""
        return differing(_as_at_rest(watched, hands), self.grey, self._settings.change_levels)

    def lay(self, place: ZonePlace, grey: NDArray[np.uint8]) -> None:
        """A pile has come to rest, and looks like this."""
        np.copyto(place.cut(self.grey), grey, where=place.mask > 0)

    def follow_light(self, watched: NDArray[np.uint8], still: Iterable[ZonePlace], t_us: int) -> None:
        """Let the piles at rest go half the way to how they look now, every ``drift_us``."""
        if t_us - self._followed_us < self._settings.drift_us:
            return
        self._followed_us = t_us
        for place in still:
            mixed = cv2.addWeighted(place.cut(self.grey), 0.5, place.cut(watched), 0.5, 0)
            self.lay(place, mixed.astype(np.uint8, copy=False))


def differing(one: NDArray[np.uint8], other: NDArray[np.uint8], levels: int) -> NDArray[np.uint8]:
    """Where two pictures differ by more than so many grey levels: uint8 (h, w), 255 there."""
    _, mask = cv2.threshold(cv2.absdiff(one, other), levels, 255, cv2.THRESH_BINARY)
    return mask.astype(np.uint8, copy=False)


def _as_at_rest(watched: NDArray[np.uint8], hands: Hands) -> NDArray[np.uint8]:
    """The picture at the brightness that the table had at rest."""
    if abs(hands.gain - 1) <= SAME_BRIGHTNESS:
        return watched
    return cv2.convertScaleAbs(watched, alpha=1 / hands.gain).astype(np.uint8, copy=False)

"""Where the table lies in the pictures, also after the camera was knocked or has drifted."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from referee.clock import Interval
from referee.observations import ViewLost
from vision.calibration import Calibration, calibrate_from_markers, find_markers
from vision.frames import Frame
from vision.outlook import KnockWatch, moved_calibration
from vision.rectify import Rectifier
from vision.settings import WatchSettings
from vision.shift import Shift
from vision.table import FourCorners, Table


class CalibratedTable:
    """The table with its calibration, which is found anew when the table lies elsewhere in the picture."""

    def __init__(self, table: Table, rectifier: Rectifier, settings: WatchSettings) -> None:
        self.rectifier = rectifier
        self.calibration = rectifier.calibration
        self._table = table
        self._settings = settings
        self._knock = KnockWatch(settings, rectifier.watch.px_per_mm)
        self._next_markers_us = 0
        self._warnings: list[str] = []

    def take_warnings(self) -> tuple[str, ...]:
        """What a person should know, since the last call."""
        own, self._warnings = tuple(self._warnings), []
        return (*self._knock.take_warnings(), *own)

    @property
    def is_off(self) -> bool:
        """Whether the last picture did not show the table where it should lie."""
        return self._knock.is_off

    def lies_elsewhere(
        self,
        rest: NDArray[np.uint8],
        watched: NDArray[np.uint8],
        t_us: int,
        *,
        last_us: int,
        is_hidden: bool = True,
    ) -> bool:
        """Whether the table is not where it lay at rest; not found at all counts where ``is_hidden``.

        ``last_us`` is the time of the last picture that showed it in its place.
        """
        return self._knock.look(rest, watched, t_us, last_us, is_hidden=is_hidden)

    def find_again(self, frame: Frame) -> ViewLost | None:
        """After a knock, once the picture stands still: the table where it lies now. None: not yet."""
        shift = self._knock.settled(frame.t_us)
        if shift is None:
            return None
        self._take(self._calibration_after(frame, shift))
        return self._knock.regained(frame.t_us)

    def follow_markers(self, frame: Frame, *, last_us: int) -> ViewLost | None:
        """Look now and then whether the printed markers lie where they should; else take them as they lie.

        None: they do, or it is not time to look.
        """
        view = self._table.view
        if isinstance(view, FourCorners) or frame.t_us < self._next_markers_us:
            return None
        self._next_markers_us = frame.t_us + self._settings.marker_look_us
        markers = find_markers(frame.image_bgr, view.dictionary)
        drift_mm = self.calibration.drift_mm(view, markers)
        if drift_mm is None or drift_mm < self._settings.drift_mm:
            return None
        self._take(calibrate_from_markers(view, markers, frame.size_px))
        cause = f"the camera had drifted by {drift_mm:.0f} mm"
        self._warnings.append(f"{cause}: the table is found anew by its markers, and its piles are read anew")
        return ViewLost(pile=None, lost=Interval(last_us, max(last_us, frame.t_us)), cause=cause)

    def finish(self, last_us: int) -> ViewLost | None:
        """The frames have ended: what was lost until then. None: the table was seen to the end."""
        return self._knock.finish(last_us)

    def _take(self, calibration: Calibration) -> None:
        self.calibration = calibration
        self.rectifier = Rectifier(self._table, calibration, self._settings)

    def _calibration_after(self, frame: Frame, shift: Shift) -> Calibration:
        view = self._table.view
        if not isinstance(view, FourCorners):
            markers = find_markers(frame.image_bgr, view.dictionary)
            if all(marker in markers for marker in view.centres_mm):
                return calibrate_from_markers(view, markers, frame.size_px)
        old = self.calibration
        moved = moved_calibration(old.table_mm_from_image_px, self.rectifier.watch.table_mm_from_px, shift)
        return replace(old, table_mm_from_image_px=moved)

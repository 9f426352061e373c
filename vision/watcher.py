"""Frames in, observations out: every frame is watched cheaply, piles are read when they have settled."""

from models.detections import CardDetector
from referee.observations import Observation
from vision.calibration import Calibration, CalibrationError, MarkerFinder, calibrate_from_corners
from vision.eyes import Eyes, WatchState
from vision.frames import Frame
from vision.rectify import Rectifier
from vision.settings import WatchSettings
from vision.table import FourCorners, Table


class Watcher:
    """Watches one table. Same frames, same observations, however fast they come.

    ``see`` raises ``CalibrationError`` where a frame does not fit the table file, or markers are not found.
    """

    def __init__(self, table: Table, detector: CardDetector, settings: WatchSettings | None = None) -> None:
        self.table = table
        self.settings = settings or WatchSettings()
        self.warnings: tuple[str, ...] = ()
        self._detector = detector
        self._finder: MarkerFinder | None = None
        self._calibration: Calibration | None = None
        self._eyes: Eyes | None = None
        if isinstance(table.view, FourCorners):
            self._calibration = calibrate_from_corners(table.view, table.size_mm)
        else:
            self._finder = MarkerFinder(
                markers=table.view,
                frames_wanted=self.settings.calibration_frames,
                frames_at_most=self.settings.calibration_frames_at_most,
            )

    def see(self, frame: Frame) -> tuple[Observation, ...]:
        """Take in the next frame; what has become certain by it."""
        if self._calibration is None and self._finder is not None:
            self._calibration = self._finder.see(frame)
        if self._calibration is None:
            return ()
        if self._eyes is None:
            fitted = self._calibration.for_size(frame.size_px)
            rectifier = Rectifier(self.table, fitted, self.settings)
            self.warnings = rectifier.warnings
            self._eyes = Eyes(self.table, self._detector, self.settings, rectifier)
        if frame.size_px != self._eyes.calibration.image_size_px:
            wanted = "{} x {}".format(*self._eyes.calibration.image_size_px)
            got = "{} x {}".format(*frame.size_px)
            raise CalibrationError(f"frame {frame.index} is {got} px (want {wanted}, as the frames before)")
        seen = self._eyes.see(frame)
        self.warnings += self._eyes.take_warnings()
        return seen

    def finish(self) -> tuple[Observation, ...]:
        """The frames have ended: what still waited. Piles that have not settled stay untold."""
        if self._calibration is None and self._finder is not None:
            self._finder.finish()
        return self._eyes.finish() if self._eyes is not None else ()

    @property
    def state(self) -> WatchState | None:
        """What was seen last, for drawing. None: the table is not found yet."""
        return self._eyes.state if self._eyes is not None else None

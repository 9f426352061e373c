"""What every source of frames offers."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from referee.clock import ClockGrade
from vision.frames import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSettings:
    """How sources are opened."""

    timeout_s: float = 5.0
    """How long a network address may take to answer. A player at the table waits no longer than this."""
    folder_fps: float = 30.0
    """Rate at which the images of a folder follow one another where nothing gives their times."""
    camera_size_px: tuple[int, int] = (1920, 1080)
    """What a camera is asked for: at 1 m of table a card is then about 110 px wide."""
    camera_fps: int = 60
    """What a camera is asked for; 60 frames/s tells touches 50 ms apart (rules, E2)."""

    def __post_init__(self) -> None:
        if self.folder_fps <= 0 or self.timeout_s <= 0 or self.camera_fps <= 0:
            raise ValueError("source settings: rates and the timeout must be above 0")


class Source(Protocol):
    """Frames in the order of their times. Use it in a ``with`` statement; iterate it once."""

    @property
    def source_id(self) -> str:
        """Name that evidence carries: the file's or folder's name, or the address without password."""
        ...

    @property
    def clock_grade(self) -> ClockGrade:
        """Of a file: of the whole file. Live: as far as has been seen."""
        ...

    @property
    def frame_period_us(self) -> int | None:
        """The usual time from frame to frame. None: not known yet."""
        ...

    @property
    def frame_count(self) -> int | None:
        """How many frames will come, for a progress bar. None: not known, or live."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether frames come as they happen."""
        ...

    @property
    def notices(self) -> tuple[str, ...]:
        """What a person should know about the source, one sentence each, as far as has been seen."""
        ...

    def __iter__(self) -> Iterator[Frame]: ...

    def close(self) -> None:
        """Let go of the file or device."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

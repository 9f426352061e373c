"""Real time is kept by the frames' own times, and never by sleeping when late."""

from api.pace import RealTime
from api.stopping import StopWish


class Wish(StopWish):
    def __init__(self) -> None:
        super().__init__()
        self.waited_s: list[float] = []

    def wait(self, seconds: float | None = None) -> bool:
        assert seconds is not None
        self.waited_s.append(round(seconds, 6))
        return False


def test_frames_are_held_until_they_are_due_and_late_ones_are_not():
    wish = Wish()
    now_s = iter([100.0, 100.01, 100.5, 100.51])
    pacer = RealTime(wish, lambda: next(now_s))

    for t_us in (2_000_000, 2_020_000, 2_040_000, 2_520_000):
        pacer.wait_for(t_us)

    assert wish.waited_s == [0.01, 0.01]


def test_falling_behind_is_told_once():
    told: list[str] = []
    now_s = iter([100.0, 102.0, 102.3, 109.0])
    pacer = RealTime(Wish(), lambda: next(now_s), tell=told.append)

    for t_us in (0, 20_000, 40_000, 60_000):
        pacer.wait_for(t_us)

    assert told == ["this computer plays it slower than real time: 2 s behind so far"]

"""Short films whose pictures carry their numbers, so that a test can read which picture it was given."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

TIME_BASE = Fraction(1, 90_000)
SQUARE_PX, BITS = 16, 10
FRAMES = 240


def numbered(number: int) -> np.ndarray:
    """A picture with its number burnt in, uint8 (48, 160, 3)."""
    picture = np.full((48, SQUARE_PX * BITS, 3), 90, np.uint8)
    picture[32:, (number * 3) % 140 : (number * 3) % 140 + 20] = 200
    for bit in range(BITS):
        shade = 235 if number >> bit & 1 else 16
        picture[8:32, bit * SQUARE_PX : (bit + 1) * SQUARE_PX] = shade
    return picture


def number_in(picture: np.ndarray) -> int:
    """The number that is burnt into a picture."""
    middles = picture[20, SQUARE_PX // 2 :: SQUARE_PX].mean(axis=1)
    return sum(1 << bit for bit, shade in enumerate(middles) if shade > 128)


def even_ticks() -> Iterator[int]:
    """60 a second."""
    return iter(range(0, 1500 * FRAMES, 1500))


def variable_ticks() -> Iterator[int]:
    """60 a second, 30 in dim light, hiccups, and a gap of 0.4 s."""
    steps = np.random.default_rng(5).choice([1500, 1501, 1499, 3000, 750], FRAMES)
    steps[100] = 36_000
    return iter([900 + int(t) for t in np.cumsum(steps)])


def write_film(path: Path, codec: str, options: dict[str, str], ticks: Iterable[int], first: int = 0) -> Path:
    """A film whose pictures, numbered from ``first``, have these time stamps."""
    with av.open(str(path), "w") as container:
        settings = {"preset": "veryfast", **options} if codec == "libx264" else options
        stream = container.add_stream(codec, rate=60, options=settings)
        stream.width, stream.height = SQUARE_PX * BITS, 48
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        stream.time_base = stream.codec_context.time_base = TIME_BASE
        for number, pts in enumerate(ticks, first):
            frame = av.VideoFrame.from_ndarray(numbered(number), format="bgr24")
            frame.pts, frame.time_base = pts, TIME_BASE
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path

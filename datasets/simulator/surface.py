"""Table tops and light, made of noise: felt, wood, plain boards and cloth."""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.simulator.camera import Camera, table_corners
from datasets.simulator.layout import Layout

Image = NDArray[np.uint8]
Field = NDArray[np.float32]

LIGHT_UNIT: Final = 160
"""The value of the light map that leaves a colour as it is."""
_FELTS: Final = (
    (52, 104, 34),
    (60, 84, 20),
    (44, 30, 110),
    (98, 60, 28),
    (64, 60, 58),
    (84, 104, 40),
    (70, 34, 72),
)
_WOODS: Final = ((70, 108, 158), (50, 80, 125), (105, 145, 185), (40, 58, 92), (125, 160, 195), (60, 90, 150))
_PLAINS: Final = (
    (205, 210, 214),
    (150, 150, 150),
    (96, 92, 90),
    (175, 190, 205),
    (60, 58, 56),
    (190, 175, 150),
)


def _noise(rng: np.random.Generator, shape: tuple[int, int], cells_px: tuple[float, float]) -> Field:
    """Smooth noise of unit spread whose lumps are ``cells_px`` (x, y) large."""
    small = (max(2, round(shape[0] / cells_px[1]) + 2), max(2, round(shape[1] / cells_px[0]) + 2))
    coarse = rng.standard_normal(small, np.float32)
    smooth: Field = cv2.resize(coarse, shape[::-1], interpolation=cv2.INTER_CUBIC).astype(np.float32)
    return smooth


def _tinted(colour: tuple[int, int, int], brightness: Field) -> Field:
    tinted: Field = np.array(colour, np.float32) * brightness[:, :, None]
    return tinted


def _felt(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> Field:
    fibre = cv2.GaussianBlur(rng.standard_normal(shape, np.float32), (0, 0), max(0.6, 0.55 * scale))
    brightness = 1.0 + 0.11 * fibre + 0.03 * _noise(rng, shape, (90 * scale, 90 * scale))
    return _tinted(_FELTS[int(rng.integers(len(_FELTS)))], brightness.astype(np.float32))


def _wood(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> Field:
    grain = _noise(rng, shape, (160 * scale, 1.5 * scale)) * 0.05
    figure = _noise(rng, shape, (330 * scale, 16 * scale))
    rings = np.sin(
        2.4 * figure + np.linspace(0, float(rng.uniform(8, 30)), shape[0], dtype=np.float32)[:, None]
    )
    brightness = 1.0 + grain + 0.07 * rings
    plank = float(rng.uniform(85, 160)) * scale
    rows = np.arange(shape[0], dtype=np.float32) + float(rng.uniform(0, plank))
    shade = rng.uniform(0.88, 1.1, int(rows[-1] / plank) + 1).astype(np.float32)
    brightness *= shade[(rows / plank).astype(int)][:, None]
    joint = np.abs(np.mod(rows, plank) - plank / 2) > plank / 2 - 0.7 * scale
    brightness[joint] *= 0.6
    return _tinted(_WOODS[int(rng.integers(len(_WOODS)))], brightness.astype(np.float32))


def _plain(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> Field:
    brightness = (
        1.0 + 0.02 * _noise(rng, shape, (140 * scale, 140 * scale)) + 0.012 * _noise(rng, shape, (3, 3))
    )
    return _tinted(_PLAINS[int(rng.integers(len(_PLAINS)))], brightness)


def _cloth(rng: np.random.Generator, shape: tuple[int, int], scale: float) -> Field:
    rows, columns = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32)
    period = max(2.6, float(rng.uniform(1.3, 2.2)) * scale)
    weave = np.sin(2 * np.pi * columns / period) * np.sin(2 * np.pi * rows / period)
    brightness = 1.0 + 0.05 * weave + 0.04 * _noise(rng, shape, (60 * scale, 200 * scale))
    colours = (*_FELTS, *_PLAINS)
    return _tinted(colours[int(rng.integers(len(colours)))], brightness.astype(np.float32))


_MATERIALS: Final = (_felt, _felt, _wood, _wood, _plain, _cloth)


def draw_surface(rng: np.random.Generator, camera: Camera, layout: Layout, *, markers: bool) -> Image:
    """The empty table as the camera sees it in even light, uint8 BGR (h, w, 3)."""
    width, height = camera.image_size_px
    shape = (height, width)
    table_width, table_height = layout.size_mm
    scale = camera.px_per_mm_at(table_width / 2, table_height / 2)
    top = _MATERIALS[int(rng.integers(len(_MATERIALS)))](rng, shape, scale)
    around = _MATERIALS[int(rng.integers(len(_MATERIALS)))](rng, shape, scale)
    corners = camera.project(table_corners(layout.size_mm))
    if rng.random() < 0.6:
        top = _edged(top, around, corners, scale, depth=float(rng.uniform(0.45, 0.85)))
        image: Image = np.clip(top, 0, 255).astype(np.uint8)
    else:
        image = np.clip(top, 0, 255).astype(np.uint8)
        _tape_corners(image, camera, layout)
    if markers:
        _print_markers(image, camera, layout)
    return image


def _edged(top: Field, around: Field, corners: NDArray[np.float64], scale: float, *, depth: float) -> Field:
    """A table (or mat) with a rim, and something darker around it."""
    inside = np.zeros(top.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, np.rint(corners * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    soft = cv2.GaussianBlur(inside, (0, 0), 3.0 * scale).astype(np.float32)[:, :, None] / 255.0
    mask = inside.astype(np.float32)[:, :, None] / 255.0
    floor = around * depth * (1.0 - 0.45 * soft)
    edged: Field = floor + (top - floor) * mask
    return edged


def _tape_corners(image: Image, camera: Camera, layout: Layout) -> None:
    """Strips of tape that mark the corners of the playing area."""
    width, height = layout.size_mm
    for x, y in ((0.0, 0.0), (width, 0.0), (width, height), (0.0, height)):
        sx, sy = (1.0 if x == 0 else -1.0), (1.0 if y == 0 else -1.0)
        arms = ((sx * 26.0, 0.0, 0.0, sy * 4.0), (0.0, sy * 26.0, sx * 4.0, 0.0))
        for ax, ay, bx, by in arms:
            strip = [
                (x, y, 0.0),
                (x + ax, y + ay, 0.0),
                (x + ax + bx, y + ay + by, 0.0),
                (x + bx, y + by, 0.0),
            ]
            px = camera.project(np.array(strip))
            cv2.fillConvexPoly(image, np.rint(px * 16).astype(np.int32), (205, 215, 220), cv2.LINE_AA, 4)


def _print_markers(image: Image, camera: Camera, layout: Layout) -> None:
    """ArUco markers (DICT_4X4_50, ids 0 to 3) with a white margin, flat on the table."""
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = 240
    quiet = side // 6
    reach = layout.marker_size_mm / 2 * (1 + 2 * quiet / side)
    for number, (x, y) in enumerate(layout.marker_centres_mm):
        print_ = cv2.aruco.generateImageMarker(dictionary, number, side)
        sheet = cv2.copyMakeBorder(print_, quiet, quiet, quiet, quiet, cv2.BORDER_CONSTANT, value=(255,))
        sheet = np.clip(sheet, 18, 236).astype(np.uint8)
        corners = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) * reach + (x, y, 0.0)
        size = sheet.shape[0] - 0.5
        paper = np.array([[-0.5, -0.5], [size, -0.5], [size, size], [-0.5, size]], np.float32)
        warp = cv2.getPerspectiveTransform(paper, camera.project(corners).astype(np.float32))
        shape = image.shape[1::-1]
        shown = cv2.warpPerspective(sheet, warp, shape, flags=cv2.INTER_AREA)
        covered = cv2.warpPerspective(np.full_like(sheet, 255), warp, shape) > 127
        image[covered] = shown[covered][:, None]


def draw_light(rng: np.random.Generator, size_px: tuple[int, int]) -> Image:
    """How bright the picture is at each place: uint8 (h, w, 3), ``LIGHT_UNIT`` is neutral."""
    width, height = size_px
    rows, columns = np.mgrid[0:height, 0:width].astype(np.float32)
    x, y = columns / width * 2 - 1, (rows / height * 2 - 1) * height / width
    angle = float(rng.uniform(0, 2 * np.pi))
    slope = float(rng.uniform(0.02, 0.18))
    light = 1.0 + slope * (x * np.cos(angle) + y * np.sin(angle))
    lamp_x, lamp_y = float(rng.uniform(-0.8, 0.8)), float(rng.uniform(-0.5, 0.5))
    spread = float(rng.uniform(0.5, 1.2))
    light += float(rng.uniform(0.0, 0.16)) * np.exp(-((x - lamp_x) ** 2 + (y - lamp_y) ** 2) / spread**2)
    light *= 1.0 - float(rng.uniform(0.04, 0.2)) * (x * x + y * y)
    light *= float(rng.uniform(0.72, 0.98))
    warmth = float(rng.uniform(-0.08, 0.1))
    tint = np.array((1.0 - warmth, 1.0, 1.0 + 0.6 * warmth), np.float32)
    lit: Image = np.clip(light[:, :, None] * tint * LIGHT_UNIT + 0.5, 0, 255).astype(np.uint8)
    return lit

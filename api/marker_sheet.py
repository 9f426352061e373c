"""Printable markers: a PDF page with ArUco squares in their true size, drawn as rectangles."""

import cv2
import numpy as np
from numpy.typing import NDArray

A4_MM = (210.0, 297.0)
POINTS_PER_MM = 72 / 25.4
BORDER_CELLS = 1
"""ArUco's own black border."""


def marker_sheet_pdf(dictionary: str, marker_ids: tuple[int, ...], size_mm: float) -> bytes:
    """One A4 page with the markers two by two, each ``size_mm`` wide with its number below.

    ``ValueError`` where so many markers of this size do not fit on the page.
    """
    pitch_mm = size_mm * 1.5 + 10
    columns = int((A4_MM[0] - 20) // pitch_mm)
    rows = -(-len(marker_ids) // columns) if columns else 0
    if not columns or rows * pitch_mm > A4_MM[1] - 40:
        raise ValueError(f"{len(marker_ids)} markers of {size_mm:g} mm do not fit on an A4 page")
    drawing = [
        _text(20, 20, 11, f"TouchJudge markers, {dictionary}, {size_mm:g} mm. Print at 100 %, cut out.")
    ]
    for place, marker_id in enumerate(marker_ids):
        left_mm = 20 + (place % columns) * pitch_mm
        top_mm = 32 + (place // columns) * pitch_mm
        drawing += _marker(dictionary, marker_id, left_mm, top_mm, size_mm)
        drawing.append(_text(left_mm, top_mm + size_mm + 6, 10, f"marker {marker_id}"))
    return _pdf("\n".join(drawing).encode("ascii"))


def marker_cells(dictionary: str, marker_id: int) -> NDArray[np.bool_]:
    """The black cells of a marker with its border, bool (n, n)."""
    markers = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, dictionary))
    side = markers.markerSize + 2 * BORDER_CELLS
    return np.asarray(cv2.aruco.generateImageMarker(markers, marker_id, side) < 128)


def _marker(dictionary: str, marker_id: int, left_mm: float, top_mm: float, size_mm: float) -> list[str]:
    cells = marker_cells(dictionary, marker_id)
    cell_mm = size_mm / len(cells)
    return [
        _rectangle(left_mm + column * cell_mm, top_mm + row * cell_mm, cell_mm)
        for row, column in np.argwhere(cells).tolist()
    ]


def _rectangle(left_mm: float, top_mm: float, side_mm: float) -> str:
    x, side = left_mm * POINTS_PER_MM, side_mm * POINTS_PER_MM
    y = (A4_MM[1] - top_mm) * POINTS_PER_MM - side
    return f"{x:.3f} {y:.3f} {side:.3f} {side:.3f} re f"


def _text(left_mm: float, base_mm: float, size: int, text: str) -> str:
    x, y = left_mm * POINTS_PER_MM, (A4_MM[1] - base_mm) * POINTS_PER_MM
    return f"BT /F1 {size} Tf {x:.2f} {y:.2f} Td ({text}) Tj ET"


def _pdf(drawing: bytes) -> bytes:
    """A one-page PDF around the drawing."""
    page = f"{A4_MM[0] * POINTS_PER_MM:.2f} {A4_MM[1] * POINTS_PER_MM:.2f}".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 " + page + b"] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n" % len(drawing) + drawing + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    written = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(written))
        written += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    written += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(written)

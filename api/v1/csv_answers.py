"""Tables for any spreadsheet: text that no program takes for a formula."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from fastapi import Response

MEDIA_TYPE = "text/csv; charset=utf-8"
DESCRIBED: Mapping[str, object] = {"content": {"text/csv": {}}}
"""As the description of the interface has it."""

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - wide signs count too
"""A spreadsheet takes a text that begins so for a formula."""

Cell = str | int | None


def csv_answer(file_name: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Response:
    """The answer that is saved as ``file_name``: a line of names, and a line a row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    headers = {"Content-Disposition": f'attachment; filename="{file_name}"'}
    return Response(text.getvalue(), media_type=MEDIA_TYPE, headers=headers)


def _plain(cell: Cell) -> str | int:
    """What stands in a cell: a name that begins like a formula is made a text, as spreadsheets mark one."""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA_STARTS) else cell
    return "" if cell is None else cell

"""Parts of a file, as RFC 9110 has them: what cannot be read is ignored, what is not there is told."""

import os
import re
from http import HTTPStatus

from fastapi.responses import FileResponse
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.problems import problem_response

MOST_PARTS = 16
"""Of one request: browsers ask for one; more is no way to play a film."""
_SPEC = re.compile(r"([0-9]{0,18})-([0-9]{0,18})")


class NotThereError(Exception):
    """No part that is asked for lies in the file."""


def parts_wanted(told: str, size: int) -> tuple[tuple[int, int], ...]:
    """The parts, first and last byte, that a ``Range`` header asks for; none where all is to be sent.

    ``NotThereError`` where it asks only for what lies behind the end.

    >>> parts_wanted("bytes=0-3, 8-", 10), parts_wanted("bytes=-4", 10), parts_wanted("bytes=4-2", 10)
    (((0, 3), (8, 9)), ((6, 9),), ())
    """
    unit, _, specs = told.partition("=")
    if unit.strip().lower() != "bytes":
        return ()
    found = [_SPEC.fullmatch(spec.strip()) for spec in specs.split(",") if spec.strip()]
    if not found or len(found) > MOST_PARTS:
        return ()
    parts: list[tuple[int, int]] = []
    for spec in found:
        if spec is None or not (spec[1] or spec[2]):
            return ()
        if not spec[1]:
            first, last = size - min(int(spec[2]), size), size - 1
        else:
            first, last = int(spec[1]), int(spec[2]) if spec[2] else size - 1
            if spec[2] and last < first:
                return ()
        if first < size and first <= last:
            parts.append((first, min(last, size - 1)))
    if not parts:
        raise NotThereError
    return tuple(parts)


class PartedFile(FileResponse):
    """A file, whole or in parts."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send what is asked for."""
        told = Headers(scope=scope).get("range")
        if told is None:
            await super().__call__(scope, receive, send)
            return
        size = os.stat(self.path).st_size  # noqa: PTH116 - FileResponse holds any kind of path
        headers = [(name, value) for name, value in scope["headers"] if name != b"range"]
        try:
            parts = parts_wanted(told, size)
        except NotThereError:
            detail = f"Range: the file has {size} bytes, and none of those that are asked for"
            status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
            answer = problem_response(status, detail, {"Content-Range": f"bytes */{size}"})
            await answer(scope, receive, send)
            return
        if parts:
            wanted = ", ".join(f"{first}-{last}" for first, last in parts)
            headers.append((b"range", f"bytes={wanted}".encode()))
        await super().__call__({**scope, "headers": headers}, receive, send)

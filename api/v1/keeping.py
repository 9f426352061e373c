"""What can be taken away: the case of a verdict, and a whole match, each as a zip that can be checked."""

import tempfile
from collections.abc import Iterator
from typing import IO, Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import StreamingResponse

from api.archive import Archive
from api.case_export import write_match, write_verdict_case
from api.v1.asking import Inspector, TheArchive, TheFeed, TheHub

router = APIRouter(prefix="/api/v1/matches/{match_id}", tags=["record"])

IN_MEMORY_BYTES = 8 << 20
_CHUNK_BYTES = 1 << 18
MISSING = "TouchJudge-Missing-Clips"
"""Names the clips of the play that the record names and that are not in the case: gone, or damaged."""
_A_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "A zip for `touchjudge verify`."}
}
_A_CASE: dict[int | str, dict[str, Any]] = {
    200: {
        **_A_ZIP[200],
        "headers": {
            MISSING: {
                "description": "Clips of the play, such as `c2, c3`, that are not in the case: no longer"
                " kept, or damaged. Without it: all that the record names are there.",
                "schema": {"type": "string"},
            }
        },
    }
}


@router.get("/verdicts/{verdict_id}/case.zip", response_class=StreamingResponse, responses=_A_CASE)
def case(verdict_id: str, feed: TheFeed, archive: TheArchive, hub: TheHub, _: Inspector) -> StreamingResponse:
    """One verdict with a readable sheet, the record so far, and its clips.

    Clips that are no longer kept, or damaged, are named in a header, on the sheet and by `touchjudge verify`.
    """
    _refuse_unchecked(archive)
    folder = None if hub.evidence is None else hub.evidence.match(feed.match_id)
    file = _new_file()
    content = write_verdict_case(file, archive.record_bytes(), verdict_id, folder)
    if content is None:
        file.close()
        raise HTTPException(404, f"match {feed.match_id!r} has no verdict {verdict_id!r}")
    missing = {MISSING: ", ".join(content.missing)} if content.missing else {}
    return _sent(file, f"case-{verdict_id}.zip", **missing)


@router.get("/export.zip", response_class=StreamingResponse, responses=_A_ZIP)
def export(feed: TheFeed, archive: TheArchive, hub: TheHub, _: Inspector) -> StreamingResponse:
    """The whole match: its record so far and all clips. ``touchjudge import`` takes it in elsewhere."""
    _refuse_unchecked(archive)
    folder = None if hub.evidence is None else hub.evidence.match(feed.match_id)
    file = _new_file()
    write_match(file, archive.record_bytes(), folder)
    return _sent(file, "match.zip")


def _refuse_unchecked(archive: Archive) -> None:
    """409 where nobody could check what is taken away."""
    if archive.why_no_case:
        raise HTTPException(409, archive.why_no_case)


def _new_file() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=IN_MEMORY_BYTES)


def _sent(file: IO[bytes], name: str, **more: str) -> StreamingResponse:
    file.seek(0)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', **more}
    return StreamingResponse(_chunks(file), media_type="application/zip", headers=headers)


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while chunk := file.read(_CHUNK_BYTES):
            yield chunk

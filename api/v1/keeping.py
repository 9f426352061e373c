"""What can be taken away: the case of a verdict, and a whole match, each as a zip that can be checked."""

import tempfile
from collections.abc import Iterator, Sequence
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
"""Names the clips that the record names, of a case for its play, and that are not in the zip."""
MOST_NAMED = 200
"""In that header: many who stand between refuse headers of more than 4,096 bytes."""
_A_ZIP: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/zip": {}}, "description": "A zip for `touchjudge verify`."}
}


def _lacking(clips: str) -> dict[int | str, dict[str, Any]]:
    """The answer with a zip that says which ``clips`` are not in it."""
    told = (
        f"{clips}, such as `c2, c3`, that are not in the zip: no longer kept, or damaged. Of more than"
        f" {MOST_NAMED}, the first, and how many more. Without it: all that the record names are there."
    )
    return {200: {**_A_ZIP[200], "headers": {MISSING: {"description": told, "schema": {"type": "string"}}}}}


@router.get(
    "/verdicts/{verdict_id}/case.zip",
    response_class=StreamingResponse,
    responses=_lacking("Clips of the play"),
)
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
    return _sent(file, f"case-{verdict_id}.zip", **_missing_header(content.missing))


@router.get("/export.zip", response_class=StreamingResponse, responses=_lacking("Clips of the match"))
def export(feed: TheFeed, archive: TheArchive, hub: TheHub, _: Inspector) -> StreamingResponse:
    """The whole match: its record so far and all clips. ``touchjudge import`` takes it in elsewhere.

    Clips that are no longer kept, or damaged, are left out and named in a header.
    """
    _refuse_unchecked(archive)
    folder = None if hub.evidence is None else hub.evidence.match(feed.match_id)
    file = _new_file()
    content = write_match(file, archive.record_bytes(), folder)
    return _sent(file, "match.zip", **_missing_header(content.missing))


def _missing_header(missing: Sequence[str]) -> dict[str, str]:
    if not missing:
        return {}
    more = [f"and {len(missing) - MOST_NAMED} more"] if len(missing) > MOST_NAMED else []
    return {MISSING: ", ".join([*missing[:MOST_NAMED], *more])}


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

"""The evidence of a match over the web: its clips, and their frames by their times.

Nothing of a request becomes part of a path: clips are looked up among those that lie there.
"""

from collections import OrderedDict
from threading import Lock
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response

from api.captions import captions_of
from api.evidence_frames import BusyError, FrameServer, WantedFrame
from api.evidence_schemas import ClipDetailOut, ClipOut, MarkOut, ZoneOut
from api.evidence_shelf import EvidenceShelf, MatchFolder
from api.kinship import akin_to, spoken_in
from api.schemas import Span
from api.v1.asking import Inspector, TheFeed, TheHub, TheView, tagged
from api.v1.ranges import PartedFile
from vision.evidence import ClipError, ClipIndex

_Value = TypeVar("_Value")

router = APIRouter(prefix="/api/v1", tags=["evidence"])

LONGEST_CACHE = "private, max-age=86400, immutable"
"""A clip never changes: its name and hash stay for as long as it lies there."""
KNOWN_CLIPS = 5_000
NARROWEST_PX, WIDEST_PX = 16, 7680
"""Of a frame that is asked for: an icon, and more than any camera of ours gives."""
OPEN_INDEXES = 8
"""Indexes that are kept whole, half a megabyte each."""


class ClipFinder:
    """Clips of a shelf, read once each; safe for several threads."""

    def __init__(self, shelf: EvidenceShelf) -> None:
        self.shelf = shelf
        self.frames = FrameServer()
        self._lock = Lock()
        self._listed: OrderedDict[str, ClipOut] = OrderedDict()
        self._indexes: OrderedDict[str, tuple[ClipIndex, str]] = OrderedDict()

    def listed(self, folder: MatchFolder) -> list[ClipOut]:
        """The clips of a match, by their numbers."""
        clips = (self._clip(folder, clip_id) for clip_id in folder.clip_ids())
        return [clip for clip in clips if clip is not None]

    def index(self, folder: MatchFolder, clip_id: str) -> tuple[ClipIndex, str] | None:
        """A clip's index with its hash. None: there is no such clip."""
        key = f"{folder.path}/{clip_id}"
        with self._lock:
            known = self._indexes.get(key)
        if known is None or not folder.has_files_of(known[0]):
            index = folder.index(clip_id)
            if index is None:
                return None
            known = (index, index.sha256)
        with self._lock:
            _put(self._indexes, key, known, OPEN_INDEXES)
        return known

    def _clip(self, folder: MatchFolder, clip_id: str) -> ClipOut | None:
        key = f"{folder.path}/{clip_id}"
        with self._lock:
            known = self._listed.get(key)
        if known is None:
            found = self.index(folder, clip_id)
            if found is None:
                return None
            known = _clip_view(*found)
            with self._lock:
                _put(self._listed, key, known, KNOWN_CLIPS)
        return known


def finder_of(request: Request, hub: TheHub) -> ClipFinder | None:
    """The clips that this server shows. None: it was told of no evidence."""
    if hub.evidence is None:
        return None
    finder = getattr(request.app.state, "clips", None)
    if not isinstance(finder, ClipFinder) or finder.shelf is not hub.evidence:
        finder = request.app.state.clips = ClipFinder(hub.evidence)
    return finder


TheFinder = Annotated[ClipFinder | None, Depends(finder_of)]


class Kept:
    """The evidence of the match that the address names."""

    def __init__(self, feed: TheFeed, view: TheView, finder: TheFinder) -> None:
        self.finder = finder
        self._view = view
        self.folder = None if finder is None else finder.shelf.match(feed.match_id)
        self.score = view.score
        self.seen_us = view.score.t_us
        """Nobody sees of a clip what lies after this."""
        self._match_id = feed.match_id

    def clips(self) -> list[ClipOut]:
        """The clips that the one who asks may see."""
        if self.finder is None or self.folder is None:
            return []
        return [clip for clip in self.finder.listed(self.folder) if clip.shows.end_us <= self.seen_us]

    def clips_of(self, verdict_id: str) -> list[ClipOut]:
        """The clips that were cut for a verdict; of one without, those of the play that it is about.

        A ruling that a person gave, and what follows from it, has the clip of the verdict that it answers.
        """
        clips = self.clips()
        own = [clip for clip in clips if verdict_id in clip.verdict_ids]
        if own:
            return own
        for each in self._akin(verdict_id):
            own = [clip for clip in clips if each in clip.verdict_ids]
            if own:
                return own
        return [clip for clip in clips if self._is_shown_in(verdict_id, clip)]

    def marked(self, index: ClipIndex, verdict_id: str) -> str:
        """The verdict by whose mark a clip shows what ``verdict_id`` is about."""
        marks = {mark.verdict_id for mark in index.marks}
        if verdict_id in marks:
            return verdict_id
        return next((each for each in self._akin(verdict_id) if each in marks), verdict_id)

    def _akin(self, verdict_id: str) -> tuple[str, ...]:
        return akin_to(verdict_id, map(spoken_in, self._view.verdicts))

    def _is_shown_in(self, verdict_id: str, clip: ClipOut) -> bool:
        """Whether all touches of a verdict lie within a clip that was cut for other plays."""
        verdict = next((each for each in self._view.verdicts if each.verdict_id == verdict_id), None)
        touches = [] if verdict is None else [play.touch for play in verdict.plays]
        return bool(touches) and all(
            clip.shows.start_us <= touch.start_us and touch.end_us <= clip.shows.end_us for touch in touches
        )

    def clip(self, clip_id: str) -> tuple[ClipIndex, str]:
        """A clip's index and hash; 404 where there is no such clip, or not yet."""
        if self.finder is not None and self.folder is not None:
            found = self.finder.index(self.folder, clip_id)
            if found is not None and found[0].times_us and found[0].times_us[-1] <= self.seen_us:
                return found
        raise HTTPException(404, f"no such clip: {clip_id!r} (see /api/v1/matches/{self._match_id}/clips)")


TheKept = Annotated[Kept, Depends()]


@router.get("/matches/{match_id}/clips")
def clips(
    kept: TheKept,
    verdict_id: Annotated[
        str | None, Query(max_length=40, description="only clips cut for it, or for the verdict it answers")
    ] = None,
    t_us: Annotated[int | None, Query(description="only clips that show this time")] = None,
) -> list[ClipOut]:
    """The clips that are kept of a match, oldest first. One is whole some seconds after its last touch."""
    return [
        clip
        for clip in (kept.clips() if verdict_id is None else kept.clips_of(verdict_id))
        if t_us is None or clip.shows.start_us <= t_us <= clip.shows.end_us
    ]


@router.get("/matches/{match_id}/verdicts/{verdict_id}/clip")
def clip_of_verdict(kept: TheKept, verdict_id: str) -> ClipDetailOut:
    """The clip that was cut for a verdict, or for the one it answers: the shortest, if there are several."""
    shown = kept.clips_of(verdict_id)
    if not shown:
        raise HTTPException(
            404, f"no clip of {verdict_id!r} is kept, or not yet: it ends 3 s after the touch"
        )
    best = min(shown, key=lambda clip: (clip.asked.end_us - clip.asked.start_us, clip.clip_id))
    return _detail_view(*kept.clip(best.clip_id))


@router.get("/matches/{match_id}/clips/{clip_id}")
def clip(request: Request, response: Response, kept: TheKept, clip_id: str) -> ClipDetailOut:
    """One clip with the times of its frames, and what it was cut for."""
    index, digest = kept.clip(clip_id)
    tagged(request, response, f'"{digest[:32]}"')
    return _detail_view(index, digest)


@router.get(
    "/matches/{match_id}/clips/{clip_id}/video",
    response_class=PartedFile,
    responses={206: {"description": "The part that `Range` asks for."}},
)
def video(kept: TheKept, clip_id: str) -> PartedFile:
    """The clip as it was cut, in the source's own packets. Its time 0 is its first frame's time.

    `Range` is heeded; one that cannot be read is ignored, and one behind the end is answered by 416.
    """
    index, digest = kept.clip(clip_id)
    assert kept.folder is not None, "a clip lies in a folder"
    kind = "video/mp4" if index.media.endswith(".mp4") else "video/x-matroska"
    headers = {"Cache-Control": LONGEST_CACHE, "ETag": f'"{digest[:32]}"'}
    return PartedFile(kept.folder.path / index.media, media_type=kind, headers=headers)


@router.get("/matches/{match_id}/clips/{clip_id}/index", response_class=Response)
def index_text(request: Request, response: Response, kept: TheKept, clip_id: str) -> Response:
    """The clip's index, byte for byte as the record holds it by its hash."""
    index, digest = kept.clip(clip_id)
    tagged(request, response, f'"{digest[:32]}"')
    response.headers["Cache-Control"] = LONGEST_CACHE
    return Response(index.text, media_type="application/json", headers=dict(response.headers))


class Look:
    """How a frame is to be shown."""

    def __init__(
        self,
        step: Annotated[int, Query(ge=-1000, le=1000, description="so many frames on, or back")] = 0,
        drawn: Annotated[bool, Query(description="with piles and touches drawn in")] = False,  # noqa: FBT002 - a query
        verdict_id: Annotated[
            str | None, Query(pattern="^v[0-9]{1,9}$", description="drawn: only what is of it")
        ] = None,
        width: Annotated[
            int | None,
            Query(ge=NARROWEST_PX, le=WIDEST_PX, description="at most so many pixels wide; never enlarged"),
        ] = None,
        small: Annotated[bool, Query(description="drawn: in letters for a telephone")] = False,  # noqa: FBT002 - a query
    ) -> None:
        self.step = step
        self.small = small and drawn
        self.drawn = drawn
        self.verdict_id = verdict_id if drawn else None
        self.width = width

    def tag(self, drawn_id: str | None) -> str:
        """What tells it from other ways to show the same frame; ``drawn_id``: whose marks are drawn."""
        return f"{int(self.drawn)}-{drawn_id or ''}-{self.width or 0}-{int(self.small)}"


TheLook = Annotated[Look, Depends()]


@router.get("/matches/{match_id}/clips/{clip_id}/frames/{t_us}.jpg", response_class=Response)
def frame(
    request: Request,
    response: Response,
    kept: TheKept,
    _: Inspector,
    clip_id: str,
    t_us: int,
    look: TheLook,
) -> Response:
    """The frame that is shown at ``t_us``: that of this very time, or the last before it.

    ``X-Frame-Time-Us`` is its own time; ``X-Frame-Previous-Us`` and ``X-Frame-Next-Us`` are its neighbours'.
    """
    index, digest = kept.clip(clip_id)
    times_us = index.times_us
    place = _place(times_us, t_us, look.step)
    drawn_id = None if look.verdict_id is None else kept.marked(index, look.verdict_id)
    wanted = WantedFrame(place, look.drawn, drawn_id, look.width, look.small)
    tagged(request, response, f'"{digest[:24]}-{place}-{look.tag(drawn_id)}"')
    assert kept.finder is not None, "a clip was found by it"
    assert kept.folder is not None, "a clip lies in a folder"
    try:
        content = kept.finder.frames.jpeg(kept.folder, index, digest, wanted, captions_of(index, kept.score))
    except BusyError as error:
        raise HTTPException(503, str(error), headers={"Retry-After": "1"}) from None
    except ClipError as error:
        raise HTTPException(404, str(error)) from None
    headers = {**response.headers, "Cache-Control": LONGEST_CACHE, "X-Frame-Time-Us": str(times_us[place])}
    if place > 0:
        headers["X-Frame-Previous-Us"] = str(times_us[place - 1])
    if place + 1 < len(times_us):
        headers["X-Frame-Next-Us"] = str(times_us[place + 1])
    return Response(content, media_type="image/jpeg", headers=headers)


def _place(times_us: tuple[int, ...], t_us: int, step: int) -> int:
    """The place of a frame; 404 outside the clip."""
    place = sum(time <= t_us for time in times_us) - 1 + step
    if not times_us[0] <= t_us or not 0 <= place < len(times_us):
        raise HTTPException(404, f"no such frame: the clip shows {times_us[0]} to {times_us[-1]} us")
    return place


def _clip_view(index: ClipIndex, digest: str) -> ClipOut:
    times_us = index.times_us
    return ClipOut(
        clip_id=index.clip_id,
        verdict_ids=tuple(mark.verdict_id for mark in index.marks),
        shows=Span(start_us=times_us[0], end_us=times_us[-1]) if times_us else Span(start_us=0, end_us=0),
        asked=Span(start_us=index.start_us, end_us=index.end_us),
        frames=len(times_us),
        codec=index.codec,
        is_playable=index.media.endswith(".mp4") and index.codec in {"h264", "av1", "vp9"},
        index_sha256=digest,
    )


def _detail_view(index: ClipIndex, digest: str) -> ClipDetailOut:
    return ClipDetailOut(
        **_clip_view(index, digest).model_dump(),
        times_us=index.times_us,
        marks=tuple(
            MarkOut(
                verdict_id=mark.verdict_id,
                pile=mark.pile,
                seats=mark.seats,
                touches=tuple(Span(start_us=start, end_us=end) for start, end in mark.touches),
            )
            for mark in index.marks
        ),
        zones=tuple(ZoneOut(pile=zone.pile, polygon_px=zone.polygon_px) for zone in index.zones),
    )


def _put(kept: "OrderedDict[str, _Value]", key: str, value: _Value, at_most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > at_most:
        kept.popitem(last=False)

"""Whether the server lives, whether it can do its work, and its figures for Prometheus."""

from importlib.metadata import version
from importlib.resources import files
from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.exposition import generate_latest

from api.access import Permission, Principal
from api.feed import MatchFeed
from api.hub import Hub
from api.schemas import MatchState, Schema
from api.store.shelf import Store
from api.v1.asking import TheHub, permitted
from api.v1.figures import Figures

router = APIRouter(tags=["health"])

STILL_S = 10.0
"""A camera from which no frame has come for so long stands still; the slowest of ours gives one a second."""


class HealthOut(Schema):
    """Whether the server answers, and which version it is."""

    status: str
    version: str


class CheckOut(Schema):
    """One thing that the server needs."""

    name: str
    is_ok: bool
    detail: str


class ReadyOut(Schema):
    """Whether the server can do its work."""

    is_ready: bool
    checks: tuple[CheckOut, ...]


@router.get("/healthz")
def healthz() -> HealthOut:
    """Whether the server answers, and which version it is."""
    return HealthOut(status="ok", version=version("touchjudge"))


@router.get("/readyz", responses={503: {"model": ReadyOut, "description": "Something is missing."}})
def readyz(request: Request, response: Response, hub: TheHub) -> ReadyOut:
    """Whether database, models, records and cameras do their part. 503 where one does not."""
    checks = (_database(request.app.state.store), _models(), *_records(hub), *_cameras(hub))
    is_ready = all(check.is_ok for check in checks)
    response.status_code = 200 if is_ready else 503
    return ReadyOut(is_ready=is_ready, checks=checks)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}, "description": "In Prometheus' own form."}},
)
def metrics(request: Request, _: Annotated[Principal, Depends(permitted(Permission.INSPECT))]) -> Response:
    """Figures of every table: frames, lag, time to the verdict, what waits for a person, viewers, writes."""
    figures: Figures = request.app.state.figures
    return Response(generate_latest(figures.registry), media_type=CONTENT_TYPE_LATEST)


def _database(store: Store | None) -> CheckOut:
    if store is None:
        return CheckOut(name="database", is_ok=True, detail="none is kept")
    is_well = store.database.is_well
    kept = "lasting" if store.is_lasting else "in memory only"
    return CheckOut(name="database", is_ok=is_well, detail=kept if is_well else "it does not answer")


def _models() -> CheckOut:
    weights = files("models") / "weights"
    names = sorted(item.name for item in weights.iterdir() if item.name.endswith(".onnx"))
    return CheckOut(name="models", is_ok=bool(names), detail=", ".join(names) or "no weights are installed")


def _records(hub: Hub) -> list[CheckOut]:
    desks = ((feed.match_id, hub.desk(feed.match_id)) for feed in hub.feeds)
    return [
        CheckOut(name=f"record of {match_id}", is_ok=False, detail=str(desk.failure))
        for match_id, desk in desks
        if desk is not None and desk.failure is not None
    ]


def _cameras(hub: Hub) -> list[CheckOut]:
    """Of the matches that are played now."""
    return [
        _camera(feed) for feed in hub.feeds if feed.score.state in {MatchState.WAITING, MatchState.PLAYING}
    ]


def _camera(feed: MatchFeed) -> CheckOut:
    age_s = feed.frame_age_s
    if age_s is None:
        return CheckOut(name=f"camera of {feed.match_id}", is_ok=False, detail="no frame has come yet")
    return CheckOut(
        name=f"camera of {feed.match_id}", is_ok=age_s < STILL_S, detail=f"newest frame {age_s:.1f} s old"
    )

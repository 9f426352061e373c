"""The web server's application: the interface under ``/api/v1``, the pages, and how they answer errors."""

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles

from api.feed import Hub
from api.problems import answer_with_problems
from api.routes import hub_of, router

PAGES = Path(__file__).with_name("pages")

_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""Pages load nothing from elsewhere and run no script but ours, whatever a table file says."""


def create_app(hub: Hub) -> FastAPI:
    """The application that shows the matches of ``hub``."""
    app = FastAPI(title="TouchJudge", version=version("touchjudge"), docs_url=None, redoc_url=None)
    app.state.hub = hub
    answer_with_problems(app)
    app.include_router(router)
    app.get("/healthz")(healthz)
    app.head("/healthz", include_in_schema=False)(healthz)
    app.get("/", include_in_schema=False)(index_page)
    app.get("/overlay/{table}", response_class=FileResponse, include_in_schema=False)(overlay_page)
    app.get("/live/{table}", response_class=FileResponse, include_in_schema=False)(live_page)
    app.mount("/assets", StaticFiles(directory=PAGES / "assets"), name="assets")
    app.middleware("http")(_add_page_headers)
    return app


def healthz() -> dict[str, str]:
    """Whether the server answers, and which version it is."""
    return {"status": "ok", "version": version("touchjudge")}


def index_page() -> FileResponse:
    """The list of matches with the addresses of their pages."""
    return FileResponse(PAGES / "index.html")


def overlay_page(table: str, hub: Annotated[Hub, Depends(hub_of)]) -> FileResponse:
    """The transparent score bar of a table, for OBS and the like."""
    _check_table(table, hub)
    return FileResponse(PAGES / "overlay.html")


def live_page(table: str, hub: Annotated[Hub, Depends(hub_of)]) -> FileResponse:
    """The picture of a table with its score and verdicts."""
    _check_table(table, hub)
    return FileResponse(PAGES / "live.html")


def _check_table(table: str, hub: Hub) -> None:
    if hub.newest_of_table(table) is None:
        raise HTTPException(404, f"no such table: {table!r} (see /api/v1/matches)")


async def _add_page_headers(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    answer = await call_next(request)
    for name, value in _PAGE_HEADERS.items():
        answer.headers.setdefault(name, value)
    return answer

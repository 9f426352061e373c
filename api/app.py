"""The web server's application: the interface under ``/api/v1``, the pages, and how they answer errors."""

from collections.abc import Awaitable, Callable
from importlib.metadata import version

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles

from api.hub import Hub
from api.page_routes import PAGES
from api.page_routes import router as page_router
from api.problems import answer_with_problems
from api.v1 import evidence, reads, writes
from api.v1.stream import Belfry

_PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; base-uri 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""Pages load nothing from elsewhere and run no script but ours, whatever a table file says."""


def create_app(hub: Hub) -> FastAPI:
    """The application that shows the matches of ``hub``."""
    app = FastAPI(title="TouchJudge", version=version("touchjudge"), docs_url=None, redoc_url=None)
    app.state.hub = hub
    app.state.belfry = Belfry()
    answer_with_problems(app)
    app.include_router(reads.router)
    app.include_router(writes.router)
    app.include_router(evidence.router)
    app.get("/healthz")(healthz)
    app.head("/healthz", include_in_schema=False)(healthz)
    app.include_router(page_router)
    app.mount("/assets", StaticFiles(directory=PAGES / "assets"), name="assets")
    app.middleware("http")(_add_page_headers)
    return app


def healthz() -> dict[str, str]:
    """Whether the server answers, and which version it is."""
    return {"status": "ok", "version": version("touchjudge")}


async def _add_page_headers(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    answer = await call_next(request)
    for name, value in _PAGE_HEADERS.items():
        answer.headers.setdefault(name, value)
    return answer

"""The web server's application: the interface under ``/api/v1``, the pages, and how they answer errors."""

from importlib.metadata import version

from fastapi import Depends, FastAPI
from fastapi.staticfiles import StaticFiles

from api.door import Door, DoorPlan
from api.hub import Hub
from api.page_routes import PAGES, answer_missing_pages
from api.page_routes import router as page_router
from api.problems import answer_with_problems
from api.store.shelf import Store
from api.v1 import evidence, health, keeping, reads, session, socket, standings, tournament, webhooks, writes
from api.v1.description import describe, operation_name
from api.v1.figures import Figures
from api.v1.options import refuse_unknown_options
from api.v1.stream import Belfry


def create_app(hub: Hub, *, plan: DoorPlan | None = None, store: Store | None = None) -> FastAPI:
    """The application that shows the matches of ``hub``, guarded by ``plan``: by default for this machine.

    Without a ``store`` nothing is audited, no token is known, and an idempotency key has no effect.
    """
    app = FastAPI(
        title="TouchJudge",
        version=version("touchjudge"),
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=operation_name,
    )
    app.state.hub = hub
    app.state.belfry = Belfry()
    app.state.store = store
    app.state.figures = figures = Figures(hub, app.state.belfry)
    answer_with_problems(app)
    answer_missing_pages(app)
    for part in (reads, writes, session, webhooks, evidence, keeping, socket, standings, tournament, health):
        app.include_router(part.router, dependencies=[Depends(refuse_unknown_options)])
    app.include_router(page_router)
    app.include_router(socket.nowhere)
    describe(app)
    app.mount("/assets", StaticFiles(directory=PAGES / "assets"), name="assets")
    app.add_middleware(Door, plan=plan or DoorPlan(), store=store, count=figures.count_write)
    return app

"""The description of the interface: every answer that may come, with examples, at ``/openapi.json``."""

from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from api.problems import MEDIA_TYPE
from api.schemas import AliveHouseOut, AliveOut, ChangedOut, Problem, SnapshotOut
from api.v1.examples import OF_BODIES, OF_SCHEMAS, as_json

_ABOUT = """The interface of TouchJudge: what is seen, ruled and scored, and what people enter.

Errors are `application/problem+json` (RFC 9457). Long lists come in parts: `limit`, and the `Link` header of
each answer. States carry an `ETag`. Every `POST` may carry an `Idempotency-Key`. Beyond the machine itself
everybody needs a token, as `Authorization: Bearer tj_...`; one of scope `overlay` may stand in the address:
`?token=`. An option in the address that an operation does not list is refused (422), not ignored."""

_TAGS = {
    "tables": "Every table with its newest match.",
    "matches": "Matches, seats and rounds.",
    "score": "The score with the lines that make it up.",
    "verdicts": "Rulings with reasons, and the plays that they are about.",
    "calls": "Calls, declarations and counts: what people tell.",
    "reviews": "Appeals, answers and corrections, each tried before it is entered.",
    "record": "The record itself, cases and whole matches.",
    "evidence": "Clips and single frames.",
    "picture": "The newest picture of a table.",
    "stream": "Changes as they come.",
    "standings": "Who leads.",
    "tournament": "Rounds, who sits where, and tables that bracket services take.",
    "session": "Who asks, and what that one may do.",
    "administration": "Tokens, webhooks and the audit.",
    "health": "Whether the server does its work.",
}

_ANYWHERE = (400, 421, 422, 429)
"""The door answers so before any route; 422: an option that the route does not know."""
_OF_STORE = (503,)
_WRITES = frozenset({"post", "put", "patch", "delete"})
_OPEN = frozenset({"/healthz", "/readyz"})
"""Asked without a token."""


def operation_name(route: APIRoute) -> str:
    """An operation is called as the function that answers it: no two are called alike."""
    return route.name


def describe(app: FastAPI) -> None:
    """Let ``app`` describe itself so."""
    app.openapi = _described(app)  # type: ignore[method-assign]  # as FastAPI's manual has it


def _described(app: FastAPI) -> Callable[[], dict[str, Any]]:
    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _schema(app)
        return app.openapi_schema

    return openapi


def _schema(app: FastAPI) -> dict[str, Any]:
    tags = [{"name": name, "description": text} for name, text in _TAGS.items()]
    schema = get_openapi(
        title=app.title, version=app.version, description=_ABOUT, routes=app.routes, tags=tags
    )
    components = schema.setdefault("components", {})
    shapes = components.setdefault("schemas", {})
    for told in (Problem, SnapshotOut, AliveOut, ChangedOut, AliveHouseOut):
        shape = told.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
        shapes.update(shape.pop("$defs", {}))
        shapes[told.__name__] = shape
    for name in ("HTTPValidationError", "ValidationError"):
        shapes.pop(name, None)
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for example in OF_SCHEMAS:
        if type(example).__name__ in shapes:
            shapes[type(example).__name__]["examples"] = [as_json(example)]
    for path, method, operation in _operations(schema):
        _complete(path, method, operation)
    return schema


def _operations(schema: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            yield path, method, operation


def _complete(path: str, method: str, operation: dict[str, Any]) -> None:
    """Add to one operation what every answer has in common."""
    answers = operation["responses"]
    for status in _errors_of(path, method, operation):
        answers[str(status)] = _problem(status)
    if method == "get" and "200" in answers:
        answers["304"] = {"description": "The one who asks has this state (`If-None-Match`)."}
    if path not in _OPEN and not path.endswith("/session"):
        operation["security"] = [{"token": []}, {}]
    if method == "post":
        operation.setdefault("parameters", []).append(_KEY)
    examples = OF_BODIES.get(operation["operationId"])
    if examples:
        content = operation["requestBody"]["content"]["application/json"]
        content["examples"] = {name: {"value": as_json(value)} for name, value in examples.items()}


def _errors_of(path: str, method: str, operation: dict[str, Any]) -> list[int]:
    """The errors that an operation may answer."""
    found = [*_ANYWHERE, 401, 403, *_OF_STORE]
    if "503" in operation["responses"]:
        found.remove(503)
    if "{" in path:
        found += [404, 409]
    if method in _WRITES:
        found += [409, 413]
    if "206" in operation["responses"]:
        found.append(416)
    return sorted(set(found))


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same request with the same key is entered once, and answered alike.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "example": "0b8f0c1e-6c1a-4a3e-9d57-0f6c8a1c9e55",
}


def _problem(status: int) -> dict[str, Any]:
    return {
        "description": HTTPStatus(status).phrase,
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }

"""Errors of the web interface, all in one shape: ``application/problem+json`` (RFC 9457)."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from fastapi.responses import JSONResponse
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.routing import Match, Mount
from starlette.types import Receive, Scope, Send

from api.access import TURNED_AWAY
from api.desk import ImpossibleError, RefusedError, UnknownNameError
from api.errors import CommandError
from api.schemas import Problem
from models.wanted import wanted_of
from referee.codec import wanted_json

MEDIA_TYPE = "application/problem+json"


_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_FILES = ("GET",)
"""How files that lie in a folder are asked for."""

UNREADABLE = (RecursionError, ValueError)
"""What a body raises that no program wrote on purpose: nested too deep, numbers too long, no UTF-8."""


CLOSED_FOR = 4000
"""Added to the status that a request would be answered with: why a socket was closed."""
LONGEST_CLOSING = 100
"""Characters of the reason of a closed socket: 123 bytes go in."""


class RefusedSocketError(Exception):
    """Nobody is let in over this socket; the message says why."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class NotModifiedError(Exception):
    """The one who asks has this state already; the message is its tag."""


def problem_response(
    status: int, detail: str, headers: Mapping[str, str] | None = None, *, code: str = ""
) -> JSONResponse:
    """An error answer."""
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, code=code)
    return JSONResponse(
        problem.model_dump(), status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {})
    )


def fault_response(error: Exception) -> JSONResponse:
    """The answer where the fault is ours."""
    return problem_response(HTTPStatus.INTERNAL_SERVER_ERROR, f"fault in the server: {type(error).__name__}")


async def refuse_socket(
    scope: Scope,
    receive: Receive,
    send: Send,
    *,
    status: int,
    detail: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Answer the handshake of a socket as a request is answered; by a close code where that cannot be."""
    if "websocket.http.response" in scope.get("extensions", {}):
        await problem_response(status, detail, headers)(scope, receive, send)
        return
    await send({"type": "websocket.close", "code": CLOSED_FOR + status, "reason": detail[:LONGEST_CLOSING]})


async def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    if error.status_code == HTTPStatus.BAD_REQUEST and isinstance(error.__cause__, UNREADABLE):
        detail = f"body: want JSON, {wanted_json(error.__cause__)}"
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, detail)
    answer = problem_response(error.status_code, error.detail, code=TURNED_AWAY.get(error.detail, ""))
    answer.headers.update(error.headers or {})
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        answer.headers["Allow"] = ", ".join(sorted(_methods_at(request)))
    return answer


def _methods_at(request: Request) -> set[str]:
    """What may be asked at an address: by all routes that it has, where the library names the first alone."""
    scope, found = request.scope, set()
    scope = {**scope, "root_path": scope.get("app_root_path", scope.get("root_path", ""))}
    for route in request.app.routes:
        asked = _FILES if isinstance(route, Mount) else _METHODS
        found |= {each for each in asked if route.matches({**scope, "method": each})[0] is Match.FULL}
    return found | ({"HEAD"} if "GET" in found else set())


async def _on_bad_request(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "; ".join(map(_fault_line, error.errors())))


def _fault_line(fault: ErrorDetails) -> str:
    """Where, and what was wanted; of what is no JSON the character is no place in it."""
    if fault["type"] == "json_invalid":
        return f"body: {wanted_of(fault)} at character {fault['loc'][-1]}"
    where, wanted = ".".join(map(str, fault["loc"])), wanted_of(fault)
    return wanted if wanted.startswith(f"{where}: ") else f"{where}: {wanted}"


async def _on_refused_socket(websocket: WebSocket, error: Exception) -> None:
    if not isinstance(error, RefusedSocketError):
        raise error
    await refuse_socket(
        websocket.scope, websocket.receive, websocket.send, status=error.status, detail=str(error)
    )


async def _on_bad_socket(websocket: WebSocket, error: Exception) -> None:
    if not isinstance(error, WebSocketRequestValidationError):
        raise error
    faults = "; ".join(_fault_line(fault) for fault in error.errors())
    await refuse_socket(
        websocket.scope,
        websocket.receive,
        websocket.send,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
        detail=faults,
    )


async def _on_not_modified(_: Request, error: Exception) -> Response:
    return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": str(error)})


async def _on_refused(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RefusedError):
        raise error
    return problem_response(HTTPStatus.CONFLICT, str(error), code=error.code)


async def _on_unknown_name(_: Request, error: Exception) -> JSONResponse:
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))


async def _on_impossible(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, ImpossibleError):
        raise error
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), code=error.code)


async def _on_command_error(_: Request, error: Exception) -> JSONResponse:
    return problem_response(HTTPStatus.SERVICE_UNAVAILABLE, str(error))


async def _on_fault(_: Request, error: Exception) -> JSONResponse:
    return fault_response(error)


def answer_with_problems(app: FastAPI) -> None:
    """Give every error of ``app`` the one shape."""
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_bad_request)
    app.add_exception_handler(WebSocketRequestValidationError, _on_bad_socket)
    app.add_exception_handler(RefusedSocketError, _on_refused_socket)
    app.add_exception_handler(NotModifiedError, _on_not_modified)
    app.add_exception_handler(RefusedError, _on_refused)
    app.add_exception_handler(UnknownNameError, _on_unknown_name)
    app.add_exception_handler(ImpossibleError, _on_impossible)
    app.add_exception_handler(CommandError, _on_command_error)
    app.add_exception_handler(Exception, _on_fault)

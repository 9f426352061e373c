"""What may stand behind the question mark of an address: nothing that the route would not heed."""

from collections.abc import Iterator

from fastapi import HTTPException
from fastapi.dependencies.models import Dependant
from starlette.requests import HTTPConnection

from api.problems import RefusedSocketError

TOKEN = "token"  # noqa: S105 - the name of an option
"""The door reads it, before every route."""


def refuse_unknown_options(asked: HTTPConnection) -> None:
    """Raise 422 where the address of a request has an option that its route knows nothing of.

    A misspelt filter would give everything, a misspelt delay the match as it is now.
    """
    if not asked.query_params:
        return
    known = {TOKEN, *_options_of(asked.scope["route"].dependant)}
    unknown = sorted(set(asked.query_params) - known)
    if not unknown:
        return
    named = ", ".join(repr(name[:40]) for name in unknown[:5])
    said = f"no option of this address: {named} (known: {', '.join(sorted(known))})"
    if asked.scope["type"] == "websocket":
        raise RefusedSocketError(422, said)
    raise HTTPException(422, said)


def _options_of(dependant: Dependant) -> Iterator[str]:
    """The options of a route, and of all that it asks of a request."""
    for field in dependant.query_params:
        yield field.alias
    for each in dependant.dependencies:
        yield from _options_of(each)

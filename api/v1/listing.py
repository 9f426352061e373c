"""Long lists in parts: each answer says where the next part begins."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeVar

from fastapi import Depends, HTTPException, Query, Request, Response

_Item = TypeVar("_Item")

LARGEST_PART = 1_000


class Order(StrEnum):
    """Which end of a list comes first."""

    OLDEST = "oldest"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a list is asked for."""

    request: Request
    response: Response
    order: Order
    limit: int | None
    """None: all of it."""
    at: int
    """Items before this part, counted from the oldest whichever comes first; -1: from the start."""

    def of(self, items: Sequence[_Item]) -> list[_Item]:
        """The part; headers of the answer say how many there are and where to go on."""
        self.response.headers["X-Total-Count"] = str(len(items))
        size = len(items) if self.limit is None else self.limit
        if self.order is Order.OLDEST:
            first = min(max(self.at, 0), len(items))
            last = min(first + size, len(items))
            self._link(last if last < len(items) else None)
            return list(items[first:last])
        last = len(items) if self.at < 0 else min(self.at, len(items))
        first = max(last - size, 0)
        self._link(first if first > 0 else None)
        return list(reversed(items[first:last]))

    def _link(self, cursor: int | None) -> None:
        if cursor is not None:
            query = self.request.url.include_query_params(cursor=_written(cursor)).query
            self.response.headers["Link"] = f'<{self.request.url.path}?{query}>; rel="next"'


def part_of(
    request: Request,
    response: Response,
    limit: Annotated[
        int | None, Query(ge=1, le=LARGEST_PART, description="At most so many; without it, all.")
    ] = None,
    cursor: Annotated[
        str | None,
        Query(max_length=20, description="Where to go on: from the `Link` header of the part before."),
    ] = None,
    order: Annotated[Order, Query(description="Which end comes first.")] = Order.OLDEST,
) -> Part:
    """The part of a list that a request asks for; 422 where its cursor is none of ours."""
    return Part(request, response, order, limit, -1 if cursor is None else _read(cursor))


ThePart = Annotated[Part, Depends(part_of)]


def _written(place: int) -> str:
    return f"c{place:x}"


def _read(cursor: str) -> int:
    digits = cursor[1:]
    if cursor[:1] != "c" or not digits or any(digit not in "0123456789abcdef" for digit in digits):
        raise HTTPException(422, f"cursor: want one from a Link header, got {cursor!r}")
    return int(digits, 16)

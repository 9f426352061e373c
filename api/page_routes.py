"""The pages that people open, each in the reader's language, and the catalogue of words that they load."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, FastAPI, Header, HTTPException, Query, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException as StarletteHTTPException

from api.languages import CODES, Language, chosen, language
from api.machine import own_program
from api.problems import problem_response
from api.quiet import QUIET_REASONS
from referee.setup import Game
from vision.seat_marks import SEAT_MARKS

PAGES = Path(__file__).with_name("pages")
_SLOT = re.compile(r"\{\{([\w.]+)\}\}")
_SCRIPT = re.compile(r'<script type="module" src="/assets/([\w.]+)"></script>')
_APOSTROPHE = re.compile(r"(?<=[\w}])'")
_IMPORT = re.compile(r'^(?:import|export)\b[^"]*"\./([\w.]+)"', re.MULTILINE)

router = APIRouter(include_in_schema=False)

Asked = Annotated[str | None, Query(alias="lang")]
Accepted = Annotated[str | None, Header(alias="Accept-Language")]


class SeatLook(BaseModel):
    """The mark of a seat."""

    model_config = ConfigDict(frozen=True)

    colour: str
    points: str
    """Of a polygon in a box of 24, as SVG writes them."""


class Words(BaseModel):
    """The catalogue of one language as pages load it."""

    model_config = ConfigDict(frozen=True)

    words: dict[str, str]
    plurals: dict[str, dict[str, str]]
    reasons: dict[str, str]
    reason_forms: dict[str, str]
    rules: dict[str, str]
    quiet: list[str]
    """Reasons of verdicts that are folded away."""
    seats: list[SeatLook]
    """Marks of seats, as pictures have them too; in the order of a match."""
    fewest_win: list[str]
    """The games in which the lowest total leads."""


@router.get("/")
def index_page(lang: Asked = None, accept_language: Accepted = None) -> HTMLResponse:
    """The way in: every match with the addresses of its pages."""
    return _page("index", lang, accept_language)


@router.get("/board")
def board_page(lang: Asked = None, accept_language: Accepted = None) -> HTMLResponse:
    """All tables at a glance, standings and results."""
    return _page("board", lang, accept_language)


@router.get("/overlay/{table}")
@router.get("/overlay/{table}/{surface}")
def overlay_page(
    table: str, surface: str = "", lang: Asked = None, accept_language: Accepted = None
) -> HTMLResponse:
    """What lies over the picture in OBS. It waits for a table that is not there yet."""
    del table, surface  # the page reads its own address
    return _page("overlay", lang, accept_language)


@router.get("/live/{table}")
def live_page(table: str, lang: Asked = None, accept_language: Accepted = None) -> HTMLResponse:
    """The picture of a table, its score, verdicts and calls. It waits for a table that is not there yet."""
    del table
    return _page("live", lang, accept_language)


@router.get("/review/{match_id}")
def review_page(match_id: str, lang: Asked = None, accept_language: Accepted = None) -> HTMLResponse:
    """The disputed plays of a match with all that a person needs to rule on them."""
    del match_id
    return _page("review", lang, accept_language)


@router.get("/tokens")
def tokens_page(lang: Asked = None, accept_language: Accepted = None) -> HTMLResponse:
    """Tokens: who may do what. It opens to everybody, and shows and does only what the one who asks may."""
    return _page("tokens", lang, accept_language)


@router.get("/words/{code}.json", response_model=Words)
def words(code: str, request: Request) -> Response:
    """The words of one language; a browser that has them already is told so."""
    if code not in CODES:
        raise HTTPException(404, f"no such language: {code!r} (want one of: {', '.join(CODES)})")
    spoken = language(code)
    content = Words(
        words=dict(spoken.words),
        plurals={key: dict(forms) for key, forms in spoken.plurals.items()},
        reasons=_as_printed(spoken.reasons),
        reason_forms=_as_printed(spoken.reason_forms),
        rules=_as_printed(spoken.rules),
        quiet=sorted(QUIET_REASONS),
        fewest_win=[game.value for game in Game if game.is_won_by_fewest],
        seats=[
            SeatLook(colour=mark.colour, points=" ".join(f"{x:g},{y:g}" for x, y in mark.outline))
            for mark in SEAT_MARKS
        ],
    )
    body = content.model_dump_json()
    etag = f'"{hash_of(body)}"'
    if request.headers.get("if-none-match") == etag:
        return Response(status_code=304, headers={"ETag": etag})
    return Response(body, media_type="application/json", headers={"ETag": etag})


def _as_printed(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts with the apostrophes of print, as pages have them; a terminal gets plain ones."""
    return {key: _APOSTROPHE.sub("\u2019", text) for key, text in texts.items()}


def hash_of(text: str) -> str:
    """Sixteen hex digits that change with ``text``."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def answer_missing_pages(app: FastAPI) -> None:
    """Tell browsers of ``app`` by a page that there is none at an address; programs get the usual problem."""
    app.add_exception_handler(HTTPStatus.NOT_FOUND, _on_missing)


async def _on_missing(request: Request, error: Exception) -> Response:
    if not isinstance(error, StarletteHTTPException):
        raise error
    headers = request.headers
    if request.url.path.startswith("/api/") or "text/html" not in headers.get("accept", ""):
        return problem_response(error.status_code, str(error.detail), error.headers)
    asked = request.query_params.get("lang")
    page = _page("missing", asked, headers.get("accept-language"))
    page.status_code, page.headers["Vary"] = HTTPStatus.NOT_FOUND, "Accept, Accept-Language"
    return page


def _page(name: str, asked: str | None, accept_language: str | None) -> HTMLResponse:
    spoken = language(chosen(asked, accept_language))
    html = (PAGES / f"{name}.html").read_text(encoding="utf-8")
    return HTMLResponse(filled(hastened(html), spoken), headers={"Vary": "Accept-Language"})


def hastened(html: str) -> str:
    """The page with all that its scripts will ask for named at its top, so that a browser asks at once."""
    script = _SCRIPT.search(html)
    if script is None:
        return html
    links = "".join(f'<link rel="modulepreload" href="/assets/{each}">\n' for each in modules_of(script[1]))
    words = '<link rel="preload" href="/words/{{lang}}.json" as="fetch" crossorigin="anonymous">\n'
    return html.replace("</head>", f"{words}{links}</head>", 1)


@cache
def modules_of(script: str) -> tuple[str, ...]:
    """The modules that a script imports, and those that they import; each once, the script itself not."""
    found: dict[str, None] = {script: None}
    waiting = [script]
    while waiting:
        text = (PAGES / "assets" / waiting.pop()).read_text(encoding="utf-8")
        new = [each for each in _IMPORT.findall(text) if each not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return tuple(found)[1:]


def filled(html: str, spoken: Language) -> str:
    """A page with its ``{{words}}`` in a language; ``KeyError`` where the catalogue lacks one."""
    fixed = {
        "lang": spoken.code,
        "dir": spoken.direction,
        "languages": " ".join(CODES),
        "program": own_program(),
    }
    return _SLOT.sub(lambda slot: escape(fixed.get(slot[1]) or spoken.words[slot[1]]), html)

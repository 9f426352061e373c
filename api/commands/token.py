"""``touchjudge token``: who may see and do what on a server that is open to others."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from api.access import Scope
from api.console import notes, output
from api.errors import CommandError, MisuseError

if TYPE_CHECKING:
    from api.store.shelf import Store

app = typer.Typer(
    name="token",
    help="Tokens: who may see and do what on a server that answers more than this machine.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_Json = Annotated[bool, typer.Option("--json", help="As JSON lines.")]


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose it is; stands in the audit.")],
    *,
    scope: Annotated[
        list[Scope],
        typer.Option(
            "--scope",
            help="overlay sees; operator calls and corrects; reviewer answers; admin does all.",
        ),
    ],
    delay: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="With overlay: see the match so much later.")
    ] = 0.0,
    days: Annotated[int | None, typer.Option(min=1, help="How long it holds; without it, for ever.")] = None,
) -> None:
    """Make a token and print it; it is shown this once and kept nowhere.

    Example: [bold]touchjudge token new "OBS in the hall" --scope overlay --delay 20[/bold]
    """
    with _store() as store:
        try:
            text, token = store.tokens.make(name, scope, delay_s=delay, days=days)
        except ValueError as error:
            raise MisuseError(str(error)) from None
        _write_down(store, f"token new {token.token_id}")
    output().print(text, markup=False)
    until = "until it is revoked" if token.expires_at is None else f"until {token.expires_at}"
    notes().print(f"token {token.token_id} for {name} holds {until}; it is not shown again", markup=False)


@app.command("list")
def show(*, as_json: _Json = False) -> None:
    """Show all tokens, without their secrets.

    Example: [bold]touchjudge token list[/bold]
    """
    from rich.table import Table

    from api.token_views import token_view

    with _store() as store:
        views = [token_view(token) for token in store.tokens.all()]
    if as_json:
        for view in views:
            output().print(view.model_dump_json(), markup=False, soft_wrap=True)
        return
    table = Table("token", "name", "scopes", "delay", "made", "holds", box=None, pad_edge=False)
    for view in views:
        holds = f"revoked {view.revoked_at}" if view.revoked_at else f"until {view.expires_at or 'revoked'}"
        table.add_row(
            view.token_id, view.name, ", ".join(view.scopes), f"{view.delay_s:g} s", view.made_at, holds
        )
    output().print(table)


@app.command("revoke")
def revoke(
    token_id: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id: 'touchjudge token list'.")],
) -> None:
    """End a token: within a second it opens nothing any more, and streams that it holds open end soon after.

    Example: [bold]touchjudge token revoke 0123456789ab[/bold]
    """
    with _store() as store:
        if not store.tokens.revoke(token_id):
            raise CommandError(f"no token {token_id!r} that holds (see 'touchjudge token list')")
        _write_down(store, f"token revoke {token_id}")
    notes().print(f"token {token_id} is revoked", markup=False)


def _write_down(store: "Store", command: str) -> None:
    """What is done at the machine itself stands in the audit too."""
    from api.store.audit import AuditLine

    store.audit.write(
        AuditLine(
            who="command line",
            client="this computer",
            method="COMMAND",
            path=command,
            status=0,
            request_digest="",
        )
    )


@contextmanager
def _store() -> "Iterator[Store]":
    """The lasting store of this computer, closed after the block."""
    from api.settings import load_settings
    from api.store.shelf import open_store

    store = open_store(load_settings())
    try:
        yield store
    finally:
        store.close()

"""Telling a person where a match is shown, and keeping it up until somebody stops it."""

from rich.console import Console

from api import clock
from api.door import is_loopback
from api.stopping import StopWish
from api.store.shelf import Store


def print_addresses(notes: Console, address: str, table: str) -> None:
    """Where to look."""
    notes.print(f"live page      {address}/live/{table}", markup=False)
    notes.print(f"overlay (OBS)  {address}/overlay/{table}", markup=False)
    notes.print(f"as JSON        {address}/api/v1/matches", markup=False)


def tell_tokens(notes: Console, host: str, store: Store) -> None:
    """Say that everybody needs a token, where more than this machine is served and there is none yet."""
    moment = clock.as_text(clock.now())
    holding = [
        token
        for token in store.tokens.all()
        if token.revoked_at is None and (token.expires_at is None or token.expires_at > moment)
    ]
    if not is_loopback(host) and not holding:
        notes.print(
            "everybody needs a token here, and there is none: touchjudge token new NAME --scope overlay",
            markup=False,
        )


def wait_for_end(wish: StopWish, notes: Console) -> None:
    """Keep the pages up until somebody stops them."""
    if not wish.is_asked:
        notes.print("the match is over and still shown; Ctrl-C ends it")
    wish.wait()

"""Telling a person where a match is shown, and keeping it up until somebody stops it."""

from rich.console import Console

from api.stopping import StopWish


def print_addresses(notes: Console, address: str, table: str) -> None:
    """Where to look."""
    notes.print(f"live page      {address}/live/{table}", markup=False)
    notes.print(f"overlay (OBS)  {address}/overlay/{table}", markup=False)
    notes.print(f"all pages      {address}/", markup=False)
    notes.print(f"as JSON        {address}/api/v1/matches", markup=False)


def wait_for_end(wish: StopWish, notes: Console) -> None:
    """Keep the pages up until somebody stops them."""
    if not wish.is_asked:
        notes.print("the match is over and still shown; Ctrl-C ends it")
    wish.wait()

"""The options by which a command marks disputes in OBS."""

from pathlib import Path
from typing import Annotated

import typer

Obs = Annotated[
    str | None,
    typer.Option(
        "--obs",
        metavar="ws://HOST:4455",
        help="Mark disputes in OBS: a chapter, and the replay buffer saved. The password comes from"
        " TOUCHJUDGE_OBS_PASSWORD or --obs-password-file.",
    ),
]
ObsPasswordFile = Annotated[
    Path | None,
    typer.Option("--obs-password-file", metavar="FILE", help="With --obs: a file with OBS's password."),
]

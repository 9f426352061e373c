"""What the referee says, in one catalogue: a key for programs and translators, a sentence for players.

A key may hold a variant after a dot (``foundation_sequence.ace``): another sentence for the same reason.
It may hold arguments in braces (``nerts_pile_{count}_not_{most}``), filled in where the reason is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from referee.nerts_messages import NERTS
from referee.review_messages import REVIEWS
from referee.shared_messages import SHARED
from referee.spit_messages import SPIT

CATALOGUES: tuple[Mapping[str, str], ...] = (SHARED, NERTS, SPIT, REVIEWS)
"""The sentences by subject; no key stands in two."""

ENGLISH: Mapping[str, str] = {key: text for catalogue in CATALOGUES for key, text in catalogue.items()}
"""Every sentence by its key. A translation is another such mapping with the same keys."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One thing that a sentence speaks of, or that a program may ask for, as text."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Reason:
    """Why the referee ruled so: a key of the catalogue and its arguments.

    >>> say("foundation_sequence.suit", card="5D", base="4H").text()
    '5D may not go on 4H: a foundation goes up in one suit'
    """

    key: str
    args: tuple[Argument, ...] = ()

    def __post_init__(self) -> None:
        if self.key not in ENGLISH:
            raise ValueError(f"no such reason: {self.key!r}")

    @property
    def code(self) -> str:
        """The key without its variant, arguments filled in: ``nerts_pile_12_not_13``."""
        return self.key.partition(".")[0].format_map(self._named())

    def text(self, catalogue: Mapping[str, str] = ENGLISH) -> str:
        """The sentence in the language of ``catalogue``; in English where it lacks the key."""
        return catalogue.get(self.key, ENGLISH[self.key]).format_map(self._named())

    def fact(self, name: str) -> str | None:
        """The argument ``name``. None: there is none."""
        return self._named().get(name)

    def _named(self) -> dict[str, str]:
        return {item.name: item.value for item in self.args}


def say(key: str, **args: object) -> Reason:
    """The reason ``key`` with its arguments as text."""
    return Reason(key, tuple(Argument(name, str(value)) for name, value in args.items()))

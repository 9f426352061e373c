"""What people call the piles of a match: one numbering, from 1, on pages, sheets, pictures and terminals.

A table file may number its piles from 0. Addresses, records and the identifiers in JSON keep its numbers.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from api.languages import Language, language
from api.schemas import ScoreOut
from referee.messages import ENGLISH, Argument, Reason
from referee.piles import PileId, PileKind, Seat
from referee.setup import MatchSetup

_PILE = re.compile(rf"\b(?:table|{'|'.join(Seat)})/(?:{'|'.join(PileKind)})\b(?:\[\d{{1,9}}\])?")
_AS_WRITTEN = frozenset({"player", "other", "owner", "reviewer", "reason", "told_by", "shown_on", "players"})
"""Arguments of reasons that hold what people are called, or said: no pile's name, whatever it looks like."""
_NO_PILE = "table"
"""What stands in a view for a verdict that is about no pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PileNames:
    """The names of the piles of one match, in one language."""

    players: Mapping[str, str]
    """Players by their seats."""
    is_nerts: bool
    """Other games call some piles otherwise."""
    from_zero: frozenset[str]
    """Kinds of piles that the table numbers from 0."""
    spoken: Language
    whose: str
    """How a player's pile is called."""

    def name(self, pile: str | PileId) -> str:
        """A pile as people say it, numbered from 1; as written where it is no pile's name."""
        if pile == _NO_PILE:
            return self.spoken.words["pile.table"]
        try:
            parsed = PileId.parse(pile) if isinstance(pile, str) else pile
        except ValueError:
            return str(pile)
        name = self._without_owner(parsed)
        if parsed.seat is None:
            return name
        seat = parsed.seat.value
        player = self.players.get(seat, self.spoken.words[f"seat.{seat}"])
        return self.whose.format(player=player, pile=name)

    def sentence(self, reason: Reason) -> str:
        """The English sentence of ``reason``; a pile of the player whom it names is told without owner."""
        player = reason.fact("player")
        named = tuple(Argument(item.name, self._argument(item, player)) for item in reason.args)
        return Reason(reason.key, named).text(ENGLISH)

    def _argument(self, item: Argument, player: str | None) -> str:
        if item.name in _AS_WRITTEN:
            return item.value
        if item.name == "pile" and player is not None and _PILE.fullmatch(item.value):
            own = PileId.parse(item.value)
            if own.seat is not None and self.players.get(own.seat.value) == player:
                return self._without_owner(own)
        return _PILE.sub(lambda found: self.name(found[0]), item.value)

    def _without_owner(self, pile: PileId) -> str:
        kind = pile.kind.value
        in_spit = f"pile.spit_game.{kind}"
        key = in_spit if not self.is_nerts and in_spit in self.spoken.words else f"pile.{kind}"
        number = pile.index + (kind in self.from_zero) if "[" in str(pile) else ""
        return self.spoken.words[key].format(n=number).strip()


def names_in(setup: MatchSetup) -> PileNames:
    """The names of a match by its set-up, in English."""
    return PileNames(
        players={item.seat.value: item.player for item in setup.seats},
        is_nerts=setup.game.value == "nerts",
        from_zero=frozenset(kind.value for kind in setup.kinds_from_zero),
        spoken=language("en"),
        whose="{player}'s {pile}",  # as the referee's sentences and any terminal have it
    )


def names_shown(score: ScoreOut, spoken: Language) -> PileNames:
    """The names of a match by its score, as pages have them."""
    return PileNames(
        players={item.seat: item.player for item in score.players},
        is_nerts=score.game == "nerts",
        from_zero=frozenset(score.kinds_from_zero),
        spoken=spoken,
        whose=spoken.words["pile.of"],
    )

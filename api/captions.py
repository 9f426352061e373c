"""What seats and piles are called on drawn pictures: the words of the pages, in English."""

from api.languages import Language, language
from api.schemas import ScoreOut
from referee.piles import PileId
from vision.evidence import ClipIndex
from vision.evidence.drawing import Captions


def captions_of(index: ClipIndex, score: ScoreOut) -> Captions:
    """The players of a match in its order, and the piles of a clip by their owners."""
    players = tuple((player.seat, player.player) for player in score.players)
    words, named = language("en"), dict(players)
    piles = {zone.pile: pile_words(zone.pile, named, score.game, words) for zone in index.zones}
    return Captions(players=players, piles=piles)


def pile_words(pile: str, players: dict[str, str], game: str, spoken: Language) -> str:
    """A pile as people say it; as written where it is no pile's name.

    >>> pile_words("south/waste", {}, "nerts", language("af"))
    'suid se aflêstapel'
    >>> pile_words("table/foundation[3]", {}, "nerts", language("en"))
    'foundation 3'
    """
    try:
        parsed = PileId.parse(pile)
    except ValueError:
        return pile
    word = f"pile.{parsed.kind.value}"
    in_spit = f"pile.spit_game.{parsed.kind.value}"
    key = in_spit if game != "nerts" and in_spit in spoken.words else word
    name = spoken.words[key].format(n="" if "[" not in pile else parsed.index).strip()
    if parsed.seat is None:
        return name
    seat = parsed.seat.value
    return spoken.words["pile.of"].format(player=players.get(seat, spoken.words[f"seat.{seat}"]), pile=name)

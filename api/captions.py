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
    piles = {zone.pile: pile_words(zone.pile, named, score, words) for zone in index.zones}
    return Captions(players=players, piles=piles)


def pile_words(pile: str, players: dict[str, str], score: ScoreOut, spoken: Language) -> str:
    """A pile as people say it, numbered from 1; as written where it is no pile's name."""
    try:
        parsed = PileId.parse(pile)
    except ValueError:
        return pile
    word = f"pile.{parsed.kind.value}"
    in_spit = f"pile.spit_game.{parsed.kind.value}"
    key = in_spit if score.game != "nerts" and in_spit in spoken.words else word
    number = parsed.index + (parsed.kind.value in score.kinds_from_zero)
    name = spoken.words[key].format(n=number if "[" in pile else "").strip()
    if parsed.seat is None:
        return name
    seat = parsed.seat.value
    return spoken.words["pile.of"].format(player=players.get(seat, spoken.words[f"seat.{seat}"]), pile=name)

"""What seats and piles are called on drawn pictures: the words of the pages, in English."""

from api.languages import language
from api.pile_names import names_shown
from api.schemas import ScoreOut
from vision.evidence import ClipIndex
from vision.evidence.drawing import Captions


def captions_of(index: ClipIndex, score: ScoreOut) -> Captions:
    """The players of a match in its order, and the piles of a clip by their owners."""
    players = tuple((player.seat, player.player) for player in score.players)
    names = names_shown(score, language("en"))
    piles = {zone.pile: names.name(zone.pile) for zone in index.zones}
    return Captions(players=players, piles=piles)

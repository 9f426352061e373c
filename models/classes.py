"""The names that a reading can have, in the order of the class ids."""

from referee.cards import FACES

UNREADABLE = "??"
BACK = "BACK"
JOKER = "JK"

CARD_NAMES: tuple[str, ...] = (*(str(card) for card in FACES), JOKER, BACK, UNREADABLE)
"""52 faces (clubs to spades, ace to king), joker, back, unreadable: the index is the class id."""

CLASS_ID: dict[str, int] = {name: i for i, name in enumerate(CARD_NAMES)}

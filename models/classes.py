"""The names that a reading can have, in the order of the class ids."""

from referee.cards import FACES

UNREADABLE = "??"
BACK = "BACK"
JOKER = "JK"

CARD_NAMES: tuple[str, ...] = (*(str(card) for card in FACES), JOKER, BACK, UNREADABLE)
"""52 faces (clubs to spades, ace to king), joker, back, unreadable: the index is the class id."""

CLASS_ID: dict[str, int] = {name: i for i, name in enumerate(CARD_NAMES)}

LOCATOR_NAMES: tuple[str, ...] = ("face", "back", "index")
"""What a locator boxes: visible parts of faces and backs, and corners that hold rank and suit."""

INDEX_CLASS = LOCATOR_NAMES.index("index")

READER_NAMES: tuple[str, ...] = (*CARD_NAMES, "")
"""What a reader can say of a view: a card name, or nothing: there is no card. The index is its class id."""

READER_CLASS_ID: dict[str, int] = {name: i for i, name in enumerate(READER_NAMES)}

INDEX_READER_NAMES: tuple[str, ...] = (*(str(card) for card in FACES), "")
"""What an index reader can say of a corner: a face, or no upright index. The position is its class id."""

INDEX_READER_CLASS_ID: dict[str, int] = {name: i for i, name in enumerate(INDEX_READER_NAMES)}

"""What each rule says, in a sentence or two for players: the text that stands behind a verdict's rule id."""

from collections.abc import Mapping

from referee.verdicts import RuleId

RULE_TEXTS: Mapping[RuleId, str] = {
    RuleId.N1: "The aim is to get rid of the Nerts pile, by way of the work piles and the foundations.",
    RuleId.N2: "Two or more play; from six on they should play in partnerships.",
    RuleId.N3: "Each player has a deck of 52 cards, with jokers if so agreed.",
    RuleId.N4: "All decks have different backs.",
    RuleId.N5: "Ranks go from the ace, which is low, to the king; they do not go round.",
    RuleId.N6: "The Nerts pile is 13 cards at the deal: 12 face down and one face up on top.",
    RuleId.N7: "Four work piles are dealt, one face-up card each, side by side and not overlapping.",
    RuleId.N8: "The rest of the deck is the stock: 35 cards, 37 with two jokers.",
    RuleId.N9: "The waste lies beside the stock; cards come to it from the stock, three at a time.",
    RuleId.N10: "The layouts lie around a common area that all can reach; the foundations lie there.",
    RuleId.N11: "There are no turns: all play at once, at any pace.",
    RuleId.N12: (
        "A card moves within its player's own layout, or from it to the common area. Nothing comes back "
        "from there but the card of a race's loser, or a mistake."
    ),
    RuleId.N13: "One hand moves cards; the other may hold the stock.",
    RuleId.N14: "One card moves at a time, but for a stack between work piles.",
    RuleId.N15: (
        "Where two come to one foundation, the first to touch the pile keeps the place; the other card "
        "goes back."
    ),
    RuleId.N16: "In a clear tie both cards stay and count.",
    RuleId.N17: "Nobody is forced to play; a card may be held back.",
    RuleId.N18: "Work piles go down by one rank, red on black and black on red.",
    RuleId.N19: "A card of a work pile may go to another one; all cards that lie on it go along.",
    RuleId.N20: "An empty space may be filled from the Nerts pile, another work pile or the waste.",
    RuleId.N21: "The top card of a work pile may go to a foundation.",
    RuleId.N22: (
        "While a space is empty, a card one rank higher and of the other colour than a pile's lowest card "
        "may be slid under that pile."
    ),
    RuleId.N23: "The top card of the Nerts pile may go to work piles, empty spaces and foundations.",
    RuleId.N24: "The next card of the Nerts pile is turned up only after the one above was played.",
    RuleId.N25: "A foundation starts with an ace, put into the common area by any player.",
    RuleId.N26: "On a foundation goes the next rank up, in the same suit.",
    RuleId.N27: "A foundation is built up to the king; then, and not before, it is removed and set aside.",
    RuleId.N28: (
        "To a foundation come the Nerts card, exposed cards of work piles, and the top card of the waste."
    ),
    RuleId.N29: "Any player may add to any foundation.",
    RuleId.N30: "The stock is turned three cards at a time onto the waste.",
    RuleId.N31: "The waste keeps its order; only its top card may be played.",
    RuleId.N32: (
        "When fewer than three cards are left in the stock they go on the waste, which is turned over to "
        "become the new stock."
    ),
    RuleId.N33: "When nobody can play, all make a new stock that way.",
    RuleId.N34: "Who alone is stuck may put the top card of the stock to its bottom and try again.",
    RuleId.N35: "When all are stuck again in spite of the new stock, the round ends and is scored as usual.",
    RuleId.N36: 'Who has no Nerts card left may call "Nerts!", and need not.',
    RuleId.N37: "The call ends the round at once; later calls have no effect.",
    RuleId.N38: "Cards that are in the air at the call complete their move and count.",
    RuleId.N39: "Each own card on the foundations counts one point, also in piles that were set aside.",
    RuleId.N40: "Each card left in the own Nerts pile costs two points.",
    RuleId.N41: "The foundations are sorted by their backs and counted; that count has the last word.",
    RuleId.N42: (
        "Who calls need not be the winner of the round: the call itself earns nothing, unless so agreed."
    ),
    RuleId.N43: (
        "Rounds are played until someone reaches the target, usually 100; then the highest total wins."
    ),
    RuleId.N44: "A joker may stand for any card.",
    RuleId.N45: "Before a joker is moved to a foundation, its player says which card it stands for.",
    RuleId.N46: "On a work pile a joker needs no declaration.",
    RuleId.N47: (
        "A joker that is covered in a work pile is fixed: its rank and colour follow from its neighbours."
    ),
    RuleId.N48: "Partners share a deck and a layout; each uses one hand.",
    RuleId.S1: "Two play.",
    RuleId.S2: "One deck of 52 cards; the ranks form a ring.",
    RuleId.S3: "The aim is to get rid of all cards; the game is won with no card left.",
    RuleId.S4: "Each player is dealt half of the deck, 26 cards.",
    RuleId.S5: (
        "Five stock piles are dealt, of one to five cards, face down; the top card of each is turned up."
    ),
    RuleId.S6: "The eleven cards left are the spit cards; nobody looks at them.",
    RuleId.S7: 'When both are ready, both say "spit" and turn one spit card to the middle together.',
    RuleId.S8: "There are no turns: both play as fast as they can.",
    RuleId.S9: "Each player uses one hand.",
    RuleId.S10: "One card moves at a time.",
    RuleId.S11: "A round is about the stock cards: who has played all of them is out.",
    RuleId.S12: "On a spit pile goes a card one rank higher or lower, whatever its suit.",
    RuleId.S13: "Next to an ace are both king and two.",
    RuleId.S14: "After a card was played from a stock pile the next one there may be turned up.",
    RuleId.S15: (
        "While a player has fewer than five piles, a face-up card of another own pile may fill the place."
    ),
    RuleId.S16: "Then the card below it may be turned up.",
    RuleId.S17: "A card is played as soon as any part of it touches the spit pile.",
    RuleId.S18: (
        "Where both come to one pile, the first to touch places its card; where the times do not tell, "
        "the card that lies lower was first, else the place is played for again."
    ),
    RuleId.S19: "A card that was played may not be taken back.",
    RuleId.S20: "There are never more than five stock piles.",
    RuleId.S21: "When neither can play, both say spit again and turn one card each onto a spit pile.",
    RuleId.S22: (
        "The round ends when a player has no stock card left, or nobody can play and no spit cards remain."
    ),
    RuleId.S23: "Then both slap a spit pile, wanting the smaller one.",
    RuleId.S24: "Hands on different piles: each takes the pile that it slapped.",
    RuleId.S25: "Hands on one pile: the lower hand takes it, the other player takes the other pile.",
    RuleId.S26: "Each adds its own spit and stock cards to the pile that it took, and shuffles.",
    RuleId.S27: "Stock piles are dealt as before; the players' spit cards may now differ in number.",
    RuleId.S28: 'When both are ready, "spit" is said again.',
    RuleId.S29: "With fewer than 15 cards, five piles are dealt as far as the cards reach.",
    RuleId.S30: "Such a player has no card to spit: there is only one spit pile.",
    RuleId.S31: (
        "With one spit pile, who is first out takes nothing; the other takes the pile and all unplayed cards."
    ),
    RuleId.S32: "A player without spit cards who is first out wins the game.",
    RuleId.S33: "If the other player is first out, the game goes on.",
    RuleId.S34: "Or by points: one for each card left; when someone has 100, the lowest total wins.",
    RuleId.E1: (
        "A touch is an interval: from the last frame surely without contact to the first surely with it."
    ),
    RuleId.E2: (
        "One touch was first only if the other began later by at least the guard, a frame by default."
    ),
    RuleId.E3: (
        "Touches that are not so apart, and all narrowly known, are a tie; each is held against the "
        "earliest one."
    ),
    RuleId.E4: (
        "Touches that are not apart, one of which is known only roughly, are too close to call: a person "
        "looks."
    ),
    RuleId.E5: "Which card or hand lies below, at rest, is second evidence where the times do not tell.",
    RuleId.E6: "Times come from one clock, that of the frames; nobody's own device is evidence.",
    RuleId.E7: "A touch is shown at once; the verdict is given once, when the collection window has closed.",
    RuleId.E8: "Who sits where, and in which order things were written down, changes no verdict.",
    RuleId.E9: "No figure is told finer than the frames allow.",
    RuleId.E10: (
        "A reading must hold still and be sure enough; a person may overrule it, and that is written "
        "down. No decision is better than a guess."
    ),
    RuleId.C_SPEED: (
        "Speed: cards of the hand go on the two centre piles, one rank up or down; the hand is refilled "
        "from the draw pile, and who is out of cards first wins the round."
    ),
    RuleId.C_CAL: (
        "California Speed: where open cards match, both players cover them with cards of their own; when "
        "nothing matches the rows are picked up, and who is out of cards first wins."
    ),
}
"""By rule id; house rules can change numbers and choices."""

"""The sentences of Nerts."""

NERTS = {
    # the deal and the table
    "deal_ok": (
        "{player}'s cards lie as they should: {nerts} in the Nerts pile, {work} work piles, {stock} stock"
    ),
    "nerts_pile_{count}_not_{want}": "{player}'s Nerts pile has {count} cards, but {want} belong in it",
    "nerts_pile_up_{count}_not_{want}": (
        "{player}'s Nerts pile lies with {count} cards face up, but {want} should be"
    ),
    "pile_depth_not_visible": (
        "how many cards {player}'s Nerts pile has cannot be seen from above: count them or deal on camera"
    ),
    "stock_not_counted": "how many cards {player}'s {pile} has was not seen: count them or deal on camera",
    "work_piles_{count}_not_{want}": "{player} has {count} work piles, but {want} belong there",
    "work_pile_of_{count}_cards": "{player}'s {pile} begins with {count} cards, but with one it should",
    "deck_{count}_not_{want}": "{player} has dealt {count} cards, but a deck has {want}",
    "dealt_twice.nerts": "{player}'s cards were dealt twice",
    "work_piles_overlap": "{piles} lie over each other: side by side they can be told apart",
    "zone_overlap": "{piles} lie over each other: move the layout out of the common area",
    "6plus_should_be_partnerships": "{count} players: six or more play in partnerships",
    "players_{count}_too_few": "{count} player: two or more can play",
    "equal_backs": "{players} have the same back, {back}: whose a card is could not be told at the count",
    "zone_missing": "the table has no zone for {piles}: what happens there would not be seen",
    "outside_zones": "{card} came to rest outside every zone: move it onto a pile",
    "low_confidence": "a card came to {pile}, likely {card}, but its face was not read surely enough",
    "foreign_joker": "{player} has a joker, but this game is played with {want} in a deck",
    "early_move": "{player} moved a card before the start was called",
    # foundations
    "foundation_sequence.suit": "{card} may not go on {base}: a foundation goes up in one suit",
    "foundation_sequence.rank": "{card} may not go on {base}: {wanted} is next, one rank up",
    "foundation_sequence.bare": "{card} may not open a foundation: only an ace does",
    "foundation_sequence.ace": "{card} may not go on {base}: an ace opens a foundation of its own",
    "foundation_sequence.full": "{card} may not go on {base}: the king completes the pile",
    "foundation_sequence.early": "{card} was put down before {base} was there",
    "foundation_sequence.doubt": "{card} may not go on {base}; but which card lay on top was not certain",
    "top_doubtful": "{card} came to {pile}, but which card lay on top was not certain",
    "top_unread.nerts": "{card} came to {pile}, but what lay there was not read",
    "face_unread.nerts": "a card came to {pile}, but its face could not be read",
    "opens_foundation": "{card} opens a foundation",
    "foundation_goes_up": "{card} goes on {base}",
    "completes_pile": "{card} goes on {base} and completes the pile, which is set aside",
    "one_foundation_per_suit": "{card} may not open a foundation: {pile} is open in its suit",
    "set_aside": "{pile} is complete and was set aside",
    "removed_early": "{pile} lies empty, but {card} was on top: a foundation stays until its king",
    "slid_under_foundation": "{card} may not be slid under {pile}: foundations go up",
    "let": (
        "{players} touched together and no card can be seen to lie below: all take back, and play it again"
    ),
    "same_deck_duplicate": (
        "{card} of {player}'s deck came twice, but there is one in a deck: a misread or a foreign card"
    ),
    "one_card_at_a_time.nerts": (
        "{player} carried {cards} together: one card at a time, but between work piles"
    ),
    "one_play": "the readings changed, but it was one play",
    "labels_unstable": "what lies on {pile} did not hold still: {labels}",
    "between_piles": "{card} lies over {piles} alike: which it was played on cannot be told",
    "seen_afterwards": "it was not seen to be played, but lay there afterwards",
    "out_of_step": "{seen} was seen on {pile}, but {known} should lie there; likeliest: {repairs}",
    # sources and layouts
    "other_players_layout.from": "{player} may not play from {pile}: it is {owner}'s layout",
    "other_players_layout.to": "{player} may not play to {pile}: it is {owner}'s layout",
    "other_players_layout.between": "{card} may not go from {source} to {pile}: these are two layouts",
    "source_not_allowed": (
        "{card} came from {pile}: a foundation takes the Nerts card, an exposed work-pile card "
        "or the top waste card"
    ),
    "not_exposed.nerts": "{card} was not exposed: {top} lay on top of {pile}",
    "waste_not_top": "{card} was not the top of the waste: {top} lay on {pile}",
    "race_loser_returns_to_origin": "{card} went back to {pile}, as the loser of a race should",
    "loser_elsewhere": "{card} lost its race and should go back to {origin}, not to {pile}",
    "correction.nerts": "{card} was no legal play and was taken back",
    "common_to_layout": "{card} may not come back from {pile}: it was rightly there",
    # work piles
    "work_sequence": "{card} may not go on {base}: work piles go down by one, red on black, black on red",
    "work_sequence.joker": "no card can lie on {base} in a work pile, so no joker either",
    "work_goes_down": "{card} goes on {base}",
    "joker_goes_down": "the joker lies on {base} as {meaning}",
    "fills_space": "{card} fills the empty space {pile}",
    "fill_source": "{card} may not fill a space from {source}: only {sources} may",
    "from_stock": "{card} may not be played from the stock: it goes to the waste first",
    "work_top_unread": "{card} came to {pile}, but what lay on top there was not read",
    "work_face_unread": "a card came to {pile}, but its face could not be read",
    "blocked_cards_pulled": "{cards} may not move without {left}, which lay on them",
    "partial_stack": "{cards} may not move alone: here the whole work pile moves or none of it",
    "more_than_there": "{count} cards cannot have come from {pile}: {there} lay there",
    "slides_under": "{card} was slid under {base}",
    "slide_off": "{card} may not be slid under {pile}: this game is played without",
    "slide_no_space": "{card} may not be slid under {pile}: no work space is empty",
    "slide_colour": "{card} may not be slid under {base}: it must be of the other colour",
    "slide_rank": "{card} may not be slid under {base}: it must be one rank higher",
    "slide_unread": "{card} was slid under {pile}, but what lay lowest there, or a space, was not read",
    "onto_waste": "{card} may not go to {pile}: only the stock is turned there",
    "onto_stock": "{card} may not go to {pile}",
    "onto_nerts": "{card} may not go to {pile}: cards only leave a Nerts pile",
    "joker_fixed": "with that the joker is {meaning}",
    # Nerts pile, stock and waste
    "nerts_turned": "{player} turned the next Nerts card",
    "turned_early": "{player} turned a Nerts card before {card} was played",
    "peek.nerts": "{player} looked at a face-down card of {pile}",
    "stock_turned": "{player} turned {count} cards",
    "flip_count_{count}": "{player} turned {count} cards, but {want} are turned at a time",
    "flip_count_{count}.left": "{player} turned {count} cards, but {want} were left in the stock",
    "flip_count_unseen": "how many cards {player} turned could not be seen",
    "waste_reordered": "{player} put the waste in another order: it stays as it was turned",
    "new_stock": "{player} turned the waste over as the new stock",
    "new_stock.all": "everyone is stuck: {player} turned the waste over, as all must",
    "stock_not_dry": (
        "{player} turned the waste over with {count} cards left in the stock: fewer than {want} may be"
    ),
    "stock_unseen": "{player} turned the waste over, but how many cards the stock still had was not seen",
    "stock_{count}_not_{want}": "{player}'s new stock has {count} cards, but {want} belong in it",
    "shuffled_stock": "{player} shuffled {pile}: the waste is turned over as it lies",
    "shuffled_as_agreed": "everyone is stuck: {player} shuffled {pile}, as agreed",
    "burn_ok": "{player} put the top stock card to the bottom",
    "burn_while_visible_play": "{player} put a stock card to the bottom although {card} could go to {pile}",
    "burn_twice": "{player} put a second stock card to the bottom without trying the first",
    "burn_of_nothing": "{player} put a stock card to the bottom, but the stock should be dry",
    "not_idled": "{player} may not put a stock card to the bottom: not everyone is stuck",
    # stuck
    "stuck": "{player} says to be stuck",
    "all_stuck": "everyone is stuck: {action}",
    "stuck_again": "everyone is stuck again despite a new stock: the round ends and is scored",
    "must_call": "{player} has a dry Nerts pile and everyone is stuck: please call",
    "timer_only_asks": (
        "nothing went to the middle for a while, but only the players know whether they are stuck"
    ),
    "ace_not_played": "{card} lies on {pile} since {seconds} s: aces must be played here",
    # calls
    "call_valid": "{player}'s Nerts pile is dry: the call holds",
    "call_valid.landing": "{player}'s last Nerts card was in the air and landed legally: the call holds",
    "call_tie": "{players} called together: the round ends for all alike",
    "round_end.call": "{player} has called: the round is over",
    "round_end.agreed": "the round is over, as all agree",
    "nerts_left_{count}": "{player} called with {count} cards left in the Nerts pile: play on",
    "last_card_in_air": "{player} called before the last Nerts card lay: play on",
    "call_after_end": "{player} called after the round had ended: no effect",
    "audio_needed": "who called, or when, was not heard: press the button, or connect a microphone",
    "nerts_zone_occluded": "{player} called, but the Nerts pile could not be seen: please lift the hand",
    "nerts_pile_unknown": "{player} called, but whether the Nerts pile is dry was not seen: please show it",
    "midair_counts": "the card was in the air at the call, so it counts",
    "benefit_of_doubt": "whether it left before the call cannot be told: the doubt is the player's gain",
    "left_after_call": "{card} left {pile} after the call: it does not count and goes back",
    "landed_too_late": (
        "{card} landed {late} ms after the call, more than the {grace} ms that are given: it goes back"
    ),
    # jokers
    "declaration_is_speech": "a joker came to {pile}: which card its player declared cannot be seen",
    "joker_undeclared": "a joker came to {pile} and was declared to be no card",
    "joker_late": "the joker was declared to be {card} only after it was moved",
    "joker_declared_when": "whether the joker was declared to be {card} before it was moved cannot be told",
    "joker_kept_fixed": "the joker is fixed as {meaning}, so it cannot be {card}",
    "declared": "the joker counts as {card}",
    # hands
    "two_hands.nerts": "{player} carried cards with both hands at once",
    "hand_changed": "{player} changed from the {first} to the {hand} hand: here one hand plays the round",
    # counting and score
    "owner_unknown": "whose {card} it is was not seen",
    "nerts_uncounted": "the cards left in this Nerts pile were not counted",
    "nerts_count_over": "{count} cards were counted in {pile}, but at most {most} can be left: count again",
    "nerts_count": (
        "{told_by} says {count} cards are left in {pile}, the camera counted {tracked}: recount on camera"
    ),
    "backs_over": "{count} cards with {player}'s back were counted, but a deck has {most}: count again",
    "backs_differ": (
        "{count} cards with {player}'s back were counted, the running tally has {tracked}: {difference}"
    ),
    "sum_{count}_of_{want}": "{player}'s cards add up to {count}, but a deck has {want}",
    "count_missing": "the round cannot be scored yet: {missing}",
    "game_win": "{player} has {points} points and wins",
    "game_win.calls": "{players} have {points} points alike; {player} called more often and wins",
    "game_shared": "{players} have {points} points alike and share the win",
    "target_tie": "{players} have {points} points alike: one more round decides",
    "below_target": "nobody has {target} points yet: another round",
    "more_rounds": "{played} of {rounds} rounds are played: another round",
}
"""Each sentence by its key."""

"""Whole games of Spit as two players would play them, with what truly happened kept beside what was seen."""

from dataclasses import dataclass, field
from random import Random

from referee.cards import FACES, Card
from referee.clock import Interval
from referee.evidence import Evidence
from referee.observations import CardLanded, CardsCounted, Observation
from referee.piles import PileId, PileKind, Seat
from referee.sightings import Handling, LaidCard, PileHandled, PileLaid
from referee.tellings import Called, CallKind

EVIDENCE = Evidence("played.mp4", ())
SEATS = (Seat.SOUTH, Seat.NORTH)
CENTRE = (PileId(PileKind.SPIT, None, 1), PileId(PileKind.SPIT, None, 2))
SLOTS = (1, 2, 3, 4, 5)
FRAME_US = 16_667
MOVE_US = 700_000
"""Between two acts: longer than a race, so that each is an act of its own."""


@dataclass
class Layout:
    """What truly lies before one player: each pile's cards, the top last, and whether it is turned up."""

    piles: dict[int, list[Card]]
    up: dict[int, bool]
    spit: list[Card]

    @property
    def stock(self) -> int:
        return sum(len(cards) for cards in self.piles.values())

    @property
    def cards(self) -> list[Card]:
        return [*self.spit, *(card for cards in self.piles.values() for card in cards)]


@dataclass
class SpitPlay:
    """Plays a game and tells what a camera would see of it."""

    random: Random
    now_us: int = 0
    told: list[Observation] = field(default_factory=list)
    owned: dict[Seat, list[Card]] = field(default_factory=dict)
    layouts: dict[Seat, Layout] = field(default_factory=dict)
    centre: dict[PileId, list[Card]] = field(default_factory=dict)
    lets: int = 0
    refused: int = 0
    winner: Seat | None = None

    def __post_init__(self) -> None:
        cards = list(FACES)
        self.random.shuffle(cards)
        self.owned = {SEATS[0]: cards[:26], SEATS[1]: cards[26:]}

    # -- what is told ---------------------------------------------------------------------------------------

    def tell(self, observation: Observation) -> None:
        self.told.append(observation)

    def wait(self, us: int = MOVE_US) -> None:
        self.now_us += us

    def moment(self) -> Interval:
        return Interval(self.now_us, self.now_us + FRAME_US)

    def land(self, seat: Seat, card: Card, source: PileId, pile: PileId, settle_us: int = 100_000) -> None:
        touch = self.moment()
        self.tell(
            CardLanded(
                pile=pile,
                card=card,
                touch=touch,
                settled_us=touch.end_us + settle_us,
                seat=seat,
                seat_confidence=1.0,
                source=source,
                confidence=1.0,
                resolution_us=FRAME_US // 2,
                evidence=EVIDENCE,
            )
        )

    def handle(self, handling: Handling, pile: PileId, seat: Seat, **more: object) -> None:
        fields: dict[str, object] = {
            "handling": handling,
            "pile": pile,
            "touch": self.moment(),
            "seat": seat,
            "seat_confidence": 1.0,
            "resolution_us": FRAME_US // 2,
            "confidence": 1.0,
            "evidence": EVIDENCE,
        }
        self.tell(PileHandled(**(fields | more)))

    def call(self, kind: CallKind, seat: Seat | None = None) -> None:
        self.tell(Called(call=kind, seat=seat, at=Interval(self.now_us, self.now_us), told_us=self.now_us))

    # -- a game ---------------------------------------------------------------------------------------------

    def play_rounds(self, most: int) -> None:
        for _ in range(most):
            self.deal()
            self.play_round()
            if self.winner is not None:
                return

    def deal(self) -> None:
        self.centre = {}
        for seat in SEATS:
            cards = list(self.owned[seat])
            piles = {slot: [cards.pop() for _ in range(min(slot, len(cards)))] for slot in SLOTS}
            self.layouts[seat] = Layout(piles, {slot: bool(piles[slot]) for slot in SLOTS}, cards)
            for slot in SLOTS:
                self.lay(seat, slot)
            hand = PileId(PileKind.HAND, seat)
            self.tell(CardsCounted(pile=hand, count=len(cards), told_by="", at_us=self.now_us))
            self.call(CallKind.DEALT, seat)
            self.wait()

    def lay(self, seat: Seat, slot: int) -> None:
        cards = self.layouts[seat].piles[slot]
        self.tell(
            PileLaid(
                pile=PileId(PileKind.TABLEAU, seat, slot),
                down=max(len(cards) - 1, 0),
                cards=tuple(LaidCard(card=card) for card in cards[-1:]),
                at=self.moment(),
                evidence=EVIDENCE,
            )
        )

    def play_round(self) -> None:
        self.spit()
        for _ in range(400):
            if any(self.layouts[seat].stock == 0 for seat in SEATS):
                break
            if not self.act() and not self.block():
                self.give_up()
                return
        self.end()

    def spit(self) -> None:
        able = [seat for seat in SEATS if self.layouts[seat].spit]
        one_pile = len(able) == 1 if not self.centre else len(self.centre) == 1
        for i, seat in enumerate(SEATS):
            if seat in able:
                pile = CENTRE[0] if one_pile else CENTRE[i]
                card = self.layouts[seat].spit.pop()
                self.centre.setdefault(pile, []).append(card)
                hand = PileId(PileKind.HAND, seat)
                self.handle(Handling.TURNED, hand, seat, target=pile, count=1, cards=(card,))
        self.wait(1_500_000)

    def act(self) -> bool:
        """One act of one player, or a race of both; False: nobody can do anything."""
        chances = [
            chance
            for seat in SEATS
            for chance in (*self.plays(seat), *self.turns(seat), *self.fills(seat), *self.mistakes(seat))
        ]
        useful = [chance for chance in chances if chance[0] != self.err]
        if not useful:
            return False
        if self.race():
            return True
        act, *args = self.random.choice(chances if self.random.random() < 0.1 else useful)
        act(*args)
        self.wait()
        return True

    def ups(self, seat: Seat) -> list[tuple[int, Card]]:
        layout = self.layouts[seat]
        return [(slot, cards[-1]) for slot, cards in layout.piles.items() if cards and layout.up[slot]]

    def plays(self, seat: Seat) -> list[tuple]:
        return [
            (self.put, seat, slot, pile)
            for slot, card in self.ups(seat)
            for pile, cards in self.centre.items()
            if neighbours(card, cards[-1])
        ]

    def turns(self, seat: Seat) -> list[tuple]:
        layout = self.layouts[seat]
        return [(self.turn, seat, slot) for slot in SLOTS if layout.piles[slot] and not layout.up[slot]]

    def fills(self, seat: Seat) -> list[tuple]:
        piles = self.layouts[seat].piles
        empty = [slot for slot in SLOTS if not piles[slot]]
        return [
            (self.fill, seat, slot, empty[0]) for slot, _ in self.ups(seat) if empty and len(piles[slot]) > 1
        ]

    def mistakes(self, seat: Seat) -> list[tuple]:
        return [
            (self.err, seat, slot, pile)
            for slot, card in self.ups(seat)
            for pile, cards in self.centre.items()
            if not neighbours(card, cards[-1])
        ]

    def put(self, seat: Seat, slot: int, pile: PileId) -> None:
        card = self.layouts[seat].piles[slot].pop()
        self.layouts[seat].up[slot] = False
        self.centre[pile].append(card)
        self.land(seat, card, PileId(PileKind.TABLEAU, seat, slot), pile)

    def turn(self, seat: Seat, slot: int) -> None:
        layout = self.layouts[seat]
        layout.up[slot] = True
        pile = PileId(PileKind.TABLEAU, seat, slot)
        self.handle(Handling.FACED_UP, pile, seat, cards=(layout.piles[slot][-1],))

    def fill(self, seat: Seat, slot: int, to: int) -> None:
        layout = self.layouts[seat]
        layout.piles[to].append(layout.piles[slot].pop())
        layout.up[to], layout.up[slot] = True, False
        source, pile = (PileId(PileKind.TABLEAU, seat, each) for each in (slot, to))
        self.land(seat, layout.piles[to][-1], source, pile)

    def err(self, seat: Seat, slot: int, pile: PileId) -> None:
        """A card that does not fit is put down, and taken back."""
        self.there_and_back(seat, slot, pile)
        self.refused += 1

    def there_and_back(self, seat: Seat, slot: int, pile: PileId) -> None:
        own, card = PileId(PileKind.TABLEAU, seat, slot), self.layouts[seat].piles[slot][-1]
        self.land(seat, card, own, pile)
        self.wait(2_000_000)
        self.land(seat, card, pile, own)

    def race(self) -> bool:
        """Both come for one place within a frame, and how the cards lie is not seen: both take back."""
        if self.random.random() > 0.1:
            return False
        for pile in self.centre:
            rivals = [[play for play in self.plays(seat) if play[3] == pile] for seat in SEATS]
            if all(rivals):
                both = [self.random.choice(plays)[1:3] for plays in rivals]
                for back in (False, True):
                    for seat, slot in both:
                        own, card = PileId(PileKind.TABLEAU, seat, slot), self.layouts[seat].piles[slot][-1]
                        self.land(seat, card, *((pile, own) if back else (own, pile)))
                    self.wait(2_000_000)
                self.lets += 1
                return True
        return False

    def block(self) -> bool:
        """Nobody can do anything: they spit again. False: nobody has a spit card left."""
        self.call(CallKind.STUCK)
        self.wait()
        if not any(self.layouts[seat].spit for seat in SEATS):
            return False
        self.spit()
        return True

    def end(self) -> None:
        """Somebody is out: piles are slapped and taken, or the one pile falls to the other."""
        out = [seat for seat in SEATS if self.layouts[seat].stock == 0]
        if len(self.centre) == 1:
            takes = {seat: CENTRE[0] for seat in SEATS if seat not in out}
            if all(not self.layouts[seat].spit for seat in out):
                self.winner = out[0]
        else:
            takes = self.slap()
        self.take(takes)

    def slap(self) -> dict[Seat, PileId]:
        smaller, larger = sorted(CENTRE, key=lambda pile: len(self.centre[pile]))
        first, second = self.random.sample(SEATS, 2)
        self.handle(Handling.SLAPPED, smaller, first)
        self.wait(100_000)
        self.handle(Handling.SLAPPED, self.random.choice((smaller, larger)), second)
        self.wait(3_000_000)
        return {first: smaller, second: larger}

    def give_up(self) -> None:
        """Nobody can go on: with two piles they slap, with one the rule book is silent."""
        if len(self.centre) == 2:
            self.take(self.slap())
        else:
            self.winner = SEATS[0]

    def take(self, takes: dict[Seat, PileId]) -> None:
        self.owned = {seat: self.layouts[seat].cards for seat in SEATS}
        for seat, pile in takes.items():
            self.owned[seat] += self.centre[pile]
        for cards in self.owned.values():
            self.random.shuffle(cards)
        self.call(CallKind.COUNTED)
        self.wait()


def neighbours(one: Card, other: Card) -> bool:
    return abs(one.rank - other.rank) in {1, 12}

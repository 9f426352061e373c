"""Examples for the description of the interface, made by the program's own values so that they cannot rot."""

from collections.abc import Mapping
from typing import Any

from api.read_schemas import EntryLineOut, MatchDetailOut, PlayRowOut, RankOut, SeatOut
from api.schemas import (
    CallOut,
    EvidenceOut,
    MatchOut,
    MatchState,
    PlayerScoreOut,
    PlayOut,
    Problem,
    ReviewKind,
    ReviewOut,
    Schema,
    ScoreLineOut,
    ScoreOut,
    Span,
    StandingsOut,
    VerdictOut,
)
from api.write_schemas import (
    AppealIn,
    AppealOut,
    CallIn,
    CardCorrectionIn,
    CardFateOut,
    ChangeOut,
    ConsequenceOut,
    CountCorrectionIn,
    CountIn,
    DeclarationIn,
    EnteredOut,
    OwnerCorrectionIn,
    ResolutionIn,
    TournamentIn,
    UndoIn,
    WriteState,
)
from referee.tellings import CallKind

_TOUCH = Span(start_us=983_300, end_us=1_000_000)
_TOURNAMENT = """format = 1
name = "Club evening"
players = [{ name = "Ana" }, { name = "Ben", nerts_pile = 11 }]
[[rounds]]
[[rounds.tables]]
table = "kitchen"
seats = { south = "Ana", north = "Ben" }
"""
_LATER = Span(start_us=1_033_300, end_us=1_050_000)


def _play(seat: str, player: str, touch: Span, *, stands: bool) -> PlayOut:
    return PlayOut(seat=seat, player=player, card="5H", source=f"{seat}/waste", touch=touch, stands=stands)


def _fate(seat: str, player: str, *, stayed: bool, stays: bool) -> CardFateOut:
    return CardFateOut(
        verdict_id="v1",
        pile="table/foundation[0]",
        card="5H",
        seat=seat,
        player=player,
        stayed=stayed,
        stays=stays,
    )


VERDICT = VerdictOut(
    verdict_id="v1",
    ruling="FIRST",
    rule="N15",
    reason="Ana touched first with 5H; Ben was 33-67 ms later, so 5H goes back",
    seat="south",
    player="Ana",
    card="5H",
    pile="table/foundation[0]",
    when=_TOUCH,
    plays=(
        _play("south", "Ana", _TOUCH, stands=True),
        _play("north", "Ben", _LATER, stands=False),
    ),
    evidence=(EvidenceOut(source_id="match.mp4", frames_us=(983_300, 1_000_000)),),
    key="touched_first",
    entries=(2, 3),
)
OTHERWISE = VERDICT.model_copy(
    update={
        "verdict_id": "",
        "reason": "Rita looked again: Ben's hand is there a frame before",
        "seat": "north",
        "player": "Ben",
        "basis": "review",
    }
)


def _player(seat: str, player: str, total: int) -> PlayerScoreOut:
    line = ScoreLineOut(rule="N39", item="cards on foundations", count=total, points_each=1, points=total)
    return PlayerScoreOut(seat=seat, player=player, total=total, lines=(line,))


def _standings(ana: int, ben: int) -> StandingsOut:
    return StandingsOut(players=(_player("south", "Ana", ana), _player("north", "Ben", ben)))


SCORE = ScoreOut(
    match_id="friday",
    table="kitchen",
    game="nerts",
    state=MatchState.PLAYING,
    t_us=61_233_000,
    players=_standings(8, 6).players,
    open_items=(),
)
MATCH = MatchOut(
    match_id="friday", table="kitchen", game="nerts", state=MatchState.PLAYING, players=("Ana", "Ben")
)
APPEAL = ReviewOut(
    review_id="a1",
    kind=ReviewKind.APPEAL,
    entry=12,
    t_us=61_233_000,
    verdict_id="v1",
    by="Ben",
    text="I was first",
)
CALL = CallOut(
    entry=13, kind="called", t_us=61_233_000, seat="south", player="Ana", call="nerts", by="operator"
)
CONSEQUENCE = ConsequenceOut(
    state=WriteState.PREVIEW,
    confirm="0f1e2d3c4b5a6978",
    review_id="r1",
    entry=None,
    changes=(ChangeOut(before=VERDICT, after=OTHERWISE),),
    cards=(
        _fate("south", "Ana", stayed=True, stays=False),
        _fate("north", "Ben", stayed=False, stays=True),
    ),
    score_before=_standings(8, 6),
    score_after=_standings(7, 7),
)

OF_SCHEMAS: tuple[Schema, ...] = (
    VERDICT,
    SCORE,
    MATCH,
    APPEAL,
    CALL,
    CONSEQUENCE,
    AppealOut(review=APPEAL, appeals_left=2),
    EnteredOut(entry=13, kind="called", t_us=61_233_000, is_on_disk=True, verdicts=()),
    EntryLineOut(
        seq=13,
        kind="called",
        origin="person",
        t_us=61_233_000,
        caused_by=(),
        payload={"call": "nerts", "seat": "south"},
        hash="4d" * 32,
        is_taken_back=False,
    ),
    MatchDetailOut(match=MATCH, seats=(SeatOut(seat="south", player="Ana"),), t_us=61_233_000),
    PlayRowOut(
        verdict_id="v1",
        play=0,
        ruling="FIRST",
        rule="N15",
        standing="standing",
        pile="table/foundation[0]",
        when=_TOUCH,
        made=VERDICT.plays[0],
    ),
    RankOut(rank=1, seat="south", player="Ana", total=8),
    Problem(title="Conflict", status=409, detail="there is no verdict 'v9' yet (the last is v3)"),
)
"""One of each of these shapes, as it may be answered."""

OF_BODIES: Mapping[str, Mapping[str, Schema]] = {
    "call": {
        "Nerts!": CallIn(call=CallKind.NERTS, seat="south"),
        "nobody can play": CallIn(call=CallKind.STUCK),
    },
    "declare": {"a joker is the six of spades": DeclarationIn(seat="Ana", card="6S")},
    "count": {
        "cards left": CountIn(pile="south/reserve", count=3),
        "cards by their back": CountIn(deck="south", count=21),
    },
    "appeal": {"a race": AppealIn(verdict_id="v1", seat="north", grounds="I was first")},
    "correct": {
        "it was the 6": CardCorrectionIn(kind="card", verdict_id="v3", card="6H"),
        "that was Ana's": OwnerCorrectionIn(kind="owner", verdict_id="v3", seat="Ana"),
        "undo": UndoIn(kind="undo", entry=41),
        "cards left after the end": CountCorrectionIn(kind="count", pile="south/reserve", count=3),
    },
    "resolve": {
        "another ruling": ResolutionIn(
            verdict_id="v1",
            decision="overturned",
            ruling="FIRST",
            kept=(1,),
            reason="Ben's hand is there a frame before",
            reviewer="Rita",
        ),
        "it stands": ResolutionIn(
            verdict_id="v1", decision="stands", reason="two frames apart", reviewer="Rita"
        ),
    },
    "enter_tournament": {"one round at one table": TournamentIn(toml=_TOURNAMENT)},
}
"""By the name of the operation: what may be sent."""


def as_json(value: Schema) -> dict[str, Any]:
    """``value`` as it is sent."""
    return value.model_dump(mode="json")

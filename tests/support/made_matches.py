"""Scores and verdicts made by hand, for tests of what is shown."""

from api.schemas import EvidenceOut, PlayerScoreOut, ScoreLineOut, Span, StandingsOut, VerdictOut


def player(seat: str, name: str, total: int) -> PlayerScoreOut:
    line = ScoreLineOut(rule="N39", item="cards on foundations", count=total, points_each=1, points=total)
    return PlayerScoreOut(seat=seat, player=name, total=total, lines=(line,))


def standings(*players: PlayerScoreOut) -> StandingsOut:
    return StandingsOut(players=players)


def verdict(number: int, **changes: object) -> VerdictOut:
    start_us = 1_000_000 * number
    fields: dict[str, object] = {
        "verdict_id": f"v{number}",
        "ruling": "LEGAL",
        "rule": "N26",
        "reason": f"{number + 1}H may go on the heart below it",
        "seat": "south",
        "player": "Ana",
        "card": "2H",
        "pile": "table/foundation[0]",
        "when": Span(start_us=start_us, end_us=start_us + 33_000),
        "plays": (),
        "evidence": (EvidenceOut(source_id="match.mp4", frames_us=(start_us,)),),
    }
    return VerdictOut.model_validate(fields | changes)

"""``touchjudge review``: appeals, answers and undoing, entered into a closed record."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from api.console import notes, output
from api.errors import CommandError, MisuseError

if TYPE_CHECKING:
    from api.reviewing import ReviewedRecord
    from api.schemas import VerdictOut
    from referee.cards import Card
    from referee.piles import Seat
    from referee.reviews import Review
    from referee.setup import MatchSetup
    from referee.verdicts import Ruling, Verdict

app = typer.Typer(
    name="review",
    help="Appeals against verdicts, a person's answers to them, and undoing; each is an entry of the record.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

_Value = TypeVar("_Value")
_Record = Annotated[Path, typer.Argument(metavar="R.jsonl", help="A closed record; it is added to.")]
_VerdictId = Annotated[str, typer.Argument(metavar="VERDICT", help="Which verdict: v3.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why, in a sentence for the players.")]
_Reviewer = Annotated[str, typer.Option("--by", metavar="NAME", help="Who decides.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change, and enter nothing.")]
_Json = Annotated[bool, typer.Option("--json", help="JSON lines.")]


@app.command("appeal")
def appeal(
    record: _Record,
    verdict: _VerdictId,
    *,
    player: Annotated[str, typer.Option("--player", help="Who appeals: a name or a seat.")],
    grounds: Annotated[str, typer.Option(help="Why.")] = "",
    as_json: _Json = False,
) -> None:
    """Ask for another look at a verdict.

    Example: [bold]touchjudge review appeal match.jsonl v3 --player Ben --grounds "I was there first"[/bold]
    """
    from api.reviewing import ReviewedRecord
    from referee.reviews import Appeal

    opened = ReviewedRecord(record)
    setup = opened.match.proceedings.setup
    asked = Appeal(
        appeal_id=opened.next_id(Appeal),
        verdict_id=verdict,
        raised_by=_seat_of(player, setup),
        grounds=grounds,
        at_us=opened.at_us,
    )
    _enter(opened, asked, is_dry=False, as_json=as_json)
    left = opened.match.proceedings.appeals_left(asked.raised_by)
    notes().print(f"{asked.appeal_id} is entered; {player} has {left} left", markup=False)


@app.command("answer")
def answer(
    record: _Record,
    verdict: _VerdictId,
    *,
    reason: _Reason,
    by: _Reviewer,
    stands: Annotated[bool, typer.Option("--stands", help="The verdict stands.")] = False,
    ruling: Annotated[
        str | None, typer.Option(help="What holds instead: LEGAL, ILLEGAL, FIRST, TIE ...")
    ] = None,
    keeps: Annotated[
        str | None, typer.Option(metavar="PLAYERS", help="With --ruling: whose cards stay, e.g. Ana,Ben.")
    ] = None,
    card: Annotated[str | None, typer.Option(help="It was this card; the referee rules again.")] = None,
    player: Annotated[str | None, typer.Option(help="It was this player; the referee rules again.")] = None,
    play: Annotated[int, typer.Option(min=1, help="Which play of the verdict, for --card and --player.")] = 1,
    dry_run: _DryRun = False,
    as_json: _Json = False,
) -> None:
    """Answer a verdict: it stands, or something else holds. The verdict itself stays in the record.

    Example: [bold]touchjudge review answer match.jsonl v3 --card 6H --by Rita --reason "it is a 6"[/bold]
    """
    from api.reviewing import ReviewedRecord, says_what_holds
    from referee.reviews import Decision, Fact, Resolution, ReviewError

    chosen = [stands, ruling is not None, card is not None or player is not None]
    if sum(chosen) != 1 or (keeps is not None and ruling is None):
        raise MisuseError("want one of --stands, --ruling (with --keeps), or --card and --player")
    opened = ReviewedRecord(record)
    proceedings = opened.match.proceedings
    given = _verdict_of(opened, verdict)
    seat = None if player is None else _seat_of(player, proceedings.setup)
    face = None if card is None else _parsed(_card_of, card)
    facts: tuple[Fact, ...] = ()
    try:
        if chosen[2]:
            facts = proceedings.correction(verdict, play=play - 1, card=face, seat=seat)
    except ReviewError as error:
        raise CommandError(f"{record}: {error}") from None
    holds_instead = None if ruling is None else _parsed(_ruling_of, ruling)
    kept = _kept(given, keeps, proceedings.setup)
    if holds_instead is not None and says_what_holds(given, holds_instead, kept):
        raise CommandError(
            f"{record}: {verdict} would be ruled just the same by this: want --stands if it holds"
        )
    open_appeals = [r.appeal for r in proceedings.rulings if r.verdict.verdict_id == verdict and r.appeal]
    resolution = Resolution(
        resolution_id=opened.next_id(Resolution),
        verdict_id=verdict,
        appeal_id=open_appeals[0].appeal_id if open_appeals else None,
        decision=Decision.STANDS if stands else Decision.OVERTURNED,
        facts=facts,
        ruling=holds_instead,
        kept=kept,
        reason=reason,
        reviewer=by,
        at_us=opened.at_us,
    )
    _enter(opened, resolution, is_dry=dry_run, as_json=as_json)


@app.command("undo")
def undo(
    record: _Record,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="The entry's number in the record (seq).")],
    *,
    reason: _Reason,
    by: _Reviewer,
    dry_run: _DryRun = False,
    as_json: _Json = False,
) -> None:
    """Take an entry back: an observation, an appeal, an answer, or an undoing.

    Example: [bold]touchjudge review undo match.jsonl 41 --by Rita --reason "miscounted" --dry-run[/bold]
    """
    from api.reviewing import ReviewedRecord
    from referee.reviews import Revert

    opened = ReviewedRecord(record)
    revert = Revert(
        revert_id=opened.next_id(Revert), entry=entry, reason=reason, reviewer=by, at_us=opened.at_us
    )
    _enter(opened, revert, is_dry=dry_run, as_json=as_json)


def _enter(opened: "ReviewedRecord", review: "Review", *, is_dry: bool, as_json: bool) -> None:
    """Enter ``review``, or try it; what changes, and the score by it."""
    from api.pile_names import names_in
    from api.play_by_play import PlayByPlay
    from api.views import standings_view
    from referee.referee import ObservationError
    from referee.reviews import ReviewError

    setup = opened.match.proceedings.setup
    teller = PlayByPlay(output(), notes(), as_json=as_json, pile_name=names_in(setup).name)
    try:
        would = opened.match.what_if(review)
    except (ReviewError, ObservationError) as error:
        raise CommandError(f"{opened.path}: {error}") from None
    if not is_dry:
        opened.enter(review)
        _hold_clips(opened)
    for change in would.changes:
        teller.change(_view(change.before, setup), _view(change.after, setup))
    if not would.changes:
        teller.note("no verdict changes")
    teller.score(standings_view(would.score_after, setup))


def _hold_clips(opened: "ReviewedRecord") -> None:
    """Let the clips of what waits for a person stay, where served matches keep them."""
    from api.evidence_shelf import EvidenceShelf
    from api.settings import load_settings

    folder = EvidenceShelf(load_settings().home / "evidence").bind(opened.path.stem, opened.clips)
    if folder is not None:
        folder.hold(opened.waiting)


def _view(verdict: "Verdict | None", setup: "MatchSetup") -> "VerdictOut | None":
    from api.views import verdict_view

    return None if verdict is None else verdict_view(verdict, setup)


def _verdict_of(opened: "ReviewedRecord", verdict_id: str) -> "Verdict":
    found = [r.verdict for r in opened.match.proceedings.rulings if r.verdict.verdict_id == verdict_id]
    if not found:
        raise CommandError(f"{opened.path}: there is no verdict {verdict_id}")
    return found[0]


def _kept(verdict: "Verdict", keeps: str | None, setup: "MatchSetup") -> tuple[int, ...]:
    """The positions of the plays of the players named in ``keeps``."""
    if not keeps:
        return ()
    seats = [_seat_of(name.strip(), setup) for name in keeps.split(",")]
    plays = verdict.event.plays
    missing = [seat for seat in seats if all(play.seat is not seat for play in plays)]
    if missing:
        raise MisuseError(f"--keeps: {setup.player_at(missing[0])} has no card in {verdict.verdict_id}")
    return tuple(i for i, play in enumerate(plays) if play.seat in seats)


def _seat_of(name: str, setup: "MatchSetup") -> "Seat":
    from referee.notation_words import Names

    return _parsed(Names(setup).seat, name)


def _card_of(text: str) -> "Card":
    from referee.cards import Card

    return Card.parse(text)


def _ruling_of(text: str) -> "Ruling":
    from referee.verdicts import Ruling

    if text not in tuple(Ruling):
        raise ValueError(f"--ruling wants one of {', '.join(Ruling)}, got {text!r}")
    return Ruling(text)


def _parsed(parse: Callable[[str], _Value], text: str) -> _Value:
    """What ``text`` says; ``MisuseError`` where that is nothing."""
    try:
        return parse(text)
    except ValueError as error:
        raise MisuseError(str(error)) from None

"""An audience that is lost ends no match: the record goes on, and what was lost is told at the end."""

from collections.abc import Callable

from api.console import forget_output
from api.errors import CommandError, os_error_line
from api.play_by_play import PlayByPlay
from api.schemas import StandingsOut, VerdictOut


class LastingTeller:
    """Tells through ``teller`` until that fails, as it does when the reader of a pipe has left."""

    def __init__(self, teller: PlayByPlay) -> None:
        self._teller = teller
        self.failure: OSError | None = None
        """Why no more is printed. None: all was."""

    def frame(self) -> None:
        """One more frame was seen."""
        self._tell(self._teller.frame)

    def verdict(self, verdict: VerdictOut) -> None:
        """Tell one verdict."""
        self._tell(lambda: self._teller.verdict(verdict))

    def standings(self, standings: StandingsOut) -> None:
        """Show the score beside the bar."""
        self._tell(lambda: self._teller.standings(standings))

    def revised(self, verdicts: tuple[VerdictOut, ...], standings: StandingsOut) -> None:
        """Tell which verdicts stand otherwise now, and the score."""
        self._tell(lambda: self._teller.revised(verdicts, standings))

    def score(self, standings: StandingsOut) -> None:
        """Tell the score, line by line."""
        self._tell(lambda: self._teller.score(standings))

    def raise_failure(self) -> None:
        """``CommandError`` where not all could be printed."""
        if self.failure is not None:
            raise CommandError(
                f"printing stopped: {os_error_line(self.failure)}; the match was judged to its end"
            )

    def _tell(self, tell: Callable[[], None]) -> None:
        if self.failure is not None:
            return
        try:
            tell()
        except OSError as error:
            self.failure = error
            forget_output()

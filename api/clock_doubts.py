"""What a source's stamps are worth while it runs, told to the referee once for each kind of fault (E6)."""

from referee.observations import Observation
from referee.sightings import ClockDoubted, ClockFault
from vision.sources import Source
from vision.sources.timing import StampedSource, StampFaults


class ClockDoubts:
    """Follows the stamps of one source."""

    def __init__(self, source: Source) -> None:
        self._source = source if isinstance(source, StampedSource) else None
        self._source_id = source.source_id
        self._told: set[ClockFault] = set()

    def since(self, t_us: int) -> tuple[Observation, ...]:
        """The faults that are new with the frame of time ``t_us``."""
        if self._source is None or len(self._told) == len(_FAULTS):
            return ()
        faults = self._source.stamp_faults
        new = [fault for fault, count in _counts(faults).items() if count and fault not in self._told]
        self._told.update(new)
        return tuple(ClockDoubted(fault=fault, source_id=self._source_id, at_us=t_us) for fault in new)


_FAULTS = (ClockFault.STAMP_REPEATED, ClockFault.RATE_ASSUMED)


def _counts(faults: StampFaults) -> dict[ClockFault, int]:
    return dict(zip(_FAULTS, (faults.refused, faults.restarts), strict=True))

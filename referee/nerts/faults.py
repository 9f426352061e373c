"""Why a play does not stand, before it is a verdict."""

from dataclasses import dataclass

from referee.messages import Reason, say
from referee.verdicts import RuleId, Ruling


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a play does not stand."""

    ruling: Ruling
    """ILLEGAL, FLAG, or UNDECIDED where a rule could not be checked."""
    rule: RuleId
    reason: Reason


def illegal(rule: RuleId, key: str, **args: object) -> Fault:
    """A play against ``rule``."""
    return Fault(Ruling.ILLEGAL, rule, say(key, **args))


def undecided(rule: RuleId, key: str, **args: object) -> Fault:
    """A play for which ``rule`` could not be checked."""
    return Fault(Ruling.UNDECIDED, rule, say(key, **args))

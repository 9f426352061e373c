"""Signs that turn the direction of the text after them: with them a name can change what stands beside it."""

from itertools import chain

TURNING = frozenset(map(chr, chain((0x061C, 0x200E, 0x200F), range(0x202A, 0x202F), range(0x2066, 0x206A))))
"""The marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm. No name needs them: a
name in Arabic or Hebrew turns by its letters."""


def turns_text(text: str) -> bool:
    r"""Whether ``text`` has such a sign in it.

    >>> turns_text("Ana"), turns_text("\u0639\u0645\u0631"), turns_text("Ana\u202e")
    (False, False, True)
    """
    return not text.isascii() and not TURNING.isdisjoint(text)


def without_turns(text: str) -> str:
    """``text`` without such signs."""
    return "".join(sign for sign in text if sign not in TURNING) if turns_text(text) else text

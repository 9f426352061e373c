"""Signs that people do not see: such as turn the direction of what stands beside them, or show nothing."""

import unicodedata
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


JOINERS = frozenset("\u200c\u200d")
"""Signs within words that Marathi and Farsi are not written without."""
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp", "Zs"})
"""Categories of signs that leave no mark on paper."""
UNSEEN_LETTERS = frozenset(
    map(
        chr,
        chain(
            (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0),
            range(0x180B, 0x180E),
            range(0xFE00, 0xFE10),
            range(0xE0100, 0xE01F0),
        ),
    )
)
"""The same of other categories: fillers, the empty braille cell, signs that choose how another is drawn."""


def seen_in(text: str) -> str:
    r"""``text`` without the signs that nobody sees.

    >>> seen_in("A\u200bna\u3164")
    'Ana'
    """
    if text.isascii() and text.isprintable():
        return text.replace(" ", "")
    return "".join(
        sign for sign in text if sign not in UNSEEN_LETTERS and unicodedata.category(sign) not in UNSEEN
    )


def is_blank(text: str) -> bool:
    r"""Whether nothing in ``text`` can be seen. Signs within words, as Marathi and Farsi need, do no harm.

    >>> is_blank(" \u200b\u3164"), is_blank("\u0930\u094d\u200d")
    (True, False)
    """
    return not seen_in(text)

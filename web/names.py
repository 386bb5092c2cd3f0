"""Names that people give: what can't be seen, or turns round what stands beside it, is no part of one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode's categories of control and format characters, halves of a pair, separators of lines."""
BLANK = UNSEEN | {"Zs", "Mn", "Me"}
JOINERS = "\u200c\u200d"
"""They shape Persian, and join emoji to one picture."""
FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{3,6}\U000e007f")
"""The flags of England, Scotland and Wales: letters that are not seen behind a black flag."""


def problem_of(names: Iterable[str]) -> str | None:
    """Return what is wrong with the first name that can't be shown as it is, and what to do; None if all can."""
    for name in names:
        what = flaw(name)
        if what:
            return f"The name {name!a} {what}. Write one without it."
    return None


def flaw(text: str) -> str | None:
    """Return why a text can't be shown as it is, as the end of a sentence; None if it can.

    Control characters, marks that turn the direction of writing, and texts of nothing but blanks can't be shown.

    >>> flaw("Ann\u202e")
    "has a character that can't be seen (U+202E)"
    """
    unseen = next((sign for sign in _plain(text) if unicodedata.category(sign) in UNSEEN), None)
    if unseen is not None:
        return f"has a character that can't be seen (U+{ord(unseen):04X})"
    if text and all(unicodedata.category(sign) in BLANK for sign in text):
        return "has nothing that can be seen"
    return None


def cleaned(name: str) -> str:
    """A name without what can't be seen, and without spaces around it."""
    unseen = {sign for sign in _plain(name) if unicodedata.category(sign) in UNSEEN}
    return "".join(sign for sign in name if sign not in unseen).strip()


def _plain(name: str) -> str:
    """The name without what may stand unseen in it."""
    return FLAG.sub("", name).translate(dict.fromkeys(map(ord, JOINERS)))

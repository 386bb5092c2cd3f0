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
    """What is wrong with the first name that can't be shown as it is, and what to do; None when all can."""
    for name in names:
        unseen = next((sign for sign in _plain(name) if unicodedata.category(sign) in UNSEEN), None)
        if unseen is not None:
            return f"The name {name!a} has a character that can't be seen (U+{ord(unseen):04X}). Write it without."
        if name and all(unicodedata.category(sign) in BLANK for sign in name):
            return f"The name {name!a} can't be seen. Write one that can."
    return None


def cleaned(name: str) -> str:
    """A name without what can't be seen, and without spaces around it."""
    unseen = {sign for sign in _plain(name) if unicodedata.category(sign) in UNSEEN}
    return "".join(sign for sign in name if sign not in unseen).strip()


def _plain(name: str) -> str:
    """The name without what may stand unseen in it."""
    return FLAG.sub("", name).translate(dict.fromkeys(map(ord, JOINERS)))

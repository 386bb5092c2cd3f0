"""Checks names that people type: no invisible characters, and none that change the direction of writing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of invisible characters: control, format, surrogate, line and paragraph separator."""
BLANK = UNSEEN | {"Zs", "Mn", "Me"}
"""Unicode categories of which a name must not consist alone: invisible, spaces, combining marks."""
JOINERS = "\u200c\u200d"
"""Zero-width (non-)joiner, allowed in names: Persian and combined emoji need them."""
FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{3,6}\U000e007f")
"""Flags of England, Scotland and Wales, allowed in names: a black flag and invisible tag letters."""


def problem_of(names: Iterable[str]) -> str | None:
    """Return an error message for the first name that can't be shown well (see `flaw`); None if all names are good."""
    for name in names:
        what = flaw(name)
        if what:
            return f"The name {name!a} {what}. Write one without it."
    return None


def flaw(text: str) -> str | None:
    """Return what is wrong with a text, as the end of a sentence that begins with it; None if it is good.

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
    """Return a name without invisible characters and without spaces around it."""
    unseen = {sign for sign in _plain(name) if unicodedata.category(sign) in UNSEEN}
    return "".join(sign for sign in name if sign not in unseen).strip()


def _plain(name: str) -> str:
    """Return a name without the invisible characters that are allowed in it."""
    return FLAG.sub("", name).translate(dict.fromkeys(map(ord, JOINERS)))

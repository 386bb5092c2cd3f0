"""Names that people type: checked to be visible and to keep the direction of the text, and made safe for a CSV file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

INVISIBLE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Unicode categories of invisible characters: control, format, surrogate, line and paragraph separator."""
BLANK = INVISIBLE | {"Zs", "Mn", "Me"}
"""Unicode categories that are not enough for a name: invisible characters, spaces, combining marks."""
FILLERS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
"""Letters and signs that are drawn as nothing: fillers of Hangul, the blank of Braille, and a null note head."""
JOINERS = "\u200c\u200d"
"""The invisible zero-width non-joiner and joiner, which are allowed in names: Persian and combined emoji need them."""
FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{3,6}\U000e007f")
"""Emoji of a region's flag: a black flag and 3 to 6 invisible tag letters. Names may hold it, for England, Scotland and
Wales. The region is not checked: any letters pass. Most fonts draw unknown ones as a plain black flag."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet read a cell as a formula. `for_spreadsheet` disarms texts that start so."""


def problem_of(names: Iterable[str]) -> str | None:
    """Return an error message for the first name that is refused; None if all names are allowed.

    A name is refused if it has invisible characters (see `flaw`; zero-width joiners are allowed), consists of blanks,
    or begins or ends with a space: nobody could tell "Ann " from "Ann". The empty name is allowed. The message quotes
    the name in ASCII.
    """
    for name in names:
        what = flaw(name)
        if what:
            return f"The name {name!a} {what}. Write it with visible characters."
        if name != name.strip():
            return f"The name {name!a} begins or ends with a space. Write it without."
    return None


def flaw(text: str) -> str | None:
    r"""Return what is wrong with a text, worded to follow the text in a sentence; None if nothing is.

    Flaws are control characters, most invisible marks (such as those that turn the direction of writing), and a text of
    blanks alone. Zero-width joiners and non-joiners, emojis of regional flags and the empty text are allowed.

    >>> flaw("Ann\u202e")
    "has a character that can't be seen (U+202E)"
    """
    unseen = next(_unseen(text), None)
    if unseen is not None:
        return f"has a character that can't be seen (U+{ord(unseen):04X})"
    if text and all(unicodedata.category(sign) in BLANK for sign in text):
        return "has nothing that can be seen"
    return None


def cleaned(name: str) -> str:
    """Return a name without forbidden invisible characters and without spaces around it."""
    unseen = set(_unseen(name))
    return "".join(sign for sign in name if sign not in unseen).strip()


def for_spreadsheet(text: str) -> str:
    """Return a text for a cell of a CSV file: with an apostrophe in front if a spreadsheet would run it as a formula.

    >>> for_spreadsheet("=1+1"), for_spreadsheet("Ann")
    ("'=1+1", 'Ann')
    """
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _unseen(name: str) -> Iterator[str]:
    """Yield the forbidden invisible characters of a name, thus not `JOINERS`, nor those of a `FLAG`."""
    for sign in FLAG.sub("", name):
        if sign not in JOINERS and (sign in FILLERS or unicodedata.category(sign) in INVISIBLE):
            yield sign

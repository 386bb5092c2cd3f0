"""Of a mistyped word the nearest known one, as the end of a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'bumping'?`, or the known words when none is near; told at the end of an error.

    >>> nearest("bumpin", ["bomb", "bumping"])
    "; did you mean 'bumping'?"
    """
    words = list(known)
    close = get_close_matches(word[:64], words, n=1)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(words)}." if words else "; none is known."

"""Removes local file paths from texts that guests see."""

from __future__ import annotations

import re
from pathlib import Path

WITH_A_SLASH = re.compile(r"[^\s\"'(]*[/\\]\S*?(?=[.,:;!?)\"']*(?:\s|$))")
"""Pattern of a file path, which guests see as an ellipsis. It matches a word with a slash or backslash, without the
punctuation around it."""


def without_paths(text: str, folder: Path | None = None) -> str:
    """Return a text with each file path in it replaced by an ellipsis.

    Each word with a slash or backslash counts as a path, `and/or` too.

    Args:
        text: A sentence or more.
        folder: An absolute folder, besides the home folder, whose paths are recognised even if it contains spaces.

    >>> without_paths("Only 3 MB are free in /home/My Dice/x.", Path("/home/My Dice"))
    'Only 3 MB are free in ….'
    """
    for known in (folder, Path.home()):
        if known is not None and known.is_absolute():  # a relative one is a plain word, or the full stop
            text = text.replace(str(known), "/")
    return WITH_A_SLASH.sub("…", text)

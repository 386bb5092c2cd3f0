"""Removes local file paths from texts that guests see."""

from __future__ import annotations

import re
from pathlib import Path

WITH_A_SLASH = re.compile(r"\S*[/\\]\S*?(?=[.,:;!?)\"']*(?:\s|$))")
"""A word with a slash or backslash, without the punctuation after it."""


def without_paths(text: str, folder: Path | None = None) -> str:
    """Replace each file path in a text by an ellipsis.

    Args:
        text: A sentence or more.
        folder: The data folder. It is recognised even if its name has spaces.

    >>> without_paths("Only 3 MB are free in /home/My Dice/x.", Path("/home/My Dice"))
    'Only 3 MB are free in ….'
    """
    for known in (folder, Path.home()):
        text = text if known is None else text.replace(str(known), "/")
    return WITH_A_SLASH.sub("…", text)

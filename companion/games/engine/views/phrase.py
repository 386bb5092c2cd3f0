"""Messages to people as codes with arguments. Pages and voices translate them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Phrase:
    """A key of the text catalogue with the arguments of its text.

    Attributes:
        code: Key of the text. Where the context fixes the prefix, its last part alone.
        args: Names, numbers and lists of them. A page joins lists by the rules of its language.
    """

    code: str
    args: dict[str, Any]

"""Something to tell people, as a code and its arguments: pages, lights and voices turn it into words of a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Phrase:
    """A code of the texts' catalogue and the arguments that go into its text.

    Attributes:
        code: The key of the text, or its last part where the place is given by where the phrase stands.
        args: Names, numbers, lists of numbers; a page joins a list as its language does.
    """

    code: str
    args: dict[str, Any]

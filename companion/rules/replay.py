"""A transcript read line by line: the objects that `pegpip replay --json` prints, one for each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.errors import RulesError
from companion.rules.json_text import json_of
from companion.rules.notation import header_of, parse_line
from companion.rules.transcript import Transcript


def replayed(content: bytes) -> Iterator[dict[str, Any]]:
    """The state after each line of a transcript, or, as the last object, why a line was refused.

    Args:
        content: The file as it is. A line ends with a line feed; without one at the very end the last still counts.
    """
    lines = content.removesuffix(b"\n").split(b"\n")
    number = 1
    try:
        transcript = Transcript.begin(header_of(json_of(lines[0])))
        yield transcript.view()
        for number, line in enumerate(lines[1:], 2):  # noqa: B007  told in the refusal below
            transcript = transcript.then(parse_line(line))
            yield transcript.view()
    except RulesError as refused:
        yield {"line": number, "error": refused.code, "message": str(refused)}

"""A transcript read line by line: the objects that `pegpip replay --json` prints, one for each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.errors import RulesError
from companion.games.engine.notation import header_of, parse_line
from companion.games.engine.notation.json_text import json_of
from companion.games.engine.transcript import Transcript


def replayed(content: bytes) -> Iterator[dict[str, Any]]:
    """The state after each line of a transcript, or, as the last object, why a line was refused.

    >>> from companion.games.registry import GAMES
    >>> head = f'{{"transcript": 1, "game": "{next(iter(GAMES))}", "players": ["Ann", "Ben"]}}'
    >>> [state.get("decisions", state.get("error")) for state in replayed(f'{head}\\n{{"throw": [9]}}'.encode())]
    [[], 'notation']
    """
    number = 0
    try:
        for transcript in _read(content):
            number = transcript.lines_read
            yield transcript.view()
    except RulesError as refused:
        yield {"line": number + 1, "error": refused.code, "message": str(refused)}


def transcript_of(content: bytes) -> Transcript:
    """The transcript after its last line. Raises RulesError (or one of its kinds) naming the line that is refused."""
    number = 0
    try:
        for transcript in _read(content):
            number = transcript.lines_read
    except RulesError as refused:
        raise type(refused)(f"line {number + 1}: {refused}") from None
    return transcript


def _read(content: bytes) -> Iterator[Transcript]:
    """A line ends with a line feed; without one at the very end the last still counts."""
    lines = content.removesuffix(b"\n").split(b"\n")
    transcript = Transcript.begin(header_of(json_of(lines[0])))
    yield transcript
    for line in lines[1:]:
        transcript = transcript.then(parse_line(line))
        yield transcript

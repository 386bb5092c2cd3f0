"""Read transcripts: the state after each line, as `pegpip replay --json` prints it."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any

from companion.errors import RulesError
from companion.games.engine.notation import header_of, parse_line
from companion.games.engine.notation.json_text import json_of
from companion.games.engine.transcript import Transcript


def replayed(content: bytes) -> Iterator[dict[str, Any]]:
    r"""Yield the state view after the header and after each later line of a transcript, as JSON values.

    A refused line or header yields `line` (its number, from 1), `error` (a code) and `message` instead. That ends the
    iteration. Nothing is raised.

    >>> from companion.games.registry import GAMES
    >>> head = f'{{"transcript": 1, "game": "{next(iter(GAMES))}", "players": ["Ann", "Ben"]}}'
    >>> [state.get("decisions", state.get("error")) for state in replayed(f'{head}\n{{"throw": [9]}}'.encode())]
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
    """Parse a whole transcript, a header and lines, and replay it to the state after its last line.

    Raises:
        RulesError: A line is refused. The class is that of the refusal, such as IllegalAction or NotationError; the
            message begins with the line's number, from 1.
    """
    number = 0
    try:
        for transcript in _read(content):
            number = transcript.lines_read
    except RulesError as refused:
        raise type(refused)(f"line {number + 1}: {refused}") from None
    return transcript


def _read(content: bytes) -> Iterator[Transcript]:
    """Yield the transcript after the header and after each later line of JSON Lines; an undo makes it shorter.

    A line feed ends a line; it is optional after the last one. A byte order mark at the start is ignored. Raises
    RulesError at the first line that is malformed or illegal, the header included.
    """
    lines = content.removeprefix(codecs.BOM_UTF8).removesuffix(b"\n").split(b"\n")
    transcript = Transcript.begin(header_of(json_of(lines[0])))
    yield transcript
    for line in lines[1:]:
        transcript = transcript.then(parse_line(line))
        yield transcript

"""Mutilated transcripts: whatever stands in a file, a replay ends with a state or with one of the three refusals.

`PEGPIP_FUZZ` says how many files are mutilated (500; `make fuzz`: 10,000).
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import RulesError
from companion.games.engine.replay import replayed, transcript_of

FILES = int(os.environ.get("PEGPIP_FUZZ", "500"))
FOLDER = Path(__file__).resolve().parent.parent / "transcripts"
WHOLE = [path.read_bytes() for path in sorted(FOLDER.glob("*.jsonl")) if not path.name.endswith(".states.jsonl")]
PIECES = [
    *(b'null true false NaN -0 0 7 -1 1e0 1e999 3.0 99999999999999999999 [] {} [[]] {{}} "" "throw" "do"'.split()),
    *(b'"keep" "dice" "score" "spend" "point" "stop" "bomb" "undo" "on" "points" "first" "roll_off" "rules"'.split()),
    *(b', : [ ] { } " \\ \\u0000 \\ud800 \\x00 \xff \xc3 \xef\xbb\xbf \xe2\x80\xa8 \r \t'.split(b" ")),
    b"\n",
    b"\n\n",
    b" ",
    b"9" * 4400,
    b"[" * 3000,
    b'{"undo": 1}\n',
    b'{"undo": 3}\n',
    b'{"do": "stop"}\n',
    b'{"throw": [1,1,1,1,1,1,1]}\n',
]


def _insert(content: bytes, generator: random.Random) -> bytes:
    at = generator.randrange(len(content) + 1)
    return content[:at] + generator.choice(PIECES) + content[at:]


def _cut(content: bytes, generator: random.Random) -> bytes:
    start = generator.randrange(len(content) + 1)
    return content[:start] + content[start + generator.choice([1, 1, 2, 5, 30]) :]


def _flip(content: bytes, generator: random.Random) -> bytes:
    if not content:
        return b"{"
    at = generator.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << generator.randrange(8))]) + content[at + 1 :]


def _digit(content: bytes, generator: random.Random) -> bytes:
    places = [place for place, byte in enumerate(content) if chr(byte).isdigit()]
    if not places:
        return content
    at = generator.choice(places)
    return content[:at] + generator.choice([b"0", b"1", b"6", b"7", b"-1", b"2.0", b"12", b'"5"']) + content[at + 1 :]


def _lines(content: bytes, generator: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, other = generator.randrange(len(lines)), generator.randrange(len(lines))
    if generator.random() < 0.5:
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(one, lines[other])
    return b"\n".join(lines)


def _truncate(content: bytes, generator: random.Random) -> bytes:
    return content[: generator.randrange(len(content) + 1)]


MUTILATIONS: list[Callable[[bytes, random.Random], bytes]] = [_insert, _cut, _flip, _digit, _digit, _lines, _truncate]


def mutilated(number: int) -> bytes:
    """Return mutilated file `number`, always the same: the beginning of a transcript, changed one to four times."""
    generator = random.Random(number)
    content = b"".join(generator.choice(WHOLE).splitlines(keepends=True)[: generator.randint(1, 40)])
    for _ in range(generator.randint(1, 4)):
        content = generator.choice(MUTILATIONS)(content, generator)
    return content


def test_replaying_a_mutilated_transcript_ends_in_a_state_or_refusal() -> None:
    ends = {"notation": 0, "rules": 0, "illegal_action": 0, "clean": 0}
    for number in range(FILES):
        content = mutilated(number)
        states = list(replayed(content))
        assert [state["line"] for state in states] == list(range(1, len(states) + 1))
        assert not any("error" in state for state in states[:-1])
        end = states[-1].get("error", "clean")
        assert end != "clean" or len(states) == content.removesuffix(b"\n").count(b"\n") + 1
        json.dumps(states)
        ends[end] += 1
        if end == "clean":
            assert transcript_of(content).view() == states[-1]
        else:
            with pytest.raises(RulesError) as caught:
                transcript_of(content)
            assert caught.value.code == end
    assert all(ends.values()), "every kind of end is reached"

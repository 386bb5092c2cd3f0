"""Speed of the rules: transcript lines a second on one core, read from text, played, and the state written out."""

from __future__ import annotations

import json
import random
import time
from collections import deque

from companion.games.game import Action, State, Throw
from companion.games.notation import header_line, header_of, line_of
from companion.games.registry import GAMES
from companion.games.replay import replayed
from companion.games.transcript import Transcript

LINES = 12_000
LONGEST = 300  # lines: play without a plan can go on for very long


def measure() -> dict[str, float]:
    """`rules_lines_per_s`: lines of random games of all kinds, from bytes to state and view, in process time."""
    generator = random.Random(1)
    games = [random_game(name, generator) for name in GAMES for _ in range(10)]
    total = sum(len(lines) for lines in games)
    rounds = max(1, LINES // total)
    begun = time.process_time()
    for _ in range(rounds):
        for lines in games:
            deque(replayed(b"\n".join(lines)), maxlen=0)
    return {"rules_lines_per_s": round(rounds * total / (time.process_time() - begun))}


def random_game(name: str, generator: random.Random) -> list[bytes]:
    """The lines of a game between two, played without any plan to its end or to `LONGEST` lines."""
    header = header_of({"transcript": 1, "game": name, "players": ["Ann", "Ben"]})
    transcript = Transcript.begin(header)
    while not transcript.state.over and transcript.lines_read < LONGEST:
        transcript = transcript.then(random_action(transcript.state, generator))
    return [json.dumps(line).encode() for line in (header_line(header), *map(line_of, transcript.actions))]


def random_action(state: State, generator: random.Random) -> Action:
    """Any of what may happen now: a throw, or one of the decisions, half of the time each where both may."""
    options = state.options()
    if state.throw_sizes and (not options or generator.random() < 0.5):
        count = generator.choice(state.throw_sizes)
        return Throw(tuple(generator.randint(1, 6) for _ in range(count)))
    return generator.choice(options)

"""Speed of the rules: transcript lines a second on one core, read from text, played, and the state written out."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from collections import deque

from companion.games.engine.game import Action, State, Throw
from companion.games.engine.notation import header_line, header_of, line_of
from companion.games.engine.replay import replayed
from companion.games.engine.transcript import Transcript
from companion.games.registry import GAMES

LINES = 12_000
"""Transcript lines to replay, rounded down to whole rounds of the same games, at least one round. More: a steadier
figure, a longer bench."""
PROCESS_LINES = 128
"""Most transcript lines that the bench gives to `pegpip replay` on standard input. Few, so that the start of the
process dominates the measured time. More: the rules weigh more in it."""
MAX_GAME_LINES = 300
"""Most transcript lines of a game that a bench plays: random play may never end. More: a longer bench; fewer: late
positions are not measured."""


def measure(lines: int = LINES) -> dict[str, float]:
    """Return the speed of the rules and the cost of one `pegpip replay`, both measured in processor time.

    - `rules_lines_per_s`: transcript lines of random games replayed in a second, from bytes to state and view. About
      `lines` of them are replayed, but each game at least once.
    - `replay_process_ms`: `pegpip replay --json` of at most PROCESS_LINES lines, its start included.
    """
    generator = random.Random(1)
    games = [random_game(name, generator) for name in GAMES for _ in range(10)]
    total = sum(len(lines) for lines in games)
    rounds = max(1, lines // total)
    begun = time.process_time()
    for _ in range(rounds):
        for game in games:
            deque(replayed(b"\n".join(game)), maxlen=0)
    lines_per_s = round(rounds * total / (time.process_time() - begun))
    return {
        "rules_lines_per_s": lines_per_s,
        "replay_process_ms": replay_process_ms(max(games, key=len)[:PROCESS_LINES]),
    }


def replay_process_ms(lines: list[bytes]) -> float:
    """Run `pegpip replay` on transcript lines; return the processor time of its process in ms, user and system.

    Raises CalledProcessError if it fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)  # os.times counts in steps of 10 ms
    program = "import sys; from companion.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "replay", "--json", "-"]
    subprocess.run(command, input=b"\n".join(lines), stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return round(1000 * spent_s, 1)


def random_game(name: str, generator: random.Random) -> list[bytes]:
    """Play a game named `name` between two players by random actions, up to MAX_GAME_LINES lines.

    Return the game's transcript as JSON lines: the header, then one line for each action.
    """
    header = header_of({"transcript": 1, "game": name, "players": ["Ann", "Ben"]})
    transcript = Transcript.begin(header)
    while not transcript.state.standing.over and transcript.lines_read < MAX_GAME_LINES:
        transcript = transcript.then(random_action(transcript.state, generator))
    return [json.dumps(line).encode() for line in (header_line(header), *map(line_of, transcript.actions))]


def random_action(state: State, generator: random.Random) -> Action:
    """Return a random action for benchmarks: a throw of fair dice or an allowed decision.

    If both are possible, each kind has probability 1/2. All allowed numbers of dice are equally likely, and so are all
    decisions. Raises IndexError if the game is over.
    """
    options = state.options()
    if state.throw_sizes and (not options or generator.random() < 0.5):
        count = generator.choice(state.throw_sizes)
        return Throw(tuple(generator.randint(1, 6) for _ in range(count)))
    return generator.choice(options)

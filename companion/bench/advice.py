"""How soon advice is there: of each game and goal the first in a process, and the slowest of many states."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Iterator

from companion.bench.rules import random_action
from companion.errors import RulesError
from companion.games.game import State
from companion.games.notation import header_of
from companion.games.odds import GOALS, options
from companion.games.registry import GAMES, game_named

STATES = 2000


def measure() -> dict[str, float]:
    """`advice_GAME_GOAL_first_ms`, NumPy's and the tables' loading included, and `..._worst_ms` of `STATES` states.

    In processor time, of random games between two.
    """
    found: dict[str, float] = {}
    for game in GAMES:
        for goal in GOALS:
            # A process of its own, started afresh: nothing is loaded yet.
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                first_ms, worst_ms, median_ms = pool.apply(timed, (game, goal, STATES))
            of = f"advice_{game}_{goal}"
            found |= {f"{of}_first_ms": first_ms, f"{of}_worst_ms": worst_ms, f"{of}_median_ms": median_ms}
    return found


def timed(game: str, goal: str, count: int) -> tuple[float, float, float]:
    """The first, the slowest and the median of the others, in milliseconds of processor time."""
    times_ms = []
    for state in states(game):
        begun = time.process_time()
        try:
            options(state, goal)
        except RulesError:
            continue
        times_ms.append(round(1000 * (time.process_time() - begun), 3))
        if len(times_ms) > count:
            break
    first, *others = times_ms
    return first, max(others), sorted(others)[len(others) // 2]


def states(game: str) -> Iterator[State]:
    """States of random games between two, one after another."""
    generator = random.Random(1)
    header = header_of({"transcript": 1, "game": game, "players": ["Ann", "Ben"]})
    while True:
        state: State = game_named(game).start(header)
        while not state.over:
            yield state
            state = state.after(random_action(state, generator))

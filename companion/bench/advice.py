"""Speed of advice: the first in a process for each game and goal, and the slowest over many kinds of states."""

from __future__ import annotations

import gc
import multiprocessing
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle

from companion.bench.rules import MAX_GAME_LINES, random_action
from companion.errors import RulesError
from companion.games.advice.odds import GOALS, options
from companion.games.engine.game import Header, State, Throw
from companion.games.engine.notation import header_of
from companion.games.engine.players import rule_of_thumb
from companion.games.registry import GAMES, game_named

STATES = 3000
"""Least number of game states on which the bench times the advice, for each game and goal. More: rare slow states are
found, and the bench takes longer."""
TIMED_SHARE = 0.25
"""Probability, 0 to 1, that the advice on a state of a simulated game is timed. Higher: more of the timed states belong
to one turn, whose values are then cached, so times look shorter. Lower: more games must be played."""
THUMB_SHARE = 0.9
"""Share, 0 to 1, of the actions in simulated games that follow the game's rule of thumb. The others are
random. Lower: the bench times states that people never reach; higher: fewer different states."""
PLAYERS = (2, 3, 5, 4, 6, 1)
"""Numbers of players, in the order in which the bench sets up games; numbers that a game refuses are skipped. The bench
stops once enough states are timed, which may leave out the later ones."""


def measure() -> dict[str, float]:
    """Measure the advice of every game and goal in processor time, without garbage collection.

    A fresh process measures each pair of game and goal, so nothing is loaded yet. At least STATES states are measured
    in it.

    Returns milliseconds by key `advice_GAME_GOAL_FIGURE`, where FIGURE is a key that `timed` returns, such as
    `median_ms`. A game without odds for a goal has no keys for it.
    """
    found: dict[str, float] = {}
    for game in GAMES:
        for goal in GOALS:
            # A process of its own, started afresh: nothing is loaded yet.
            with multiprocessing.get_context("spawn").Pool(1, _undisturbed) as pool:
                times_ms = pool.apply(timed, (game, goal, STATES))
            found |= {f"advice_{game}_{goal}_{key}": value for key, value in times_ms.items()}
    return found


def _undisturbed() -> None:
    """Prepare a worker: no garbage collection, and Ctrl-C ends it without a message."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def timed(game: str, goal: str, count: int) -> dict[str, float]:
    """Return the processor time of advice for one game and goal, measured in this process, in milliseconds.

    `first_ms` is the slowest first call for a set-up (players and house rules), which loads its odds. `median_ms`,
    `p99_ms` and `worst_ms` are of later calls, at least `count`. Empty if the game has no odds for the goal.
    """
    generator, first_ms, others_ms, loaded = random.Random(1), 0.0, list[float](), set[Header]()
    headers = set_ups(game)
    for played, header in enumerate(cycle(headers), start=1):
        with suppress(RulesError):  # there are no such odds in a game set up so
            for state in states(header, generator):
                begun = time.process_time()
                options(state, goal)
                took_ms = round(1000 * (time.process_time() - begun), 3)
                if header in loaded:
                    others_ms.append(took_ms)
                first_ms = max(first_ms, took_ms) if header not in loaded else first_ms
                loaded.add(header)
        if len(others_ms) >= count:
            break
        if played == len(headers) and not loaded:
            return {}
    others_ms.sort()
    places = {"median_ms": len(others_ms) // 2, "p99_ms": len(others_ms) * 99 // 100, "worst_ms": -1}
    return {"first_ms": first_ms, **{key: others_ms[place] for key, place in places.items()}}


def set_ups(game: str) -> list[Header]:
    """Return headers of a game for each number of players in PLAYERS, each with several sets of house rules.

    The sets are the default rules, the default rules with one on/off rule flipped, and each preset. Combinations that
    the game refuses are left out.
    """
    rules = [{}, *({each.key: not each.default} for each in GAMES[game].switches if each.default in (True, False))]
    found = list[Header]()
    for count in PLAYERS:
        for some in (*rules, *GAMES[game].presets.values()):
            names = [f"Player {seat}" for seat in range(1, count + 1)]
            with suppress(RulesError):  # not for so many
                found.append(header_of({"transcript": 1, "game": game, "players": names, "rules": dict(some)}))
    return found


def states(header: Header, generator: random.Random) -> Iterator[State]:
    """Play one game, mostly by a rule of thumb, else at random; yield a random sample of its states before the end.

    Each state is yielded with the probability TIMED_SHARE. The game is broken off after MAX_GAME_LINES lines.
    """
    state: State = game_named(header.game).start(header)
    for _ in range(MAX_GAME_LINES):
        if state.standing.over:
            break
        if generator.random() < TIMED_SHARE:
            yield state
        choice = rule_of_thumb(state) if generator.random() < THUMB_SHARE else random_action(state, generator)
        if isinstance(choice, int):
            choice = Throw(tuple(generator.choices(range(1, 7), k=choice)))
        state = state.after(choice)

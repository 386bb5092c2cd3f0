"""Crib Dice: the approximate win probabilities against solved games of two sides, and against each other."""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from unittest.mock import patch

from companion.games.advice.stored import numbers
from companion.games.crib_dice.odds import two_sides
from companion.games.crib_dice.odds.race import Race
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.odds.two_sides import ADVANCED, TABLES, DuelRules
from companion.games.crib_dice.odds.win import values_to_win
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Header, State
from companion.games.registry import game_named
from companion.games.solving.__main__ import run_solver
from companion.games.solving.crib_dice import duel_table
from tests.games.losses.measuring import Valuation, Values, best_of, mean_of, points, share_of_wins, taken

GAMES = 1000
"""Games between two sides whose every decision is compared with the solved game."""
SHARED_GAMES = 1000
"""Games between three sides or more."""
MIXES = (DuelRules(bumping=True), DuelRules(piddle_points=True, bomb=True))
"""Mixes of house rules without a stored table, which are solved here: minutes each, with numba."""
OTHERS = ("find_a_loser", "long_game", "pandemonium")
"""House rules of the race that no table knows."""


def header(sides: int, *rules: str) -> Header:
    """Return the header of a game of that many sides; `rules` are the house rules that are on."""
    switches = {switch.key: switch.default for switch in game_named("crib_dice").switches}
    names = tuple(f"Player {seat}" for seat in range(1, sides + 1))
    return Header("crib_dice", names, {**switches, **dict.fromkeys(rules, True)})


@lru_cache(maxsize=64)
def _race(board: CribbageBoard) -> TurnValues:
    """Return the values of a turn by a race of independent pegs. Cached."""
    return Race(board).turn_values_to_win()


def by_race(state: State) -> Values:
    """Value the options by a race of independent pegs, with later turns for points; bombs are worth nothing."""
    assert isinstance(state, CribDice), "there is no roll-off"
    return state.expected_values_by(_race(state.board))


def by_table(table: DuelRules) -> Valuation:
    """Return the valuation by a table: later turns as its game between the mover and the furthest other side."""

    def values(state: State) -> Values:
        assert isinstance(state, CribDice), "there is no roll-off"
        with patch(f"{two_sides.__name__}.nearest_rules", lambda _: table):
            return state.expected_values_by(two_sides.duel_turn_values.__wrapped__(state.board))

    return values


@contextmanager
def solved(rules: DuelRules) -> Iterator[None]:
    """Solve a mix of rules, and use its table as if it were stored."""
    content = array("I", run_solver(partial(duel_table, rules), lambda _: None))
    if sys.byteorder == "big":
        content.byteswap()

    def reading(package: str, name: str) -> array[int]:
        return content if name == "mix" else numbers(package, name)

    with patch.dict(TABLES, {rules: "mix"}), patch(f"{two_sides.__name__}.numbers", reading):
        yield


def loss(mix: Header, approximate: Valuation, exact: Valuation, games: int) -> tuple[list[float], list[float]]:
    """Return what one side loses by an approximation against best play, and how wrong its win probabilities are.

    The one side plays by the approximation, the other by the solved game. The expected loss of win probability in a
    game is the sum of the regrets of the one side's decisions, which varies less than the results.

    Args:
        mix: Header of the games, of two sides.
        approximate: Valuation of the one side.
        exact: Values of the solved game.
        games: Number of games; the two sides take turns to begin.

    Returns:
        Expected loss in each game; and at each decision of the one side the error of the best option's value.
    """
    losses, errors = list[float](), list[float]()
    for number in range(games):
        dice, one, lost = random.Random(f"losses/{number}"), number % 2, 0.0
        state: State = game_named(mix.game).start(mix)
        while (seat := state.standing.to_play) is not None:
            values = exact(state)
            choice = best_of(values)
            if seat == one:
                told, best = approximate(state), max(value for _, value in values)
                errors.append(abs(max(value for _, value in told) - best))
                choice = best_of(told)
                lost += best - dict(values)[choice]
            state = taken(state, choice, dice)
        losses.append(lost)
    return losses, errors


def lost_and_told(mix: Header, approximate: Valuation, exact: Valuation, games: int) -> str:
    """Return `loss` as text."""
    losses, errors = loss(mix, approximate, exact, games)
    told_wrong = f"told wrong by {100 * sum(errors) / len(errors):.2f} %, at most {100 * max(errors):.1f} %"
    return f"loses {mean_of(losses)} of a game; {told_wrong}"


def calibration(mix: Header, valuation: Valuation, games: int) -> str:
    """Return how far told win probabilities are from what happens, by tenths, when all play by the valuation.

    One turn in three is looked at, before its first throw.
    """
    tenths: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    for number in range(games):
        dice, state = random.Random(f"told/{number}"), game_named(mix.game).start(mix)
        told, turn = list[tuple[int, float]](), -1
        while (seat := state.standing.to_play) is not None:
            values = valuation(state)
            if state.standing.turn != turn and state.standing.turn % 3 == 0:
                told.append((seat, max(value for _, value in values)))
            turn = state.standing.turn
            state = taken(state, best_of(values), dice)
        outcome = state.standing.outcome
        assert outcome is not None, "the game is over"
        for seat, chance in told:
            won = (seat in outcome.winners) / len(outcome.winners)
            tenths[min(9, int(10 * chance))].append((chance, won))
    means = [[100 * sum(each) / len(some) for each in zip(*some, strict=True)] for some in tenths if len(some) > games]
    return ", ".join(f"{chance:.0f}: {won:.0f}" for chance, won in means)


def reports() -> Iterator[str]:
    """Yield the measured losses as lines of text."""
    for rules in (DuelRules(), DuelRules(piddle_points=True)):
        game = header(2, *(("piddle_points",) if rules.piddle_points else ()))
        name = "piddle_points" if rules.piddle_points else "basic"
        yield f"Crib Dice, {name}, 2 sides: the race {lost_and_told(game, by_race, by_table(rules), GAMES)}"
        if not rules.piddle_points:
            lost, _ = loss(game, points, by_table(rules), GAMES)
            yield f"Crib Dice, {name}, 2 sides: play for points loses {mean_of(lost)} of a game"
    for rules in MIXES:
        keys = [key for key in ("piddle_points", "bomb", "double_fuchle", "bumping") if getattr(rules, key)]
        with solved(rules):
            found = lost_and_told(header(2, *keys), by_table(ADVANCED), by_table(rules), GAMES)
        yield f"Crib Dice, {' and '.join(keys)}, 2 sides: the table of `advanced` {found}"
    for key in OTHERS:
        share = share_of_wins(header(2, key), values_to_win, points, SHARED_GAMES)
        yield f"Crib Dice, {key}, 2 sides: the race against points wins {share}, even: 50 %"
    for sides in (3, 5):
        share = share_of_wins(header(sides), by_race, points, SHARED_GAMES)
        yield f"Crib Dice, basic, {sides} sides: one by the race against points wins {share}, even: {100 / sides:.1f} %"
    share = share_of_wins(header(3), by_table(DuelRules()), by_race, SHARED_GAMES)
    yield f"Crib Dice, basic, 3 sides: one by the table of two against two by the race wins {share}, even: 33.3 %"
    yield f"Crib Dice, basic, 3 sides, told: won in percent: {calibration(header(3), by_race, SHARED_GAMES)}"
    advanced = header(3, "piddle_points", "bomb", "double_fuchle", "bumping", "skunk")
    for other, told in (("points", points), ("the race", by_race)):
        share = share_of_wins(advanced, values_to_win, told, SHARED_GAMES)
        yield f"Crib Dice, advanced, 3 sides: one by the table against two by {other} wins {share}, even: 33.3 %"
    share = share_of_wins(advanced, by_race, values_to_win, SHARED_GAMES)
    yield f"Crib Dice, advanced, 3 sides: one by the race against two by the table wins {share}, even: 33.3 %"
    yield f"Crib Dice, advanced, 3 sides, told: won in percent: {calibration(advanced, values_to_win, SHARED_GAMES)}"

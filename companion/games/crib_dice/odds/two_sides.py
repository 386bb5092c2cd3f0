"""The chance to win Crib Dice, above all between two sides that both play every turn for it: from stored tables.

The tables (`make solve`, see `solve_duel`) hold the chance of whoever is on before each turn; the turn that is on is
worked out from them, which takes milliseconds. Level counts half. They hold for the game without bombs, bumps, double
fuchles, a loser to find, pandemonium and the long game; skunks change what is lost, not who wins. For more sides, the
long game and pandemonium see `race`. NumPy is loaded when a turn is worked out, not before.
"""

from __future__ import annotations

from array import array
from functools import lru_cache

from companion.games.advice.stored import whole_numbers
from companion.games.crib_dice.odds.turn_value import TurnWorth
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE

PEGS = 121
FUCHLE = 3
TOP = 160  # of a turn that may end beyond the track: from there on it stops, however close the other is
GAPS = 400  # behind the leader: a last turn brings so many holes less than one time in a thousand million
UNIT = 2.0**-32
ONE_MOVES_ANOTHER = ("bomb", "bumping", "double_fuchle")
UNSOLVED = (*ONE_MOVES_ANOTHER, "find_a_loser", "long_game", "pandemonium")


def table_of(piddle_points: bool) -> str:
    """The name of the stored table for that rule."""
    return "duel-piddle-points.u4" if piddle_points else "duel-basic.u4"


def is_solved(board: CribbageBoard) -> bool:
    """Whether the tables hold for this board."""
    rules = board.header.rules
    return len(board.sides) == 2 and not board.left and not any(rules[key] for key in UNSOLVED)


def turn_worth(board: CribbageBoard) -> TurnWorth:
    """What the turn that is on can bring to the side that is on: its chance to win."""
    me = board.side
    return _turn_worth(
        bool(board.header.rules["piddle_points"]),
        board.turn % 2,
        board.pegs[me],
        board.pegs[1 - me],
        board.wipeouts[me],
        board.wipeouts[1 - me],
    )


def place(order: int, mover: int, other: int, mine: int, theirs: int) -> int:
    """Where a state stands in the table: order in the round, pegs, wipe-outs in a row."""
    return (((order * PEGS + mover) * PEGS + other) * FUCHLE + mine) * FUCHLE + theirs


@lru_cache(maxsize=512)
def _turn_worth(piddle_points: bool, order: int, mover: int, other: int, mine: int, theirs: int) -> TurnWorth:
    import numpy as np

    from companion.games.crib_dice.odds.backward_induction import fresh_throws

    bank, lost = _aims(piddle_points, order, mover, other, mine, theirs)
    stopping = max(TOP, other) + 2 * MAX_SET_SCORE + 1
    fresh = fresh_throws(piddle_points, np.array(bank[:stopping]), lost, mover).tolist()

    def banked(points: int) -> float:
        return bank[min(mover + points, len(bank) - 1)]

    return TurnWorth(piddle_points, banked, lost, banked, fresh)


def _aims(piddle_points: bool, order: int, mover: int, other: int, mine: int, theirs: int) -> tuple[list[float], float]:
    """What it is worth to bank at each hole, and what a wipe-out is worth."""
    table = _table(piddle_points)
    if other >= PEGS:
        return [0.0] * other + [0.5] + [1.0] * (2 * MAX_SET_SCORE), 0.0
    theirs_next = [1 - UNIT * table[place(1 - order, other, hole, theirs, 0)] for hole in range(PEGS)]
    if order == 1:
        bank = theirs_next + [1.0] * (2 * MAX_SET_SCORE)
    else:
        gaps = table[-GAPS:]
        bank = theirs_next + [1 - UNIT * gap for gap in gaps[PEGS - other :]]
    if mine + 1 == FUCHLE:
        return bank, 1 - UNIT * table[place(1 - order, other, 0, theirs, 0)]
    return bank, 1 - UNIT * table[place(1 - order, other, mover, theirs, mine + 1)]


@lru_cache(maxsize=2)
def _table(piddle_points: bool) -> array[int]:
    return whole_numbers(__package__, table_of(piddle_points))

"""Win probabilities of Crib Dice between two sides that both play to win, from stored tables.

The tables (`make solve`, see `solving/crib_dice_duel.py`) hold the mover's win probability before each turn; a draw
counts half. The current turn is computed from them in milliseconds. They cover the game without bombs, bumping, double
fuchles, finding a loser, pandemonium and the long game. Skunks change the games lost, not the winner. See `race` for
more sides, the long game and pandemonium. NumPy is imported on first use.
"""

from __future__ import annotations

from array import array
from functools import lru_cache

from companion.games.advice.stored import whole_numbers
from companion.games.crib_dice.odds.turn_value import TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE

PEGS = 121
"""Holes where a peg may stand in a table: 0 to 120."""
FUCHLE = 3
"""Consecutive wipe-outs that send a peg to the start: size of the tables' axes of wipe-outs."""
TOP = 160
"""Hole from which a turn that may end beyond the track always stops, however close the other peg is."""
GAPS = 400
"""Holes behind the leader that are tabulated for a last turn. Larger gaps are closed with a chance below 1e-9."""
UNIT = 2.0**-32
"""Probability per unit of the stored integers."""
ONE_MOVES_ANOTHER = ("bomb", "bumping", "double_fuchle")
"""House rules with which a turn of one side can move or remove the peg of another."""
UNSOLVED = (*ONE_MOVES_ANOTHER, "find_a_loser", "long_game", "pandemonium")
"""House rules that the tables do not cover."""


def table_of(piddle_points: bool) -> str:
    """Return the file name of the stored table with or without `piddle_points`."""
    return "duel-piddle-points.u4" if piddle_points else "duel-basic.u4"


def is_solved(board: CribbageBoard) -> bool:
    """Return whether the stored tables cover this board: two sides, nobody has left, no rule of `UNSOLVED`."""
    rules = board.header.rules
    return len(board.sides) == 2 and not board.left and not any(rules[key] for key in UNSOLVED)


def turn_values(board: CribbageBoard) -> TurnValues:
    """Return the win probabilities of the side to move, for every state of the current turn."""
    me = board.side
    return _turn_values(
        bool(board.header.rules["piddle_points"]),
        board.turn % 2,
        board.pegs[me],
        board.pegs[1 - me],
        board.wipeouts[me],
        board.wipeouts[1 - me],
    )


def place(order: int, mover: int, other: int, mine: int, theirs: int) -> int:
    """Return the index of a state in the stored table.

    Args:
        order: 0 if the mover starts the round, 1 if it ends it.
        mover: Peg of the mover, 0 to 120.
        other: Peg of the other side.
        mine: Consecutive wipe-outs of the mover, 0 to 2.
        theirs: Consecutive wipe-outs of the other side.
    """
    return (((order * PEGS + mover) * PEGS + other) * FUCHLE + mine) * FUCHLE + theirs


@lru_cache(maxsize=512)
def _turn_values(piddle_points: bool, order: int, mover: int, other: int, mine: int, theirs: int) -> TurnValues:
    """Return the mover's win probabilities for every state of a turn. Arguments as in `place`; cached."""
    import numpy as np

    from companion.games.crib_dice.odds.backward_induction import fresh_throws

    bank, lost = _aims(piddle_points, order, mover, other, mine, theirs)
    stopping = max(TOP, other) + 2 * MAX_SET_SCORE + 1
    fresh = fresh_throws(piddle_points, np.array(bank[:stopping]), lost, mover).tolist()

    def banked(points: int) -> float:
        return bank[min(mover + points, len(bank) - 1)]

    return TurnValues(piddle_points, banked, lost, banked, fresh)


def _aims(piddle_points: bool, order: int, mover: int, other: int, mine: int, theirs: int) -> tuple[list[float], float]:
    """Return the mover's win probability after banking at each hole, and after a wipe-out. Arguments as in `place`."""
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
    """Return the stored table with or without `piddle_points`, in units of `UNIT`. Cached."""
    return whole_numbers(__package__, table_of(piddle_points))

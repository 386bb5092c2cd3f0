"""The chance to win Crib Dice, above all between two sides that both play every turn for it: from stored tables.

The tables (`make solve`, see `solve_duel`) hold the chance of whoever is on before each turn; the turn that is on is
worked out from them, which takes milliseconds. Level counts half. They hold for the game without bombs, bumps, double
fuchles, a loser to find, pandemonium and the long game; skunks change what is lost, not who wins. For more sides, the
long game and pandemonium see `race`. NumPy is loaded when a turn is worked out, not before.
"""

from __future__ import annotations

from array import array
from functools import lru_cache

from companion.errors import RulesError
from companion.games.advice.stored import whole_numbers
from companion.games.crib_dice.odds import TurnWorth
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import Action, State

PEGS = 121
FUCHLE = 3
TOP = 160  # of a turn that may end beyond the track: from there on it stops, however close the other is
REACH = 30  # the most that one set scores
GAPS = 400  # behind the leader: a last turn brings so many holes less than one time in a thousand million
UNIT = 2.0**-32
ONE_MOVES_ANOTHER = ("bomb", "bumping", "double_fuchle")
UNSOLVED = (*ONE_MOVES_ANOTHER, "find_a_loser", "long_game", "pandemonium")


def table_of(piddle_points: bool) -> str:
    """The name of the stored table for that rule."""
    return "duel-piddle-points.u4" if piddle_points else "duel-basic.u4"


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The chance to win with each option; to eight digits. Raises RulesError in the roll-off and where rules bar it.

    Between two sides everyone plays every turn for the win, where that is solved (`duel`); else later turns for points.
    """
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is worked out once the roll-off is over.")
    if state.over:
        return ()
    worth = turn_worth(state.board) if is_solved(state.board) else _raced(state.board)
    return state.expected_values_by(worth)


def solved(state: State) -> bool:
    """Whether the tables hold there."""
    return isinstance(state, CribDice) and is_solved(state.board)


@lru_cache(maxsize=64)
def _raced(board: CribbageBoard) -> TurnWorth:
    """What the turn can bring when all later ones are played for their points. Raises RulesError where rules bar it."""
    if board.left:
        raise RulesError("The chance to win can't be worked out once somebody has left.")
    barred = [key for key in ONE_MOVES_ANOTHER if board.header.rules[key]]
    if barred:
        words = ", ".join(barred)
        raise RulesError(f"Exact solving ends with {words}: one turn can undo another's place.")
    if board.header.rules["find_a_loser"] and len(board.sides) > 2:
        raise RulesError(
            "With find_a_loser the chance to win is worked out between two sides: of more, all but one win."
        )
    from companion.games.crib_dice.race import Race

    return Race(board).turn_worth()


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

    from companion.games.crib_dice.turns import fresh_throws

    bank, lost = _aims(piddle_points, order, mover, other, mine, theirs)
    stopping = max(TOP, other) + 2 * REACH + 1
    fresh = fresh_throws(piddle_points, np.array(bank[:stopping]), lost, mover).tolist()

    def banked(points: int) -> float:
        return bank[min(mover + points, len(bank) - 1)]

    return TurnWorth(piddle_points, banked, lost, banked, fresh)


def _aims(piddle_points: bool, order: int, mover: int, other: int, mine: int, theirs: int) -> tuple[list[float], float]:
    """What it is worth to bank at each hole, and what a wipe-out is worth."""
    table = _table(piddle_points)
    if other >= PEGS:
        return [0.0] * other + [0.5] + [1.0] * (2 * REACH), 0.0
    theirs_next = [1 - UNIT * table[place(1 - order, other, hole, theirs, 0)] for hole in range(PEGS)]
    if order == 1:
        bank = theirs_next + [1.0] * (2 * REACH)
    else:
        gaps = table[-GAPS:]
        bank = theirs_next + [1 - UNIT * gap for gap in gaps[PEGS - other :]]
    if mine + 1 == FUCHLE:
        return bank, 1 - UNIT * table[place(1 - order, other, 0, theirs, 0)]
    return bank, 1 - UNIT * table[place(1 - order, other, mover, theirs, mine + 1)]


@lru_cache(maxsize=2)
def _table(piddle_points: bool) -> array[int]:
    return whole_numbers(__package__, table_of(piddle_points))

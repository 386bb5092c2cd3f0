"""Values of Crib Dice between two sides that both play every turn for the same goal, from stored tables.

The tables (`make solve`, see `solving/crib_dice_duel.py`) hold the *equity* of the mover before each turn: the expected
number of games that the other side loses less its own. Without skunks that is twice the win probability less one; a
draw counts half a win. The current turn is computed from them in milliseconds. NumPy is imported on first use.

A table is exact for the house rules in `TABLES`. Other mixes of rules, more sides and the long game are approximated:
this turn by the board's own rules, later turns as a game between the side to move and the furthest other side, by the
nearest table.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from companion.games.advice.stored import numbers
from companion.games.crib_dice.odds.turn_value import ANNOUNCED, NO_BOMBS, TurnValues
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.scoring import MAX_SET_SCORE

PEG_HOLES = 121
"""Number of holes at which a peg can be: 121, from 0, the start, to 120. Fixed by the track of the tables."""
FUCHLED = 121
"""Place of a peg that a fuchle has sent to the start. A *place* is an index of the tables; 0 to 120 are holes.

Must be the number after the last hole: any other one addresses wrong entries of the tables."""
PLACES = 122
"""Number of places of a peg: the holes 0 to 120, and FUCHLED for a peg sent back to the start. It is the length of
the place axes of the stored equity tables; another length does not fit them."""
HOLE = (*range(PEG_HOLES), 0)
"""Hole of a peg by its place: places 0 to 120 are the holes themselves. The last place, FUCHLED, is that of a peg sent
back to the start, hole 0. Fixed by the stored tables."""
FUCHLE = 3
"""Consecutive wipe-outs that send a peg to the start: length of the tables' axes of wipe-outs, 0 to 2.

Fixed by the rules without `pandemonium`."""
TOP = 160
"""Hole, beyond the track's end at 120, from which every turn stops if the other side still has its last turn. Throwing
on is worse there, wherever the other peg is. Higher: larger tables, same values; lower: turns stop too early. After a
change `make solve` must write the tables anew."""
BEYOND_TOP = 2 * MAX_SET_SCORE + 1
"""Holes by which arrays of bank values extend beyond the hole from which every turn stops: twice the highest set, plus
1. Smaller: turns stop too early. Larger: unused entries.

BEYOND follows from it: after a change `make solve` must write the stored tables anew."""
BEYOND = TOP + BEYOND_TOP - PEG_HOLES
"""Length of the last-turn table's axis for the hole where the other side has finished. Index 0 is hole 121, the first
beyond the track."""
SHAPE = (2, PLACES, PLACES, FUCHLE, FUCHLE)
"""Shape of the equities before ordinary turns of Crib Dice, the first part of a stored table. The rest holds those
before last turns. Axes: first or second to play in a round; the place of the mover's peg; that of the other peg; the
mover's wipe-outs in a row, below FUCHLE; those of the other side. Fixed by the stored tables."""
SHORT_TRACK = 120
"""Number of holes of the track that the tables are solved for: the ordinary game's, fixed by the rules. In the long
game of 240 holes both pegs are moved back to fit it. With `skunk`, a loser at most halfway along it loses two games."""


@dataclass(frozen=True, slots=True)
class DuelRules:
    """House rules that a table is solved for. Without `skunk` each loser loses one game."""

    piddle_points: bool = False
    bomb: bool = False
    double_fuchle: bool = False
    bumping: bool = False
    skunk: bool = False

    @property
    def stake(self) -> int:
        """Most games that one game can cost a side: 4 with `skunk`, else 1."""
        return 4 if self.skunk else 1

    def games_lost(self, place: int) -> int:
        """Return the number of games that a loser at a place loses; places above FUCHLED are beyond the track."""
        return self.stake if place == FUCHLED else 2 if self.skunk and place <= SHORT_TRACK // 2 else 1

    def lost_last(self, peg_place: int, wipeouts: int) -> int:
        """Return the number of games that a side loses if it wipes out in the last turn of a game.

        Args:
            peg_place: Place of the side's peg before that turn: its hole, or FUCHLED if wipe-outs have sent it to
                the start and it has not banked since.
            wipeouts: Wipe-outs of the side in a row before that turn. If this one completes a fuchle, the peg
                counts as FUCHLED.
        """
        return self.games_lost(FUCHLED if wipeouts + 1 >= FUCHLE else peg_place)


ADVANCED = DuelRules(piddle_points=True, bomb=True, double_fuchle=True, bumping=True)
"""Rules of the table for the advanced game, without skunks."""
TABLES = {
    DuelRules(): "duel-basic.u4",
    DuelRules(piddle_points=True): "duel-piddle-points.u4",
    ADVANCED: "duel-advanced.u4",
    replace(ADVANCED, skunk=True): "duel-advanced-games.u4",
}
"""File of each stored table by its rules."""
UNSOLVED = ("find_a_loser", "long_game", "pandemonium")
"""House rules for which no table is exact."""


@dataclass(frozen=True, slots=True)
class DuelState:
    """State of a game as the tables index it: the mover, which is the side to move, and the furthest other side.

    Attributes:
        rules: Rules of the table that is used.
        order: 0 if the other side has one more turn after the mover's finish, 1 if a finish wins at once.
        mover: Place of the mover's peg.
        other: Place of the other's peg; beyond the track its hole plus 1, which is above FUCHLED.
        mine: Consecutive wipe-outs of the mover, 0 to 2.
        theirs: Consecutive wipe-outs of the other side.
    """

    rules: DuelRules
    order: int
    mover: int
    other: int
    mine: int
    theirs: int


def rules_of(board: CribbageBoard, goal: str) -> DuelRules:
    """Return the house rules of a Crib Dice board by which a stored table of values is chosen.

    These are `piddle_points`, `bomb`, `double_fuchle`, `bumping` and, for the goal `games`, `skunk`; for `win`, `skunk`
    is False. TABLES may have no table for the result; `nearest_rules` finds one.
    """
    rules = board.header.rules
    return DuelRules(
        piddle_points=bool(rules["piddle_points"]),
        bomb=bool(rules["bomb"]),
        double_fuchle=bool(rules["double_fuchle"]),
        bumping=bool(rules["bumping"]),
        skunk=goal == "games" and bool(rules["skunk"]),
    )


def is_solved(board: CribbageBoard, goal: str = "win") -> bool:
    """Return whether a stored table is exact for this board and the goal, `win` or `games`."""
    unsolved = board.left or any(board.header.rules[key] for key in UNSOLVED)
    return len(board.sides) == 2 and not unsolved and rules_of(board, goal) in TABLES


def nearest_rules(rules: DuelRules) -> DuelRules:
    """Return the rules of the stored table that fits a game with the given rules, or approximates it.

    Without a table of its own that is the advanced game's, with skunks if the given rules have them.
    """
    return rules if rules in TABLES else replace(ADVANCED, skunk=rules.skunk)


@lru_cache(maxsize=512)
def duel_turn_values(board: CribbageBoard, goal: str = "win") -> TurnValues:
    """Compute the values of all states of a Crib Dice turn for the side to play, from a stored table. Cached.

    They are exact if `is_solved(board, goal)`, else approximate. Of several other sides only the furthest one that is
    not eliminated counts, even if it has finished. Raises RulesError if the table's file is missing.

    Args:
        board: Board before the turn.
        goal: `win` for win probabilities; `games` for the expected games lost by the other side, less one's own
            losses.
    """
    import numpy as np

    from companion.games.crib_dice.odds.backward_induction import fresh_throws

    rules, duel = board.header.rules, duel_state(board, goal)
    bank, lost, bomb = equities_after_turn(duel, board.wipeouts[board.side] + 1 >= board.fuchle_at)
    if goal == "win":
        bank, lost, bomb = [(value + 1) / 2 for value in bank], (lost + 1) / 2, (bomb + 1) / 2
    announced = bomb if rules["pandemonium"] else ANNOUNCED * bomb + (1 - ANNOUNCED) * lost
    bombs = (announced, bomb, bomb) if rules["bomb"] and board.may_bomb else NO_BOMBS
    hole, piddle_points = HOLE[duel.mover], bool(rules["piddle_points"])
    fresh = fresh_throws(piddle_points, np.array(bank), lost, hole, bombs).tolist()

    def banked(points: int) -> float:
        return float(bank[min(hole + points, len(bank) - 1)])

    return TurnValues(piddle_points, banked, lost, banked, fresh, bombs)


def duel_state(board: CribbageBoard, goal: str) -> DuelState:
    """Return a board before a turn as a `DuelState`, which names its place in the stored tables for two sides.

    One side is the side to play. The other is the furthest one that is not eliminated, or the furthest of all if all
    are. The state's order is 1 if the side to play comes later in the round than the other, or with the house rule
    `find_a_loser`; else 0. Wipe-outs above 2 count as 2. The rules are the nearest ones that have a table
    (`nearest_rules`). `goal` is `win` or `games`.
    """
    me, count = board.side, len(board.sides)
    others = [(me + step) % count for step in range(1, count)]
    there = [side for side in others if side not in board.out]
    other = max(there or others, key=lambda side: board.pegs[side])
    # With find_a_loser a finish wins at once, like one in the second turn of a round.
    order = int(board.header.rules["find_a_loser"] or (me - board.first) % count > (other - board.first) % count)
    mine, theirs = (min(board.wipeouts[side], FUCHLE - 1) for side in (me, other))
    mover, far = _places(board, me, other)
    return DuelState(nearest_rules(rules_of(board, goal)), order, mover, far, mine, theirs)


def _places(board: CribbageBoard, me: int, other: int) -> tuple[int, int]:
    """Return the places of the pegs of sides `me` and `other`: indices into the stored tables, made for 120 holes.

    On a longer track both pegs are first moved back, by max(rear peg's hole, front peg's hole - 120) holes. They are
    moved back by at most the number of holes that the track has above 120, and never below place 0.

    A peg that wipe-outs in a row have sent back to the start (a fuchle) has the place FUCHLED, 121. If `other` has
    finished, its place is its hole after the move plus 1, which is above FUCHLED.
    """
    pegs, surplus = (board.pegs[me], board.pegs[other]), board.holes - SHORT_TRACK
    back = max(0, min(surplus, max(min(pegs), max(pegs) - SHORT_TRACK)))
    mine, theirs = (max(0, peg - back) for peg in pegs)
    mine = FUCHLED if me in board.fuchled else mine
    if board.pegs[other] > board.holes:
        return mine, theirs + 1  # places above FUCHLED are beyond the track
    return mine, FUCHLED if other in board.fuchled else min(theirs, SHORT_TRACK)


def index(order: int, mover: int, other: int, mine: int, theirs: int) -> int:
    """Return the index of a state in a stored table: its rank in the order of the arguments, the last one fastest.

    The arguments are the fields of `DuelState`: `order` 0 or 1, the places of both pegs on the track, and the wipe-outs
    of both sides.
    """
    return (((order * PLACES + mover) * PLACES + other) * FUCHLE + mine) * FUCHLE + theirs


def stored_equity(rules: DuelRules, place: int) -> float:
    """Return the equity of the mover in games, from the table of those rules; `place` is the `index` of the state."""
    return float(rules.stake * (_table(rules)[place] * 2.0**-31 - 1.0))


def equities_after_turn(duel: DuelState, fuchle: bool) -> tuple[list[float], float, float]:
    """Return the mover's equity, in games, after each way to end its turn: a stop, a wipe-out or a bomb.

    Equity is the expected number of games that the other side loses, minus the number that the mover loses. Equities of
    games that go on are read from the stored table.

    Args:
        duel: State before the turn.
        fuchle: Whether a wipe-out in this turn is a fuchle, which sends the mover's peg back to the start.

    Returns:
        Equity after a stop, as a list indexed by the hole reached, from 0 to far beyond the track; equity after a
        wipe-out; equity after a bomb, whether or not it is allowed. A bomb swaps the two pegs. If the other peg has
        finished, a bomb hits a third side, and then counts as a wipe-out.
    """
    rules, order, mover, other, theirs = duel.rules, duel.order, duel.mover, duel.other, duel.theirs
    lost_last = rules.games_lost(FUCHLED if fuchle else mover)
    if other > FUCHLED:
        finish = other - 1
        # Beyond the track a loser loses as many games as at its last hole.
        short = [-float(rules.games_lost(min(hole, SHORT_TRACK))) for hole in range(finish)]
        return short + [0.0] + [1.0] * BEYOND_TOP, -float(lost_last), -float(lost_last)

    def after(mine: int, wipeouts: int, theirs_at: int = other) -> float:
        return -stored_equity(rules, index(1 - order, theirs_at, mine, theirs, wipeouts))

    bank, there = [after(hole, 0) for hole in range(PEG_HOLES)], HOLE[other]
    if rules.bumping and there:
        bank[there] = after(there, 0, max(0, there - 5))
    if order == 1:
        bank += [float(rules.games_lost(other))] * BEYOND_TOP
    else:
        begin = prod(SHAPE) + (other * FUCHLE + theirs) * BEYOND
        bank += [-stored_equity(rules, begin + past) for past in range(BEYOND)]
    bomb = after(there, 0, HOLE[mover])
    if rules.double_fuchle and mover == FUCHLED and duel.mine:
        return bank, -float(rules.games_lost(FUCHLED)), bomb
    return bank, after(FUCHLED, 0) if fuchle else after(mover, min(duel.mine + 1, FUCHLE - 1)), bomb


@lru_cache(maxsize=4)
def _table(rules: DuelRules) -> array[int]:
    """Return the stored table of those rules as 32-bit integers. Cached."""
    return numbers(__package__, TABLES[rules])

"""The chance to win a game of Crib Dice, by the race of the pegs: for more than two sides, or where none is stored.

Where no peg can move another, sides race apart from each other. Each later turn is taken to be played for the most turn
points; then a turn banks so many points with a fixed chance, and the whole race can be worked out. The turn that is on
is played for the win: its worths are exact for it, given how all later turns are played. A shared win counts as its
share.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from operator import add, mul
from typing import TypeVar

from companion.errors import RulesError
from companion.games.crib_dice import duel
from companion.games.crib_dice.odds import (
    RICH,
    TurnWorth,
    first_throws,
    piddle_ends,
    roll_ends,
    set_score,
    turn_worth,
)
from companion.games.crib_dice.pegs import CribbageBoard
from companion.games.crib_dice.state import CribDice, Turn
from companion.games.game import Action, State

T = TypeVar("T")
NEGLIGIBLE = 1e-10  # chances below this are left out: what is told is right to eight digits
Chances = defaultdict[T, float]
ONE_MOVES_ANOTHER = ("bomb", "bumping", "double_fuchle", "find_a_loser")


def values_to_win(state: State) -> tuple[tuple[Action | int, float], ...]:
    """The chance to win with each option; to eight digits. Raises RulesError in the roll-off and where rules bar it.

    Between two sides everyone plays every turn for the win, where that is solved (`duel`); else later turns for points.
    """
    if not isinstance(state, CribDice):
        raise RulesError("The chance to win is worked out once the roll-off is over.")
    if state.over:
        return ()
    worth = duel.turn_worth(state.board) if duel.is_solved(state.board) else Race(state.board).turn_worth()
    return state.expected_values_by(worth)


def win_chances(state: State) -> tuple[float, ...]:
    """Each side's chance when both play every turn for the win. Raises RulesError where that is not solved."""
    if not isinstance(state, CribDice) or not duel.is_solved(state.board):
        raise RulesError("The chance to win is known throughout for two sides without rules that move others' pegs.")
    board, outcome = state.board, state.outcome
    if outcome is not None:
        return tuple((side in outcome.winners) / len(outcome.winners) for side in range(len(board.sides)))
    if state.turn == Turn() and not board.finished:
        mine = duel.win_chance(board)
    else:
        mine = max(value for _, value in values_to_win(state))
    return (mine, 1 - mine) if board.side == 0 else (1 - mine, mine)


@cache
def banks(piddle_points: bool) -> tuple[float, ...]:
    """The chance that a turn played for the most turn points banks 0, 1, 2, ...; what is missing to 1 wipes out."""
    worth = turn_worth(piddle_points)
    fresh, banked = Chances[int](float, {0: 1.0}), Chances[int](float)
    while fresh:
        gathered = min(fresh)
        chance = fresh.pop(gathered)
        if chance > NEGLIGIBLE:
            _play_on(worth, piddle_points, gathered, chance, fresh, banked)
    return tuple(banked[points] for points in range(max(banked) + 1))


def _play_on(
    worth: TurnWorth,
    piddle_points: bool,
    gathered: int,
    chance: float,
    fresh: Chances[int],
    banked: Chances[int],
) -> None:
    """From a throw of seven on to the stop, the wipe-out or the next throw of seven."""
    held = Chances[tuple[int, int]](float)
    for offer, share in first_throws():
        held[max(offer, key=lambda one: worth.held(gathered, *one))] += chance * share
    while held:
        frozen, point = min(held)
        chance = held.pop((frozen, point))
        stop = gathered + set_score(frozen, point)
        if frozen == 7:
            fresh[stop] += chance
        elif worth.thrown(gathered, frozen, point) <= stop:
            banked[stop] += chance
        elif frozen >= 5:
            for hits, share in piddle_ends(piddle_points):
                fresh[gathered + set_score(min(7, frozen + hits), point)] += chance * share
        else:
            for hits, share in roll_ends(frozen, point):
                held[frozen + hits, point] += chance * share


@dataclass(frozen=True, slots=True)
class Racer:
    """How a side fares, round by round from the one that is on.

    Attributes:
        finishes: For each round the chance of finishing in it, by holes past the last one: 0 is the nearest.
        races_on: For each round the chance that the side has not finished by its end.
    """

    finishes: list[list[float]]
    races_on: list[float]


class Race:
    """The race from a board on. Rounds are counted from 0, the one that is on.

    Raises:
        RulesError: A house rule lets one side's turn change another's place.
    """

    def __init__(self, board: CribbageBoard) -> None:
        rules = board.header.rules
        if board.left:
            raise RulesError("The chance to win can't be worked out once somebody has left.")
        barred = [key for key in ONE_MOVES_ANOTHER if rules[key]]
        if barred:
            raise RulesError(f"The chance to win can't be worked out with {', '.join(barred)}.")
        self._board = board
        self._banks = banks(bool(rules["piddle_points"]))
        self._wiped_out = 1 - sum(self._banks)
        self._fuchle = 4 if rules["pandemonium"] else 3
        self._racers = self._raced()

    def shares(self) -> tuple[float, ...]:
        """For each side its share of the win when every turn is played for its points."""
        return tuple(self._share(side) for side in range(len(self._board.sides)))

    def turn_worth(self) -> TurnWorth:
        """The share of the win that the turn that is on can bring, when it is played for that."""
        side, board = self._board.side, self._board
        later, peg = self._chances(side, 1), board.pegs[side]
        reached = [*later[0], *self._won(side, 0, 3 * RICH)]
        hole, wipeouts = self._after_wipe_out(peg, board.wipeouts[side])

        def banked(points: int) -> float:
            return reached[peg + points]

        piddle_points = bool(board.header.rules["piddle_points"])
        return TurnWorth(piddle_points, banked, later[wipeouts][hole], banked)

    def _share(self, side: int) -> float:
        board = self._board
        peg, wipeouts = board.pegs[side], board.wipeouts[side]
        if peg > board.holes:
            return self._won(side, 0, peg - board.holes)[-1]
        return self._chances(side, 1 if self._has_played(side) else 0)[wipeouts][peg]

    def _has_played(self, side: int) -> bool:
        count = len(self._board.sides)
        return (side - self._board.first) % count < self._board.turn % count

    def _after_wipe_out(self, hole: int, wipeouts: int) -> tuple[int, int]:
        return (0, 0) if wipeouts + 1 == self._fuchle else (hole, wipeouts + 1)

    def _raced(self) -> list[Racer]:
        """All sides, for as many rounds as anybody may have to play."""
        board = self._board
        racers = [Racer([], []) for _ in board.sides]
        runs = [self._run(side) for side in range(len(board.sides))]
        left = 1.0
        while left > NEGLIGIBLE:
            left = 1.0
            for racer, run in zip(racers, runs, strict=True):
                finishes, races_on = next(run)
                racer.finishes.append(finishes)
                racer.races_on.append(races_on)
                left *= races_on
        return racers

    def _run(self, side: int) -> Iterator[tuple[list[float], float]]:
        """A side's rounds without end: the chances of finishing by hole, and that of racing on."""
        board, holes = self._board, self._board.holes
        peg = board.pegs[side]
        if peg > holes:
            yield [0.0] * (peg - holes - 1) + [1.0], 0.0
        at = [[0.0] * (holes + 1) for _ in range(self._fuchle)]
        if peg <= holes:
            at[board.wipeouts[side]][peg] = 1.0
            if self._has_played(side):
                yield [], 1.0
        while True:
            at, finishes = self._after_turn(at)
            yield finishes, sum(map(sum, at))

    def _after_turn(self, at: list[list[float]]) -> tuple[list[list[float]], list[float]]:
        holes = self._board.holes
        backwards = [sum(chances) for chances in zip(*at, strict=True)][::-1]
        on_board = [sum(map(mul, self._banks, backwards[holes - hole :])) for hole in range(holes + 1)]
        finishes = [sum(map(mul, self._banks[past:], backwards)) for past in range(1, len(self._banks))]
        after = [on_board, *([self._wiped_out * chance for chance in chances] for chances in at[:-1])]
        after[0][0] += self._wiped_out * sum(at[-1])
        return after, finishes

    def _chances(self, side: int, first: int) -> list[list[float]]:
        """By wipe-outs and hole: the chance that nobody else ends the race before round `first`, and this side wins."""
        holes = self._board.holes
        chances = [[0.0] * (holes + 1) for _ in range(self._fuchle)]
        for number in reversed(range(first, len(self._racers[side].finishes))):
            reached = [*chances[0], *self._won(side, number, len(self._banks))]
            banked = [sum(map(mul, self._banks, reached[hole:])) for hole in range(holes + 1)]
            after = [self._after_wipe_out(0, wipeouts)[1] for wipeouts in range(self._fuchle)]
            chances = [
                [
                    by_banking + self._wiped_out * chances[after[wipeouts]][self._after_wipe_out(hole, wipeouts)[0]]
                    for hole, by_banking in enumerate(banked)
                ]
                for wipeouts in range(self._fuchle)
            ]
        return chances

    def _won(self, side: int, number: int, length: int) -> list[float]:
        """By holes past the last one: the chance that no other ends the race before that round, and this side's share.

        Its share, that is, when it finishes there in that round.
        """
        others = [racer for place, racer in enumerate(self._racers) if place != side]
        below = [racer.races_on[number] for racer in others]
        won = []
        for past in range(length):
            level = [racer.finishes[number][past] if past < len(racer.finishes[number]) else 0.0 for racer in others]
            won.append(_shared(below, level))
            below = list(map(add, below, level))
        return won


def _shared(below: list[float], level: list[float]) -> float:
    """The share of one whom each other is either below or level with: split among all who are level."""
    chances = [1.0]  # by how many are level
    for under, same in zip(below, level, strict=True):
        chances = [under * fewer + same * more for fewer, more in zip([*chances, 0.0], [0.0, *chances], strict=True)]
    return sum(chance / (1 + count) for count, chance in enumerate(chances))

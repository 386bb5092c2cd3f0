"""Crag: the approximate win probabilities of two players against the solved end of the game."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np

from companion.games.crag.odds.backward_induction import Floats, after_keeps, choices
from companion.games.crag.odds.turn_value import KEEPS, RESULTS, points_table
from companion.games.crag.odds.win import values_to_win
from companion.games.crag.scoring import CATEGORIES
from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Header, Keep, State
from companion.games.registry import game_named
from tests.games.losses.measuring import Values, best_of, mean_of, points, share_of_wins, taken

REACH = 250
"""Greatest lead in points that is distinguished: more than a sheet can hold."""
ROUNDS = 5
"""Rounds before the end that are solved. A game's cost grows by a factor of four with each."""
GAMES = 60
"""Games whose ends are solved."""
SHARED_GAMES = 1000
"""Games between three players."""


class Ends:
    """Solved ends of games between two players: both play every turn to win; without house rules. Results are kept."""

    def __init__(self) -> None:
        self._before: dict[tuple[frozenset[int], frozenset[int]], Floats] = {}
        self._points = np.array([points_table(False)[dice] for dice in RESULTS])

    def before(self, mine: frozenset[int], theirs: frozenset[int]) -> Floats:
        """Return the win probability of the mover before a turn, by its lead in points plus REACH.

        Args:
            mine: Places of the categories that the mover still has to fill.
            theirs: Those of the other player.
        """
        if (mine, theirs) not in self._before:
            self._before[mine, theirs] = self._solved(mine, theirs)
        return self._before[mine, theirs]

    def _solved(self, mine: frozenset[int], theirs: frozenset[int]) -> Floats:
        if not mine:
            return (1.0 + np.sign(np.arange(-REACH, REACH + 1))) / 2
        _, kept = self.turn(mine, theirs)
        first = after_keeps()[KEEPS.index(())]
        before: Floats = first @ kept[choices()].max(axis=1)
        return before

    def turn(self, mine: frozenset[int], theirs: frozenset[int]) -> tuple[dict[int, Floats], Floats]:
        """Return the win probability of each entry, and of each keep, in a turn of the mover.

        Returns:
            By place of the category: (results, leads). And (keeps, leads). Leads are as in `before`.
        """
        entries = {}
        for place in mine:
            after = 1.0 - self.before(theirs, mine - {place})[::-1]  # by the lead of who has just entered
            leads = np.minimum(np.arange(2 * REACH + 1) + self._points[:, [place]], 2 * REACH)
            entries[place] = after[leads]
        return entries, after_keeps() @ np.max(list(entries.values()), axis=0)

    def values(self, state: Crag) -> Values:
        """Return each option of a state with its win probability."""
        mine, theirs = (_unfilled(state, seat) for seat in (state.seat, 1 - state.seat))
        scores = state.standing.scores
        lead = scores[state.seat] - scores[1 - state.seat] + REACH
        if state.phase == "fresh":
            return [(3, float(self.before(mine, theirs)[lead]))]
        entries, kept = self.turn(mine, theirs)

        def value(option: Action) -> float:
            if isinstance(option, Keep):
                return float(kept[KEEPS.index(option.dice), lead])
            assert isinstance(option, Enter), "there are no other decisions"
            return float(entries[CATEGORIES.index(option.category)][RESULTS.index(state.dice), lead])

        thrown = [(dice, float(kept[KEEPS.index(state.dice), lead])) for dice in state.throw_sizes]
        return [*thrown, *((option, value(option)) for option in state.options())]


@cache
def _header(count: int) -> Header:
    """Return the header of a game of `count` players by the default rules."""
    rules = {switch.key: switch.default for switch in game_named("crag").switches}
    return Header("crag", tuple(f"Player {seat}" for seat in range(1, count + 1)), rules)


def _unfilled(state: Crag, seat: int) -> frozenset[int]:
    """Return the places of the categories that a seat still has to fill."""
    return frozenset(range(len(CATEGORIES))) - {CATEGORIES.index(name) for name, _ in state.sheets[seat]}


def ends(games: int) -> Iterator[str]:
    """Yield a line for each round before the end: the cost of the approximation, and the error of its values.

    Both players play by the approximation. Each decision of a game's last ROUNDS rounds is also valued exactly.
    """
    by_win, by_points = defaultdict[int, list[float]](list), defaultdict[int, list[float]](list)
    errors = defaultdict[int, list[float]](list)
    for number in range(games):
        dice, solved = random.Random(f"losses/{number}"), Ends()
        state: State = game_named("crag").start(_header(2))
        while state.standing.to_play is not None:
            told = values_to_win(state)
            assert isinstance(state, Crag), "there is no roll-off"
            left = len(_unfilled(state, state.seat))
            if left <= ROUNDS:
                exact = dict(solved.values(state))
                best = max(exact.values())
                if state.phase == "fresh":
                    by_win[left].append(0.0)
                    by_points[left].append(0.0)
                errors[left].append(abs(max(value for _, value in told) - best))
                by_win[left][-1] += best - exact[best_of(told)]
                by_points[left][-1] += best - exact[best_of(points(state))]
            state = taken(state, best_of(told), dice)
    for left in sorted(by_win):
        told_wrong, rounds = errors[left], "round" if left == 1 else "rounds"
        yield (
            f"{left} {rounds} to go: a turn loses {mean_of(by_win[left])}, by points {mean_of(by_points[left])}; "
            f"told wrong by {100 * sum(told_wrong) / len(told_wrong):.2f} %, at most {100 * max(told_wrong):.1f} %"
        )


def reports() -> Iterator[str]:
    """Yield the measured losses as lines of text."""
    yield from (f"Crag, 2 players, {line}" for line in ends(GAMES))
    share = share_of_wins(_header(3), values_to_win, points, SHARED_GAMES)
    yield f"Crag, 3 players: one by the approximation against two by points wins {share}, even: 33.33 %"
    share = share_of_wins(_header(3), points, values_to_win, SHARED_GAMES)
    yield f"Crag, 3 players: one by points against two by the approximation wins {share}, even: 33.33 %"

"""Split the result of a finished game into luck and decisions.

The regret of a decision is the value of the best option less the value of the option taken. Luck is the change of value
at chance nodes, the throws. Luck and decisions add up exactly to the result less the expectation at the start.

Where values are approximate, they may change at a decision by more than the regret, because the next turn is computed
anew. That is no luck: it is booked as approximation error.

Goal `win`: value is the win probability; a decision counts for both sides. Goal `games`: value is the expected games
that the other side loses less one's own. Goal `points`: value is the expected points
of the turn, and a result is the sum over the turns of a player. For a score sheet it is the final total.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from companion.errors import RulesError
from companion.games.advice.odds import GOALS, is_exact, option_line, values_in_points, values_of, win_chances
from companion.games.engine.game import Action, Header, Spend, State, Throw
from companion.games.engine.notation import line_of
from companion.games.engine.roll_off import RollOff
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named

MAX_HIGHLIGHTS = 3
"""Most throws in a story's list of the luckiest, and most moves in that of the costliest. Higher: longer lists.

A vote asks one question for each of the costliest moves (`bots.vote`)."""
Option = Action | int
"""A decision, or the number of dice to throw."""


@dataclass(frozen=True, slots=True)
class Move:
    """One line of a game with its luck and regret, in units of the goal.

    Attributes:
        line: Line number in the transcript; the header is 1. Lines taken back do not count.
        seat: Seat that acted.
        action: The throw or decision.
        luck: Change of value by the dice, for that seat; 0 for a decision.
        cost: Regret, 0 or more. For a throw: the regret of the decision to throw.
        best: The best option; None if it was taken, or if the action was the best one to win in a game whose decisions
            are judged by points.
        approximation: Change of value at a decision beyond its regret; not 0 only where values are approximate.
    """

    line: int
    seat: int
    action: Action
    luck: float
    cost: float
    best: Option | None
    approximation: float = 0.0

    def view(self, players: tuple[str, ...]) -> dict[str, Any]:
        """Return the move, a throw or a decision, as a JSON object; `players` are the players' names by seat.

        Returns:
            - `line`: line number in the transcript.
            - `player`: name of the player who acted.
            - `action`: the throw or decision, as the fields of its transcript line.
            - `luck`: change of value by the dice; 0 for a decision.
            - `gave_away`: the regret, `Move.cost`.
            - `approximation`: change of value at a decision beyond its regret; 0 where values are exact.
            - `best`: the best option, as the fields of a transcript line or `{"throw": N}` to throw N dice. None if it
              was taken, or if a game is judged by points and the action was the best one to win.
        """
        return {
            "line": self.line,
            "player": players[self.seat],
            "action": line_of(self.action),
            "luck": self.luck,
            "gave_away": self.cost,
            "approximation": self.approximation,
            "best": self.best and option_line(self.best),
        }


@dataclass(frozen=True, slots=True)
class Account:
    """Split of one result: `result == start + luck + decisions + approximation`, in units of the goal.

    Attributes:
        player: Name of the player; for the goals `win` and `games`, of the side.
        start: Expected result: value at the start of the game, or for turn points the sum of the values at the start
            of each turn.
        result: Share of the win, games that the other side lost less one's own, or points.
        luck: Change by all throws of the game.
        decisions: Change by all decisions; for the goals `win` and `games` those of the opponent too.
        gave_away: Sum of the regrets of the player's or side's own decisions.
        approximation: Change by the approximation error of the values; 0 up to rounding where they are exact.
        percentile: Share of perfectly played score sheets with fewer points; None where it is not known.
    """

    player: str
    start: float
    result: float
    luck: float
    decisions: float
    gave_away: float
    approximation: float
    percentile: float | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """Luck and decisions of a finished game.

    Attributes:
        goal: `win`, `games` or `points`.
        accounts: Split of the result, by side or by player.
        moves: Every line of the game after the roll-off.
    """

    goal: str
    accounts: tuple[Account, ...]
    moves: tuple[Move, ...]

    @property
    def luckiest(self) -> tuple[Move, ...]:
        """Throws with the greatest luck above 0, luckiest first; at most `MAX_HIGHLIGHTS`."""
        throws = [move for move in self.moves if isinstance(move.action, Throw) and move.luck > 0]
        return tuple(sorted(throws, key=lambda move: -move.luck)[:MAX_HIGHLIGHTS])

    @property
    def costliest(self) -> tuple[Move, ...]:
        """Costliest mistakes of all players, in descending order of regret; at most `MAX_HIGHLIGHTS`.

        A mistake is a decision for which another option had a higher value. A throw counts if stopping was better,
        whatever the dice showed. In a game that is judged by points, the best move to win is no mistake (`Move.best`).
        """
        costly = [move for move in self.moves if move.cost > 0 and move.best is not None]
        return tuple(sorted(costly, key=lambda move: -move.cost)[:MAX_HIGHLIGHTS])

    def view(self, players: tuple[str, ...]) -> dict[str, Any]:
        """Return the story as JSON values.

        Args:
            players: Names of the players by seat.

        Returns:
            `goal`; `players`, a list with the fields of each `Account`; and three lists of moves, each move as in
            `Move.view`: `luckiest`, `dearest` (the costliest) and `moves` (all).
        """
        return {
            "goal": self.goal,
            "players": [asdict(account) for account in self.accounts],
            "luckiest": [move.view(players) for move in self.luckiest],
            "dearest": [move.view(players) for move in self.costliest],
            "moves": [move.view(players) for move in self.moves],
        }


def goal_for(header: Header) -> str:
    """Return the default goal of a game: `win` if it is solved under these rules, else `points`."""
    game = game_named(header.game)
    return "win" if game.solved(game.start(replace(header, roll_off=False))) else "points"


def story_of(transcript: Transcript, goal: str | None = None) -> Story:
    """Return how much of each result of a finished game was luck and how much decisions.

    The goals `win` and `games` need two sides and give a result for each; `points` gives one for each player. With
    `goal` None, the game's default goal counts (`goal_for`).

    Raises:
        RulesError: The game is not finished, a player left it, the goal is unknown or needs two sides, or its values
            are not known.
    """
    if not transcript.state.standing.over:
        raise RulesError("The game is not finished: its luck can be told when it is over.")
    if transcript.state.standing.left:
        raise RulesError("Somebody left this game: what was luck in it can't be told.")
    goal = goal_for(transcript.header) if goal is None else goal
    if goal not in GOALS:
        raise RulesError(f"There is no goal {goal!r}; there are: {', '.join(GOALS)}.")
    return _points_story(transcript) if goal == "points" else _win_story(transcript, goal)


def steps_of(transcript: Transcript) -> list[Transcript]:
    """Return the transcript right after the roll-off and after each later line, oldest first; itself in a roll-off."""
    return [step for step in transcript.steps if not isinstance(step.state, RollOff)] or [transcript]


def _lines(steps: Sequence[Transcript]) -> Iterator[tuple[int, State, Action, State]]:
    """For each of `steps` after the first, yield its last line: number, state before, action, state after.

    `steps` are transcripts of one game, each one line longer than the one before. The header is line 1, and lines taken
    back are not counted.
    """
    for before, after in pairwise(steps):
        assert after.last is not None, "it has a line"
        yield after.line_count + 1, before.state, after.last, after.state


def value_taken(
    values: tuple[tuple[Option, float], ...], before: State, action: Action, after: State, goal: str
) -> float:
    """Return the value of the action that was taken, looked up among the values of all options before it.

    A throw has the value of throwing that number of dice, whatever they showed. A `Spend` is listed with its least and
    greatest amount only. Another amount has, for `points`, the value of the first amount listed, since all have the
    same. For `win` and `games` it has the value of the position after it, for the side that spent.

    Args:
        values: Every option before the action, with its value.
        before: Position before the action.
        action: The throw or decision that was taken.
        after: Position after it.
        goal: What the values are of: `win`, `games` or `points`.

    Raises:
        RulesError: `values` has no such option.
    """
    taken = len(action.dice) if isinstance(action, Throw) else action
    found = next((value for option, value in values if option == taken), None)
    if found is None and isinstance(action, Spend) and before.standing.side is not None:
        spendings = [value for option, value in values if isinstance(option, Spend)]
        found = win_chances(after, goal)[before.standing.side] if goal != "points" else next(iter(spendings), None)
    if found is None:
        raise RulesError(f"The odds have no value for {line_of(action)}.")
    return found


def regret_of(values: tuple[tuple[Option, float], ...], taken: float) -> tuple[float, float, Option | None]:
    """Return the value of the best option, the regret of the action taken, and the best option.

    The best option is None if the action taken was as good. The regret is the best value less `taken`, the value of the
    action, at least 0. `values` has every option before the action, at least one.
    """
    best_option, best = max(values, key=lambda each: each[1])
    return best, max(0.0, best - taken), best_option if taken < best else None


def is_best_to_win(before: State, action: Action, after: State) -> bool:
    """Whether win probabilities are exact in the state `before` an action, and no option has a higher one."""
    if not is_exact(before):
        return False
    chances = values_of(before, "win")
    return regret_of(chances, value_taken(chances, before, action, after, "win"))[2] is None


def _win_story(transcript: Transcript, goal: str) -> Story:
    """Split the result of each of two sides into luck, decisions and approximation error, and list every move.

    `goal` is `win` or `games`. A move's regret is subtracted from the decisions of the side that moved, and added to
    those of the other side. Any further change of a side's value is luck at a throw, and approximation error at a
    decision. Lines of the roll-off are left out. Raises RulesError if the values are not known, or without exactly two
    sides.
    """
    moves, steps = list[Move](), tuple(_lines(steps_of(transcript)))
    start = now = win_chances(steps[0][1], goal)
    luck, decisions, own, approximation = ([0.0] * len(start) for _ in range(4))
    for line, before, action, after in steps:
        seat, mover = before.standing.to_play, before.standing.side
        assert seat is not None, "nothing happens after the end"
        assert mover is not None, "nothing happens after the end"
        values = values_of(before, goal)
        _, cost, best_option = regret_of(values, value_taken(values, before, action, after, goal))
        then, now = now, win_chances(after, goal)
        change = luck if isinstance(action, Throw) else approximation
        for side in range(len(start)):
            decided = -cost if side == mover else cost
            decisions[side] += decided
            change[side] += now[side] - then[side] - decided
        own[mover] += cost
        moved = now[mover] - then[mover] + cost
        by_dice, by_error = (moved, 0.0) if isinstance(action, Throw) else (0.0, moved)
        moves.append(Move(line, seat, action, by_dice, cost, best_option, by_error))
    accounts = map(Account, transcript.state.standing.sides, start, now, luck, decisions, own, approximation)
    return Story(goal, tuple(accounts), tuple(moves))


def _points_story(transcript: Transcript) -> Story:
    """Return the points of each player split into luck and decisions, and every move.

    The value of a state is the expected points of the turn; for a score sheet, the expected final total. It is exact,
    so there is no approximation error. A player's result is the sum of the turn points, or the final total. It comes
    with its percentile where that is known (`Rulebook.percentile`). If the game's default goal is `points`
    (`goal_for`), a move that is best for the win names no better option; its cost in points counts all the same. Raises
    RulesError if the values are not known.
    """
    players, moves, book = transcript.header.players, list[Move](), game_named(transcript.header.game)
    total = book.expects_total
    start, result, expected, luck, own = ([0.0] * len(players) for _ in range(5))
    seats_begun, unsolved = set[int](), goal_for(transcript.header) == "points"
    for turn in transcript.turns():
        seat = turn.seat
        for place, (line, before, action, after) in enumerate(_lines(turn.steps), 1):
            values = values_in_points(before)
            best, cost, best_option = regret_of(values, value_taken(values, before, action, after, "points"))
            if place == 1 and not (total and seat in seats_begun):
                start[seat] += best
                expected[seat] = best
            seats_begun.add(seat)
            if place < len(turn.steps) - 1:
                following = max(value for _, value in values_in_points(after))
            else:
                following = 0.0 if isinstance(action, Throw) else best - cost
                result[seat] = following + (0.0 if total else result[seat])
            by_dice = following - expected[seat] + cost if isinstance(action, Throw) else 0.0
            expected[seat] = following
            luck[seat] += by_dice
            own[seat] += cost
            if unsolved and is_best_to_win(before, action, after):
                best_option = None
            moves.append(Move(line, seat, action, by_dice, cost, best_option))
    percentiles = [book.percentile(transcript.header, round(points)) for points in result]
    decisions, approximation = [0.0 - cost for cost in own], [0.0] * len(players)
    accounts = map(Account, players, start, result, luck, decisions, own, approximation, percentiles)
    return Story("points", tuple(accounts), tuple(moves))

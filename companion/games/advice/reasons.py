"""Why an option is the best: phrases that are made from the numbers of a position."""

from __future__ import annotations

from companion.games.advice.luck import Option
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import game_named


def reasons_for(state: State, goal: str, ranked: tuple[tuple[Option, float], ...]) -> tuple[Phrase, ...]:
    """Return phrases that explain why the best option of a position is the best; their text keys are `fact.CODE`.

    `goal` is the unit of the values; `ranked` are the options with their values, best first, at least two.

    Returns:
        In this order:

        - The game's facts about the position.
        - The chance in percent that a throw of the fewest dice allowed is safe, if it can fail. Only if that throw is
          the best option, or is the second-best one and the best is no throw.
        - What the second-best option costs, for the goal `win` in percentage points.
    """
    found = list(game_named(state.standing.header.game).facts(state))
    safe = state.safe_chance  # of the least number of dice
    thrown = next((option for option, _ in ranked[:2] if isinstance(option, int)), None)
    if safe is not None and thrown == state.throw_sizes[0]:
        found.append(Phrase("safe", {"percent": round(100 * safe)}))
    less = (ranked[0][1] - ranked[1][1]) * (100 if goal == "win" else 1)
    return (*found, Phrase(f"gap.{goal}", {"less": round(less, 1)}))

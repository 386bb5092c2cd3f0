"""Measure the mean regret of each level of the computer player and write it for the ratings: `make levels`."""

from __future__ import annotations

import json
import random
import sys
from importlib.resources import files
from pathlib import Path

from companion.games.advice.judging import USUAL_REGRETS, regrets_of
from companion.games.advice.luck import goal_for
from companion.games.engine.game import Header
from companion.games.engine.players import LEVELS, played
from companion.games.registry import GAMES, game_named

GAMES_EACH = 60
"""Number of times that each level of the bot plays each game against itself, to measure its mean regret. Higher: more
precise means, a longer run."""


def mean_regret(game: str, level: str, games: int) -> tuple[str, float]:
    """Play games of a level of the bot against itself; return the default goal and the level's mean regret.

    The mean is over the decisions that `regrets_of` counts, in units of the goal (`win` or `points`). Two seats,
    default rules, and dice from fixed seeds.

    Args:
        game: Name of the game.
        level: Name of the level.
        games: Number of games to play; enough that at least one decision counts.
    """
    rules = {switch.key: switch.default for switch in game_named(game).switches}
    header = Header(game, ("Ann", "Ben"), rules)
    goal, found = goal_for(header), list[float]()
    for number in range(games):
        transcript = played(header, [level, level], random.Random(f"{level}/{number}"))
        for regrets in regrets_of(transcript, goal):
            found += regrets
    return goal, sum(found) / len(found)


def main() -> None:
    """Measure the mean regret of each level of the bot in each game, print it, and overwrite the file USUAL_REGRETS.

    The level `best` is left out where regrets are in points, because it plays to win.
    """
    usual: dict[str, dict[str, float]] = {}
    for game in GAMES:
        for level in LEVELS:
            goal, mean = mean_regret(game, level, GAMES_EACH)
            if goal == "points" and level == "best":
                continue  # it plays to win, so its regret in points says nothing
            usual.setdefault(f"{game} {goal}", {})[level] = round(mean, 6)
            sys.stdout.write(f"{game} {goal} {level}: {mean:.4f}\n")
    target = Path(str(files("companion.games.advice").joinpath(USUAL_REGRETS)))
    target.write_text(json.dumps(usual, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

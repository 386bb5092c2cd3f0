"""`pegpip train-me`: puzzles to answer on the terminal, with a result at the end."""

from __future__ import annotations

import random

import click

from companion.commands.analysis.puzzles import (
    UNITS,
    answer_in_words,
    found_puzzles,
    option_in_words,
    puzzle_in_words,
)
from companion.commands.rules import game_of
from companion.games.advice.puzzles import Puzzle

MAX_CHOICES = 5
"""Most options to choose from in a puzzle, the best ones in random order. More: harder, with worse decoys."""
MAX_RIGHT_LOSS = 1e-9
"""Largest value, in the goal's unit, that a choice may lose against the best option and still count as right. Above 0,
because rounding makes equal options differ. Higher: worse options count as right."""


@click.command()
@click.option("--n", "count", type=click.IntRange(1, 200), default=5, show_default=True, help="How many puzzles.")
@click.option("--seed", type=int, help="The same seed gives the same puzzles; others at each call without.")
@click.argument("game", metavar="GAME")
def command(game: str, count: int, seed: int | None) -> None:
    """Train with puzzles of GAME: choose, see the answer, and learn what your choices cost.

    Type the number of your choice. --n is the number of puzzles; the same --seed gives the same ones. At the end, or
    after Ctrl-C, the number of right answers and the mean cost of your choices are printed.
    """
    name = game_of(game).name
    generator, costs = random.Random(seed), list[float]()
    try:
        for number, puzzle in enumerate(found_puzzles(name, count, seed), 1):
            click.echo(puzzle_in_words(puzzle, number))
            costs.append(_cost_of_choice(puzzle, generator))
            verdict = "Right!" if costs[-1] <= MAX_RIGHT_LOSS else "Not the best."
            click.echo(f"   {verdict}\n{answer_in_words(puzzle)}\n")
    except click.Abort:
        click.echo()  # ends the line of the unanswered question
        raise
    finally:
        if costs:
            right = sum(cost <= MAX_RIGHT_LOSS for cost in costs)
            mean = sum(costs) / len(costs) * (100.0 if puzzle.goal == "win" else 1.0)
            click.echo(f"{right} of {len(costs)} right. Your choices cost {mean:.2f} {UNITS[puzzle.goal]} a puzzle.")


def _cost_of_choice(puzzle: Puzzle, generator: random.Random) -> float:
    """Show the person a puzzle's best MAX_CHOICES options, shuffled by `generator`, and ask which one is best.

    Return how much less the chosen option is worth than the best one, in the unit of the puzzle's goal; 0 for the best.
    An invalid answer is asked for again. Raises click.Abort at Ctrl-C or the end of the input.
    """
    shown = list(puzzle.options[:MAX_CHOICES])
    generator.shuffle(shown)
    for place, (option, _) in enumerate(shown, 1):
        click.echo(f"   {place}) {option_in_words(option)}")
    chosen = click.prompt("   Your choice", type=click.IntRange(1, len(shown)))
    return puzzle.options[0][1] - shown[chosen - 1][1]

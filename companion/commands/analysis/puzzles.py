"""`pegpip puzzles`: positions with one best option, as an exercise or for other programs."""

from __future__ import annotations

import json
import random
from itertools import islice

import click

from companion.commands.analysis.puzzle_words import answer_in_words, puzzle_in_words
from companion.commands.rules import game_of
from companion.games.advice.puzzles import GRADES, Puzzle, puzzles


def found_puzzles(game: str, count: int, seed: int | None) -> list[Puzzle]:
    """Return `count` puzzles of a game, easy ones first; the same seed gives the same ones, None others each time."""
    return sorted(islice(puzzles(game, random.Random(seed)), count), key=lambda puzzle: GRADES.index(puzzle.grade))


@click.command()
@click.option("--n", "count", type=click.IntRange(1, 200), default=10, show_default=True, help="How many.")
@click.option("--seed", type=int, help="The same seed gives the same puzzles; others at each call without.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a puzzle, with the value of each option.")
@click.argument("game", metavar="GAME")
def command(game: str, count: int, seed: int | None, as_json: bool) -> None:
    """Print puzzles of GAME: positions where one option is best, with the answer below each.

    They come from games between computer players. easy: most careless players find the best option. medium: many do
    not. hard: a player who looks at the points alone misses it. `pegpip train-me GAME` asks you instead.
    """
    for number, puzzle in enumerate(found_puzzles(game_of(game).name, count, seed), 1):
        if as_json:
            click.echo(json.dumps({"number": number, **puzzle.view()}))
        else:
            click.echo(f"{puzzle_in_words(puzzle, number)}\n{answer_in_words(puzzle)}\n")

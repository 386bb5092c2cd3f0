"""`pegpip puzzles`: positions with one best option, as an exercise or for other programs."""

from __future__ import annotations

import json
import random
from itertools import islice

import click

from companion.commands.rules import game_of
from companion.errors import counted
from companion.games.advice.luck import Option
from companion.games.advice.odds import option_line
from companion.games.advice.puzzles import GRADES, Puzzle, puzzles
from companion.games.advice.reasons import reasons_for
from companion.games.registry import game_named
from web.catalogue import say

MAX_LISTED = 6
"""Most options that the answer to a puzzle lists, best first. More: the answer fills the screen."""
UNITS = {"win": "% of a win", "games": "games", "points": "points"}
"""Goal of a puzzle -> unit of its options' values. The answer in the terminal names it."""


def found_puzzles(game: str, count: int, seed: int | None) -> list[Puzzle]:
    """Return `count` puzzles of a game, easy ones first; the same seed gives the same ones, None others each time."""
    return sorted(islice(puzzles(game, random.Random(seed)), count), key=lambda puzzle: GRADES.index(puzzle.grade))


@click.command()
@click.option("--n", "count", type=click.IntRange(1, 200), default=10, show_default=True, help="How many.")
@click.option("--seed", type=int, help="The same seed gives the same puzzles; others at each call without.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a puzzle, with the value of each option.")
@click.argument("game", metavar="GAME")
def command(game: str, count: int, seed: int | None, as_json: bool) -> None:
    """Print puzzles of GAME, easy ones first: positions where one option is best, with the answer below each.

    --n sets their number; the same --seed gives the same puzzles. They come from games between computer players.
    easy: most careless players find the best option. medium: many do not. hard: a player who looks at the points
    alone misses it. `pegpip train-me GAME` asks you instead.
    """
    for number, puzzle in enumerate(found_puzzles(game_of(game).name, count, seed), 1):
        if as_json:
            click.echo(json.dumps({"number": number, **puzzle.view()}))
        else:
            click.echo(f"{puzzle_in_words(puzzle, number)}\n{answer_in_words(puzzle)}\n")


def puzzle_in_words(puzzle: Puzzle, number: int) -> str:
    """Return a puzzle without its answer as English text, with `number`, its place in the list, in front.

    The text has the game, grade, changed house rules, scores, player to play, turn points, facts about the position and
    dice. A game with a score sheet adds the player's open rows.
    """
    state, header = puzzle.transcript.state, puzzle.transcript.header
    view, book = puzzle.transcript.view(), game_named(header.game)
    usual = {switch.key: switch.default for switch in book.switches}
    house_rules = ", ".join(key for key, value in header.rules.items() if value != usual[key])
    scores = ", ".join(f"{name} {score}" for name, score in view["scores"].items())
    rows = [f"{number}. {book.title} ({puzzle.grade})" + (f", with {house_rules}" if house_rules else "")]
    points = counted(state.standing.turn_points, "point")
    rows.append(f"   {scores}. {state.standing.player} to play, {points} this turn.")
    rows += [f"   {say('en', f'fact.{fact.code}', **fact.args)}" for fact in book.facts(state)]
    panels = book.panels(state)
    for title, dice in (("Kept", panels.kept), ("Dice", panels.dice)):
        rows += [f"   {title}: {' '.join(map(str, dice))}"] if dice else []
    if panels.sheet is not None:
        column = panels.sheet.columns[state.standing.side or 0]
        unused = [row for row, points in zip(panels.sheet.rows, column, strict=True) if points is None]
        rows.append("   Open rows: " + ", ".join(say("en", f"category.{row}", row) for row in unused))
    return "\n".join(rows)


def answer_in_words(puzzle: Puzzle) -> str:
    """Return a puzzle's answer as English text: its MAX_LISTED best options with their values, and the reason."""
    many = 100.0 if puzzle.goal == "win" else 1.0
    rows = [f"   {value * many:>10.2f}  {option_in_words(option)}" for option, value in puzzle.options[:MAX_LISTED]]
    why = reasons_for(puzzle.transcript.state, puzzle.goal, puzzle.options)
    told = " ".join(say("en", f"fact.{phrase.code}", **phrase.args) for phrase in why)
    return "\n".join([f"   Best first, in {UNITS[puzzle.goal]}:", *rows, f"   {told}"])


def option_in_words(option: Option) -> str:
    """Return an option in English words: "throw 4 dice", "bank", "keep 1, 5", "keep none"."""
    line = option_line(option)
    if "throw" in line:
        return say("en", "best.throw", count=line["throw"])
    if line["do"] == "keep" and not line["dice"]:
        return say("en", "best.keep_none")
    category = line.get("category")
    shown = {"category": say("en", f"category.{category}", category)} if category else {}
    return say("en", f"best.{line['do']}", **{**line, "dice": ", ".join(map(str, line.get("dice", []))), **shown})

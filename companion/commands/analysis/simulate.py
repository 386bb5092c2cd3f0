"""`pegpip simulate`: play games between levels of play, and count how often each wins."""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from signal import SIG_IGN, SIGINT, signal
from typing import Any

import click

from companion.commands.rules import game_of
from companion.errors import RulesError, counted
from companion.games.engine.game import Header
from companion.games.engine.notation import header_of
from companion.games.engine.notation.json_text import json_of
from companion.games.engine.players import LEVELS, level_named, played

NORMAL_QUANTILE = 1.959964
"""Standard normal quantile z of the 95 % confidence interval for the share of games that a seat wins (Wilson 1927).
Larger: a wider interval, of a higher confidence level than the 95 % that is printed."""
BATCHES = 200
"""Least number of batches that the games are divided into for worker processes; there are fewer than twice as many.
Fewer games than this make a batch each. Results do not depend on it. More: finer progress, more overhead."""
CTRL_C_S = 0.1
"""Longest time from Ctrl-C until a simulation ends its workers, in seconds. Longer: a command that seems to hang;
shorter: more wake-ups of a waiting process."""


@dataclass(frozen=True, slots=True)
class Score:
    """Totals of one seat over some games: games won, and final scores.

    A win shared by n sides counts 1/n; `squared` is the sum of the squares of those shares.
    """

    won: float = 0.0
    squared: float = 0.0
    points: int = 0

    def __add__(self, other: Score) -> Score:
        """Return the totals over both groups of games."""
        return Score(self.won + other.won, self.squared + other.squared, self.points + other.points)

    def interval(self, games: int) -> tuple[float, float]:
        """Return the 95 % confidence interval of the share of games won (Wilson 1927), each end from 0 to 1.

        The interval uses the observed variance of the shares, which is below the binomial variance if wins were shared.
        `games` must be at least 1.
        """
        share, extra = self.won / games, NORMAL_QUANTILE**2
        spread = max(0.0, self.squared / games - share**2)  # share * (1 - share) where none is shared
        centre = (share + extra / (2 * games)) / (1 + extra / games)
        half = NORMAL_QUANTILE * sqrt(spread / games + extra / (4 * games**2)) / (1 + extra / games)
        return max(0.0, centre - half), min(1.0, centre + half)


@click.command()
@click.option("--players", required=True, metavar="LEVEL,...", help=f"Level of each seat: {', '.join(LEVELS)}.")
@click.option("--games", type=click.IntRange(min=1), default=1000, show_default=True, help="Number of games.")
@click.option("--rules", default="{}", metavar="JSON", help="House rules, as in a header: '{\"SWITCH\": true}'.")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same games.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.argument("game", metavar="GAME")
def command(game: str, players: str, games: int, rules: str, seed: int, as_json: bool) -> None:
    """Play games of GAME between levels of play; count how often each wins, with 95 % confidence intervals.

    --games is the number of games, --players the level of each seat, --rules the house rules as JSON. The same --seed
    gives the same games.

    careless: the most expected points, with large random mistakes. steady: the same, with small mistakes or none. best:
    the highest probability of winning where it is known, else the most expected points. Seats take turns to begin.
    """
    levels = [level.strip() for level in players.split(",")]
    header = header_for(game, levels, rules)
    scores = simulated(header, levels, games, seed, quiet=as_json or not sys.stderr.isatty())
    found = report(header, levels, games, seed, scores)
    click.echo(json.dumps(found) if as_json else in_words(found))


def header_for(game: str, levels: list[str], rules: str) -> Header:
    """Return the header of a game between bots of these levels; `rules` is a JSON object of house rules.

    Raises UsageError for an unknown game or level, for malformed JSON, or if the game refuses the rules or the number
    of players.
    """
    rulebook = game_of(game)
    try:
        switches = json_of(rules)
    except RulesError as wrong:
        raise click.BadParameter(str(wrong), param_hint="--rules") from None
    try:
        for level in levels:
            level_named(level)
        names = [f"{level} {seat}" for seat, level in enumerate(levels, 1)]
        line = {"transcript": 1, "game": game, "players": names, "rules": switches}
        header = header_of(line)
        rulebook.check(header)
    except RulesError as refused:
        raise click.UsageError(str(refused)) from None
    return header


def simulated(header: Header, levels: list[str], games: int, seed: int, quiet: bool) -> list[Score]:
    """Play games between levels of the bot on all CPU cores; return each seat's `Score` over all games, in seat order.

    `levels` has the level of each seat; seats take turns to begin. Equal seeds give equal totals. Unless `quiet`, a
    progress bar is written to stderr.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    size = max(1, games // BATCHES)
    parts = [range(begin, min(begin + size, games)) for begin in range(0, games, size)]
    columns = (*Progress.get_default_columns()[:-1], MofNCompleteColumn(), TimeRemainingColumn())
    # A terminal sends Ctrl-C to the workers, too: only this process obeys it, and ends them.
    with (
        _ctrl_c_noted() as pressed,
        ProcessPoolExecutor(initializer=signal, initargs=(SIGINT, SIG_IGN)) as pool,
        Progress(*columns, console=Console(stderr=True), disable=quiet) as progress,
    ):
        task = progress.add_task(header.game, total=games)
        try:
            waiting = {pool.submit(scores_of, header, levels, part, seed): part for part in parts}
            left = set(waiting)
            while left:
                finished, left = wait(left, CTRL_C_S, FIRST_COMPLETED)
                for batch in finished:
                    batch.result()  # a failed batch ends the simulation now
                    progress.advance(task, len(waiting[batch]))
                if pressed:
                    raise KeyboardInterrupt
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.terminate()
            pool.shutdown(cancel_futures=True)
            raise
    scores = [done.result() for done in waiting]  # in the order of the games: shares are floats, and sums depend on it
    return [sum(seat, Score()) for seat in zip(*scores, strict=True)]


@contextmanager
def _ctrl_c_noted() -> Iterator[list[int]]:
    """Context manager: yield a list to which Ctrl-C appends SIGINT's number, without a KeyboardInterrupt.

    Works in the main thread only. KeyboardInterrupt inside `concurrent.futures` leaves its locks held: the pool could
    not be shut down.
    """
    pressed: list[int] = []
    before = signal(SIGINT, lambda number, _: pressed.append(number))
    try:
        yield pressed
    finally:
        signal(SIGINT, before)


def scores_of(header: Header, levels: list[str], numbers: range, seed: int) -> list[Score]:
    """Play bots against each other, one game for each of `numbers`; return one `Score` for each seat.

    `levels` has each seat's level of the bot. A seat's score sums up its share of each win, the square of that share,
    and its side's final scores. A game's number decides who starts and, with the seed, the dice and the bots' mistakes.
    """
    totals = [Score()] * len(levels)
    for number in numbers:
        begun = Header(header.game, header.players, header.rules, header.players[number % len(levels)])
        standing = played(begun, levels, random.Random(f"{seed}/{number}")).state.standing
        assert standing.outcome is not None, "a game is played to its end"
        winners = standing.outcome.winners
        for seat in range(len(levels)):
            side = seat % len(standing.sides)
            share = (side in winners) / len(winners)
            totals[seat] += Score(share, share**2, standing.scores[side])
    return totals


def report(header: Header, levels: list[str], games: int, seed: int, scores: list[Score]) -> dict[str, Any]:
    """Return the results of a simulation as the JSON object that `--json` prints.

    Args:
        header: Header of the simulated games.
        levels: Level of the bot in each seat.
        games: Number of games, at least 1.
        seed: Seed of the random dice.
        scores: Totals of each seat over all games.

    Returns:
        `game`, `games`, `seed` and `players`, an object for each seat: `player`, `level`, `won` (share of games
        won), `interval` (95 % confidence interval of `won`) and `score` (mean points). A shared win counts in part.
    """
    return {
        "game": header.game,
        "games": games,
        "seed": seed,
        "players": [
            {
                "player": name,
                "level": level,
                "won": score.won / games,
                "interval": list(score.interval(games)),
                "score": score.points / games,
            }
            for name, level, score in zip(header.players, levels, scores, strict=True)
        ],
    }


def in_words(found: dict[str, Any]) -> str:
    """Return the result of `pegpip simulate --json` as text.

    The first line has the game and the number of games played. Then each player has a line: share of wins with its
    interval, and mean score.
    """
    rows = [f"{found['game']}: {counted(found['games'], 'game')}"]
    for player in found["players"]:
        low, high = player["interval"]
        won = f"won {player['won']:6.1%}  ({low:.1%} to {high:.1%})"
        rows.append(f"  {player['player']:<12} {won}  scored {player['score']:,.1f}")
    return "\n".join(rows)

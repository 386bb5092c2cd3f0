"""`pegpip luck`: split the result of a finished game into luck and decisions."""

from __future__ import annotations

import json
from typing import Any

import click

from companion.commands import printable
from companion.commands.transcript_file import naming, transcript_in
from companion.games.advice.luck import story_of
from companion.games.advice.odds import GOALS


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--goal", type=click.Choice(GOALS), help="Unit of the result; by default win if solved, else points.")
@click.argument("file", metavar="FILE|-")
def command(file: str, as_json: bool, goal: str | None) -> None:
    """Split the results of the finished game in FILE into luck and decisions.

    Also lists the luckiest throws and the costliest decisions. A decision costs the value of the best option less that
    of the option taken. Luck is the change of value by throws. Expectation, luck and decisions add up to the result.
    Where values are approximate, the sum includes the approximation error, which is listed.

    --goal is the unit of results: `points` of each player, `win` (each side's chance to win), or `games` (those that
    the other side loses, less one's own). By default it is `win` if the game is solved, else `points`.
    """
    transcript = transcript_in(file)
    with naming(file):
        found = story_of(transcript, goal).view(transcript.header.players)
    click.echo(json.dumps(found) if as_json else printable(in_words(found)))


def in_words(found: dict[str, Any]) -> str:
    """Return the story of `pegpip luck --json` as text: each player's figures, luckiest throws, costliest decisions."""
    many = 100.0 if found["goal"] == "win" else 1.0
    unit = {"win": "% of a win", "games": " games", "points": " points"}[found["goal"]]
    rows = [f"{'':24} expected    luck  decisions  result   ({unit.strip()})"]
    for one in found["players"]:
        figures = (one["start"], one["luck"], one["decisions"], one["result"], one["approximation"])
        start, luck, decisions, result, error = (round(figure * many, 1) + 0.0 for figure in figures)  # no -0.0
        told = f", approximation error {error:+.1f}" if error else ""
        rows.append(f"{one['player']:<24} {start:>8.1f} {luck:>+7.1f} {decisions:>+10.1f} {result:>7.1f}{told}")
    for title, moves, key in (("Luckiest", found["luckiest"], "luck"), ("Costliest", found["dearest"], "gave_away")):
        for move in moves:
            better = f", better {json.dumps(move['best'])}" if move["best"] else ""
            what = f"line {move['line']}, {move['player']}: {json.dumps(move['action'])}{better}"
            rows.append(f"{title}: {move[key] * many:.1f}{unit}, {what}")
    return "\n".join(rows)

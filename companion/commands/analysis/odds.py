"""`pegpip odds`: the options after a transcript's last line, with their values."""

from __future__ import annotations

import json
from typing import Any

import click

from companion.commands import printable
from companion.commands.transcript_file import naming, transcript_in
from companion.games.advice.odds import GOALS, odds_view


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--goal", type=click.Choice(GOALS), default="points", show_default=True, help="What the values are of.")
@click.argument("file", metavar="FILE|-")
def command(file: str, as_json: bool, goal: str) -> None:
    """List the options after the last line of the transcript FILE, with the value of each for --goal, best first.

    points: expected turn points that this turn banks with best play; for a game played on a sheet the expected final
    total. Exact.

    win: probability of winning; a shared win counts as its share. Exact where a stored solution for two sides fits
    the house rules, and in some games in the last turn. Elsewhere it is approximate, and the last line says so.
    Where nothing is known, the command fails.

    games: expected games that the other side loses, less those that the player's side loses. Only for two sides,
    in a game that can be lost more than once.
    """
    transcript = transcript_in(file)
    with naming(file):
        odds = odds_view(transcript.state, goal)
    click.echo(json.dumps(odds) if as_json else printable(in_words(odds)))


def in_words(odds: dict[str, Any]) -> str:
    """Return the odds of `pegpip odds --json` as text for people: safety of a throw, and the value of each option.

    The text names the player to play, and says so if the values are approximate. The safety is left out if it is null.
    After the end the text only says that the game is over.
    """
    if odds["player"] is None:
        return "The game is over."
    rows = [f"{odds['player']} is on."]
    if odds["safe"] is not None:
        rows.append(f"The next throw is safe with {odds['safe']:.1%}.")
    rows += [f"{choice['value']:>10.3f}  {json.dumps(choice['line'])}" for choice in odds["options"]]
    if not odds["exact"]:
        rows.append("Approximate: the game under these rules is not solved (docs/method/odds.md).")
    return "\n".join(rows)

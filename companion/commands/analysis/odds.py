"""`pegpip odds`: what can be done after a transcript's last line, with exact values."""

from __future__ import annotations

import json
from typing import Any

import click

from companion.commands.transcript_file import naming, transcript_in
from companion.games.advice.odds import GOALS, odds_view


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--goal", type=click.Choice(GOALS), default="points", show_default=True, help="What the values are of.")
@click.argument("file", metavar="FILE|-")
def command(file: str, as_json: bool, goal: str) -> None:
    """Tell the options after the last line of a transcript, each with its exact value, the best first.

    points: the turn points that this turn will bank, expected with best play from there on; for a game played on a
    sheet the final total.

    win: the chance to win (a shared win counts as its share). In a solved game between two sides, both play every turn
    for the win. Otherwise this turn is played for the win, and all later turns of every player for their points.
    For races in which no side can move another's peg; `pegpip rules GAME --json` has the switches.
    """
    transcript = transcript_in(file)
    with naming(file):
        odds = odds_view(transcript.state, goal)
    click.echo(json.dumps(odds) if as_json else in_words(odds))


def in_words(odds: dict[str, Any]) -> str:
    """Format the odds of `pegpip odds --json` as text for people: safety of a throw, value of each option."""
    if odds["player"] is None:
        return "The game is over."
    rows = [f"{odds['player']} is on."]
    if odds["safe"] is not None:
        rows.append(f"The next throw is safe with {odds['safe']:.1%}.")
    rows += [f"{choice['value']:>10.3f}  {json.dumps(choice['line'])}" for choice in odds["options"]]
    return "\n".join(rows)

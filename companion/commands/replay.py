"""`pegpip replay`: replays transcripts line by line."""

from __future__ import annotations

import json
from typing import Any

import click

from companion.commands import printable
from companion.commands.transcript_file import read_transcript
from companion.errors import DeviceError
from companion.games.engine.replay import replayed


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each line, the state after it.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...|-")
def command(files: tuple[str, ...], as_json: bool) -> int:
    """Replay transcripts of games and print the state after each line; `-` reads standard input.

    A line that the rules refuse ends its file, and the exit status is 1.
    """
    return max([_replay(name, as_json, len(files) > 1) for name in files])


def _replay(name: str, as_json: bool, named: bool) -> int:
    """Replay one transcript and print the state after each line; return the exit status, 0 or 1.

    The status is 1 if the file can't be read or a line is refused; the error goes to stderr. A refused line ends the
    replay and is printed in place of a state, too. With `as_json` each is printed as a JSON object, else as a line of
    text. `named` adds the file's name: as `file` to each object, or once above the text.
    """
    try:
        content = read_transcript(name)
    except DeviceError as unreadable:
        click.echo(f"pegpip: {unreadable}", err=True)
        return 1
    if named and not as_json:
        click.echo(f"{name}:")
    status = 0
    for state in replayed(content):
        if as_json:
            print(json.dumps({"file": name, **state} if named else state))  # noqa: T201
        else:
            click.echo(printable(in_one_line(state)))
        if "error" in state:
            click.echo(printable(f"pegpip: {name}, line {state['line']}: {state['message']}"), err=True)
            status = 1
    return status


def in_one_line(state: dict[str, Any]) -> str:
    """Format a state that `replayed` yields as one line of text, with the line's number in front.

    The text has the round, the player to play, the dice numbers and decisions to choose from, turn points and scores.
    After the end it has only the winners and scores, for a refused line only the error's code and message.
    """
    if "error" in state:
        return f"{state['line']:>5}  refused ({state['error']}): {state['message']}"
    scores = "  ".join(f"{name} {score}" for name, score in state["scores"].items())
    if state["over"]:
        return f"{state['line']:>5}  over: {', '.join(state['outcome']['winners']) or 'nobody'} won.  {scores}"
    sizes = "/".join(str(size) for size in state["throw_sizes"])
    chances = ", ".join([f"throw {sizes}"] * bool(sizes) + state["decisions"])
    return (
        f"{state['line']:>5}  round {state['round']}  {state['player']}: {chances}  +{state['turn_points']}  {scores}"
    )

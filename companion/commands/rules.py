"""`pegpip rules`: prints a game's rules, or its house rules as JSON."""

from __future__ import annotations

import json

import click

from companion.errors import RulesError
from companion.games.engine.rulebook import Rulebook, form_of
from companion.games.registry import game_named


@click.command()
@click.option(
    "--json", "as_json", is_flag=True, help="Print the house rules, their defaults and meaning as one JSON object."
)
@click.argument("game", metavar="GAME")
def command(game: str, as_json: bool) -> None:
    """Print the rules of GAME and its house rules. An unknown name is refused."""
    chosen = game_of(game)
    click.echo(json.dumps(form_of(chosen)) if as_json else in_words(chosen), nl=True)


def game_of(name: str) -> Rulebook:
    """Return the game that the argument GAME names. Raises BadParameter for an unknown one, with the nearest or all."""
    try:
        return game_named(name)
    except RulesError as unknown:
        raise click.BadParameter(str(unknown), param_hint="GAME") from None


def in_words(game: Rulebook) -> str:
    """Return a game's rules as plain text: title, rules, house rules, presets, ambiguous sentences and credits.

    Each ambiguous sentence of the original rules comes with how it is read in this program, and why. House rules,
    presets and ambiguous sentences are left out if there are none.
    """
    parts = [game.title, game.in_words.rstrip()]
    switches = [f"  {switch.key} ({json.dumps(switch.default)}): {switch.meaning}" for switch in game.switches]
    if switches:
        parts.append("House rules, with their defaults:\n" + "\n".join(switches))
    presets = []
    for name, changed in game.presets.items():
        values = ", ".join(f"{key} {json.dumps(value)}" for key, value in changed.items())
        presets.append(f"  {name}: {values or 'the defaults'}")
    if presets:
        parts.append("Presets:\n" + "\n".join(presets))
    doubtful = [f'  "{each.original}"\n    {each.here} {each.why}' for each in game.doubtful]
    if doubtful:
        parts.append("Doubtful sentences of the original, and how they are read here:\n" + "\n".join(doubtful))
    return "\n\n".join([*parts, game.credits])

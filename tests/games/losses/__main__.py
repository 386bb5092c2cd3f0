"""Measure what the approximations of the odds lose, and how wrong their win probabilities are: `make losses`."""

from __future__ import annotations

import click

from tests.games.losses import crag, crapola, crib_dice

REPORTS = {"crib_dice": crib_dice.reports, "crag": crag.reports, "crapola": crapola.reports}
"""Measurements by name of the game."""


@click.command(help=__doc__)
@click.argument("games", nargs=-1, type=click.Choice(list(REPORTS)))
def main(games: tuple[str, ...]) -> None:
    """Print the measurements of some games, of all without a name."""
    for game in games or REPORTS:
        for report in REPORTS[game]():
            click.echo(report)


if __name__ == "__main__":
    main()

"""`pegpip league`: the table's key, the league's server, and the commands of its organiser."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import psycopg

from companion.commands import printable
from companion.errors import CompanionError, DeviceError, counted
from companion.league import admin, database, fixtures
from companion.settings.starting import in_use
from companion.tournaments import Draw

DATABASE = click.option(
    "--database", "url", envvar="PEGPIP_DATABASE", required=True, metavar="URL",
    help="postgresql://USER:PASSWORD@HOST/NAME; or the variable PEGPIP_DATABASE.",
)  # fmt: skip
FOLDER = click.Path(exists=True, file_okay=False)
DAY = click.DateTime(["%Y-%m-%d"])
OF_A_SEASON = {
    "seasons_check": "A season ends after the day on which it starts.",
    "seasons_name_key": "There is a season of this name already. Choose another name.",
    "seasons_daterange_excl": "These days overlap another season's. Choose days outside it; ENDS itself is not part.",
}
"""Constraint of the table of seasons -> what to tell an organiser whose season breaks it."""


@click.group()
def command() -> None:
    """Take part in a league, or run one (docs/how-to/league.md)."""


def organising(run: Callable[..., None]) -> click.Command:
    """Turn a function into a subcommand of `pegpip league` with the option `--database`.

    The function gets a connection to that database as its owner, then the arguments of the command line. An error of
    the database, or an argument that is not UTF-8, becomes a CompanionError.
    """

    @functools.wraps(run)
    def connected(url: str, **given: Any) -> None:
        with database.as_owner(url) as connection:
            try:
                run(connection, **given)
            except psycopg.Error as refused:
                why = f"{refused.diag.message_primary or refused}. {refused.diag.message_detail or ''}".strip()
                rule = refused.diag.constraint_name or ""
                if rule.endswith(("name_check", "pub_check")):
                    why = "The name of a table, a pub or a season has 1 to 60 characters."
                why = OF_A_SEASON.get(rule, why)
                cure = " Run `pegpip league migrate`." if isinstance(refused, psycopg.errors.UndefinedTable) else ""
                raise CompanionError(f"The league's database refuses this: {why}{cure}") from None
            except UnicodeEncodeError as wrong:  # the terminal's bytes were no UTF-8
                raise CompanionError(f"{wrong.object!r} is no text in UTF-8. Use a terminal with UTF-8.") from None

    return command.command()(DATABASE(connected))


@command.command()
@click.option("--data", "data_folder", metavar="DIR", type=FOLDER, help="The table's data folder.")
@click.option("--config", "settings_file", type=click.Path(path_type=Path), metavar="FILE", help="Settings (TOML).")
def key(data_folder: str | None, settings_file: Path | None) -> None:
    """Print this table's public key, for the league's organiser to register.

    The key is made if the data folder has none yet. Without `--data` the folder is that of the settings. A folder named
    by `--data` must exist.
    """
    from companion.backup import rights
    from companion.league.key import key_of, name_of

    folder = in_use(settings_file, {"data": {"dir": data_folder}} if data_folder else {}).settings.data.folder
    with rights.of_owner(folder):  # the table must be able to read what root makes
        click.echo(name_of(key_of(folder)))


@command.command()
@DATABASE
def migrate(url: str) -> None:
    """Make the tables, or bring them up to date: as the database's owner, before `serve`."""
    database.migrate(url)
    click.echo("The database is up to date.")


@command.command()
@DATABASE
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on; a proxy adds TLS.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="Port to serve on.")
def serve(url: str, host: str, port: int) -> None:
    """Serve the league whose database is at `url`: take games from tables and show the season, until Ctrl-C.

    Prints the address of the pages. A database that does not answer is no error, as it may start later. Raises
    DeviceError if host or port can't be used, `url` can't be parsed, or the database lacks the league's tables.
    """
    from companion.league.server import serve as run
    from companion.service.addresses import bound, page_address

    try:
        listening = bound(host, port)
    except OSError as refused:
        cure = "Choose another --host or --port."
        raise DeviceError(f"Can't serve on {host}, port {port}: {refused.strerror}.", cure) from None
    with listening:
        database.check_migrated(url)
        click.echo(f"league: {page_address(host, listening.getsockname()[1], ())}")
        run(database.opened(url), listening)


@organising
@click.argument("key")
@click.argument("name")
@click.argument("pub")
def add_table(connection: database.Connection, key: str, name: str, pub: str) -> None:
    """Register a table by its public KEY, with its NAME and its PUB."""
    admin.add_table(connection, key, name, pub)


@organising
@click.argument("key")
def remove_table(connection: database.Connection, key: str) -> None:
    """Take no more games from a table; those it has sent stay."""
    admin.remove_table(connection, key)


@organising
@click.argument("old")
@click.argument("new")
def move_table(connection: database.Connection, old: str, new: str) -> None:
    """Give the games of the key OLD, which was lost, to the registered key NEW."""
    click.echo(f"{counted(admin.move_table(connection, old, new), 'game')} moved.")


@organising
@click.argument("name")
@click.argument("starts", type=DAY, metavar="STARTS")
@click.argument("ends", type=DAY, metavar="ENDS")
def season(connection: database.Connection, name: str, starts: datetime, ends: datetime) -> None:
    """Open the season NAME from STARTS up to, but without, ENDS."""
    click.echo(f"season {admin.add_season(connection, name, starts.date(), ends.date())}")


@organising
@click.argument("other", type=int)
@click.argument("into", type=int)
def merge(connection: database.Connection, other: int, into: int) -> None:
    """Merge the player OTHER into the player INTO: two names of one person."""
    admin.merge(connection, other, into)


@organising
@click.argument("season", type=int)
@click.argument("game")
@click.argument("players", type=int, nargs=-1, required=True)
@click.option("--knockout", is_flag=True, help="Single elimination; the first players get the byes.")
@click.option("--handicap", "handicaps", type=(int, int), multiple=True, metavar="PLAYER POINTS",
              help="Points added to this player's final scores; may be repeated.")  # fmt: skip
@click.option("--from", "starts", type=DAY, help="Games from this day on count. [default: the season's first day]")
def tournament(connection: database.Connection, season: int, game: str, starts: datetime | None, **drawn: Any) -> None:
    """Draw a tournament of GAME in a SEASON between PLAYERS, by their numbers: everyone against everyone."""
    draw = Draw("knockout" if drawn["knockout"] else "round_robin", drawn["players"], dict(drawn["handicaps"]))
    click.echo(f"tournament {fixtures.plan_tournament(connection, season, game, draw, starts and starts.date())}")


@organising
@click.argument("tournament", type=int)
@click.argument("player", type=int)
def withdraw(connection: database.Connection, tournament: int, player: int) -> None:
    """Take a PLAYER out of a TOURNAMENT: opponents get walkovers."""
    fixtures.withdraw(connection, tournament, player)


@organising
def refused(connection: database.Connection) -> None:
    """Print the newest 100 messages that the league's server refused, the newest first.

    Each line shows the time, the pub, the table, the reason and the path of the request.
    """
    rows = connection.execute(
        "SELECT r.at, t.pub, t.name, r.path, r.reason FROM refused r JOIN tables t ON t.id = r.table_id"
        " ORDER BY r.id DESC LIMIT 100"
    )
    for row in rows:
        told = f"{row['at']:%Y-%m-%d %H:%M} {row['pub']}, {row['name']}: {row['reason']} ({row['path']})"
        click.echo(printable(told))

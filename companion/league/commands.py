"""`pegpip league`: the table's key, the league's server, and the commands of its organiser."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import click

from companion.settings.load import default_file
from companion.settings.starting import in_use

DATABASE = click.option(
    "--database", envvar="PEGPIP_DATABASE", required=True, metavar="URL",
    help="postgresql://USER:PASSWORD@HOST/NAME; or the variable PEGPIP_DATABASE.",
)  # fmt: skip


@click.group()
def command() -> None:
    """Take part in a league, or run one (docs/how-to/league.md)."""


@command.command()
@click.option("--data", metavar="DIR", help="The table's data folder.")
@click.option("--config", "file", type=click.Path(path_type=Path), metavar="FILE", help="Settings (TOML).")
def key(data: str | None, file: Path | None) -> int:
    """Print this table's public key, for the league's organiser to register. The first call makes the key."""
    from companion.league.key import key_of, name_of

    folder = in_use(
        file or default_file() if file else None, {"data": {"dir": data}} if data else {}
    ).settings.data.folder
    folder.mkdir(parents=True, exist_ok=True)
    click.echo(name_of(key_of(folder)))
    return 0


@command.command()
@DATABASE
def migrate(database: str) -> int:
    """Make the tables, or bring them up to date: as the database's owner, before `serve`."""
    from companion.league.database import migrate as bring_up_to_date

    bring_up_to_date(database)
    click.echo("The database is up to date.")
    return 0


@command.command()
@DATABASE
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on; a proxy adds TLS.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535))
def serve(database: str, host: str, port: int) -> int:
    """Serve the league: take games from tables and show the season, until Ctrl-C."""
    from companion.league.database import opened
    from companion.league.server import serve as run

    run(opened(database), host, port, lambda served: click.echo(f"league: http://{host}:{served}/"))
    return 0


@command.command("add-table")
@DATABASE
@click.argument("key")
@click.argument("name")
@click.argument("pub")
def add_table(database: str, key: str, name: str, pub: str) -> int:
    """Register a table by its public KEY, with its NAME and its PUB."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        admin.add_table(connection, key, name, pub)
    return 0


@command.command("remove-table")
@DATABASE
@click.argument("key")
def remove_table(database: str, key: str) -> int:
    """Take no more games from a table; those it has sent stay."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        admin.remove_table(connection, key)
    return 0


@command.command("move-table")
@DATABASE
@click.argument("old")
@click.argument("new")
def move_table(database: str, old: str, new: str) -> int:
    """Give the games of the key OLD, which was lost, to the registered key NEW."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        click.echo(f"{admin.move_games(connection, old, new)} games moved.")
    return 0


@command.command()
@DATABASE
@click.argument("name")
@click.argument("starts", type=click.DateTime(["%Y-%m-%d"]))
@click.argument("ends", type=click.DateTime(["%Y-%m-%d"]))
def season(database: str, name: str, starts: datetime, ends: datetime) -> int:
    """Open the season NAME from STARTS up to, but without, ENDS."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        number = admin.add_season(connection, name, _day(starts), _day(ends))
    click.echo(f"season {number}")
    return 0


@command.command()
@DATABASE
@click.argument("other", type=int)
@click.argument("into", type=int)
def merge(database: str, other: int, into: int) -> int:
    """Merge the player OTHER into the player INTO: two names of one person."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        admin.merge(connection, other, into)
    return 0


@command.command()
@DATABASE
@click.argument("season", type=int)
@click.argument("game")
@click.argument("players", type=int, nargs=-1, required=True)
def fixtures(database: str, season: int, game: str, players: tuple[int, ...]) -> int:
    """Plan a round robin of GAME in a SEASON between PLAYERS, by their numbers."""
    from companion.league import admin
    from companion.league import database as db

    with db.as_owner(database) as connection:
        click.echo(f"{admin.plan_fixtures(connection, season, game, list(players))} fixtures.")
    return 0


@command.command()
@DATABASE
def refused(database: str) -> int:
    """List the refused messages that are kept aside, the newest first, with the reason of each."""
    from companion.league import database as db

    with db.as_owner(database) as connection:
        rows = connection.execute(
            "SELECT r.at, t.pub, t.name, r.path, r.reason FROM refused r JOIN tables t ON t.id = r.table_id"
            " ORDER BY r.id DESC LIMIT 100"
        )
        for row in rows:
            click.echo(f"{row['at']:%Y-%m-%d %H:%M} {row['pub']}, {row['name']}: {row['reason']} ({row['path']})")
    return 0


def _day(moment: datetime) -> date:
    """Return the day of a date that was typed."""
    return moment.date()

"""The league's database: migrations, the pool of connections, and the rights that a connection gives up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from psycopg.rows import dict_row
from psycopg_pool import ConnectionPool

from companion.errors import DeviceError

Connection = psycopg.Connection[dict[str, Any]]
Pool = ConnectionPool[Connection]

STATEMENT_MS = 20_000
"""Longest run of one SQL statement, in ms; then it is cancelled. Higher: a query that hangs holds a connection longer.
Lower: queries of a large season fail."""
CONNECTIONS = 8
"""Most database connections of one server instance. Higher: fewer instances fit; lower: requests wait for one.
PostgreSQL allows 100 connections in all by default."""


def migrate(url: str) -> None:
    """Migrate the league's database to the newest schema. Raises DeviceError if that fails.

    `url` must connect as the owner of the database.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "schema"))
    config.attributes["url"] = url
    try:
        command.upgrade(config, "head")
    except sqlalchemy.exc.DBAPIError as ill:
        raise unusable(ill.orig or ill) from None
    except CommandError as newer:
        raise DeviceError(f"A newer version of pegpip made the database ({newer}).", "Update pegpip.") from None


def check_migrated(url: str) -> None:
    """Raise DeviceError if `url` can't be parsed, or if its database answers but lacks `migrate`'s tables.

    Waits at most 5 s for the connection. A failed connection, also for a wrong password or database name, is no error:
    the database may start later.
    """
    try:
        with psycopg.connect(url, connect_timeout=5) as connection:
            if connection.execute("SELECT to_regclass('seasons')").fetchone() == (None,):
                raise DeviceError("The league's database is not set up.", "Run `pegpip league migrate`.")
    except psycopg.OperationalError:
        return
    except psycopg.Error as ill:
        raise unusable(ill) from None


def opened(url: str) -> Pool:
    """Return a pool of connections with only the rights of the role `league_app`, and a time limit per query.

    The pool connects in the background: if the database is unreachable, the first use raises PoolTimeout.
    """

    def configure(connection: Connection) -> None:
        connection.execute("SET role league_app")
        connection.execute("SELECT set_config('statement_timeout', %s, false)", (str(STATEMENT_MS),))
        connection.commit()

    return ConnectionPool(url, connection_class=Connection, kwargs={"row_factory": dict_row, "connect_timeout": 5},
                          min_size=1, max_size=CONNECTIONS, timeout=10.0, configure=configure,
                          check=ConnectionPool.check_connection, open=True)  # fmt: skip


def as_owner(url: str) -> Connection:
    """Return a connection with all rights of the URL's user. Raises DeviceError if `url` is wrong or nobody answers."""
    try:
        return psycopg.connect(url, row_factory=dict_row, connect_timeout=5)
    except psycopg.Error as ill:
        raise unusable(ill) from None


def unusable(ill: BaseException) -> DeviceError:
    """Return the DeviceError that says why the database can't be used."""
    why = str(ill).strip().splitlines()
    return DeviceError(f"PostgreSQL can't be used ({why[0] if why else 'no reason'}).", "Check --database.")

"""Fixtures of the league: a real PostgreSQL, a database with the schema, an application on it, and tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import flask
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.league import admin
from companion.league.database import Pool, as_owner, opened
from companion.league.key import name_of
from companion.league.message import SIGNATURE, Message, Reply, signed
from companion.league.ratings import rate
from companion.league.server import application
from tests.league.services import Postgres
from tests.league.services import postgres as postgres

NOW_S = 1_790_000_000.0
NUMBERS = itertools.count()


@dataclass(frozen=True)
class League:
    """A league in a database of its own, spoken to without a network.

    Attributes:
        url: The database, as its owner.
        pool: Connections with the server's rights.
        app: The server's application.
    """

    url: str
    pool: Pool
    app: flask.Flask

    def table(self, name: str = "One", pub: str = "The Lion") -> Ed25519PrivateKey:
        """Register a new table and return its key."""
        key = Ed25519PrivateKey.generate()
        with as_owner(self.url) as connection:
            admin.add_table(connection, name_of(key), name, pub)
        return key

    def put(self, message: Message, key: Ed25519PrivateKey) -> tuple[int, Reply]:
        return self.put_bytes(message.path, *signed(message, key))

    def put_bytes(self, path: str, body: bytes, signature: str) -> tuple[int, Reply]:
        got = self.app.test_client().put(path, data=body, headers={SIGNATURE: signature})
        return got.status_code, Reply(**got.get_json())

    def rate(self, batch: int = 2000) -> None:
        with self.pool.connection() as connection:
            while rate(connection, batch):
                pass

    def rows(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a query with the server's rights."""
        with self.pool.connection() as connection:
            return connection.execute(query.encode()).fetchall()

    def standings(self) -> dict[tuple[str, str], tuple[int, float, int]]:
        """Return (games, won, lost) by game and player's name."""
        rows = self.rows(
            "SELECT kind, name, games, won, lost FROM standings s JOIN players p ON p.id = s.player WHERE games > 0"
        )
        return {(row["kind"], row["name"]): (row["games"], float(row["won"]), row["lost"]) for row in rows}


@contextmanager
def new_league(postgres: Postgres) -> Iterator[League]:
    """Make a league in a database of its own."""
    url = postgres.league(f"league_{next(NUMBERS)}")
    with opened(url) as pool:
        yield League(url, pool, application(pool, lambda: NOW_S))


@pytest.fixture
def league(postgres: Postgres) -> Iterator[League]:
    with new_league(postgres) as made:
        yield made

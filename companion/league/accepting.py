"""Accept one message: in one transaction its revision is stored, and results and standings follow the newest one.

"Acknowledged" means "committed in PostgreSQL". The key (game, revision) makes a repeated message harmless.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
from psycopg.types.json import Jsonb

from companion.league.database import Connection
from companion.league.judge import Judged
from companion.league.message import Message, Reply

MAX_DELAY = timedelta(days=60)
"""Oldest start of a game, before now, that a table's clock is believed; an older or a future one counts as now."""
KEPT_REFUSALS = 1000
"""Newest refused messages that are kept for each table. Bounds what a faulty table can store."""


class NotAccepted(Exception):
    """A message that is not accepted.

    Attributes:
        status: HTTP status.
        answer: The reply to the table.
    """

    def __init__(self, status: int, why: str, current: int = 0, content: str = "") -> None:
        super().__init__(why)
        self.status, self.answer = status, Reply(why, current, content)


@dataclass(frozen=True, slots=True)
class _Share:
    """Games, wins and games lost that one game adds to a player's standing."""

    games: int = 0
    won: Decimal = Decimal(0)
    lost: int = 0

    def minus(self, other: _Share) -> _Share:
        """Return the difference to another share."""
        return _Share(self.games - other.games, self.won - other.won, self.lost - other.lost)


NOTHING = _Share()


def table_of(connection: Connection, key: str) -> int:
    """Return the number of a registered table by its public key. Raises NotAccepted (401) for any other."""
    found = connection.execute("SELECT id FROM tables WHERE key = %s AND active", (bytes.fromhex(key),)).fetchone()
    if found is None:
        raise NotAccepted(
            401, f"The table {key[:8]}... is not registered here. Give its key to the league's organiser."
        )
    number: int = found["id"]
    return number


def accept(
    connection: Connection,
    table: int,
    message: Message,
    judged: Judged | None,
    body: bytes,
    signature: str,
    now_s: float,
) -> Reply:
    """Store a message and let it count. Everything or nothing is committed.

    Args:
        connection: A connection without an open transaction.
        table: Number of the table that signed it.
        message: The message.
        judged: Its result by the rules; None for a game that does not count.
        body: The signed bytes.
        signature: Their signature, hexadecimal.
        now_s: Seconds since 1970 by this machine's clock.

    Returns:
        The revision that counts now. An older one than that is kept in the history and changes nothing.

    Raises:
        NotAccepted: The game belongs to another table, was withdrawn, or this revision is known with another content.
    """
    with connection.transaction():
        game = _locked(connection, table, message, now_s)
        season, name = game["season"], UUID(message.game)
        new = connection.execute(
            "INSERT INTO revisions (season, game, revision, state, body, signature) VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            (season, name, message.revision, message.state, body, bytes.fromhex(signature)),
        ).fetchone()
        if new is None:
            return _known(connection, game, message, body)
        if game["state"] == "withdrawn":
            raise NotAccepted(409, "This game was withdrawn: it does not return.", game["revision"])
        if message.revision < game["revision"]:
            return Reply("a newer revision counts", game["revision"], _content(connection, game))
        if judged is not None and game["kind"] not in ("", judged.kind):
            raise NotAccepted(422, f"This game is {game['kind']!r}, not {judged.kind!r}.", game["revision"])
        _count(connection, table, game, message, judged)
        return Reply("accepted", message.revision, message.content)


def keep_aside(connection: Connection, table: int, path: str, why: str, body: bytes) -> None:
    """Keep a refused message of a registered table with the reason; the oldest beyond `KEPT_REFUSALS` goes."""
    with connection.transaction():
        connection.execute(
            "INSERT INTO refused (table_id, path, reason, body) VALUES (%s, %s, %s, %s)", (table, path, why, body)
        )
        connection.execute(
            "DELETE FROM refused WHERE table_id = %s AND id <= (SELECT id FROM refused WHERE table_id = %s"
            " ORDER BY id DESC OFFSET %s LIMIT 1)",
            (table, table, KEPT_REFUSALS),
        )


def _locked(connection: Connection, table: int, message: Message, now_s: float) -> dict[str, Any]:
    """Return the game's row, made if it is new, and lock it until the end of the transaction."""
    played = _played_at(message.played_s, now_s)
    season = connection.execute(
        "SELECT id FROM seasons WHERE daterange(starts, ends) @> %s::date AND id <> 0", (played.date(),)
    ).fetchone()
    connection.execute(
        "INSERT INTO games (game, table_id, season, played_at) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (UUID(message.game), table, season["id"] if season else 0, played),
    )
    game = connection.execute("SELECT * FROM games WHERE game = %s FOR UPDATE", (UUID(message.game),)).fetchone()
    assert game is not None, "it is there since the insert"
    if game["table_id"] != table:
        raise NotAccepted(409, "This game belongs to another table of the league.")
    return game


def _known(connection: Connection, game: dict[str, Any], message: Message, body: bytes) -> Reply:
    """Answer a revision that is stored already. Raises NotAccepted if it was stored with another content."""
    stored = _body(connection, game, message.revision)
    if hashlib.sha256(stored).digest() != hashlib.sha256(body).digest():
        why = f"Revision {message.revision} of this game is known with another content."
        raise NotAccepted(409, why, game["revision"], _content(connection, game))
    return Reply("known", game["revision"], _content(connection, game))


def _content(connection: Connection, game: dict[str, Any]) -> str:
    """Return the content's hash of the revision that counts."""
    return msgspec.json.decode(_body(connection, game, game["revision"]), type=Message).content


def _body(connection: Connection, game: dict[str, Any], revision: int) -> bytes:
    """Return the stored bytes of a revision."""
    row = connection.execute(
        "SELECT body FROM revisions WHERE (season, game, revision) = (%s, %s, %s)",
        (game["season"], game["game"], revision),
    ).fetchone()
    assert row is not None, "a revision that is named is stored"
    body: bytes = row["body"]
    return body


def _count(connection: Connection, table: int, game: dict[str, Any], message: Message, judged: Judged | None) -> None:
    """Replace what the game adds to results and standings, and log a change of a game that counted before."""
    key = (game["season"], game["game"])
    before = _shares(connection, key)
    connection.execute("UPDATE results SET counted = false WHERE (season, game) = (%s, %s)", key)
    if judged is not None:
        _write_results(connection, table, game, judged)
    _move_standings(connection, game, judged, before, _shares(connection, key))
    sides = Jsonb(msgspec.to_builtins(judged.sides)) if judged else None
    connection.execute(
        "UPDATE games SET revision = %s, state = %s, kind = %s, sides = %s, rated = false WHERE game = %s",
        (message.revision, message.state, judged.kind if judged else game["kind"], sides, game["game"]),
    )
    if game["revision"]:
        now = {
            "revision": message.revision,
            "state": message.state,
            "sides": judged and msgspec.to_builtins(judged.sides),
        }
        was = {key: game[key] for key in ("revision", "state", "sides")}
        connection.execute(
            "INSERT INTO changes (who, what, game, before, after) SELECT pub || ', ' || name, %s, %s, %s, %s"
            " FROM tables WHERE id = %s",
            ("revised by the table", game["game"], Jsonb(was), Jsonb(now), table),
        )


def _write_results(connection: Connection, table: int, game: dict[str, Any], judged: Judged) -> None:
    """Write one row for each seat; the rating before the game stays with a row that was there."""
    names = sorted(judged.players)
    connection.cursor().executemany(
        "INSERT INTO players (table_id, name) VALUES (%s, %s) ON CONFLICT DO NOTHING", [(table, name) for name in names]
    )
    found = connection.execute(
        "SELECT name, coalesce(merged_into, id) AS player FROM players WHERE table_id = %s AND name = ANY(%s)",
        (table, names),
    ).fetchall()
    players = {row["name"]: row["player"] for row in found}
    rows = []
    for seat, name in enumerate(judged.players):
        number = judged.side_of(seat)
        side = judged.sides[number]
        rows.append((game["season"], game["game"], seat, players[name], number, judged.kind, game["seq"],
                     side.won, side.lost, side.score))  # fmt: skip
    connection.cursor().executemany(
        "INSERT INTO results (season, game, seat, player, side, kind, seq, won, lost, score)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (season, game, seat, player) DO UPDATE SET"
        " (side, won, lost, score, counted) = (excluded.side, excluded.won, excluded.lost, excluded.score, true)",
        rows,
    )


def _shares(connection: Connection, key: tuple[int, UUID]) -> dict[int, _Share]:
    """Return what a game (season, name) adds to the standings now, by player."""
    rows = connection.execute(
        "SELECT player, count(*) AS games, sum(won) AS won, sum(lost) AS lost FROM results"
        " WHERE (season, game) = (%s, %s) AND counted GROUP BY player",
        key,
    )
    return {row["player"]: _Share(row["games"], row["won"], row["lost"]) for row in rows}


def _move_standings(
    connection: Connection,
    game: dict[str, Any],
    judged: Judged | None,
    before: dict[int, _Share],
    after: dict[int, _Share],
) -> None:
    """Add the difference to each player's standing, in the order of players, so that no two games block each other."""
    moved = [
        (game["season"], judged.kind if judged else game["kind"], player, change.games, change.won, change.lost)
        for player in sorted(before.keys() | after.keys())
        if (change := after.get(player, NOTHING).minus(before.get(player, NOTHING))) != NOTHING
    ]
    connection.cursor().executemany(
        "INSERT INTO standings AS s (season, kind, player, games, won, lost) VALUES (%s, %s, %s, 0, 0, 0)"
        " ON CONFLICT DO NOTHING",
        [each[:3] for each in moved],
    )
    connection.cursor().executemany(
        "UPDATE standings SET games = games + %s, won = won + %s, lost = lost + %s"
        " WHERE (season, kind, player) = (%s, %s, %s)",
        [(*each[3:], *each[:3]) for each in moved],
    )


def _played_at(claimed_s: float, now_s: float) -> datetime:
    """Return when a game was played: the table's own time where it can be right, else the present."""
    now = datetime.fromtimestamp(now_s, UTC)
    if not now_s - MAX_DELAY.total_seconds() <= claimed_s <= now_s:
        return now
    return datetime.fromtimestamp(claimed_s, UTC)

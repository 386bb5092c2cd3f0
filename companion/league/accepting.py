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
"""Most refused messages kept for each table; one more deletes the oldest. Higher: a faulty table stores more.
Lower: the organiser sees fewer of them."""


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
    """Return the database's number of the active table with this public key. Raises NotAccepted (401) without one."""
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
    """Store a message's revision of a game and update results and standings, all in one transaction.

    A repeated revision changes nothing. One older than the revision that counts is stored and changes nothing else.

    Args:
        connection: A connection without an open transaction.
        table: Number of the table that signed it.
        message: The message.
        judged: Its result by the rules; None for a game that does not count.
        body: The signed bytes.
        signature: Their signature, hexadecimal.
        now_s: Seconds since 1970 by this machine's clock.

    Returns:
        The reply with the revision that counts now.

    Raises:
        NotAccepted: The game belongs to another table, was withdrawn or is of another kind, or this revision is stored
            with another content.
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
    """Store a refused message of a registered table with the reason, for the organiser.

    Only the newest `KEPT_REFUSALS` of each table are kept.
    """
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
    """Return the game's row from the database, locked until the end of the transaction; insert it if it is new.

    A new game goes into the season that has its day, or into season 0. Raises NotAccepted (409) if another table owns
    it.
    """
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
    """Return the reply to a revision that is stored already. Raises NotAccepted (409) if the stored bytes differ."""
    stored = _body(connection, game, message.revision)
    if hashlib.sha256(stored).digest() != hashlib.sha256(body).digest():
        why = f"Revision {message.revision} of this game is known with another content."
        raise NotAccepted(409, why, game["revision"], _content(connection, game))
    return Reply("known", game["revision"], _content(connection, game))


def _content(connection: Connection, game: dict[str, Any]) -> str:
    """Return the hash of what the revision that counts says, as `Message.content`."""
    return msgspec.json.decode(_body(connection, game, game["revision"]), type=Message).content


def _body(connection: Connection, game: dict[str, Any], revision: int) -> bytes:
    """Return a stored revision of a game as the bytes that the table sent and signed. The revision must exist."""
    row = connection.execute(
        "SELECT body FROM revisions WHERE (season, game, revision) = (%s, %s, %s)",
        (game["season"], game["game"], revision),
    ).fetchone()
    assert row is not None, "a revision that is named is stored"
    body: bytes = row["body"]
    return body


def _count(connection: Connection, table: int, game: dict[str, Any], message: Message, judged: Judged | None) -> None:
    """Make a message the revision of its game that counts: replace the game's results and adjust the standings.

    The game waits to be rated again. If an earlier revision counted, the change is logged.
    """
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
    """Insert or update the row of results for each seat of a game; new names become players of the table.

    A row that exists keeps its rating before the game.
    """
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
    """Return what a game adds to the standings: player -> games, wins and games lost, from results that count.

    `key` is (season, name) of the game.
    """
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
    """Add the difference between two shares of a game, `after` minus `before`, to the players' standings.

    A missing standing is made. Rows are updated in the order of players, so that two games do not block each other.

    Args:
        connection: A connection in a transaction.
        game: The game's row.
        judged: The new result, for the kind of game; None if it does not count.
        before: What the game added to the standings so far, by player.
        after: What it adds now, by player.
    """
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
    """Return when a game was played: `claimed_s` if it lies in the last `MAX_DELAY`, else `now_s`.

    Both are in seconds since 1970; `claimed_s` is by the table's clock.
    """
    now = datetime.fromtimestamp(now_s, UTC)
    if not now_s - MAX_DELAY.total_seconds() <= claimed_s <= now_s:
        return now
    return datetime.fromtimestamp(claimed_s, UTC)

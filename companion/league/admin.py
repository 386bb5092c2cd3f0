"""The organiser's commands: register tables, open seasons, merge players. Each is logged."""

from __future__ import annotations

from datetime import date
from typing import Any

from psycopg import sql
from psycopg.types.json import Jsonb

from companion.errors import CompanionError
from companion.league.database import Connection


def add_table(connection: Connection, key: str, name: str, pub: str) -> None:
    """Register a table by its public key, its name and the name of its pub, and log that, in one transaction.

    A known key gets the new names, and its table is active again. Raises CompanionError unless `key` is 64 lower-case
    hexadecimal digits, and psycopg.IntegrityError if a name is empty or too long.
    """
    if len(key) != 64 or any(sign not in "0123456789abcdef" for sign in key):
        raise CompanionError(f"{key!r} is no key. `pegpip league key` at the table prints it: 64 digits, 0 to f.")
    with connection.transaction():
        connection.execute(
            "INSERT INTO tables (key, name, pub) VALUES (%s, %s, %s) ON CONFLICT (key) DO UPDATE"
            " SET name = excluded.name, pub = excluded.pub, active = true",
            (bytes.fromhex(key), name, pub),
        )
        log_change(connection, f"table {name!r} of {pub!r} registered")


def remove_table(connection: Connection, key: str) -> None:
    """Refuse a registered table's messages from now on; its games stay. The change is logged.

    `key` is the table's public key in hex. Raises CompanionError for an unknown key.
    """
    with connection.transaction():
        found = connection.execute(
            "UPDATE tables SET active = false WHERE encode(key, 'hex') = %s RETURNING name", (key,)
        ).fetchone()
        if found is None:
            raise CompanionError(f"There is no table {key!r}.")
        log_change(connection, f"table {found['name']!r} removed")


def move_table(connection: Connection, old: str, new: str) -> int:
    """Move the games and players of the table with key `old` to the one with key `new`; return the number of games.

    - A player whose name is not at the new table moves there.
    - A player whose name is at both tables stays at the old one; the new table's player is merged into that player. If
      the old table's player was merged into a third player before, the new table's is merged into that third player.
    - That merge is left out, and both players stay, if the new table's player was merged before. It is also left out if
      the old table's player was merged into the new table's.

    Raises CompanionError, and changes nothing, if a key is not registered, if both keys are the same, or if two players
    can't be merged (`merge`).
    """
    with connection.transaction():
        numbers = []
        for key in (old, new):
            found = connection.execute("SELECT id FROM tables WHERE encode(key, 'hex') = %s", (key,)).fetchone()
            if found is None:
                raise CompanionError(f"There is no table {key!r}. Register it first.")
            numbers.append(found["id"])
        if old == new:
            raise CompanionError(f"{old!r} is the key of one table. Name the table's old key, then its new one.")
        moved = connection.execute("UPDATE games SET table_id = %s WHERE table_id = %s", numbers[::-1]).rowcount
        alike = (  # asked again after each merge, which may have merged a player of another pair
            "SELECT coalesce(a.merged_into, a.id) AS old, b.id AS new FROM players a JOIN players b USING (name) WHERE"
            " a.table_id = %s AND b.table_id = %s AND b.merged_into IS NULL AND a.merged_into IS DISTINCT FROM b.id"
            " ORDER BY name LIMIT 1"
        )
        while pair := connection.execute(alike, numbers).fetchone():
            merge(connection, pair["new"], pair["old"])
        connection.execute(
            "UPDATE players p SET table_id = %s WHERE table_id = %s"
            " AND NOT EXISTS (SELECT FROM players q WHERE q.table_id = %s AND q.name = p.name)",
            (numbers[1], numbers[0], numbers[1]),
        )
        log_change(connection, f"games of table {old[:8]} moved to {new[:8]}")
        return moved


def add_season(connection: Connection, name: str, starts: date, ends: date) -> int:
    """Open a season from `starts` to the day before `ends`, add that to the log of changes, and return its number.

    Raises psycopg.IntegrityError if the name is taken, empty or too long, if the days overlap another season's, or if
    `ends` is not after `starts`.
    """
    with connection.transaction():
        row = connection.execute(
            "INSERT INTO seasons SELECT max(id) + 1, %s, %s, %s FROM seasons RETURNING id", (name, starts, ends)
        ).fetchone()
        assert row is not None, "one row is inserted"
        for parent in ("revisions", "results"):
            connection.execute(
                sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES IN ({})").format(
                    sql.Identifier(f"{parent}_{row['id']}"), sql.Identifier(parent), sql.Literal(row["id"])
                )
            )
        log_change(connection, f"season {name!r} opened, {starts} to {ends}")
    return int(row["id"])


def merge(connection: Connection, other: int, into: int) -> None:
    """Merge the player numbered `other` into the player `into`, because they are one person. This can't be undone.

    Results, standings and tournaments go to `into`; all games of either player are rated again. The merge is added to
    the log of changes.

    Raises:
        CompanionError: The numbers are equal, a player is unknown or was merged before, both have counted results
            in one game, or both are in one tournament.
    """
    with connection.transaction():
        rows = connection.execute(
            "SELECT id, name, merged_into FROM players WHERE id IN (%s, %s) ORDER BY id FOR UPDATE", (other, into)
        ).fetchall()
        if len(rows) != 2 or any(row["merged_into"] for row in rows):
            raise CompanionError(f"{other} and {into} are not two players of the league; list them on /players.")
        both = connection.execute(
            "SELECT a.game FROM results a JOIN results b USING (season, game) WHERE a.player = %s AND b.player = %s"
            " AND a.counted AND b.counted LIMIT 1",
            (other, into),
        ).fetchone()
        if both:
            raise CompanionError(f"{other} and {into} played against each other in {both['game']}: two people.")
        drawn = connection.execute("SELECT id FROM tournaments WHERE players @> %s::int[]", ([other, into],)).fetchone()
        if drawn:
            raise CompanionError(f"{other} and {into} are both in tournament {drawn['id']}. Plan that one anew first.")
        # Games are locked before standings, as a table's message does.
        connection.execute(
            "UPDATE games SET rated = false WHERE game IN (SELECT game FROM results WHERE player IN (%s, %s))",
            (other, into),
        )
        connection.execute(
            "DELETE FROM results a USING results b WHERE (a.season, a.game, a.seat) = (b.season, b.game, b.seat)"
            " AND a.player IN (%s, %s) AND b.player IN (%s, %s) AND a.player <> b.player AND NOT a.counted"
            " AND (b.counted OR a.player = %s)",
            (other, into, other, into, other),
        )
        connection.execute("UPDATE results SET player = %s WHERE player = %s", (into, other))
        connection.execute(
            "INSERT INTO standings AS s (season, kind, player, games, won, lost)"
            " SELECT season, kind, %s, games, won, lost FROM standings WHERE player = %s"
            " ON CONFLICT (season, kind, player) DO UPDATE SET games = s.games + excluded.games,"
            " won = s.won + excluded.won, lost = s.lost + excluded.lost",
            (into, other),
        )
        connection.execute("DELETE FROM standings WHERE player = %s", (other,))
        connection.execute(
            "UPDATE tournaments SET players = array_replace(players, %(a)s, %(b)s),"
            " gone = array_replace(gone, %(a)s, %(b)s) WHERE %(a)s = ANY(players)",
            {"a": other, "b": into},
        )
        connection.execute("UPDATE players SET merged_into = %s WHERE %s IN (id, merged_into)", (into, other))
        log_change(connection, f"player {other} merged into {into}", {row["id"]: row["name"] for row in rows})


def log_change(connection: Connection, what: str, before: dict[int, Any] | None = None) -> None:
    """Add what was done, by whom, and the values `before` to the log of changes, in the caller's transaction."""
    connection.execute(
        "INSERT INTO changes (who, what, before) VALUES (session_user, %s, %s)",
        (what, Jsonb(before) if before else None),
    )

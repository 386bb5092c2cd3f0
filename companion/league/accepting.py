"""Accept one message: in one transaction its revision is stored, and results and standings follow the newest one.

"Acknowledged" means "committed in PostgreSQL". The key (game, revision) makes a repeated message harmless.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

import msgspec
from psycopg.types.json import Jsonb

from companion.league import judge
from companion.league.database import Connection
from companion.league.judge import Judged
from companion.league.message import Message, Reply

MAX_DELAY_S = 60 * 86_400
"""Greatest age of a game's reported start, in seconds, that the league server believes. An older start counts as now.
Higher: a table's wrong clock puts games into past seasons. Lower: a table that was offline for weeks has its games
counted for the present season instead."""
KEPT_REFUSALS = 1000
"""Most refused messages kept for each table; one more deletes the oldest. Higher: a faulty table stores more.
Lower: the organiser sees fewer of them."""


class NotAccepted(Exception):
    """A message is not accepted: `status` is the HTTP status and `answer` the reply to the table."""

    def __init__(self, status: int, why: str, current: int = 0, content: str = "") -> None:
        super().__init__(why)
        self.status, self.answer = status, Reply(why, current, content)


def table_of(connection: Connection, key: str) -> int:
    """Return the database's number of the active table with this public key. Raises NotAccepted (401) without one."""
    found = connection.execute("SELECT id FROM tables WHERE key = %s AND active", (bytes.fromhex(key),)).fetchone()
    if found is None:
        raise NotAccepted(401, f"Table {key[:8]}... is not registered here. Give its key to the league's organiser.")
    return int(found["id"])


def accept(connection: Connection, table: int, message: Message, body: bytes, signature: str, now_s: float) -> Reply:
    """Judge a message, store its revision of the game, update results and standings; return which revision counts now.

    All is stored in one transaction, so `connection` must have none open.
    - A revision newer than the one that counts replaces the game's results; if it is not final, none are left.
    - An older one is only stored.
    - A repeated one changes nothing.

    Args:
        connection: Connection to the league's database.
        table: Number of the table that sent the message.
        message: The decoded `body`.
        body: The message's bytes.
        signature: The table's signature of `body`, hexadecimal; it is stored, not checked.
        now_s: This machine's time, in seconds since 1970.

    Raises:
        RulesError: The message breaks the rules.
        NotAccepted: The game belongs to another table, was withdrawn or is of another kind; this revision is stored
            with another content; or two of the names are one player.
    """
    judged = judge.judged(message)
    with connection.transaction():
        game = _locked(connection, table, message, now_s)
        season, name = game["season"], UUID(message.game)
        new = connection.execute(
            "INSERT INTO revisions (season, game, revision, state, body, signature) VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING 1",
            (season, name, message.revision, message.state, body, bytes.fromhex(signature)),
        ).fetchone()
        if new is not None and game["state"] == "withdrawn":
            raise NotAccepted(409, "This game was withdrawn: it does not return.", game["revision"])
        if new is None or message.revision < game["revision"]:
            content = msgspec.json.decode(_body(connection, game, game["revision"]), type=Message).content
            if new is None and _body(connection, game, message.revision) != body:
                why = f"Revision {message.revision} of this game is known with another content."
                raise NotAccepted(409, why, game["revision"], content)
            return Reply("a newer revision counts" if new else "known", game["revision"], content)
        if judged is not None and game["kind"] not in ("", judged.kind):
            raise NotAccepted(422, f"This game is {game['kind']!r}, not {judged.kind!r}.", game["revision"])
        _count(connection, table, game, message, judged)
        return Reply("accepted", message.revision, message.content)


def keep_aside(connection: Connection, table: int, path: str, why: str, body: bytes) -> None:
    """Store a refused message of a registered table, with its URL path and the reason, in one transaction.

    Only the table's newest KEPT_REFUSALS refused messages are kept.
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
    """Return a league game's row from the database, locked until the transaction ends; insert it if it is new.

    A new game goes into the season of the day of play (UTC), else into season 0. If `message.played_s` lies after
    `now_s` or more than MAX_DELAY_S before it, `now_s` counts instead. Raises NotAccepted (409) if the game belongs to
    another table.
    """
    believed = now_s - MAX_DELAY_S <= message.played_s <= now_s
    played = datetime.fromtimestamp(message.played_s if believed else now_s, UTC)
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


def _body(connection: Connection, game: dict[str, Any], revision: int) -> bytes:
    """Return a stored revision of a game as the bytes that the table sent and signed. The revision must exist.

    `game` is the game's row, of which `season` and `game` are used.
    """
    row = connection.execute(
        "SELECT body FROM revisions WHERE (season, game, revision) = (%s, %s, %s)",
        (game["season"], game["game"], revision),
    ).fetchone()
    assert row is not None, "a revision that is named is stored"
    return bytes(row["body"])


def _count(connection: Connection, table: int, game: dict[str, Any], message: Message, judged: Judged | None) -> None:
    """Replace a league game's results by those of a newer message, and adjust the standings; the caller commits.

    Old results stay stored, but no longer count. Players and standings that are missing are inserted. The game is
    marked as not yet rated. If another revision counted before, the change is recorded in the database table `changes`.
    Raises NotAccepted (422) if two names stand for one player.

    Args:
        connection: Connection to the league's database.
        table: Number of the table that sent the message.
        game: Row of the game in the database.
        message: The newer message.
        judged: Result of the message's transcript; with None no result of the game counts any more.
    """
    kind = judged.kind if judged else game["kind"]
    players = _players(connection, table, judged) if judged else {}
    _lock_standings(connection, game, kind, list(players.values()))
    _add_to_standings(connection, game, -1)
    connection.execute(
        "UPDATE results SET counted = false WHERE (season, game) = (%(season)s, %(game)s) AND counted", game
    )
    if judged is not None:
        _write_results(connection, game, judged, players)
    _add_to_standings(connection, game, 1)
    now = {"revision": message.revision, "state": message.state, "sides": judged and msgspec.to_builtins(judged.sides)}
    connection.execute(
        "UPDATE games SET revision = %s, state = %s, sides = %s, kind = %s, rated = false WHERE game = %s",
        (message.revision, message.state, Jsonb(now["sides"]) if judged else None, kind, game["game"]),
    )
    if game["revision"]:
        connection.execute(
            "INSERT INTO changes (who, what, game, before, after) SELECT pub || ', ' || name, %s, %s, %s, %s"
            " FROM tables WHERE id = %s",
            ("revised by the table", game["game"], Jsonb({key: game[key] for key in now}), Jsonb(now), table),
        )


def _players(connection: Connection, table_id: int, judged: Judged) -> dict[str, int]:
    """Return the league's number of each player of a game, by name; insert new names into the database.

    The names are those of the table numbered `table_id`, which sent the game. A player that was merged into another has
    the other's number. Raises NotAccepted (422) if two of the names share one: nobody plays against themselves.
    """
    names = sorted(judged.players)
    connection.execute(
        "INSERT INTO players (table_id, name) SELECT %s, name FROM unnest(%s::text[]) name ORDER BY name"
        " ON CONFLICT DO NOTHING",
        (table_id, names),
    )
    found = connection.execute(
        "SELECT name, coalesce(merged_into, id) AS player FROM players WHERE table_id = %s AND name = ANY(%s)",
        (table_id, names),
    )
    names_of = dict[int, list[str]]()
    for row in found:
        names_of.setdefault(row["player"], []).append(row["name"])
    for number, shared in names_of.items():
        if len(shared) > 1:
            raise NotAccepted(
                422,
                f"{' and '.join(map(repr, sorted(shared)))} were merged into one player of the league, number {number}."
                " Give one of them a new name in `[league] aliases` of the table, and start the table again.",
            )
    return {name: number for number, (name,) in names_of.items()}


def _write_results(connection: Connection, game: dict[str, Any], judged: Judged, players: dict[str, int]) -> None:
    """Insert the results of a league game's seats; an existing one is updated, counts again and keeps its rating.

    `players` is name -> number, for every player in `judged`.
    """
    rows = []
    for seat, name in enumerate(judged.players):
        side = judged.sides[number := seat % len(judged.sides)]
        rows.append((game["season"], game["game"], seat, players[name], number, judged.kind, game["seq"],
                     side.won, side.lost, side.score))  # fmt: skip
    connection.cursor().executemany(
        "INSERT INTO results (season, game, seat, player, side, kind, seq, won, lost, score)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (season, game, seat, player) DO UPDATE SET"
        " (side, won, lost, score, counted) = (excluded.side, excluded.won, excluded.lost, excluded.score, true)",
        rows,
    )


def _lock_standings(connection: Connection, game: dict[str, Any], kind: str, players: list[int]) -> None:
    """Lock the standings rows of a game's old and new players; insert missing rows of the new ones.

    `players` are the numbers of the new players; the old ones have counted results of the game. `game` is the game's
    row, `kind` the kind of game. All locks are taken in the order of the players' numbers, which prevents deadlocks.
    """
    place = {**game, "kind": kind, "players": players}
    connection.execute(
        "INSERT INTO standings (season, kind, player, games, won, lost) SELECT %(season)s, %(kind)s, player, 0, 0, 0"
        " FROM unnest(%(players)s::int[]) player ORDER BY player ON CONFLICT DO NOTHING",
        place,
    )
    connection.execute(
        "SELECT FROM standings WHERE (season, kind) = (%(season)s, %(kind)s) AND (player = ANY(%(players)s) OR player"
        " IN (SELECT player FROM results WHERE (season, game) = (%(season)s, %(game)s) AND counted))"
        " ORDER BY player FOR UPDATE",
        place,
    )


def _add_to_standings(connection: Connection, game: dict[str, Any], times: Literal[1, -1]) -> None:
    """Add a game's results whose `counted` is true to its players' standings; subtract them if `times` is -1.

    Only rows that exist are changed; `_lock_standings` makes them before.
    """
    connection.execute(
        "UPDATE standings s SET games = s.games + %(times)s * r.games, won = s.won + %(times)s * r.won,"
        " lost = s.lost + %(times)s * r.lost FROM (SELECT season, kind, player, count(*) AS games, sum(won) AS won,"
        " sum(lost) AS lost FROM results WHERE (season, game) = (%(season)s, %(game)s) AND counted"
        " GROUP BY season, kind, player) r WHERE (s.season, s.kind, s.player) = (r.season, r.kind, r.player)",
        {**game, "times": times},
    )

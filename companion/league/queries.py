"""Everything that the league's pages read from the database, one function a question."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec

from companion.league.database import Connection
from companion.league.message import Message

Rows = list[dict[str, Any]]

PAGE = 100
"""Most rows of standings, games or players in one answer. Higher: longer pages and slower queries."""
NEWEST = 20
"""Most games on the page of a season, the newest. Each takes as long to draw as three rows of the standings. Higher:
the page takes longer to make."""
LOWER_NAME = 'lower(p.name COLLATE "default") COLLATE "C"'
"""SQL expression of a player's name in lower case, that of the index `players_searched`. Written in another way, each
search reads all players."""
ORDERS = {"wins": "won DESC, lost, player", "rating": "(mu - 3 * sigma) DESC, player"}
"""Orders of the standings, each the order of an index. A rating counts by its lower bound, mu - 3 sigma."""


def seasons(connection: Connection) -> Rows:
    """Return all seasons, newest first, as rows of `id`, `name`, `starts`, `ends` and `kinds`.

    `kinds` lists the kinds of game that have standings in the season. The last row always has `id` 0 and no dates: it
    stands for games outside all seasons.
    """
    return connection.execute(
        "SELECT s.id, s.name, s.starts, s.ends,"
        " ARRAY(SELECT DISTINCT kind FROM standings WHERE season = s.id AND games > 0 ORDER BY kind) AS kinds"
        " FROM seasons s ORDER BY s.starts DESC NULLS LAST"
    ).fetchall()


def season_page(connection: Connection, number: int, kind: str, by: str, skip: int) -> dict[str, Any] | None:
    """Return what the page of a season shows for a kind of game; None for an unknown season.

    The keys are `season`, `standings` (in the order `by`, a key of ORDERS, after `skip` rows), `tournaments`, `games`
    (the newest) and `records`.
    """
    found = connection.execute("SELECT id, name FROM seasons WHERE id = %s", (number,)).fetchone()
    return found and {
        "season": found,
        "standings": standings(connection, number, kind, by, skip),
        "tournaments": tournaments(connection, number, kind),
        "games": games(connection, number, kind, NEWEST),
        "records": records(connection, number, kind),
    }


def tables(connection: Connection) -> Rows:
    """Return the league's tables, removed ones too, ordered by pub and name: `name`, `pub`, `active`, `key`.

    `key` is the beginning of the table's key, in hexadecimal, if another table has its name and pub; None otherwise.
    """
    return connection.execute(
        "SELECT name, pub, active,"
        " CASE WHEN count(*) OVER (PARTITION BY pub, name) > 1 THEN left(encode(key, 'hex'), 8) END AS key"
        " FROM tables ORDER BY pub, name, id"
    ).fetchall()


def standings(connection: Connection, season: int, kind: str, by: str = "wins", skip: int = 0) -> Rows:
    """Return up to PAGE players of a season's standings in one kind of game, best first, after skipping `skip`.

    Each has `player` (the number), `name`, `pub`, `games`, `won` (wins; a shared win counts as a fraction), `lost`
    (games lost), `mu` and `sigma`. Players whose games were all taken back are left out. `by` is a key of ORDERS.
    """
    # The page of standings is chosen from the index first; only its rows are joined with names.
    return connection.execute(
        f"SELECT s.*, p.name, t.pub FROM (SELECT player, games, won, lost, mu, sigma FROM standings"  # noqa: S608
        f" WHERE (season, kind) = (%s, %s) AND games > 0 ORDER BY {ORDERS[by]} LIMIT {PAGE} OFFSET %s) s"
        f" JOIN players p ON p.id = s.player JOIN tables t ON t.id = p.table_id ORDER BY {ORDERS[by]}",
        (season, kind, skip),
    ).fetchall()


def tournaments(connection: Connection, season: int, kind: str) -> Rows:
    """Return `id`, `form`, `starts` and number of `players` of the tournaments of a season and kind, latest first."""
    return connection.execute(
        "SELECT id, form, starts, cardinality(players) AS players FROM tournaments WHERE (season, kind) = (%s, %s)"
        " ORDER BY starts DESC, id DESC",
        (season, kind),
    ).fetchall()


def games(connection: Connection, season: int, kind: str, most: int = PAGE) -> Rows:
    """Return the newest final games of a season and kind, at most `most`.

    Games that reached the league later come first. Open and withdrawn games are left out. Each row has `game` (its
    name), `sides` (the result), `played_at`, and `pub` and `name` of the table.
    """
    return connection.execute(
        "SELECT g.game, g.sides, g.played_at, t.pub, t.name FROM games g JOIN tables t ON t.id = g.table_id"
        " WHERE (g.season, g.kind) = (%s, %s) AND g.state = 'final' ORDER BY g.seq DESC LIMIT %s",
        (season, kind, most),
    ).fetchall()


def game(connection: Connection, name: UUID) -> dict[str, Any] | None:
    """Return a game's row as a dict; None for an unknown game.

    The dict also has the newest `transcript`, the logged `changes`, oldest first, the table's `name`, the name of its
    `pub`, and `season_name`. A game that does not count has an empty transcript.
    """
    found = connection.execute(
        "SELECT g.*, r.body, t.pub, t.name, s.name AS season_name FROM games g JOIN tables t ON t.id = g.table_id"
        " JOIN seasons s ON s.id = g.season"
        " JOIN revisions r ON (r.season, r.game, r.revision) = (g.season, g.game, g.revision) WHERE g.game = %s",
        (name,),
    ).fetchone()
    if found is None:
        return None
    transcript = msgspec.json.decode(found.pop("body"), type=Message).transcript
    changes = connection.execute(
        "SELECT at, who, what, before, after FROM changes WHERE game = %s ORDER BY id", (name,)
    ).fetchall()
    return {**found, "transcript": transcript, "changes": changes}


def records(connection: Connection, season: int, kind: str) -> dict[str, Rows]:
    """Return up to five `highest` scores and up to five `heaviest` defeats of a season in a kind of game.

    Only results that count are taken. Both lists begin with the greatest. A defeat is heavy if it counts as more than
    one game. Each row has `score`, `lost` (in games), `game`, `player` (the number) and `name`.
    """

    def best(column: str) -> Rows:
        return connection.execute(
            f"SELECT r.score, r.lost, r.game, r.player, p.name FROM results r JOIN players p ON p.id = r.player"  # noqa: S608
            f" WHERE (r.season, r.kind) = (%s, %s) AND r.counted ORDER BY r.{column} DESC LIMIT 5",
            (season, kind),
        ).fetchall()

    return {"highest": best("score"), "heaviest": [row for row in best("lost") if row["lost"] > 1]}


def players(connection: Connection, name: str = "") -> Rows:
    """Return up to `PAGE` players whose name begins with `name`, ignoring case, in order of name; no merged ones.

    Each has `id`, `name`, `at_table` (the name of the player's table), `pub` (that table's pub), and `alike`: how many
    players, this one included, have exactly that name.
    """
    return connection.execute(
        "SELECT p.id, p.name, t.pub, t.name AS at_table,"  # noqa: S608
        " (SELECT count(*) FROM players q WHERE q.name = p.name AND q.merged_into IS NULL) AS alike"
        " FROM players p JOIN tables t ON t.id = p.table_id"
        f" WHERE p.merged_into IS NULL AND starts_with({LOWER_NAME}, lower(%s))"
        f" ORDER BY {LOWER_NAME}, p.name, p.id LIMIT %s",
        (name, PAGE),
    ).fetchall()


def player(connection: Connection, number: int) -> dict[str, Any] | None:
    """Return a player's `id`, `name`, `pub`, standings (`seasons`), head to head (`rivals`) and newest 30 `games`.

    `pub` is the pub of the player's table. Rivals are the 20 opponents met most often: `player`, `name`, `games`, `won`
    and `lost`. `won` counts the games in which this player's side had fewer games lost than the rival's, `lost` those
    with more. None for an unknown number. The number of a merged player gives the player that it was merged into.
    """
    found = connection.execute(
        "SELECT p.id, p.name, t.pub FROM players q JOIN players p ON p.id = coalesce(q.merged_into, q.id)"
        " JOIN tables t ON t.id = p.table_id WHERE q.id = %s",
        (number,),
    ).fetchone()
    if found is None:
        return None
    key = (found["id"],)
    seasons = connection.execute(
        "SELECT s.*, n.name AS season_name FROM standings s JOIN seasons n ON n.id = s.season"
        " WHERE player = %s AND games > 0 ORDER BY season DESC, kind",
        key,
    ).fetchall()
    rivals = connection.execute(
        "SELECT o.player, p.name, count(*) AS games, sum((r.lost < o.lost)::int) AS won,"
        " sum((r.lost > o.lost)::int) AS lost FROM results r JOIN results o USING (season, game)"
        " JOIN players p ON p.id = o.player WHERE r.player = %s AND r.counted AND o.counted AND o.side <> r.side"
        " GROUP BY o.player, p.name ORDER BY games DESC, p.name LIMIT 20",
        key,
    ).fetchall()
    games = connection.execute(
        "SELECT g.game, g.kind, g.sides, g.played_at FROM (SELECT game, seq FROM results WHERE player = %s AND counted"
        " ORDER BY seq DESC LIMIT 30) r JOIN games g USING (game) ORDER BY r.seq DESC",
        key,
    ).fetchall()
    return {**found, "seasons": seasons, "rivals": rivals, "games": games}

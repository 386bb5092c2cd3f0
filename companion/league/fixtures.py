"""Tournaments of a season: planned by the organiser; their matches follow from the games that count."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from companion.errors import CompanionError
from companion.games.registry import game_named
from companion.league.admin import log_change
from companion.league.database import Connection
from companion.tournaments import Draw, Result, check, matches_of, standings

MAX_PLAYERS = 64
"""Most players of a tournament; more are refused. Higher: the database refuses them until its schema allows more.
A round robin of 64 has 2,016 matches, as many as a page can show; twice the players have four times the matches."""


def plan_tournament(connection: Connection, season: int, kind: str, draw: Draw[int], starts: date | None = None) -> int:
    """Store and log a new tournament of a league season in one transaction; return the tournament's number.

    The matches are not stored: they follow from the draw, which holds the players' numbers. `connection` must be the
    database owner's; `season` is the season's number, `kind` the kind of game. Games before the day `starts` do not
    count; None stands for the season's first day. Raises CompanionError if the game, the season or a player is unknown,
    a player was merged, or the draw can't be played. Season 0, for games outside all seasons, counts as unknown.
    """
    game_named(kind)
    check(draw, MAX_PLAYERS)
    players = list(draw.players)
    with connection.transaction():
        row = connection.execute(
            "SELECT array(SELECT unnest(%s) EXCEPT SELECT id FROM players WHERE merged_into IS NULL) AS unknown",
            (players,),
        ).fetchone()
        if row and row["unknown"]:
            raise CompanionError(f"{row['unknown']} are no players, or were merged. List players on /players.")
        row = connection.execute(
            "INSERT INTO tournaments (season, kind, form, starts, players, handicaps)"
            " SELECT id, %s, %s, coalesce(%s, starts), %s, %s FROM seasons WHERE id = %s AND id <> 0 RETURNING id",
            (kind, draw.form, starts, players, [draw.handicaps.get(player, 0) for player in players], season),
        ).fetchone()
        if row is None:
            raise CompanionError(f"There is no season {season}. List seasons on the first page.")
        log_change(connection, f"tournament {row['id']} of {kind} planned in season {season}: {draw.form}, {players}")
    return int(row["id"])


def withdraw(connection: Connection, tournament: int, player: int) -> None:
    """Take a player out of a tournament, and log it; the opponents win the player's remaining matches.

    Another withdrawal of the player changes no result, but is logged again. Raises CompanionError if the tournament is
    unknown, or the player was never in it.
    """
    with connection.transaction():
        done = connection.execute(
            "UPDATE tournaments SET gone = array_append(array_remove(gone, %(p)s), %(p)s)"
            " WHERE id = %(t)s AND %(p)s = ANY(players)",
            {"t": tournament, "p": player},
        )
        if not done.rowcount:
            raise CompanionError(f"Player {player} is not in tournament {tournament}.")
        log_change(connection, f"player {player} left tournament {tournament}")


def tournament(connection: Connection, number: int) -> dict[str, Any] | None:
    """Return a tournament's database row with its matches and standings so far; None if the number is unknown.

    Added to the row are `season_name`, `names`, `matches` (each a `Match`) and `standings` (each a `Placing`). `names`
    and `handicaps` are dicts by the player's number. Only games that count (`_results`) give results.
    """
    found = connection.execute(
        "SELECT t.*, s.name AS season_name FROM tournaments t JOIN seasons s ON s.id = t.season WHERE t.id = %s",
        (number,),
    ).fetchone()
    if found is None:
        return None
    players = found["players"]
    handicaps = dict(zip(players, found["handicaps"], strict=True))
    draw: Draw[int] = Draw(found["form"], tuple(players), handicaps, frozenset(found["gone"]))
    matches = matches_of(draw, _results(connection, found))
    rows = connection.execute("SELECT id, name FROM players WHERE id = ANY(%s)", (players,)).fetchall()
    names = {row["id"]: row["name"] for row in rows}
    return {**found, "handicaps": handicaps, "names": names, "matches": matches, "standings": standings(draw, matches)}


def _results(connection: Connection, tournament: Mapping[str, Any]) -> list[Result[int, UUID]]:
    """Return the results of the tournament's games so far that count, in the order of play.

    The tournament's games are those of its season and kind since the tournament's first day (UTC), between exactly two
    players, both of the tournament.
    """
    rows = connection.execute(
        "SELECT r.game, r.player AS home, o.player AS away, r.score, o.score AS other, r.won, o.won AS other_won,"
        """ g.sides @> '[{"left": true}]' AS forfeit"""
        " FROM results r JOIN results o USING (season, game) JOIN games g USING (game)"
        " WHERE (r.season, r.kind) = (%(season)s, %(kind)s) AND r.counted AND o.counted AND (r.seat, o.seat) = (0, 1)"
        " AND r.player = ANY(%(players)s) AND o.player = ANY(%(players)s)"
        " AND g.played_at >= %(starts)s::date::timestamp AT TIME ZONE 'UTC'"
        " AND NOT EXISTS (SELECT FROM results n WHERE (n.season, n.game) = (r.season, r.game) AND n.counted"
        " AND n.seat > 1) ORDER BY g.played_at, r.seq",
        tournament,
    )
    return [
        Result(row["game"], (row["home"], row["away"]), (row["score"], row["other"]),
               (float(row["won"]), float(row["other_won"])), row["forfeit"])
        for row in rows
    ]  # fmt: skip

"""Ratings of players by openskill (Plackett-Luce), game after game in the order in which the league heard of them.

A new game is rated after its commit. When an earlier result has changed, ratings are wound back to
before it and all later games are rated again. So they always follow from the results that count.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from openskill.models import PlackettLuce, PlackettLuceRating

from companion.league.database import Connection

LOCK = 7_145_002
"""Number of PostgreSQL's advisory lock that lets one instance rate at a time. Only has to differ from other locks."""
BATCH = 2_000
"""Most games rated in one transaction. Higher: more memory, and the standings are locked longer.
Lower: rating many games takes longer."""
MODEL = PlackettLuce()
"""Model that rates the league's players, with openskill's defaults. A new player begins at mu 25, sigma 25/3."""


def rate(connection: Connection, batch: int = BATCH) -> int:
    """Rate up to `batch` unrated games of the league, all of one season and kind, and return how many were rated.

    Runs in one transaction. Returns 0 if no game is unrated, or while another instance of the server rates. If an
    earlier result has changed, all later games of that season and kind become unrated first.
    """
    with connection.transaction():
        free = connection.execute("SELECT pg_try_advisory_xact_lock(%s) AS free", (LOCK,)).fetchone()
        first = connection.execute(
            "SELECT season, kind, min(seq) AS seq FROM games WHERE NOT rated GROUP BY season, kind LIMIT 1"
        ).fetchone()
        if first is None or free is None or not free["free"]:
            return 0
        place = (first["season"], first["kind"])
        _wind_back(connection, place, first["seq"])
        return _rate_from(connection, place, first["seq"], batch)


def rate_game(rows: Iterable[dict[str, Any]], ratings: dict[int, PlackettLuceRating]) -> None:
    """Update the Plackett-Luce `ratings`, by player's number, of one league game's players, in place.

    `ratings` must have every player. A side that lost fewer games ranks higher; equal losses are a draw. A game of one
    side changes nothing. `rows` has `player`, `side`, and `lost`, the games its side lost, for each seat.
    """
    sides: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        sides.setdefault(row["side"], []).append(row)
    if len(sides) < 2:
        return
    teams = [[ratings[row["player"]] for row in side] for side in sides.values()]
    after = MODEL.rate(teams, ranks=[float(side[0]["lost"]) for side in sides.values()])
    for side, team in zip(sides.values(), after, strict=True):
        for row, new in zip(side, team, strict=True):
            ratings[row["player"]] = new


def _wind_back(connection: Connection, place: tuple[int, str], seq: int) -> None:
    """Reset the ratings of a season and kind to what they were before game `seq`, and mark later games as unrated.

    The ratings stored in the results from `seq` on are cleared, until those games are rated again. The games, then the
    standings of their players, are locked until the transaction ends; `accept` locks in the same order to avoid
    deadlocks. `place` is (season, kind of game). Game `seq` is unrated already.
    """
    connection.execute(
        "SELECT FROM games WHERE (season, kind) = (%s, %s) AND seq >= %s ORDER BY seq FOR UPDATE", (*place, seq)
    )
    connection.execute(
        "SELECT FROM standings WHERE (season, kind) = (%s, %s) AND player IN (SELECT player FROM results"
        " WHERE (season, kind) = (%s, %s) AND seq >= %s) ORDER BY player FOR UPDATE",
        (*place, *place, seq),
    )
    connection.execute(
        "UPDATE standings s SET mu = b.mu, sigma = b.sigma FROM (SELECT DISTINCT ON (player) player, mu, sigma"
        " FROM results WHERE (season, kind) = (%s, %s) AND seq >= %s AND mu IS NOT NULL ORDER BY player, seq) b"
        " WHERE (s.season, s.kind, s.player) = (%s, %s, b.player)",
        (*place, seq, *place),
    )
    connection.execute(
        "UPDATE games SET rated = false WHERE (season, kind) = (%s, %s) AND seq > %s AND rated AND state = 'final'",
        (*place, seq),
    )
    connection.execute(
        "UPDATE results SET mu = NULL, sigma = NULL WHERE (season, kind) = (%s, %s) AND seq >= %s AND mu IS NOT NULL",
        (*place, seq),
    )


def _rate_from(connection: Connection, place: tuple[int, str], seq: int, batch: int) -> int:
    """Rate the unrated games of a season and kind from number `seq` on, at most `batch`, and return how many.

    At least one must be unrated, and the standings must be those before `seq`. Each player's rating before a game goes
    into the results, the newest one into the standings. `place` is (season, kind of game). The caller commits.
    """
    waiting = connection.execute(
        "SELECT game, seq FROM games WHERE (season, kind) = (%s, %s) AND NOT rated AND seq >= %s ORDER BY seq LIMIT %s",
        (*place, seq, batch),
    ).fetchall()
    last = waiting[-1]["seq"]
    rows = connection.execute(
        "SELECT game, seat, player, side, lost FROM results WHERE (season, kind) = (%s, %s) AND seq BETWEEN %s AND %s"
        " AND counted ORDER BY seq, seat FOR UPDATE",
        (*place, seq, last),
    ).fetchall()
    found = connection.execute(
        "SELECT player, mu, sigma FROM standings WHERE (season, kind) = (%s, %s) AND player = ANY(%s)"
        " ORDER BY player FOR UPDATE",
        (*place, sorted({row["player"] for row in rows})),
    ).fetchall()
    ratings = {row["player"]: MODEL.rating(mu=row["mu"], sigma=row["sigma"]) for row in found}
    before = list[tuple[Any, ...]]()
    for _, of_game in itertools.groupby(rows, key=itemgetter("game")):
        game = list(of_game)
        for row in game:
            old = ratings[row["player"]]
            before.append((old.mu, old.sigma, place[0], row["game"], row["seat"], row["player"]))
        rate_game(game, ratings)
    connection.cursor().executemany(
        "UPDATE results SET mu = %s, sigma = %s WHERE (season, game, seat, player) = (%s, %s, %s, %s)", before
    )
    connection.cursor().executemany(
        "UPDATE standings SET mu = %s, sigma = %s WHERE (season, kind, player) = (%s, %s, %s)",
        [(ratings[player].mu, ratings[player].sigma, *place, player) for player in sorted(ratings)],
    )
    connection.execute("UPDATE games SET rated = true WHERE game = ANY(%s)", ([row["game"] for row in waiting],))
    return len(waiting)

"""Scale of the league: games a second from many tables, the server's memory, and pages over a million stored games.

`make league-scale` prints what docs/lab/league-scale.md tells.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import random
import re
import threading
import time
from collections.abc import Iterator
from datetime import date

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.games.engine.game import Throw
from companion.games.engine.notation import header_line, header_of, line_of
from companion.games.engine.transcript import Transcript
from companion.league import admin, queries
from companion.league.database import as_owner
from companion.league.key import name_of
from companion.league.message import SIGNATURE, Message, signed
from tests.league.faults import LeagueServer
from tests.league.playing import GENEROUS
from tests.league.services import LOOPBACK, Postgres, cluster
from tests.waiting import until

KINDS = ("crib_dice", "crag", "crapola")
PATTERNS = 300
"""Different games that are played; each is sent under many names."""
SENDERS = 4
"""Connections that send at the same time."""
REQUESTS = 500
"""Requests of each page that is timed."""

STORED = """
INSERT INTO tables (key, name, pub) SELECT sha256(n::text::bytea), 'Table ' || n, 'Pub ' || n / 3
    FROM generate_series(1, 1000) n;
INSERT INTO players (table_id, name) SELECT t, 'Player ' || p FROM generate_series(1, 1000) t, generate_series(0, 9) p;
INSERT INTO games (game, table_id, season, kind, revision, state, sides, played_at)
    SELECT md5('game ' || n)::uuid, mod(n, 1000) + 1, 1, (ARRAY['crib_dice', 'crag', 'crapola'])[mod(n, 3) + 1], 1,
        'final',
        jsonb_build_array(jsonb_build_object('name', 'Ann', 'score', 121, 'won', '1', 'lost', 0),
                          jsonb_build_object('name', 'Ben', 'score', hashint4(n) & 127, 'won', '0', 'lost', 1)),
        now() FROM generate_series(1, %(games)s) n;
INSERT INTO revisions (season, game, revision, state, body, signature)
    SELECT 1, game, 1, 'final', %(body)s, sha512(game::text::bytea) FROM games;
INSERT INTO results (season, game, seat, player, side, kind, seq, won, lost, score, mu, sigma)
    SELECT 1, game, seat, (table_id - 1) * 10 + mod(seq * 7 + seat * (1 + mod(seq, 9)), 10) + 1, seat, kind, seq,
        1 - seat, seat, CASE seat WHEN 0 THEN 121 ELSE hashint8(seq) & 127 END, 25, 8
    FROM games, generate_series(0, 1) seat;
INSERT INTO standings SELECT 1, kind, player, count(*), sum(won), sum(lost), 25 + sum(won) / count(*),
    8 / sqrt(count(*)) FROM results GROUP BY kind, player;
ANALYZE;
"""
"""Statements that store a season of finished games at 1,000 tables with ten players each."""


def played(seed: int) -> str:
    """Return the transcript of a game between Ann and Ben that is played at random."""
    chance, kind = random.Random(seed), KINDS[seed % len(KINDS)]
    rules = {"target": 500} if kind == "crapola" else {}
    header = header_of({"transcript": 1, "game": kind, "players": ["Ann", "Ben"], "rules": rules})
    game = Transcript.begin(header)
    while not (state := game.state).standing.over:
        options, sizes = state.options(), state.throw_sizes
        if sizes and (not options or chance.random() < 0.3):
            game = game.then(Throw(tuple(chance.choices(GENEROUS, k=sizes[0]))))
        else:
            game = game.then(chance.choice(options))
    lines = (header_line(header), *map(line_of, game.actions))
    return "".join(msgspec.json.encode(line).decode() + "\n" for line in lines)


def requests(keys: list[Ed25519PrivateKey], games: int) -> Iterator[tuple[str, bytes, str]]:
    """Yield path, body and signature of each game, from one table after the other."""
    patterns = [played(seed) for seed in range(PATTERNS)]
    chance = random.Random(1)
    names = [f"Player {number}" for number in range(10)]
    for number, key in zip(range(games), itertools.cycle(keys), strict=False):
        ann, ben = chance.sample(names, 2)
        text = patterns[number % PATTERNS].replace('"Ann"', f'"{ann}"').replace('"Ben"', f'"{ben}"')
        message = Message(table=name_of(key), game=f"{number:032x}", revision=text.count("\n"), state="final",
                          played_s=time.time(), transcript=text)  # fmt: skip
        yield message.path, *signed(message, key)


def take_games(postgres: Postgres, tables: int, games: int) -> None:
    """Send games over HTTP to one server, and print the rate and the server's memory as it goes."""
    url = postgres.league("taken")
    keys = [Ed25519PrivateKey.generate() for _ in range(tables)]
    with as_owner(url) as connection:
        admin.add_season(connection, "Season", date(2020, 1, 1), date(2040, 1, 1))
        for number, key in enumerate(keys):
            admin.add_table(connection, name_of(key), f"Table {number}", f"Pub {number // 3}")
    server = LeagueServer(url)
    server.start()
    assert until(server.answers)
    waiting, lock, done = requests(keys, games), threading.Lock(), itertools.count(1)
    begun_s = last_s = time.monotonic()

    def send() -> None:
        nonlocal last_s
        link = http.client.HTTPConnection(LOOPBACK, server.port)
        while True:
            with lock:
                request = next(waiting, None)
            if request is None:
                return
            path, body, signature = request
            link.request("PUT", path, body, {SIGNATURE: signature})
            answer = link.getresponse()
            assert (answer.status, answer.read() != b"") == (200, True), path
            with lock:
                count = next(done)
                if count % (games // 10) == 0:
                    now_s = time.monotonic()
                    rate = games / 10 / (now_s - last_s)
                    print(f"{count} games: {rate:.0f} a second, server {server.rss_mb():.0f} MB", flush=True)
                    last_s = now_s

    senders = [threading.Thread(target=send) for _ in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    took_s = time.monotonic() - begun_s
    server.kill()
    with as_owner(url) as connection:
        row = connection.execute(
            "SELECT (SELECT count(*) FROM games WHERE state = 'final') AS games, sum(won) AS won,"
            " (SELECT count(*) FROM games WHERE NOT rated) AS unrated FROM standings"
        ).fetchone()
    assert row is not None
    assert (row["games"], round(row["won"])) == (games, games)
    print(f"{games} games of {tables} tables: {games / took_s:.0f} a second; {row['unrated']} were not rated yet")


def time_pages(postgres: Postgres, games: int) -> None:
    """Store games by SQL, time the pages over HTTP, and print the plans of the queries."""
    url = postgres.league("stored")
    body = msgspec.json.encode(Message(table="0" * 64, game="0" * 32, revision=1, state="final", played_s=0.0,
                                       transcript=played(1)))  # fmt: skip
    begun_s = time.monotonic()
    with as_owner(url) as connection:
        admin.add_season(connection, "Season", date(2020, 1, 1), date(2040, 1, 1))
        for statement in STORED.split(";\n"):
            connection.execute(statement, {"games": games, "body": body})
        connection.commit()
        size = connection.execute("SELECT pg_size_pretty(pg_database_size(current_database())) AS size").fetchone()
    assert size is not None
    print(f"{games} games stored in {time.monotonic() - begun_s:.0f} s: {size['size']}", flush=True)
    server = LeagueServer(url)
    server.start()
    assert until(server.answers)
    link = http.client.HTTPConnection(LOOPBACK, server.port)
    chance = random.Random(2)
    pages = {
        "standings, /api": "/api/seasons/1/{kind}",
        "standings by rating, /api": "/api/seasons/1/{kind}?by=rating",
        "page of the season": "/seasons/1/{kind}",
        "page of the season by rating": "/seasons/1/{kind}?by=rating",
        "its 50th page": "/seasons/1/{kind}?skip=5000",
        "games, /api": "/api/seasons/1/{kind}/games",
        "page of a player": "/players/{player}",
        "players by name": "/players?name=Player+{digit}",
    }
    for name, path in pages.items():
        times_ms, before_s = [], server.cpu_s()
        for _ in range(REQUESTS):
            asked = path.format(kind=chance.choice(KINDS), player=chance.randint(1, 10_000), digit=chance.randint(0, 9))
            begun_s = time.perf_counter()
            link.request("GET", asked)
            answer = link.getresponse()
            answer.read()
            times_ms.append(1000 * (time.perf_counter() - begun_s))
            assert answer.status == 200, asked
        times_ms.sort()
        middle, late = times_ms[len(times_ms) // 2], times_ms[int(len(times_ms) * 0.99)]
        cost_ms = 1000 * (server.cpu_s() - before_s) / REQUESTS
        print(f"{name}: median {middle:.1f} ms, p99 {late:.1f} ms, processor {cost_ms:.1f} ms, "
              f"server {server.rss_mb():.0f} MB", flush=True)  # fmt: skip
    server.kill()
    print_plans(url)


def print_plans(url: str) -> None:
    """Print how PostgreSQL answers the pages' queries."""
    with as_owner(url) as connection:
        connection.execute("LOAD 'auto_explain'")
        for name, value in (("log_min_duration", "0"), ("log_analyze", "on"), ("log_timing", "off")):
            connection.execute(f"SET auto_explain.{name} = {value}")
        connection.execute("SET client_min_messages = log")
        connection.add_notice_handler(lambda notice: print(plan_of(str(notice.message_primary))))
        queries.standings(connection, 1, KINDS[0])
        queries.standings(connection, 1, KINDS[0], "rating")
        queries.games(connection, 1, KINDS[0])
        queries.records(connection, 1, KINDS[0])
        queries.player(connection, 4711)


def plan_of(text: str) -> str:
    """Return a plan without the widths and costs that were only estimated."""
    return re.sub(r"  \(cost=\S+ rows=\d+ width=\d+\)", "", text.partition("plan:\n")[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--stored", type=int, default=1_000_000)
    asked = parser.parse_args()
    with cluster() as (_, postgres):
        time_pages(postgres, asked.stored)
        take_games(postgres, asked.tables, asked.games)


if __name__ == "__main__":
    main()

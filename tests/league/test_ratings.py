"""Ratings are those of the results that count, in the order the league heard of the games, whatever was changed."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path

import msgspec
import pytest
from openskill.models import PlackettLuceRating

from companion.league import admin
from companion.league.database import as_owner
from companion.league.key import name_of
from companion.league.ratings import MODEL, rate_game
from tests.league.conftest import League
from tests.league.playing import Pub, outbox_of, sent
from tests.waiting import until

Ratings = dict[int, tuple[float, float]]


def new_ratings() -> defaultdict[int, PlackettLuceRating]:
    """Return ratings in which each player begins at the model's default."""
    return defaultdict(MODEL.rating)


def stored(league: League) -> Ratings:
    rows = league.rows("SELECT player, mu, sigma FROM standings WHERE games > 0")
    return {row["player"]: (row["mu"], row["sigma"]) for row in rows}


def from_scratch(league: League) -> Ratings:
    """Rate every game that counts from the first one on."""
    rows = league.rows("SELECT * FROM results WHERE counted ORDER BY seq, seat")
    found = new_ratings()
    for _, of_game in itertools.groupby(rows, key=itemgetter("seq")):
        rate_game(of_game, found)
    return {player: (rating.mu, rating.sigma) for player, rating in found.items()}


def assert_alike(one: Ratings, other: Ratings) -> None:
    assert one.keys() == other.keys()
    for player, rating in one.items():
        assert rating == pytest.approx(other[player])


@pytest.mark.parametrize(("seed", "batch"), [(1, 2000), (2, 2), (3, 1)])
def test_league_ratings_after_corrections_equal_ratings_from_scratch(
    league: League, tmp_path: Path, seed: int, batch: int
) -> None:
    """After a merge of two players the ratings equal those from scratch too."""
    chance, pub, key = random.Random(seed), Pub(tmp_path / "data", seed), league.table()
    outbox = outbox_of(pub)

    def send() -> None:
        messages = sent(outbox)
        chance.shuffle(messages)
        for message in messages:
            assert league.put(msgspec.structs.replace(message, table=name_of(key)), key)[0] == 200

    for _ in range(8):
        pub.play(*chance.sample(["Ann", "Ben", "Cat", "Dan"], chance.choice((2, 3))))
        send()
        if chance.random() < 0.7:
            league.rate(batch)
        if pub.correct():
            pub.finish()
            send()
    league.rate(batch)
    pub.stop()
    assert_alike(stored(league), from_scratch(league))
    assert len(stored(league)) == 4
    with as_owner(league.url) as connection:
        players = [row["player"] for row in connection.execute("SELECT player FROM standings WHERE games > 0")]
        apart = connection.execute(
            "SELECT a.player AS one, b.player AS other FROM standings a JOIN standings b ON a.player < b.player"
            " WHERE NOT EXISTS (SELECT FROM results r JOIN results o USING (game) WHERE r.player = a.player"
            " AND o.player = b.player AND r.counted AND o.counted) LIMIT 1"
        ).fetchone()
    if apart:
        with as_owner(league.url) as connection:
            admin.merge(connection, apart["one"], apart["other"])
        league.rate(batch)
        assert len(stored(league)) == len(players) - 1
        assert_alike(stored(league), from_scratch(league))


def test_league_rating_during_an_arriving_game_message_does_not_deadlock(league: League, tmp_path: Path) -> None:
    pub, key = Pub(tmp_path / "data", seed=4), league.table()
    pub.play()
    for message in sent(outbox_of(pub)):
        league.put(msgspec.structs.replace(message, table=name_of(key)), key)
    pub.stop()

    def someone_waits() -> bool:
        with as_owner(league.url) as connection:
            row = connection.execute(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                " AND wait_event_type = 'Lock') AS waits"
            ).fetchone()
        return row is not None and bool(row["waits"])

    with ThreadPoolExecutor(1) as beside:
        with league.pool.connection() as connection:  # as a message does: the game, then its players' standings
            connection.execute("SELECT FROM games FOR UPDATE")
            rating = beside.submit(league.rate)
            assert until(someone_waits)
            connection.execute("UPDATE standings SET won = won")
        rating.result()
    assert len(stored(league)) == 2


def test_a_league_player_who_wins_five_games_is_rated_above_the_loser() -> None:
    after = new_ratings()
    for _ in range(5):
        rate_game([{"player": 1, "side": 0, "lost": 0}, {"player": 2, "side": 1, "lost": 1}], after)
    assert after[1].mu > 25 > after[2].mu
    assert after[1].sigma < 25 / 3


def test_a_league_game_with_one_player_changes_no_rating() -> None:
    after = new_ratings()
    rate_game([{"player": 1, "side": 0, "lost": 0}], after)
    assert after == {}

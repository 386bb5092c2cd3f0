"""The server counts each finished game once, by its newest revision, and only what is signed and legal."""

from __future__ import annotations

import contextlib
import io
import random
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from companion.errors import CompanionError
from companion.league import admin
from companion.league.database import as_owner
from companion.league.key import name_of
from companion.league.message import MAX_BODY_BYTES, Message, signed
from companion.league.server import THREADS
from tests.league.conftest import NOW_S, League
from tests.league.faults import LeagueServer
from tests.league.playing import Pub, outbox_of
from tests.league.services import LOOPBACK
from tests.waiting import until

HEADER = '{"transcript":1,"game":"crapola","players":["Ann","Ben"],"rules":{"target":500}}\n'


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    made = Pub(tmp_path / "data", seed=21)
    yield made
    made.stop()


def played(league: League, pub: Pub, *players: str) -> tuple[Ed25519PrivateKey, Message]:
    """Register a table and play a game at it; return the table's key and the message about the game."""
    key = league.table()
    pub.play(*players)
    return key, final(pub, key)


def final(pub: Pub, key: Ed25519PrivateKey) -> Message:
    """Return the message about the pub's newest finished game."""
    message = outbox_of(pub).waiting()[-1].message
    return msgspec.structs.replace(message, table=name_of(key))


def test_a_game_sent_twice_to_the_league_counts_once_in_the_standings(league: League, pub: Pub) -> None:
    key, message = played(league, pub)
    status, answer = league.put(message, key)
    assert (status, answer.current, answer.content) == (200, message.revision, message.content)
    counted = league.standings()
    assert [games for games, _, _ in counted.values()] == [1, 1]
    assert league.put(message, key)[0] == 200
    assert league.standings() == counted


def test_the_league_answers_409_to_new_content_for_a_known_game_revision(league: League, pub: Pub) -> None:
    key, message = played(league, pub)
    league.put(message, key)
    status, answer = league.put(msgspec.structs.replace(message, played_s=1.0), key)
    assert (status, answer.current) == (409, message.revision)


def test_league_standings_keep_a_games_newer_revision_when_an_older_one_arrives_late(league: League, pub: Pub) -> None:
    key, first = played(league, pub)
    pub.undo()
    pub.finish()
    second = final(pub, key)
    assert league.put(second, key)[0] == 200
    counted = league.standings()
    assert league.put(first, key)[1].current == second.revision
    assert league.standings() == counted


def test_a_reopened_or_withdrawn_game_is_removed_from_league_standings(league: League, pub: Pub) -> None:
    """A reopened game counts again once it is final; a withdrawn one is refused with 409 from then on."""
    key, message = played(league, pub)
    league.put(message, key)
    after = {"revision": message.revision + 1, "transcript": ""}
    assert league.put(msgspec.structs.replace(message, state="open", **after), key)[0] == 200
    assert league.standings() == {}
    again = msgspec.structs.replace(message, revision=message.revision + 2)
    assert league.put(again, key)[0] == 200
    assert len(league.standings()) == 2
    league.put(msgspec.structs.replace(message, state="withdrawn", revision=message.revision + 3, transcript=""), key)
    assert league.standings() == {}
    status, answer = league.put(msgspec.structs.replace(message, revision=message.revision + 4), key)
    assert (status, answer.current) == (409, message.revision + 3)
    assert "withdrawn" in answer.message
    ask = league.app.test_client().get
    assert ask("/api/seasons/0/crib_dice").get_json() == [], "nobody stands there without a game"
    assert ask("/api/seasons").get_json()[-1]["kinds"] == []


def test_the_league_logs_who_revised_a_game_and_the_revision_before(league: League, pub: Pub) -> None:
    key = league.table("Two", "The Swan")
    pub.play()
    message = final(pub, key)
    league.put(message, key)
    pub.undo()
    pub.finish()
    league.put(final(pub, key), key)
    (row,) = league.rows("SELECT * FROM changes WHERE game IS NOT NULL")
    assert (row["who"], row["what"]) == ("The Swan, Two", "revised by the table")
    assert row["before"]["revision"] == message.revision


def test_league_players_keep_standings_when_a_table_changes_its_key_twice(league: League, pub: Pub) -> None:
    before: Ed25519PrivateKey | None = None
    for _ in range(3):
        key = league.table()
        pub.play()
        assert league.put(final(pub, key), key)[0] == 200
        if before:
            with as_owner(league.url) as connection:
                admin.move_table(connection, name_of(before), name_of(key))
        before = key
    assert {player: games for (_, player), (games, _, _) in league.standings().items()} == {"Ann": 3, "Ben": 3}
    (row,) = league.rows("SELECT count(*) FROM standings WHERE games > 0")
    assert row["count"] == 2


def test_moving_the_games_of_a_league_table_to_itself_is_refused_and_changes_nothing(league: League, pub: Pub) -> None:
    key, message = played(league, pub)
    assert league.put(message, key)[0] == 200
    counted = league.standings()
    with as_owner(league.url) as connection, pytest.raises(CompanionError, match="old key, then its new one"):
        admin.move_table(connection, name_of(key), name_of(key))
    assert league.standings() == counted


def test_the_league_refuses_a_game_between_two_merged_names_with_422(league: League, pub: Pub) -> None:
    key, message = played(league, pub)
    assert league.put(message, key)[0] == 200
    pub.play("Anna", "Ben")
    assert league.put(final(pub, key), key)[0] == 200
    with as_owner(league.url) as connection:
        numbers = {row["name"]: row["id"] for row in connection.execute("SELECT id, name FROM players")}
        admin.merge(connection, numbers["Anna"], numbers["Ann"])
    counted = league.standings()
    pub.play("Ann", "Anna")
    status, answer = league.put(final(pub, key), key)
    assert status == 422
    assert "'Ann' and 'Anna'" in answer.message
    assert "[league] aliases" in answer.message
    assert league.standings() == counted


@pytest.mark.parametrize("other", ["Ann", "Zoe"])
def test_move_table_keeps_the_games_of_players_merged_across_the_two_league_tables(
    league: League, tmp_path: Path, other: str
) -> None:
    """The old table's other player is the new one's Anna, and both names occur at both tables."""
    keys, numbers = dict[str, str](), dict[str, dict[str, int]]()
    for seed, at in enumerate(("old", "new")):
        key, pub = league.table(at), Pub(tmp_path / at, seed)
        for name in ("Anna", other):
            pub.play(name, "Ben" if at == "old" else "Cat")
            assert league.put(final(pub, key), key)[0] == 200
        pub.stop()
        keys[at] = name_of(key)
        rows = league.rows(f"SELECT p.id, p.name FROM players p JOIN tables t ON t.id = table_id WHERE t.name = '{at}'")
        numbers[at] = {row["name"]: row["id"] for row in rows}
    with as_owner(league.url) as connection:
        admin.merge(connection, numbers["old"][other], numbers["new"]["Anna"])
        assert admin.move_table(connection, keys["old"], keys["new"]) == 2
    counted = {name: games for (_, name), (games, _, _) in league.standings().items()}
    assert counted == {"Anna": 4, "Ben": 2, "Cat": 2}


def test_league_counts_each_game_once_while_two_tables_send_newer_revisions(league: League, tmp_path: Path) -> None:
    """Ann and Ben play at two tables, and their players are merged; neither game is lost or counted twice."""
    keys = league.table("One"), league.table("Two")
    messages = []
    for seed, (key, players) in enumerate(zip(keys, (("Ann", "Ben"), ("Ben", "Ann")), strict=True)):
        pub = Pub(tmp_path / str(seed), seed)
        pub.play(*players)
        messages.append(final(pub, key))
        pub.stop()
        assert league.put(messages[-1], key)[0] == 200
    with as_owner(league.url) as connection:
        for name in ("Ann", "Ben"):
            one, other = connection.execute("SELECT id FROM players WHERE name = %s ORDER BY id", (name,)).fetchall()
            admin.merge(connection, other["id"], one["id"])
    counted = league.standings()

    def revise(at: int) -> set[int]:
        newer = (msgspec.structs.replace(messages[at], revision=messages[at].revision + more) for more in range(1, 30))
        return {league.put(message, keys[at])[0] for message in newer}

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(revise, (0, 1))) == [{200}, {200}]
    assert league.standings() == counted
    assert [games for games, _, _ in counted.values()] == [2, 2]


NOBODY = '\n{"leave":"Nobody"}\n'
FORGERIES: dict[str, tuple[Callable[[str], str], int]] = {
    "not finished": (lambda text: "".join(text.splitlines(keepends=True)[:-1]), 422),
    "dice that were not thrown": (lambda text: text.replace('"throw":[', '"throw":[9,', 1), 422),
    "a line of another kind": (lambda text: text + '{"win":"Ann"}\n', 422),
    "nothing at all": (lambda text: "", 422),
    "no header": (lambda text: text.partition("\n")[2], 422),
    "a name that can't be seen": (lambda text: text.replace('"Ann"', '"A\\u202e"'), 422),
    "half of an emoji": (lambda text: text.replace('"Ann"', '"\\ud83d"'), 422),
    "a zero byte": (lambda text: text.replace('"Ann"', '"A\\u0000"'), 422),
    "a zero byte in the reason": (lambda text: text.replace('"Ann"', '"A\\u0000"').replace("\n", NOBODY, 1), 422),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_league_transcript_is_refused_and_the_reason_is_stored(league: League, pub: Pub, forgery: str) -> None:
    change, wanted = FORGERIES[forgery]
    key, message = played(league, pub)
    status, answer = league.put(msgspec.structs.replace(message, transcript=change(message.transcript)), key)
    assert (status, league.standings()) == (wanted, {})
    (row,) = league.rows("SELECT reason, path FROM refused")
    assert (row["reason"], row["path"]) == (answer.message, message.path)


@pytest.mark.parametrize(
    "name", ["Robert'); DROP TABLE games", "<script>alert(1)</script>"[:24], "=1+1", "%s %(a)s {x}"]
)
def test_league_player_names_with_sql_or_markup_are_stored_unchanged(league: League, pub: Pub, name: str) -> None:
    key, message = played(league, pub, name[:24], "Ben")
    assert league.put(message, key)[0] == 200
    assert {player for _, player in league.standings()} == {name[:24], "Ben"}


def test_a_league_message_without_a_valid_registered_signature_is_refused(league: League, pub: Pub) -> None:
    ours, foreign = league.table(), Ed25519PrivateKey.generate()
    pub.play()
    message = final(pub, foreign)
    assert league.put(message, foreign)[0] == 401, "not registered"
    message = final(pub, ours)
    assert league.put(message, foreign)[0] == 401, "signed by another"
    body, signature = signed(message, ours)
    assert league.put_bytes(message.path, body + b" ", signature)[0] == 401, "the signature covers every byte"
    other = msgspec.structs.replace(message, revision=message.revision + 1)
    assert league.put_bytes(other.path, body, signature)[0] == 400, "and the address"
    assert league.standings() == {}


def test_the_league_refuses_with_409_a_game_that_another_dice_table_has_sent_already(league: League, pub: Pub) -> None:
    ours, theirs = league.table(), league.table("Two")
    pub.play()
    league.put(final(pub, ours), ours)
    status, answer = league.put(msgspec.structs.replace(final(pub, theirs), revision=5000), theirs)
    assert status == 409
    assert "another table" in answer.message
    assert [games for games, _, _ in league.standings().values()] == [1, 1]


@pytest.mark.parametrize("size", [MAX_BODY_BYTES + 1, 100_000_000])
def test_a_league_message_over_the_size_limit_is_refused_unread(league: League, size: int) -> None:
    body, key = io.BytesIO(b" " * size), league.table()
    got = league.app.test_client().put(f"/games/{name_of(key)}/{'b' * 32}/1", input_stream=body)
    assert got.status_code == 413
    assert str(MAX_BODY_BYTES) in got.get_json()["message"]
    assert body.tell() == 0, "not a byte was read"
    assert league.rows("SELECT FROM refused") == league.rows("SELECT FROM revisions") == []


def test_slow_uploads_do_not_block_other_requests_to_the_league_server(league: League) -> None:
    """The fault: each of 16 unfinished uploads held one of the server's threads for ever."""
    server = LeagueServer(league.url)
    server.start()
    with contextlib.ExitStack() as stack:
        stack.callback(server.kill)
        assert until(server.answers)
        for _ in range(2 * THREADS):
            link = stack.enter_context(socket.create_connection((LOOPBACK, server.port)))
            link.sendall(b"PUT /games/a/b/1 HTTP/1.1\r\nHost: league\r\nContent-Length: 100\r\n\r\nslow")
        assert server.answers()


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"league":2}', b"\xff\xfe", b"[" * 100_000])
def test_the_league_server_answers_400_to_a_body_that_is_no_league_message(league: League, body: bytes) -> None:
    assert league.put_bytes(f"/games/{'a' * 64}/{'b' * 32}/1", body, "")[0] == 400


@pytest.mark.parametrize("played_s", [0.0, NOW_S + 1e9, NOW_S - 5e8, 1e300, -1e300])
def test_a_league_game_dated_years_off_is_stored_with_the_servers_time(
    league: League, pub: Pub, played_s: float
) -> None:
    key, message = played(league, pub)
    assert league.put(msgspec.structs.replace(message, played_s=played_s), key)[0] == 200
    (row,) = league.rows("SELECT extract(epoch FROM played_at)::float AS s FROM games")
    assert abs(row["s"] - NOW_S) < 1


FORBIDDEN = (
    "DELETE FROM revisions",
    "UPDATE revisions SET body = ''",
    "DELETE FROM changes",
    "DELETE FROM games",
    "UPDATE tables SET active = true",
    "DROP TABLE games",
    "INSERT INTO seasons VALUES (9, 'x')",
)


def test_the_league_servers_database_user_may_not_delete_or_alter_records(league: League) -> None:
    """The role may not drop a table or add a season either."""
    for statement in FORBIDDEN:
        with league.pool.connection() as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


def test_the_league_keeps_only_a_tables_newest_refused_messages(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.league.accepting.KEPT_REFUSALS", 3)
    key = league.table()
    for revision in range(1, 8):
        message = Message(
            table=name_of(key), game="c" * 32, revision=revision, state="final", played_s=0, transcript="x"
        )
        assert league.put(message, key)[0] == 422
    paths = [row["path"].rpartition("/")[2] for row in league.rows("SELECT path FROM refused ORDER BY id")]
    assert paths == ["5", "6", "7"]


@pytest.mark.parametrize("seed", range(2))
def test_league_revisions_in_any_order_or_repeated_count_each_game_once(
    league: League, tmp_path: Path, seed: int
) -> None:
    chance, key, pub = random.Random(seed), league.table(), Pub(tmp_path / "data", seed)
    messages = []
    for _ in range(3):
        pub.play()
        messages.append(final(pub, key))
        pub.undo(chance.randint(1, 9))
        pub.finish()
        messages.append(final(pub, key))
    pub.stop()
    chance.shuffle(messages)
    for message in (*messages, *messages[:3]):
        assert league.put(message, key)[0] == 200
    assert sum(won for _, won, _ in league.standings().values()) == 3

"""The sender: repeats until the server has a game, tells what waits, and never holds the table up."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import msgspec
import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, PrivateFormat

from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.league.commands import command
from companion.league.key import FILE_NAME, key_of, name_of
from companion.league.message import Message, Reply, is_signed
from companion.league.sender import Sender, put_over_http
from tests.league.playing import Pub
from tests.waiting import PATIENCE_S, until

SERVER = "https://league.example"
Replying = Callable[[Message], tuple[int, Reply]]


class Server:
    """Stands in for the league's server: keeps what it gets and answers as the test says."""

    def __init__(self) -> None:
        self.got: list[Message] = []
        self.reply: Replying = lambda message: (200, Reply(current=message.revision, content=message.content))

    def put(self, address: str, body: bytes, signature: str) -> tuple[int, Reply]:
        message = msgspec.json.decode(body, type=Message)
        assert address == SERVER + message.path
        assert is_signed(body, signature, message.table)
        self.got.append(message)
        return self.reply(message)


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    made = Pub(tmp_path / "data", seed=9)
    yield made
    made.stop()


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def sender(pub: Pub, server: Server) -> Iterator[Sender]:
    made = Sender(SERVER, pub.folder, PastGames(pub.folder), (), server.put)
    leave = pub.table.subscribe(made.hear)
    yield made
    leave()
    made.stop()


def begin(sender: Sender) -> None:
    """Start a sender, and wait until it has found that nothing waits."""
    sender.start()
    assert until(lambda: "every finished game" in sender.health()[1])


def test_the_league_sender_sends_a_finished_game_and_reports_health_ok(
    pub: Pub, server: Server, sender: Sender
) -> None:
    begin(sender)
    pub.play()
    assert until(lambda: server.got)
    assert until(lambda: sender.health() == (True, f"{SERVER} has every finished game"))


def test_a_league_game_is_resent_unchanged_after_an_outage_of_the_server(
    pub: Pub, server: Server, sender: Sender
) -> None:
    def away(_: Message) -> tuple[int, Reply]:
        raise ConnectionRefusedError("nobody there")

    good, server.reply = server.reply, away
    begin(sender)
    pub.play()
    assert until(lambda: "game waits" in sender.health()[1])
    assert not sender.health()[0]
    server.reply = good
    assert until(lambda: sender.health()[0])
    assert len(server.got) > 1
    assert all(message == server.got[0] for message in server.got), "the same message again"


def test_the_league_sender_retries_after_a_not_registered_answer(pub: Pub, server: Server, sender: Sender) -> None:
    server.reply = lambda _: (401, Reply("not registered"))
    begin(sender)
    pub.play()
    assert until(lambda: "not registered" in sender.health()[1])
    assert until(lambda: len(server.got) > 1)


@pytest.mark.parametrize("page", [Reply("<html>Welcome"), Reply()])
def test_a_league_game_stays_unsent_if_an_unrelated_web_page_answers_with_status_200(
    pub: Pub, server: Server, sender: Sender, page: Reply
) -> None:
    good, server.reply = server.reply, lambda _: (200, page)
    begin(sender)
    pub.play()
    assert until(lambda: "game waits" in sender.health()[1])
    assert f"it answers 200: {page.message}" in sender.health()[1]
    server.reply = good
    assert until(lambda: sender.health()[0])


def test_a_league_game_refused_with_422_shows_in_health_and_is_not_resent(
    pub: Pub, server: Server, sender: Sender
) -> None:
    server.reply = lambda _: (422, Reply("line 3: those dice are no throw"))
    begin(sender)
    pub.play()
    assert until(lambda: "those dice" in sender.health()[1])
    pub.play("Cat", "Dan")
    assert until(lambda: len(server.got) == 2)
    assert until(lambda: "refuses 2 games" in sender.health()[1])
    assert len(server.got) == len({message.game for message in server.got}) == 2


def test_a_league_game_that_the_server_fails_at_holds_up_no_later_game(
    pub: Pub, server: Server, sender: Sender
) -> None:
    """The fault: a first game that was always answered with 500 kept every later one of its table from the league."""
    good = server.reply
    server.reply = lambda message: (500, Reply("out of order")) if "Ann" in message.transcript else good(message)
    pub.play("Ann", "Ben")
    pub.play("Cat", "Dan")
    sender.start()
    assert until(lambda: len(server.got) > 2), "the first is sent again"
    assert ["Ann" in message.transcript for message in server.got[:3]] == [True, False, True]
    assert until(lambda: "1 game waits" in sender.health()[1])
    assert "it answers 500: out of order" in sender.health()[1]
    server.reply = good
    assert until(lambda: sender.health()[0])


@pytest.mark.parametrize("status", [401, 503])
def test_the_league_sender_retries_only_its_oldest_game_on_401_and_503_answers(
    pub: Pub, server: Server, sender: Sender, status: int
) -> None:
    server.reply = lambda _: (status, Reply("not now"))
    pub.play("Ann", "Ben")
    pub.play("Cat", "Dan")
    sender.start()
    assert until(lambda: len(server.got) > 1)
    assert all("Ann" in message.transcript for message in server.got)
    assert "2 games wait" in sender.health()[1]


def test_league_health_blames_the_aliases_if_an_alias_equals_another_players_name(pub: Pub, server: Server) -> None:
    def judging(message: Message) -> tuple[int, Reply]:
        if '"players":["Lion","Lion"]' in message.transcript:
            return 422, Reply("line 1: Two players are called 'Lion'; names must differ.")
        return 200, Reply(current=message.revision, content=message.content)

    server.reply = judging
    sender = Sender(SERVER, pub.folder, PastGames(pub.folder), ("Ann=Lion",), server.put)
    pub.play("Ann", "Lion")
    pub.play("Ann", "Ben")
    sender.start()
    assert until(lambda: "refuses 1 game," in sender.health()[1])
    assert "[league] aliases publishes two of its players as 'Lion'" in sender.health()[1]
    assert len(server.got) == 2, "the game after the refused one is sent"
    sender.stop()


def test_health_forgets_a_refused_league_game_once_its_next_revision_is_accepted(
    pub: Pub, server: Server, sender: Sender
) -> None:
    good, server.reply = server.reply, lambda _: (422, Reply("line 3: those dice are no throw"))
    begin(sender)
    pub.play()
    assert until(lambda: "those dice" in sender.health()[1])
    server.reply = good
    pub.undo()
    assert until(lambda: sender.health()[0])


def test_the_league_sender_resends_a_game_with_a_revision_one_above_the_servers_revision(
    pub: Pub, server: Server, sender: Sender
) -> None:
    known = 900

    def newer(message: Message) -> tuple[int, Reply]:
        return 200, Reply(current=max(known, message.revision), content="" if message.revision < known else "same")

    server.reply = newer
    begin(sender)
    pub.play()
    assert until(lambda: server.got and server.got[-1].revision == known + 1)
    assert until(lambda: sender.health()[0])


def test_league_sender_does_not_resend_an_open_game_after_a_409_reply(pub: Pub, server: Server, sender: Sender) -> None:
    server.reply = lambda message: (409, Reply("known with another content", message.revision, "another"))
    pub.play()
    pub.undo()
    sender.start()
    assert until(lambda: server.got)
    assert until(lambda: sender.health()[0])
    assert [message.state for message in server.got] == ["open"], "not sent again as a newer revision"


@pytest.mark.parametrize("page", [b"<html>", b'{"message": "\xff"}', b"[" * 4000])
def test_a_league_reply_that_is_not_json_is_reported_by_its_first_200_characters(page: bytes) -> None:
    with mock.patch("companion.league.sender.send_json", return_value=(502, page)):
        status, reply = put_over_http("https://league.example/games", b"{}", "00")
    assert (status, reply.message) == (502, page[:200].decode("latin-1"))


def test_table_plays_on_while_league_sender_awaits_a_slow_server(pub: Pub, server: Server, sender: Sender) -> None:
    """The sender alone waits for a slow server: meanwhile the table plays another game."""
    answering, good, threads = threading.Event(), server.reply, list[str]()

    def slow(message: Message) -> tuple[int, Reply]:
        threads.append(threading.current_thread().name)
        assert answering.wait(PATIENCE_S)
        return good(message)

    server.reply = slow
    begin(sender)
    pub.play()
    assert until(lambda: server.got)
    pub.play("Cat", "Dan")
    assert len(server.got) == 1
    answering.set()
    assert until(lambda: len(threads) == 2)
    assert set(threads) == {"league's sender"}


def test_the_league_signing_key_is_made_once_and_readable_by_owner_only(tmp_path: Path) -> None:
    assert name_of(key_of(tmp_path)) == name_of(key_of(tmp_path))
    assert (tmp_path / FILE_NAME).stat().st_mode & 0o077 == 0


def test_a_league_signing_key_is_made_on_a_file_system_without_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr("os.link", refuse)
    assert name_of(key_of(tmp_path)) == name_of(key_of(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


SECP160R1 = b"""-----BEGIN PRIVATE KEY-----
MGECAQAwEAYHKoZIzj0CAQYFK4EEAAgESjBIAgEBBBUAcbQiF+4nxyTlplR60A+g
YTRlVRGhLAMqAARj7oE1CGunQdQIqwBrNa13l6QqC6EMfBomNsQJVKmTtZ0xpZ0a
yBeR
-----END PRIVATE KEY-----
"""


@pytest.mark.parametrize("kind", ["no key", "encrypted", "of an unsupported curve"])
def test_a_league_signing_key_file_without_a_readable_key_is_a_device_error(tmp_path: Path, kind: str) -> None:
    form = Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"password")
    unsupported = SECP160R1 if kind == "of an unsupported curve" else b"no key"
    (tmp_path / FILE_NAME).write_bytes(key_of(tmp_path).private_bytes(*form) if kind == "encrypted" else unsupported)
    with pytest.raises(DeviceError, match="is no key"):
        key_of(tmp_path)


@pytest.mark.parametrize("folder", ["file", "file/folder"])
def test_the_league_signing_key_is_refused_if_a_file_is_where_its_folder_should_be(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DeviceError, match="name another folder"):
        key_of(tmp_path / folder)


def test_threads_that_make_the_league_signing_key_at_once_get_equal_keys(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        names = set(pool.map(lambda _: name_of(key_of(tmp_path)), range(40)))
    assert len(names) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_the_league_key_command_refuses_a_data_folder_that_does_not_exist(tmp_path: Path) -> None:
    typo = tmp_path / "typo"
    asked = CliRunner().invoke(command, ["key", "--data", str(typo)])
    assert asked.exit_code == 2
    assert "does not exist" in asked.output
    assert not typo.exists()

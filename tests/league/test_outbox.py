"""The outbox: every finished game waits until it is acknowledged, whatever happens to cursor, journal and clock."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest

from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.league import outbox
from companion.league.message import Message
from companion.league.outbox import FILE_NAME, Outbox, aliases_of
from companion.table.commands import EndSitting, PlayLine
from tests.league.playing import SERVER, TABLE, Pub, outbox_of, sent
from tests.table.test_archive import stir


@pytest.fixture
def pub(tmp_path: Path) -> Iterator[Pub]:
    made = Pub(tmp_path / "data", seed=3)
    yield made
    made.stop()


def test_the_league_outbox_offers_a_finished_game_once_with_its_transcript(pub: Pub) -> None:
    outbox = outbox_of(pub)
    pub.begin()
    assert outbox.waiting() == []
    pub.finish()
    (message,) = sent(outbox)
    ((name, game),) = pub.finished().items()
    assert (message.game, message.state, message.transcript) == (name, "final", game.text().decode())
    assert outbox.waiting() == []
    assert outbox_of(pub).waiting() == [], "the cursor is on the disk"


def test_a_reopened_league_outbox_returns_the_same_unacknowledged_game_message(pub: Pub) -> None:
    pub.play()
    first = outbox_of(pub).waiting()
    assert first == outbox_of(pub).waiting(), "the same message, byte for byte"
    assert len(first) == 1


def test_after_a_correction_the_league_outbox_sends_the_game_as_a_newer_revision(pub: Pub) -> None:
    outbox = outbox_of(pub)
    pub.play()
    (before,) = sent(outbox)
    while not pub.correct():
        pass
    (after,) = sent(outbox)
    assert after.game == before.game
    assert after.revision > before.revision
    assert after.content != before.content


def test_the_outbox_sends_a_reopened_league_game_as_open_and_then_final(pub: Pub) -> None:
    outbox = outbox_of(pub)
    pub.play()
    first = sent(outbox)
    pub.undo()
    second = sent(outbox)
    pub.finish()
    third = sent(outbox)
    assert [message.state for message in (*first, *second, *third)] == ["final", "open", "final"]
    assert first[0].revision < second[0].revision < third[0].revision


def test_the_league_outbox_withdraws_a_game_whose_actions_are_all_undone(pub: Pub) -> None:
    outbox = outbox_of(pub)
    pub.play()
    pub.play("Cat", "Dan")
    sent(outbox)
    game = pub.table.state().record.game
    assert game is not None
    pub.undo(len(game.lines))
    pub.table.submit(PlayLine(number=pub.table.snapshot().number, line={"undo": 1}))
    (message,) = sent(outbox)
    assert message.state == "withdrawn"
    assert outbox.waiting() == []


def test_a_league_outbox_that_lost_its_cursor_file_sends_the_same_messages_again(pub: Pub) -> None:
    for _ in range(3):
        pub.play()
    first = sent(outbox_of(pub))
    assert len(first) == 3
    (pub.folder / FILE_NAME).unlink()
    assert sent(outbox_of(pub)) == first


def test_league_outbox_with_a_deleted_cursor_file_still_sends_reopened_and_withdrawn_games(pub: Pub) -> None:
    pub.play()
    pub.play("Cat", "Dan")
    first, second = sent(outbox_of(pub))
    (pub.folder / FILE_NAME).unlink()
    game = pub.table.state().record.game
    assert game is not None
    pub.undo(len(game.lines))
    pub.table.submit(PlayLine(number=pub.table.snapshot().number, line={"undo": 1}))
    pub.undo()
    states = {message.game: message.state for message in sent(outbox_of(pub))}
    assert states == {first.game: "open", second.game: "withdrawn"}


def test_the_league_outbox_withdraws_no_game_when_another_begins_while_it_reads_past_games(pub: Pub) -> None:
    pub.play()
    past = PastGames(pub.folder)
    outbox = Outbox(pub.folder, past, TABLE, {}, SERVER)
    read = past.archived_after(0)
    pub.begin("Cat", "Dan")
    with mock.patch.object(past, "archived_after", return_value=read):
        assert [each.message.state for each in outbox.waiting()] == ["final"]


def test_a_league_outbox_does_not_read_the_journal_again_while_a_game_is_unsent(pub: Pub) -> None:
    """A game that the server refuses for good waits for ever."""
    pub.play()
    waiting = outbox_of(pub)
    with mock.patch.object(outbox, "entries", side_effect=AssertionError("read again")):
        assert [len(waiting.waiting()) for _ in range(3)] == [1, 1, 1]


def test_a_league_outbox_set_to_a_new_server_sends_it_every_earlier_game_exactly_once(pub: Pub) -> None:
    for _ in range(3):
        pub.play()
    first = sent(outbox_of(pub))
    assert outbox_of(pub).waiting() == []
    assert sent(outbox_of(pub, server="https://new.example")) == first
    assert outbox_of(pub, server="https://new.example").waiting() == []


@pytest.mark.parametrize("damaged", [b"\x00\xff{", b'{"link": "\xff"}'])
def test_the_league_outbox_treats_a_damaged_cursor_file_as_missing(pub: Pub, damaged: bytes) -> None:
    pub.play()
    (pub.folder / FILE_NAME).write_bytes(damaged)
    assert len(outbox_of(pub).waiting()) == 1


def test_the_league_outboxs_cursor_file_does_not_grow_over_many_sittings(pub: Pub) -> None:
    outbox = outbox_of(pub)
    sizes = []
    for _ in range(12):
        pub.play()
        sent(outbox)
        outbox.waiting()
        pub.table.submit(EndSitting(number=pub.table.snapshot().number))
        sizes.append((pub.folder / FILE_NAME).stat().st_size)
    assert max(sizes[4:]) <= max(sizes[:4]) + 20


def test_a_restarted_league_outbox_sends_again_what_it_could_not_record_as_sent(pub: Pub) -> None:
    """Until that restart nothing is sent twice, and the cursor is written once the disk takes it."""
    (pub.folder / FILE_NAME).mkdir()  # nothing can be written there
    pub.play()
    outbox = outbox_of(pub)
    assert len(sent(outbox)) == 1
    assert outbox.waiting() == []
    assert len(outbox_of(pub).waiting()) == 1
    (pub.folder / FILE_NAME).rmdir()
    assert outbox.waiting() == []
    assert outbox_of(pub).waiting() == [], "written as soon as the disk takes it"


def test_restoring_an_older_journal_does_not_reopen_finished_games_in_the_league(pub: Pub, tmp_path: Path) -> None:
    pub.play()
    pub.begin("Cat", "Dan")
    pub.table.submit(PlayLine(number=pub.table.snapshot().number, line={"throw": [1, 2, 3, 4, 6, 6]}))
    pub.stop()
    shutil.copytree(pub.folder, tmp_path / "backup")
    pub = Pub(pub.folder, seed=4)
    pub.finish()
    assert [message.state for message in sent(outbox_of(pub))] == ["final", "final"]
    pub.stop()
    older = Pub(tmp_path / "backup", seed=5)
    shutil.copy(pub.folder / FILE_NAME, older.folder)
    assert sent(outbox_of(older)) == [], "the game that is open again in the old journal was finished once"
    older.play("Eve", "Fay")
    assert [message.state for message in sent(outbox_of(older))] == ["final"]
    older.stop()


def test_a_league_alias_replaces_the_players_real_name_in_the_message_to_the_league(pub: Pub) -> None:
    pub.play("Ann", "Ben")
    (message,) = sent(outbox_of(pub, aliases_of(("Ann=The Ace", "Ben = Bull"))))
    assert '"Ann"' not in message.transcript
    assert '"The Ace"' in message.transcript
    assert '"Ben"' not in message.transcript
    assert '"Bull"' in message.transcript


def test_a_league_alias_without_an_equals_sign_is_a_device_error() -> None:
    with pytest.raises(DeviceError, match="Ann of the Lion"):
        aliases_of(("Ann",))


def test_a_league_alias_that_two_names_share_is_refused() -> None:
    with pytest.raises(DeviceError, match=r"\[league\] aliases publishes 'Ann' and 'Ben' as 'Lion'"):
        aliases_of(("Ann=Lion", "Cat=Swan", "Ben = Lion"))


@pytest.mark.parametrize("seed", range(3))
def test_league_messages_at_random_times_report_each_finished_game_correctly(tmp_path: Path, seed: int) -> None:
    pub, chance = Pub(tmp_path / "data", seed), random.Random(seed)
    outbox, heard = outbox_of(pub), dict[str, Message]()
    pub.play()
    for _ in range(40):
        if chance.random() < 0.3:
            pub.finish()
        stir(pub.table, chance)
        if chance.random() < 0.2:
            outbox = outbox_of(pub)  # a restart
        if chance.random() < 0.4:
            for message in sent(outbox):
                assert message.game not in heard or message.revision > heard[message.game].revision
                heard[message.game] = message
    heard |= {message.game: message for message in sent(outbox)}
    counted = {name: message.transcript for name, message in heard.items() if message.state == "final"}
    assert counted == {name: game.text().decode() for name, game in pub.finished().items()}
    pub.stop()

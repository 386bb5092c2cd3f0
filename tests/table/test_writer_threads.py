"""Concurrent commands and faults: one command per number succeeds, and a fault leaves the table playable."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import msgspec
import pytest

from companion.errors import CompanionError, DeviceError, StaleAction
from companion.table.commands import EndSitting, NoteMotion, Observe, PlayLine
from companion.table.journal import read_entries
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import HEADER, Evening, Tray, frozen, full_disk, started, table_in


@pytest.fixture
def table(table: Table) -> Table:
    started(table, HEADER)
    return table


def test_of_concurrent_commands_with_one_snapshot_number_exactly_one_is_accepted(table: Table, tmp_path: Path) -> None:
    rounds, phones = 30, 8
    gate = threading.Barrier(phones)
    won: list[list[int]] = [[] for _ in range(phones)]
    wrong: list[Exception] = []

    def phone(me: int) -> None:
        for turn in range(rounds):
            number = table.snapshot().number
            gate.wait()
            line = {"throw": [5, 5, 2, 2, 1, 4, 6]} if turn % 2 == 0 else {"undo": 1}
            try:
                won[me].append(table.submit(PlayLine(number=number, line=line)).number)
            except StaleAction:
                pass
            except Exception as error:  # noqa: BLE001  told by the assertion below
                wrong.append(error)
            gate.wait()

    threads = [threading.Thread(target=phone, args=(me,)) for me in range(phones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert sorted(number for mine in won for number in mine) == list(range(2, rounds + 2))
    assert len(read_entries(tmp_path)) == rounds + 1


def test_table_subscribers_get_every_snapshot_number_in_ascending_order(table: Table) -> None:
    seen: list[tuple[int, int]] = []
    unsubscribe = table.subscribe(lambda snapshot, _: seen.append((snapshot.number, snapshot.pulse)))
    tray = Tray()
    table.submit(NoteMotion())
    table.submit(Observe(tray.throw(5, 5, 2, 2, 1, 4, 6)))
    tray.keep_one(5)
    tray.keep_one(5)
    tray.throw_in(5, 1, 2, 3, 4)
    table.submit(Observe(tray.observation()))  # the point and the throw in one observation: two numbers
    unsubscribe()
    table.submit(NoteMotion())
    assert seen == sorted(set(seen))
    assert {number for number, _ in seen} == {1, 2, 3, 4}
    assert [pulse for _, pulse in seen] == list(range(seen[0][1], seen[0][1] + len(seen)))


def test_a_throw_seen_after_motion_reaches_subscribers_in_exactly_one_snapshot(table: Table) -> None:
    seen: list[int] = []
    table.submit(NoteMotion())
    table.subscribe(lambda snapshot, _: seen.append(snapshot.number))
    table.submit(Observe(Tray().throw(5, 5, 2, 2, 1, 4, 6)))
    assert seen == [2], "a page draws once: what is known a little sooner only holds up the throw"


def test_each_table_subscriber_gets_each_game_event_exactly_once(table: Table) -> None:
    def subscribed() -> list[tuple[list[str], bool]]:
        heard: list[tuple[list[str], bool]] = []
        table.subscribe(lambda _, new: heard.append(([event.code for event in new.events], new.taken_back)))
        return heard

    one, other = subscribed(), subscribed()
    table.submit(PlayLine(number=1, line={"throw": [5, 5, 2, 2, 1, 4, 6]}))
    late = subscribed()
    table.submit(NoteMotion())
    table.submit(PlayLine(number=2, line={"undo": 1}))
    threw, undone = (["threw"], False), (["undone"], True)
    heard = [[news for news in each if news[0]] for each in (one, other, late)]
    assert heard == [[threw, undone], [threw, undone], [undone]]


def test_a_crash_while_applying_a_throw_leaves_the_game_unchanged_and_playable(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = table.snapshot()
    monkeypatch.setattr("companion.table.evolve.events_of", lambda *_, **__: 1 // 0)
    throw = {"throw": [5, 5, 2, 2, 1, 4, 6]}
    with pytest.raises(CompanionError, match="fault in the program"):
        table.submit(PlayLine(number=1, line=throw))
    assert msgspec.structs.replace(table.snapshot(), pulse=0) == msgspec.structs.replace(before, pulse=0)
    monkeypatch.undo()
    assert table.submit(PlayLine(number=1, line=throw)).number == 2


def test_a_played_move_stays_in_the_journal_if_computing_its_snapshot_fails(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.table.projection.race_of", lambda _: 1 // 0)
    with pytest.raises(CompanionError, match="fault in the program"):
        table.submit(PlayLine(number=1, line={"throw": [5, 5, 2, 2, 1, 4, 6]}))
    monkeypatch.undo()
    assert table.submit(NoteMotion()).number == 2
    assert read_entries(tmp_path)[-1].body["line"] == {"throw": [5, 5, 2, 2, 1, 4, 6]}


def test_a_failing_subscriber_stops_neither_the_table_nor_the_others(table: Table) -> None:
    seen: list[int] = []

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    table.subscribe(fail)
    table.subscribe(lambda snapshot, _: seen.append(snapshot.number))
    assert table.submit(PlayLine(number=1, line={"throw": [5, 5, 2, 2, 1, 4, 6]})).number == 2
    assert seen == [2]


def test_commands_sent_while_the_table_stops_are_answered_with_an_error(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    table.start()
    answers: list[str] = []

    def phone() -> None:
        while True:
            try:
                table.submit(NoteMotion())
            except DeviceError as stopped:
                answers.append(stopped.cure)
                return

    phones = [threading.Thread(target=phone) for _ in range(4)]
    for one in phones:
        one.start()
    table.stop()
    for one in phones:
        one.join(timeout=120.0)
    assert answers == ["Start it again."] * 4


def test_a_table_on_a_full_disk_refuses_throws_until_there_is_space(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tray = Tray()
    observation = tray.throw(5, 5, 2, 2, 1, 4, 6)
    number = table.snapshot().number
    full_disk(monkeypatch)
    with pytest.raises(DeviceError, match="disk is full"):
        table.submit(EndSitting(number=number))
    with pytest.raises(DeviceError, match="disk is full"):
        table.submit(Observe(observation))
    assert table.snapshot().number == number
    assert known(table.snapshot().notice).code == "ill"
    assert list((tmp_path / "photos").iterdir()) == [], "no photo without its throw"
    full_disk(monkeypatch, full=False)
    tray.knock()
    after = table.submit(Observe(tray.observation()))  # the same dice, seen again: the throw was not lost
    assert after.number == number + 1
    assert after.throws[-1].values == (1, 2, 2, 4, 5, 5, 6)


def test_lifting_dice_banks_nothing_if_a_full_disk_prevented_storing_their_throw(
    evening: Evening, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = frozen(evening).number
    full_disk(monkeypatch)
    with pytest.raises(DeviceError, match="disk is full"):
        evening.throw(1, 2, 3, 4, 6)  # a wipe-out
    full_disk(monkeypatch, full=False)
    evening.tray.lift()
    evening.see()
    assert evening.wait(3.0).number == number


def test_a_throw_on_a_disk_turned_read_only_raises_device_error_and_shows_a_notice(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    observation = Tray().throw(5, 5, 2, 2, 1, 4, 6)
    monkeypatch.setattr(os, "pwrite", read_only)
    monkeypatch.setattr(Path, "unlink", lambda path, **_: read_only() if path.exists() else None)
    with pytest.raises(DeviceError, match="Read-only"):
        table.submit(Observe(observation))
    assert known(table.snapshot().notice).code == "ill"

"""The archive: a start replays only the game on the table and equals a replay of the whole journal."""

from __future__ import annotations

import errno
import gzip
import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

from companion.errors import CompanionError
from companion.games.engine.game import Throw
from companion.games.engine.notation import line_of
from companion.history.export import PastGames
from companion.table import evolve as record
from companion.table.commands import Abandon, CorrectThrow, EndSitting, NextGame, PlayLine, StartGame
from companion.table.evening.archive import FILE_NAME, Archive
from companion.table.evening.game_record import archived, reopened
from companion.table.journal import Entry, read_entries
from companion.table.journal.chain import Head
from companion.table.snapshot import Snapshot
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import HEADER, played, started, table_in, transcripts

QUICK: dict[str, Any] = {**HEADER, "game": "crapola", "rules": {"target": 500}}


def play_out(table: Table, chance: random.Random) -> None:
    """Play the game on the table at random to its end."""
    if table.snapshot().abandoned:
        played(table, [{"undo": 1}])
    while not (state := known(table.state().record.game).transcript.state).standing.over:
        options, sizes = state.options(), state.throw_sizes
        if sizes and (not options or chance.random() < 0.6):
            line = line_of(Throw(tuple(chance.randint(1, 6) for _ in range(sizes[0]))))
        else:
            line = line_of(chance.choice(options))
        played(table, [line])


def stir(table: Table, chance: random.Random) -> None:
    """Change the past at random: undo across games, correct an old throw, abandon a game or end the sitting."""
    number = table.snapshot().number
    throws = [throw for game in table.state().record.games for throw in game.throws]
    command: Any = chance.choice(
        [
            PlayLine(number=number, line={"undo": 1}),
            PlayLine(number=number, line={"undo": 1}),
            Abandon(number=number),
            EndSitting(number=number),
            NextGame(number=number),
            StartGame(header=QUICK),
            *(CorrectThrow(number=number, throw=one.number, values=one.values[::-1]) for one in throws[-200::40]),
            *(CorrectThrow(number=number, throw=one.number, values=(1,) * len(one.values)) for one in throws[::60]),
        ]
    )
    try:
        table.submit(command)
    except CompanionError:
        return


def without_file(folder: Path) -> tuple[Snapshot, list[dict[str, Any]], dict[str, Any]]:
    """Return what the table and the evening's pages show after a replay of the whole journal."""
    kept = (folder / FILE_NAME).read_bytes()
    (folder / FILE_NAME).unlink()
    found = shown(folder)
    (folder / FILE_NAME).write_bytes(kept)
    return found


def shown(folder: Path) -> tuple[Snapshot, list[dict[str, Any]], dict[str, Any]]:
    table = table_in(folder)
    table.start()
    snapshot = table.snapshot()
    table.stop()
    past = PastGames(folder)
    return snapshot, past.games(), past.players()


@pytest.mark.parametrize("seed", range(4))
def test_a_table_started_from_the_finished_games_archive_equals_full_journal_replay(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    table = table_in(tmp_path)
    table.start()
    started(table, QUICK)
    past = PastGames(tmp_path)
    for _ in range(6):
        play_out(table, chance)
        table.submit(NextGame(number=table.snapshot().number))
        for _ in range(chance.randint(0, 4)):
            stir(table, chance)
        assert past.games() == PastGames(tmp_path).games()
        if chance.random() < 0.5:
            table.stop()
            table = table_in(tmp_path)
            table.start()
    table.stop()
    assert shown(tmp_path) == without_file(tmp_path)
    assert {game["id"] for game in PastGames(tmp_path).games()} == {
        number for number, text in transcripts(read_entries(tmp_path)) if b'"throw"' in text
    }


@pytest.fixture(scope="module")
def played_evening(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evening")
    table = table_in(folder)
    table.start()
    started(table, QUICK)
    for seed in range(3):
        play_out(table, random.Random(seed))
        table.submit(NextGame(number=table.snapshot().number))
    table.stop()
    return folder


@pytest.fixture
def evening(played_evening: Path, tmp_path: Path) -> Path:
    """Return a copy of a data folder with three games."""
    return shutil.copytree(played_evening, tmp_path / "evening")


def test_starting_the_table_replays_only_the_journal_entries_of_the_unfinished_game(
    evening: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archive holds the finished games before it."""
    entries = list[int]()
    after = record.evolve

    def noted(before: record.Record, entry: Entry) -> record.Record:
        entries.append(entry.number)
        return after(before, entry)

    monkeypatch.setattr(record, "evolve", noted)
    table = table_in(evening)
    table.start()
    assert entries == [table.snapshot().number]
    assert table.snapshot().sitting.games == 3
    table.stop()


@pytest.mark.parametrize("harm", ["cut", "bit", "empty", "missing", "not UTF-8"])
def test_a_damaged_or_missing_game_archive_is_rebuilt_from_the_journal(evening: Path, harm: str) -> None:
    before = shown(evening)
    file = evening / FILE_NAME
    content = bytearray(file.read_bytes())
    if harm == "missing":
        file.unlink()
    elif harm == "not UTF-8":
        file.write_bytes(gzip.compress(gzip.decompress(bytes(content)).replace(b"Ann", b"\xffnn")))
    else:
        content[len(content) // 3] ^= 4
        file.write_bytes(content[: len(content) // 2] if harm == "cut" else b"" if harm == "empty" else content)
    assert shown(evening) == before
    assert len(Archive(evening).load()[1]) == 3


def test_a_game_archive_file_copied_from_another_journal_is_ignored(evening: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    table = table_in(other)
    table.start()
    started(table, HEADER)
    table.stop()
    before = shown(other)
    (other / FILE_NAME).write_bytes((evening / FILE_NAME).read_bytes())
    assert shown(other) == before


def test_an_archived_game_reopened_and_archived_again_is_unchanged(evening: Path) -> None:
    _, games = Archive(evening).load()
    assert len(games) == 3
    for game in games:
        assert archived(reopened(game)) == game


def test_a_failed_write_of_the_archive_of_finished_games_leaves_no_file_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "replace", refuse)
    Archive(tmp_path).write(Head())
    assert list(tmp_path.iterdir()) == []

"""Play acted out for tests: a table on a folder, a clock set by hand, and a tray of dice to observe."""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.errors import Doubt
from companion.games.engine.game import Action, Throw, Undo
from companion.games.engine.notation import header_of
from companion.games.engine.transcript import Transcript
from companion.history.export import followed
from companion.table.commands import Observe, PlayLine, StartGame, Tick
from companion.table.evening.game_record import Game, archived
from companion.table.evolve import Record
from companion.table.journal import Entry, Journal
from companion.table.photos import Photos
from companion.table.snapshot import Snapshot
from companion.table.tray.interpret import Interpretation, Situation, interpret, reinterpret, tick
from companion.table.tray.memory import Memory
from companion.table.tray.motion import stayed
from companion.table.tray.observation import Die, Observation
from companion.table.writer import Table

HEADER: dict[str, Any] = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}
FIRST = (5, 5, 2, 2, 1, 4, 6)
"""A first throw of Crib Dice with two fives and two twos."""


class Clock:
    """A clock that stands still; a test sets `now_s`, in seconds."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Tray:
    """A tray of dice: throw, keep and lift them, and observe the tray as a camera would.

    Args:
        seed: Seed of the places where dice land.
        clock: Clock of the observations.
        keep_zone: Whether observations come from a tray with a keep zone.
    """

    def __init__(self, seed: int = 1, clock: Clock | None = None, keep_zone: bool = True) -> None:
        self.random = random.Random(seed)
        self.clock = clock or Clock()
        self.thrown: list[Die] = []
        self.kept: list[Die] = []
        self.lay: list[Die] = []
        self.seen: list[Die] = []
        self.emptied = True
        self.keep_zone = keep_zone
        self.photos = 0

    def lift(self, *zones: str) -> None:
        """Lift every die out of the tray, or out of these zones (`thrown`, `kept`)."""
        if not zones or "thrown" in zones:
            self.lay = self.thrown or self.lay
            self.thrown, self.emptied = [], True
        if not zones or "kept" in zones:
            self.kept = []

    def throw(self, *values: int) -> Observation:
        """Replace the dice of the throw zone by a throw and observe the tray."""
        self.throw_in(*values)
        return self.observation()

    def throw_in(self, *values: int) -> None:
        """Replace the dice of the throw zone by a throw, without an observation."""
        self.lift("thrown")
        self.thrown = [self.die(value) for value in values]

    def knock(self) -> None:
        """Slide every die by up to 8 mm, as a knock does."""
        self.thrown = [self.slid(die) for die in self.thrown]
        self.kept = [self.slid(die) for die in self.kept]

    def slid(self, die: Die) -> Die:
        x_mm, y_mm = die.x_mm + self.random.uniform(-8, 8), die.y_mm + self.random.uniform(-8, 8)
        return msgspec.structs.replace(die, x_mm=x_mm, y_mm=y_mm)

    def keep(self, *values: int) -> Observation:
        """Move one die of each value from the throw zone to the keep zone and observe the tray."""
        for value in values:
            self.keep_one(value)
        return self.observation()

    def keep_one(self, value: int) -> None:
        """Move one die of a value to the keep zone, without an observation."""
        die = next(die for die in self.thrown if die.value == value)
        self.thrown.remove(die)
        self.kept.append(self.die(value))

    def put_back(self) -> None:
        """Move all dice of the keep zone back to the throw zone."""
        self.thrown, self.kept = self.thrown + self.kept, []

    def die(self, value: int) -> Die:
        """Return a die at a random place, away from where a die of its value was before: nobody could tell those."""
        while True:
            x_mm, y_mm = self.random.uniform(0, 300), self.random.uniform(0, 220)
            box = (int(x_mm) * 4, int(y_mm) * 4, 64, 64)
            die = Die(value=value, x_mm=x_mm, y_mm=y_mm, confidence=0.99, box_xywh=box)
            if not stayed(self.lay, [die]) and not stayed(self.seen, [die]):
                return die

    def observation(self, doubt: Doubt | None = None) -> Observation:
        emptied, self.emptied = self.emptied, not self.thrown
        self.seen = list(self.thrown)
        self.photos += 1
        return Observation(
            thrown=tuple(self.thrown),
            kept=tuple(self.kept),
            doubt=doubt,
            photo_jpeg=b"\xff\xd8 a picture, %d" % self.photos,
            at_s=self.clock(),
            emptied=emptied,
            keep_zone=self.keep_zone,
        )


def full_disk(monkeypatch: pytest.MonkeyPatch, full: bool = True) -> None:
    """Make writes to the journal fail half-way, as on a full disk; `full=False` ends that."""
    write, written = os.pwrite, list[int]()

    def refuse(file: int, content: bytes, offset: int) -> int:
        if written and offset == written[-1]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written.append(offset + write(file, content[: len(content) // 2], offset))
        return written[-1] - offset

    monkeypatch.setattr(os, "pwrite", refuse) if full else monkeypatch.undo()


def table_in(folder: Path, clock: Clock | None = None) -> Table:
    """Return a table on a folder, not started."""
    return Table(Journal(folder), Photos(folder), clock=clock or Clock(), wall=lambda: 1_700_000_000.0)


def transcripts(entries: Iterable[Entry]) -> list[tuple[int, bytes]]:
    """Return each game of a journal: the number of its first entry, and its transcript as JSON Lines."""
    record, games = Record(), dict[int, Game]()
    for entry in entries:
        record = followed(record, entry, games)
    return [(number, archived(game).text()) for number, game in sorted(games.items())]


def started(table: Table, header: dict[str, Any]) -> Snapshot:
    """Start a game over an empty tray."""
    table.submit(StartGame(header=header))
    return table.submit(Observe(Tray().observation()))


def played(table: Table, lines: Sequence[dict[str, Any]]) -> None:
    """Play lines by hand, each on the newest number."""
    for line in lines:
        table.submit(PlayLine(number=table.snapshot().number, line=line))


class Asked(Exception):
    """The interpreter asks a person, which ends the test's play."""


class Mime:
    """Acts a game out in a tray and collects the lines that the interpreter makes of it.

    A sloppy player knocks the table, moves dice one by one, and may be too quick for an observation in between.
    """

    def __init__(self, header: dict[str, Any], seed: int, sloppy: bool) -> None:
        self.random = random.Random(seed)
        self.clock = Clock()
        self.tray = Tray(seed, self.clock)
        self.sloppy = sloppy
        self.state = Transcript.begin(header_of(header)).state
        self.seen = self.state
        self.memory = Memory(awake=True)
        self.meant: list[Action | Undo] = []
        self.understood: list[Action | Undo] = []

    def see(self) -> None:
        """Observe and interpret the tray."""
        self.observation = self.tray.observation()
        self._take(interpret(Situation(self.seen, self.memory, self.observation)))

    def perhaps_see(self) -> None:
        """Observe and interpret the tray; a sloppy player may be too quick for that, or knock it."""
        if not self.sloppy or self.random.random() < 0.6:
            self.see()
        if self.sloppy and self.random.random() < 0.3:
            self.tray.knock()
            self.see()

    def _take(self, outcome: Interpretation) -> None:
        self.memory = outcome.memory
        for line in outcome.lines:
            assert not isinstance(line, Undo), "nobody changes a decision here"
            self.understood.append(line)
            self.seen = self.seen.after(line)
        if outcome.ask:
            raise Asked(outcome.ask.code)
        if outcome.notice and outcome.notice.code == "decide_first":
            raise Asked("decide_first")

    def say(self, action: Action) -> None:
        """Play a decision by phone or button, which dice can't express."""
        self.meant.append(action)
        self.state = self.state.after(action)
        self.see()
        self.understood.append(action)
        self.seen = self.seen.after(action)
        self.memory = self.memory.decided()
        self._take(reinterpret(Situation(self.seen, self.memory, self.observation)))

    def throw(self, *values: int, fresh: bool) -> None:
        """Throw these values; `fresh` lifts all dice first, otherwise only those of the throw zone."""
        if fresh:
            self.tray.lift()
        self.tray.lift("thrown")
        self.tray.throw_in(*values)
        self.meant.append(Throw(values))
        self.state = self.state.after(Throw(values))
        self.see()

    def move_aside(self, values: Sequence[int]) -> None:
        """Move dice of these values to the keep zone; a sloppy player is observed in between."""
        for value in values:
            self.tray.keep_one(value)
            if self.sloppy and self.random.random() < 0.3:
                self.see()
        self.perhaps_see()

    def lift_out(self) -> None:
        """Lift all dice out and let 3 s pass."""
        if self.sloppy and self.tray.thrown and self.random.random() < 0.5:
            self.tray.thrown = self.tray.thrown[1:]
            self.see()
        self.tray.lift()
        self.see()
        self.clock.now_s += 3.0
        self._take(tick(Situation(self.seen, self.memory, self.memory.seen(self.clock.now_s))))


class Evening:
    """A started table in a folder, with a tray and a clock that tests control."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = Clock()
        self.tray = Tray(clock=self.clock)
        self.table = table_in(folder, self.clock)
        self.table.start()
        started(self.table, HEADER)

    def see(self, doubt: Doubt | None = None) -> Snapshot:
        return self.table.submit(Observe(self.tray.observation(doubt)))

    def throw(self, *values: int, doubt: Doubt | None = None) -> Snapshot:
        self.tray.throw_in(*values)
        return self.see(doubt)

    def keep(self, *values: int) -> Snapshot:
        return self.table.submit(Observe(self.tray.keep(*values)))

    def wait(self, seconds: float) -> Snapshot:
        self.clock.now_s += seconds
        return self.table.submit(Tick())

    def restart(self) -> Snapshot:
        self.table.stop()
        self.table = table_in(self.folder, self.clock)
        self.table.start()
        return self.table.snapshot()


def frozen(evening: Evening, *values: int) -> Snapshot:
    """Throw `FIRST`, then keep both fives, which freezes them."""
    evening.throw(*FIRST)
    return evening.keep(5, 5)

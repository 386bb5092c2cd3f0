"""Acting out play for the tests: a table on a folder, a clock that stands still, and sights of dice that lie there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companion.session.journal import Journal
from companion.session.photos import Photos
from companion.session.sight import SeenDie, Sight
from companion.session.table import Table

HEADER: dict[str, Any] = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Tray:
    """Dice in a tray: thrown to new places, moved to the keep zone, lifted out. `sight` is what a camera would tell."""

    def __init__(self, seed: int = 1, clock: Clock | None = None) -> None:
        self.random = random.Random(seed)
        self.clock = clock or Clock()
        self.thrown: list[SeenDie] = []
        self.kept: list[SeenDie] = []
        self.emptied = True

    def lift(self, *zones: str) -> None:
        """Every die out of the tray, or out of one zone (`thrown`, `kept`)."""
        if not zones or "thrown" in zones:
            self.thrown, self.emptied = [], True
        if not zones or "kept" in zones:
            self.kept = []

    def throw(self, *values: int) -> Sight:
        """Lift the dice of the throw zone and throw these."""
        self.lift("thrown")
        self.thrown = [self.die(value) for value in values]
        return self.sight()

    def keep(self, *values: int) -> Sight:
        """Move one die of each of those values from the throw zone to the keep zone."""
        for value in values:
            die = next(die for die in self.thrown if die.value == value)
            self.thrown.remove(die)
            self.kept.append(self.die(value))
        return self.sight()

    def die(self, value: int) -> SeenDie:
        x_mm, y_mm = self.random.uniform(0, 300), self.random.uniform(0, 220)
        return SeenDie(
            value=value, x_mm=x_mm, y_mm=y_mm, confidence=0.99, box_xywh=(int(x_mm) * 4, int(y_mm) * 4, 64, 64)
        )

    def sight(self, doubt: str | None = None) -> Sight:
        emptied, self.emptied = self.emptied, not self.thrown
        return Sight(
            thrown=tuple(self.thrown),
            kept=tuple(self.kept),
            doubt=doubt,
            photo_jpeg=b"\xff\xd8 a picture",
            at_s=self.clock(),
            emptied=emptied,
        )


def table_in(folder: Path, clock: Clock | None = None) -> Table:
    """A table on that folder, not started."""
    return Table(Journal(folder), Photos(folder), clock=clock or Clock(), wall=lambda: 1_700_000_000.0)


def played(table: Table, lines: Sequence[dict[str, Any]]) -> None:
    """Play lines by hand, each on the newest number."""
    from companion.session.commands import PlayLine

    for line in lines:
        table.submit(PlayLine(number=table.snapshot().number, line=line))

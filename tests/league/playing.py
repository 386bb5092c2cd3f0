"""Tables that play whole games at random for the league's tests, each with a wall clock of its own."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from companion.errors import CompanionError
from companion.games.engine.game import Throw
from companion.games.engine.notation import line_of
from companion.history.export import PastGames
from companion.league.message import Message
from companion.league.outbox import Outbox, link_of
from companion.table.commands import CorrectThrow, PlayLine, StartGame
from companion.table.evening.archive import ArchivedGame
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import Clock, played
from tests.table.test_archive import QUICK

TABLE = "ab" * 32
SERVER = "https://league.example"
GENEROUS = (1, 1, 1, 5, 5, 2, 3, 4, 6)
"""Values of dice that score often, so that a game has some thirty lines."""


class Pub:
    """A table on a folder that plays at random.

    Args:
        folder: Its data folder.
        seed: Seed of its dice.
        year_s: Where its wall clock begins, in seconds since 1970; each look at it is a second later.
    """

    def __init__(self, folder: Path, seed: int, year_s: float = 1_790_000_000.0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.chance, self.wall_s = folder, random.Random(seed), year_s + seed / 7
        self.table = Table(Journal(folder), Photos(folder), clock=Clock(), wall=self._wall)
        self.table.start()

    def _wall(self) -> float:
        self.wall_s += 1 + self.chance.random()
        return self.wall_s

    def play(self, *players: str, header: dict[str, Any] | None = None) -> None:
        """Play one game to its end."""
        self.begin(*players, header=header)
        self.finish()

    def begin(self, *players: str, header: dict[str, Any] | None = None) -> None:
        """Start a game."""
        self.table.submit(StartGame(header={**(header or QUICK), "players": list(players or ("Ann", "Ben"))}))

    def undo(self, lines: int = 1) -> None:
        """Take lines of the newest game back."""
        self.table.submit(PlayLine(number=self.table.snapshot().number, line={"undo": lines}))

    def correct(self) -> bool:
        """Correct a throw of this sitting at random; return whether the rules allowed it."""
        throws = [throw for game in self.table.state().record.games for throw in game.throws]
        one = self.chance.choice(throws[-40:])
        values = tuple(self.chance.randint(1, 6) for _ in one.values)
        number = self.table.snapshot().number
        try:
            self.table.submit(CorrectThrow(number=number, throw=one.number, values=values))
        except CompanionError:
            return False
        return self.table.snapshot().number > number

    def finish(self) -> None:
        """Play the newest game on to its end, with generous dice."""
        if self.table.snapshot().abandoned:
            self.undo()
        while not (state := known(self.table.state().record.game).transcript.state).standing.over:
            options, sizes = state.options(), state.throw_sizes
            if sizes and (not options or self.chance.random() < 0.3):
                line = line_of(Throw(tuple(self.chance.choices(GENEROUS, k=sizes[0]))))
            else:
                line = line_of(self.chance.choice(options))
            played(self.table, [line])

    def stop(self) -> None:
        self.table.stop()

    def finished(self) -> dict[str, ArchivedGame]:
        """Return the finished games of its journal by their names in the league."""
        games, _, _ = PastGames(self.folder).archived_after(0)
        return {name: game for game in games if game.outcome and (name := link_of(self.folder, game.number))}


def outbox_of(pub: Pub, aliases: dict[str, str] | None = None, server: str = SERVER) -> Outbox:
    return Outbox(pub.folder, PastGames(pub.folder), TABLE, aliases or {}, server)


def sent(outbox: Outbox) -> list[Message]:
    """Return what waits, and acknowledge it."""
    waiting = outbox.waiting()
    for each in waiting:
        outbox.acknowledge(each, each.message.revision)
    return [each.message for each in waiting]

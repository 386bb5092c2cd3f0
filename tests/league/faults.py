"""Faults against the real league: databases and servers die, the network fails, tables are copied and put back.

`python -m tests.league.faults --runs 200` prints one line a run: `make league-faults`.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import itertools
import os
import random
import shutil
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from unittest import mock
from uuid import UUID

import msgspec

from companion.errors import CompanionError
from companion.games.engine.replay import transcript_of
from companion.history.export import PastGames
from companion.league import admin, outbox
from companion.league.database import as_owner
from companion.league.key import FILE_NAME as KEY
from companion.league.key import key_of, name_of
from companion.league.message import Message
from companion.league.outbox import FILE_NAME as CURSOR
from companion.league.sender import Sender
from companion.table.snapshot import News
from tests.league.playing import Pub
from tests.league.proxy import Network
from tests.league.services import LOOPBACK, Postgres, cluster, free_port
from tests.waiting import until

PROGRAM = [sys.executable, "-c", "from companion.cli import main; main()", "league", "serve"]
Standings = dict[tuple[str, str, str], tuple[int, Decimal, int]]
"""Games, games won and games lost, by game, key of the table and name of the player."""


class LeagueServer:
    """`pegpip league serve` as a process of its own."""

    def __init__(self, database: str) -> None:
        self.database, self.port = database, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if self._process is None or self._process.poll() is not None:
            command = [*PROGRAM, "--database", self.database, "--host", LOOPBACK, "--port", str(self.port)]
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def answers(self) -> bool:
        """Return whether it serves."""
        with contextlib.suppress(OSError), urllib.request.urlopen(self.address() + "/healthz", timeout=2):
            return True
        return False

    def rss_mb(self) -> float:
        """Return its resident memory in MB."""
        assert self._process is not None, "it runs"
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu_s(self) -> float:
        """Return the processor time that it has used, in seconds."""
        assert self._process is not None, "it runs"
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"


class Member:
    """A table of the league with its sender; each look at its folder is one more journal that ever was."""

    def __init__(self, folder: Path, seed: int, network: Network) -> None:
        self.pub, self.seed, self._network = Pub(folder, seed), seed, network
        self.key, self.server = name_of(key_of(folder)), network.address
        self.open()

    def open(self) -> None:
        self.sender = Sender(self._network.address, self.pub.folder, PastGames(self.pub.folder), ())
        self._leave = self.pub.table.subscribe(self.sender.hear)
        self.sender.start()

    def restart(self, change: Callable[[Path], None] = lambda _: None) -> None:
        """Stop the table, change its folder, and start it again with other dice."""
        folder, wall_s = self.pub.folder, self.pub.wall_s
        self.close()
        change(folder)
        self.seed += 1000
        self.pub = Pub(folder, self.seed, wall_s)
        self.open()

    def close(self) -> None:
        self._leave()
        self.sender.stop()
        assert until(lambda: not self.sender.alive())
        self.pub.stop()

    def wake(self) -> None:
        self.sender.hear(self.pub.table.snapshot(), News((), True))

    def texts(self) -> dict[str, str]:
        return {name: game.text().decode() for name, game in self.pub.finished().items()}


Step = Callable[["Storm", Member], None]
"""Something that one table, or all around it, goes through."""


class Storm:
    """One run: a league of its own, two tables, and faults at random."""

    def __init__(self, folder: Path, postgres: Postgres, name: str, seed: int) -> None:
        self.chance, self._folder, self._postgres, self._seed = random.Random(seed), folder, postgres, seed
        self.url = postgres.league(name)
        self._network, self._server = Network(), LeagueServer(self.url)
        self._network.to_port = self._server.port
        self._server.start()
        self.members = [Member(folder / f"table{at}", 100 * seed + at, self._network) for at in range(2)]
        self._register()
        self._lost: list[dict[str, str]] = []  # games of journals that were put back to an older state
        self._backups = itertools.count()
        self.done: list[str] = []

    def run(self, steps: Sequence[Step]) -> None:
        """Play and fail as given, heal everything, and check that every finished game counts exactly once."""
        try:
            for member in self.members:
                member.pub.play()
            for step in steps:
                self.done.append(step.__name__)
                step(self, self.chance.choice(self.members))
            self._heal()
            self._check()
        finally:
            for member in self.members:
                member.close()
            self._server.kill()
            self._network.close()

    def play(self, member: Member) -> None:
        """Play a game to its end."""
        member.pub.play(*self.chance.sample(["Ann", "Ben", "Cat", "Dan"], self.chance.choice((2, 2, 3))))

    def change(self, member: Member) -> None:
        """Correct a throw, or play the last line once more. Undoing a game without a line would withdraw it."""
        game = member.pub.table.state().record.game
        if not member.pub.correct() and game is not None and game.lines:
            member.pub.undo()
        member.pub.finish()

    def database_dies(self, member: Member) -> None:
        """Kill PostgreSQL while a game may be on its way; it recovers from its log."""
        member.wake()
        self._moment()
        self._postgres.kill()
        self.play(member)
        self._postgres.start()

    def server_dies(self, member: Member) -> None:
        """Kill the server at any instant, and start it again."""
        self.play(member)
        self._moment()
        self._server.kill()
        self.change(member)
        self._server.start()

    def network_is_cut(self, member: Member) -> None:
        """Reach nobody for a game."""
        self._network.way = "cut"
        self.play(member)
        self._network.way = "open"

    def answers_are_lost(self, member: Member) -> None:
        """Lose the answer after the commit."""
        self._network.way = "deaf"
        self.play(member)
        self._moment(0.3)
        self._network.way = "open"

    def disk_is_full(self, member: Member) -> None:
        """Take no entry and no cursor at the table."""
        full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        with mock.patch.object(outbox, "write_file", side_effect=full):
            self.play(member)
            self._moment(0.2)
            with mock.patch.object(os, "pwrite", side_effect=full):
                try:
                    self.play(member)
                except CompanionError:
                    return
                raise AssertionError("a full disk took an entry")

    def clock_jumps(self, member: Member) -> None:
        """Set the table's clock years off."""
        member.pub.wall_s += self.chance.choice((-1, 1)) * self.chance.uniform(1, 20) * 31_557_600
        self.play(member)

    def outbox_is_put_back(self, member: Member) -> None:
        """Copy an old cursor back, or lose it."""
        old = member.pub.folder / CURSOR
        kept = old.read_bytes() if old.exists() else b""
        self.play(member)

        def put_back(folder: Path) -> None:
            (folder / CURSOR).unlink(missing_ok=True)
            if kept and self.chance.random() < 0.7:
                (folder / CURSOR).write_bytes(kept)

        member.restart(put_back)

    def table_is_put_back(self, member: Member) -> None:
        """Put the table's whole folder back to an older state, in the midst of a game; what was sent stays counted."""
        self._heal()
        member.pub.begin("Ann", "Ben")
        backup = self._folder / f"backup{next(self._backups)}"
        shutil.copytree(member.pub.folder, backup, ignore=shutil.ignore_patterns("*.part"))
        member.pub.finish()
        self.play(member)
        self._heal()
        self._lost.append(member.texts())

        def put_back(folder: Path) -> None:
            shutil.rmtree(folder)
            shutil.copytree(backup, folder)

        member.restart(put_back)
        if self.chance.random() < 0.5:
            member.pub.finish()

    def table_is_cloned(self, member: Member) -> None:
        """Play on at two tables with one key."""
        if len(self.members) > 3:
            return
        member.restart()
        folder = self._folder / f"clone{len(self.members)}"
        shutil.copytree(member.pub.folder, folder)
        twin = Member(folder, member.seed + 50_000, self._network)
        self.members.append(twin)
        self.play(twin)
        self.play(member)

    def new_key(self, member: Member) -> None:
        """Lose the key: the old games belong to the old one, and only new games are taken under the new one."""
        if sum(each.key == member.key for each in self.members) > 1:
            return
        self._heal()
        old = member.key
        member.restart(lambda folder: (folder / KEY).unlink())
        member.key = name_of(key_of(member.pub.folder))
        self._register()
        with as_owner(self.url) as connection:
            admin.move_table(connection, old, member.key)
        self.play(member)

    def _moment(self, most_s: float = 0.1) -> None:
        threading.Event().wait(self.chance.uniform(0, most_s))

    def _register(self) -> None:
        with as_owner(self.url) as connection:
            for number, member in enumerate(self.members):
                admin.add_table(connection, member.key, f"Table {number}", "The Lion")

    def _heal(self) -> None:
        """Mend everything and wait until every sender says that the server has every finished game."""
        self._network.way = "open"
        self._server.start()
        for member in self.members:

            def whole(member: Member = member) -> bool:
                member.wake()
                threading.Event().wait(0.05)
                return not outbox_left(member)

            assert until(whole), (self._seed, self.done, member.sender.health())

    def _check(self) -> None:
        """Compare the database with all journals that ever were."""
        counted = self._counted()
        allowed = dict[str, set[str]]()
        for texts in (*self._lost, *(member.texts() for member in self.members)):
            for name, text in texts.items():
                allowed.setdefault(name, set()).add(text)
        assert counted.keys() == allowed.keys(), (self._seed, self.done, counted.keys() ^ allowed.keys())
        assert all(text in allowed[name] for name, (_, text) in counted.items()), (self._seed, self.done)
        for member in self.members:
            if sum(each.key == member.key for each in self.members) == 1:
                assert all(counted[name][1] == text for name, text in member.texts().items()), (self._seed, self.done)
        assert self._standings() == standings_of(counted.values()), (self._seed, self.done)

    def _counted(self) -> dict[str, tuple[str, str]]:
        """Return the table's key and the transcript of each game that counts, by the game's name."""
        with as_owner(self.url) as connection:
            rows = connection.execute(
                "SELECT game, body, encode(key, 'hex') AS key FROM games g JOIN revisions r USING (season, game)"
                " JOIN tables t ON t.id = g.table_id WHERE g.state = 'final' AND r.revision = g.revision"
            ).fetchall()
        bodies = [(row["game"], row["key"], msgspec.json.decode(row["body"], type=Message)) for row in rows]
        return {UUID(str(game)).hex: (key, message.transcript) for game, key, message in bodies}

    def _standings(self) -> Standings:
        with as_owner(self.url) as connection:
            rows = connection.execute(
                "SELECT kind, encode(t.key, 'hex') AS key, p.name, sum(games)::int AS games, sum(won) AS won,"
                " sum(lost)::int AS lost FROM standings s JOIN players p ON p.id = s.player"
                " JOIN tables t ON t.id = p.table_id WHERE games > 0 GROUP BY 1, 2, 3"
            ).fetchall()
        return {(row["kind"], row["key"], row["name"]): (row["games"], row["won"], row["lost"]) for row in rows}


STEPS: tuple[Step, ...] = (
    Storm.play,
    Storm.change,
    Storm.database_dies,
    Storm.server_dies,
    Storm.network_is_cut,
    Storm.answers_are_lost,
    Storm.disk_is_full,
    Storm.clock_jumps,
    Storm.outbox_is_put_back,
    Storm.table_is_put_back,
    Storm.table_is_cloned,
    Storm.new_key,
)


def outbox_left(member: Member) -> bool:
    """Return whether a table's stored cursor does not yet cover its journal."""
    cursor = outbox.Outbox(member.pub.folder, PastGames(member.pub.folder), member.key, {}, member.server)
    return bool(cursor.waiting())


def standings_of(games: Iterable[tuple[str, str]]) -> Standings:
    """Compute the standings from transcripts alone, apart from the server's own code."""
    found: Standings = {}
    for key, text in games:
        standing = transcript_of(text.encode()).state.standing
        outcome, sides = standing.outcome, len(standing.sides)
        assert outcome is not None, "only finished games count"
        for seat, name in enumerate(standing.header.players):
            side = seat % sides
            share = round(Decimal(side in outcome.winners) / max(1, len(outcome.winners)), 6)
            games_so_far, won, lost = found.get((standing.header.game, key, name), (0, Decimal(0), 0))
            found[standing.header.game, key, name] = (games_so_far + 1, won + share, lost + outcome.games_lost[side])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with cluster() as (folder, postgres):
        for run in range(asked.runs):
            storm = Storm(folder / f"run{run}", postgres, f"run_{run}", asked.seed + run)
            storm.run(storm.chance.choices(STEPS, k=asked.steps))
            postgres.drop(f"run_{run}")
            shutil.rmtree(folder / f"run{run}")
            print(f"run {run + 1}: every finished game counted once; {', '.join(storm.done)}", flush=True)
    print(f"{asked.runs} runs: every finished game counted exactly once, standings as the journals say")


if __name__ == "__main__":
    main()

"""PostgreSQL of the machine's own packages, on a free port and in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from companion.league.database import migrate
from tests.waiting import until

BINARIES = sorted(
    (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    key=lambda path: int(path.parent.name),
    reverse=True,
)
"""Folders with PostgreSQL's programs, the newest version first."""
LOOPBACK = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def needed(program: str, found: object) -> None:
    """Skip the test when a program is missing; in CI (`CI=true`) that is a failure."""
    if found:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"{program} is missing; .ci/run installs it.")
    pytest.skip(f"needs the Debian package {program}")


def _unprivileged(command: Sequence[str]) -> list[str]:
    """Return a command that dies with this process and runs as `postgres` if we are root, which PostgreSQL refuses."""
    user = ["--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", "--pdeathsig=QUIT", *user, *command]


class Postgres:
    """PostgreSQL on a free port. Its data is in a folder that its user must be able to reach."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self._data, self._sockets = folder / "data", folder / "run"
        for each in (folder, self._sockets):
            each.mkdir()
            if os.geteuid() == 0:
                shutil.chown(each, "postgres")
        initdb = [str(BINARIES[0] / "initdb"), "-D", str(self._data), "-U", "owner", "-A", "trust", "-E", "UTF8"]
        subprocess.run(_unprivileged([*initdb, "--no-sync"]), check=True, capture_output=True, cwd="/")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def url(self, name: str = "postgres", user: str = "owner") -> str:
        return f"postgresql://{user}@{LOOPBACK}:{self.port}/{name}"

    def start(self) -> None:
        """Start it, and wait until it answers; after a crash it recovers first."""
        command = [str(BINARIES[0] / "postgres"), "-D", str(self._data), "-p", str(self.port), "-k", str(self._sockets),
                   "-h", LOOPBACK]  # fmt: skip
        log = (self.folder / "log").open("ab")
        with log:
            self._process = subprocess.Popen(_unprivileged(command), stdout=log, stderr=log)
        assert until(self._answers), (self.folder / "log").read_text()

    def kill(self) -> None:
        """Kill every process of it at once, as a power cut does."""
        assert self._process is not None, "it runs"
        for pid in (self._process.pid, *_working_in(self._data)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        assert until(lambda: not _working_in(self._data))  # their shared memory is gone too
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    def stop(self) -> None:
        """End it without a last checkpoint: its folder is thrown away."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait()

    def made(self, name: str, template: str = "template1") -> str:
        """Make a database from a template and return its URL."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self.url(name)

    def league(self, name: str) -> str:
        """Make a league's database with the whole schema and return its URL."""
        with psycopg.connect(self.url()) as connection:
            there = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'league_template'").fetchone()
        if there is None:
            migrate(self.made("league_template"))
        return self.made(name, "league_template")

    def drop(self, name: str) -> None:
        """Remove a database. After a crash PostgreSQL flushes every file of every database before it answers."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    def _answers(self) -> bool:
        with contextlib.suppress(psycopg.OperationalError), psycopg.connect(self.url(), connect_timeout=2):
            return True
        return False


def _working_in(folder: Path) -> list[int]:
    """Return the processes whose working folder this is."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cwd"):
        with contextlib.suppress(OSError):
            if each.readlink() == folder:
                found.append(int(each.parent.name))
    return found


@contextlib.contextmanager
def cluster() -> Iterator[tuple[Path, Postgres]]:
    """Run PostgreSQL in a temporary folder, and yield that folder with it.

    The folder is not pytest's: each session closes that one to all users but its own.
    """
    folder = Path(tempfile.mkdtemp(prefix="league-"))
    folder.chmod(0o755)
    try:
        postgres = Postgres(folder / "cluster")
        try:
            yield folder, postgres
        finally:
            postgres.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    needed("postgresql", BINARIES)
    needed("util-linux", shutil.which("setpriv"))
    with cluster() as (_, server):
        yield server

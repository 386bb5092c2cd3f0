"""A new release from a file on a stick: made beside the running one, and taken back when it does not prove itself."""

from __future__ import annotations

import subprocess
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companion.appliance import trial
from companion.appliance.machine import Machine
from companion.appliance.releases import Releases, Source
from companion.errors import DeviceError

PACKED_IN = "usr/share/pegpip/wheels"
"""Where the Debian package keeps its wheels."""


@dataclass(frozen=True, slots=True)
class Systemd:
    """The service under systemd, asked over its own pages; no slash ends `page`."""

    machine: Machine
    page: str

    def restart(self) -> None:
        """Start it anew. Stopped whole first, so that another release's tries don't count against this one."""
        self.machine.run("systemctl", "stop", "pegpip.service")
        self.machine.run("systemctl", "reset-failed", "pegpip.service")
        self.machine.run("systemctl", "start", "pegpip.service")

    def entry(self) -> int | None:
        """From `/healthz`, then `/api/state`."""
        return trial.entry_of(self.page)


@dataclass(frozen=True, slots=True)
class Updater:
    """Replaces the release that runs.

    Attributes:
        releases: The releases of this machine.
        service: What runs them.
        say: Tells what is being done, a line each.
        pause: Waits some seconds.
        clock: A monotonic clock, in seconds.
    """

    releases: Releases
    service: Systemd
    say: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def update(self, source: Source) -> str:
        """Make the release, let the service run it, and look whether it is well; its name.

        Raises:
            DeviceError: When it can't be made, or was not well: then the one before runs, with the same game.
        """
        entry = self.service.entry()
        self.say("making the new release (the table plays on) ...")
        name = self.releases.make(source)
        if name == self.releases.current() == self.releases.proven():
            self.say("this very release runs already")
        else:
            self._try(name, entry)
        self.releases.prune()
        return name

    def _try(self, name: str, entry: int | None) -> None:
        self.say("starting it ...")
        trial.begin(self.releases, name, entry)
        try:
            self.service.restart()
            trial.prove(self.releases, self.service.entry, self.pause, self.clock)
        except DeviceError as ill:
            self._back(entry, str(ill))
        except KeyboardInterrupt:
            self._back(entry, "It was broken off.")

    def _back(self, entry: int | None, ill: str) -> None:
        self.say("it isn't well: going back ...")
        trial.back(self.releases)
        try:
            self.service.restart()
            trial.await_well(self.service.entry, entry, self.pause, self.clock)
        except DeviceError as worse:
            raise DeviceError(
                f"The new release is not well ({ill}), and the one before does not start either ({worse}).",
                "`journalctl -u pegpip` says why; the games are untouched in the data folder.",
            ) from worse
        raise DeviceError(
            f"The new release was not well, so the one before runs again, with the same game. {ill}".rstrip(),
            "`journalctl -u pegpip` says why; take another file.",
        )


@contextmanager
def opened(file: Path) -> Iterator[Source]:
    """What a release can be made from, of a wheel or a Debian package.

    Raises DeviceError for anything else, and for a file that is damaged or was not copied whole.
    """
    damaged = DeviceError(f"{file} is damaged, or was not copied whole.", "Copy it to the stick anew.")
    if not file.is_file():
        raise DeviceError(f"{file} is not there.", "Name the .deb or the wheel, with its folder.")
    if file.suffix == ".whl":
        if not file.name.startswith("peg_and_pip-"):
            raise DeviceError(f"{file.name} is no release of Peg & Pip.", "Its wheels are named peg_and_pip-….whl.")
        try:
            with zipfile.ZipFile(file) as packed:
                if packed.testzip() is not None:
                    raise damaged
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, OSError):
            raise damaged from None
        yield Source(file)
        return
    if file.suffix != ".deb":
        raise DeviceError(f"{file.name} is neither a .deb nor a wheel.", "Take one of those.")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["dpkg-deb", "--extract", file, folder], capture_output=True, check=False)
        wheels = Path(folder) / PACKED_IN
        if done.returncode:
            raise damaged
        if not any(wheels.glob("peg_and_pip-*.whl")):
            raise DeviceError(f"{file.name} is no release of Peg & Pip.", "Its packages are named pegpip_….deb.")
        yield Source(wheels)

"""A new release from a file on a stick: tried beside the running one, and taken back by itself when it isn't well."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from companion.appliance.machine import Machine
from companion.appliance.releases import Releases, Source
from companion.errors import DeviceError

WELL_S = 120.0
"""A new release is well in this time or not at all: a Pi 3 takes twenty seconds to start a table."""
LOOKS_S = 1.0
PACKED_IN = "usr/share/pegpip/wheels"
"""Where the Debian package keeps its wheels."""


class Service(Protocol):
    """The table's service, as updating needs it."""

    def restart(self) -> None:
        """Start it anew, with the release that is current. Raises DeviceError."""

    def entry(self) -> int | None:
        """The number of the table's newest entry when all of it is well; else None."""


@dataclass(frozen=True, slots=True)
class Systemd:
    """The service under systemd, asked over its own pages.

    Attributes:
        machine: Where systemctl is.
        page: The pages' address, without a slash at its end.
    """

    machine: Machine
    page: str

    def restart(self) -> None:
        """Start it anew. Stopped whole first, so that another release's tries don't count against this one."""
        self.machine.run("systemctl", "stop", "pegpip.service")
        self.machine.run("systemctl", "reset-failed", "pegpip.service")
        self.machine.run("systemctl", "start", "pegpip.service")

    def entry(self) -> int | None:
        """From `/healthz`, then `/api/state`."""
        return entry_of(self.page)


def entry_of(page: str) -> int | None:
    """The newest entry of a table whose own parts are well: its journal, its table and its pages.

    A strip or a camera that is ill is no release's fault: it may have been ill before.
    """
    try:
        parts = _json(f"{page}/healthz")["parts"]
        well = all(parts.get(part, {}).get("ok") for part in ("table", "journal", "pages"))
        number = _json(f"{page}/api/state")["number"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return number if well and isinstance(number, int) else None


def _json(address: str) -> dict[str, dict[str, dict[str, object]]]:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:  # noqa: S310 - our own page
            content = answer.read()
    except urllib.error.HTTPError as ill:  # /healthz answers 503 with the same text
        content = ill.read()
    found = json.loads(content)
    if not isinstance(found, dict):
        raise TypeError
    return found


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
    service: Service
    say: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def update(self, source: Source) -> str:
        """Make the release, let the service run it, and look whether it is well; its name.

        Raises:
            DeviceError: When it can't be made, or was not well: then the one before runs, with the same game.
        """
        before, at = self.releases.current(), self.service.entry()
        self.say("making the new release (the table plays on) ...")
        name = self.releases.make(source)
        if name == before:
            self.say("this very release runs already")
            return name
        self.say("starting it ...")
        self.releases.switch(name)
        try:
            self._begun(at)
        except DeviceError as ill:
            self._back(before, at, ill)
        self.releases.prune()
        return name

    def _begun(self, at: int | None) -> None:
        self.service.restart()
        end = self.clock() + WELL_S
        while self.clock() < end:
            entry = self.service.entry()
            if entry is not None and (at is None or entry >= at):
                return
            self.pause(LOOKS_S)
        raise DeviceError(f"It was not well within {WELL_S:.0f} s.", "")

    def _back(self, before: str | None, at: int | None, ill: DeviceError) -> None:
        if before is None:
            raise DeviceError(f"The release does not run: {ill}", "There was none before it.") from ill
        self.say("it isn't well: going back ...")
        self.releases.switch(before)
        try:
            self._begun(at)
        except DeviceError as worse:
            raise DeviceError(
                f"The new release is not well ({ill}), and the one before does not start either ({worse}).",
                "`journalctl -u pegpip` says why; the games are untouched in the data folder.",
            ) from worse
        raise DeviceError(
            f"The new release was not well, so the one before runs again, with the same game. {ill}".rstrip(),
            "`journalctl -u pegpip` says why; take another file.",
        ) from ill


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

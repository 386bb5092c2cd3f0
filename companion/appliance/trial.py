"""A new release on trial: it proves itself, or the proven release runs again, also after a power cut at any moment.

A release is on trial while it is the current one and not the proven one. Each start of the service is a try: its unit
runs the step "count" before and "prove" after it, with the Python of the proven release. After MAX_TRIES tries in
which the table was not well, the proven release becomes current again. So a release that crashes the machine does not
end in a table that does not start. `pegpip update` begins a trial and waits for the result.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path

from companion.appliance.machine import Machine
from companion.appliance.releases import Releases
from companion.errors import CompanionError, DeviceError
from companion.service.addresses import json_here, local_page, served_port
from companion.table.atomic import sync, write_file

MAX_TRIES = 2
"""Starts of the service in which a new release may fail before the proven one returns. At 1 a power cut would end the
trial; higher: a broken release keeps the table down longer."""
HEALTHY_TIMEOUT_S = 120.0
"""Longest wait in seconds for a restarted table to be healthy. After that `pegpip update` goes back to the proven
release; without `pegpip update`, one of MAX_TRIES starts is used up. Too short: a slow Pi fails; longer: the table
stays down."""
POLL_S = 1.0
"""Pause in seconds between two looks at the table's health while a release is on trial. Longer: success is noticed
later; shorter: more requests to a starting table."""
FILE_NAME = "trial.json"
"""Name of the file that stores a new release's trial, in the folder above the releases.
`pegpip.service` names it, too: with another name here starts would not be counted."""
SETTINGS = "/var/lib/pegpip/pegpip.toml"
"""Settings file of an installed table. It is in the service's data folder, because the page changes it."""
MAX_SETTINGS_BYTES = 1 << 20
"""Most bytes of the settings file that root reads, as the service can write anything there. A longer file is cut, and
counts as empty if it then is no valid TOML. Higher: a hostile file takes more memory."""
PORT = 8000
"""Port of the table's pages: the installer writes it into the settings of a new table, and the update looks there where
the settings name none. It must equal the default of [web] port."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A new release's trial, as stored in its file: the release's name, and the service's starts since it began.

    `entry` is the number of the journal's newest entry before the trial, which must not be lost; None if no table ran.
    """

    release: str
    entry: int | None = None
    tries: int = 0


def begin(releases: Releases, name: str, entry: int | None) -> None:
    """Put the named release on trial: the service runs it from its next start on.

    If the release fails the trial, the proven release runs again. Where none is recorded as proven, the current one is
    recorded first. `entry` is the number of the journal's newest entry, None if no table runs. To pass, the release's
    journal must reach that entry. Raises DeviceError if there is no proven or current release to go back to, OSError
    if the disk refuses.
    """
    proven = releases.proven()
    if proven is None:
        raise DeviceError("There is no release to go back to.", "`sudo ./install.sh` or the .deb makes the first.")
    releases.trust(proven)
    _write(releases, Trial(name, entry))
    releases.switch(name)


def on_trial(releases: Releases) -> Trial | None:
    """Return the trial of the current release; None if that release is proven, or there is no release.

    A trial file that is missing, damaged or of another release counts as a fresh trial of the current one.
    """
    current = releases.current()
    if current is None or current == releases.proven():
        return None
    with contextlib.suppress(OSError, ValueError, TypeError):
        found = Trial(**json.loads((releases.place / FILE_NAME).read_text()))
        if found.release == current:
            return found
    return Trial(current)


def count_start(releases: Releases) -> None:
    """Count a start of the release on trial. If MAX_TRIES starts are counted already, end the trial instead.

    The proven release then becomes current. The service's unit calls this before it starts the program, so that start
    already runs the proven release. If no release is on trial, a leftover trial file is deleted. Raises OSError if the
    disk refuses.
    """
    trial = on_trial(releases)
    if trial is None:
        _forget(releases)
    elif trial.tries >= MAX_TRIES:
        back(releases)
    else:
        _write(releases, Trial(trial.release, trial.entry, trial.tries + 1))


def prove(
    releases: Releases,
    look: Callable[[], int | None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Wait until the table is healthy and has lost no journal entry, then make the release on trial the proven one.

    The trial has stored the number of the newest entry from before it. Does nothing without a release on trial. `look`
    returns the number of the newest entry if the table is healthy, else None. Raises DeviceError after
    HEALTHY_TIMEOUT_S; the release then stays on trial. Also raises DeviceError if another release has become current
    meanwhile: `count_start` goes back to the proven one after MAX_TRIES starts. Raises OSError if the disk refuses.
    """
    trial = on_trial(releases)
    if trial is None:
        return
    await_well(look, trial.entry, pause, clock)
    if releases.current() != trial.release:
        raise DeviceError(f"It was taken back after {MAX_TRIES} starts.", "")
    releases.trust(trial.release)
    _forget(releases)


def back(releases: Releases) -> None:
    """End the trial: make the proven release current from the next start on. Raises OSError."""
    proven = releases.proven()
    if proven is not None:
        releases.switch(proven)
    _forget(releases)


def await_well(
    look: Callable[[], int | None], entry: int | None, pause: Callable[[float], None], clock: Callable[[], float]
) -> None:
    """Wait until the table is healthy and its journal reaches at least entry number `entry`; None accepts any number.

    `look` returns the number of the newest entry when the table is healthy, else None. `pause` waits a number of
    seconds, `clock` is a monotonic clock in seconds. Raises DeviceError after HEALTHY_TIMEOUT_S.
    """
    end = clock() + HEALTHY_TIMEOUT_S
    while clock() < end:
        newest = look()
        if newest is not None and (entry is None or newest >= entry):
            return
        pause(POLL_S)
    raise DeviceError(f"It was not well within {HEALTHY_TIMEOUT_S:.0f} s.", "")


def entry_of(page: str) -> int | None:
    """Return the number of the journal's newest entry if the table's pages report journal, table and pages as healthy.

    Else, or if the pages do not answer, return None. Camera and strip are not checked: they may have been broken before
    the update. `page` is the address of the pages, without a slash at the end.
    """
    try:
        parts = json_here(f"{page}/healthz")["parts"]
        well = all(parts.get(part, {}).get("ok") for part in ("table", "journal", "pages"))
        number = json_here(f"{page}/api/state")["number"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return number if well and isinstance(number, int) else None


def page_of(settings: Path) -> str:
    """Return the address of the table's pages on this machine, without a slash at the end.

    The settings file's host is used, or 127.0.0.1 if it stands for all addresses or is not this machine's. The port is
    that in the file `.port` beside the settings file, which a running table writes, else that of the settings file,
    else PORT. The settings are read as plain TOML, as a newer release may have unknown keys; a file that can't be read
    counts as empty.
    """
    port = served_port(settings.parent) or value_in(settings, "web", "port")
    served = port if isinstance(port, int) and 0 < port < 65536 else PORT
    return local_page(value_in(settings, "web", "host"), served).rstrip("/")


def value_in(settings: Path, section: str, key: str) -> object:
    """Return the value of `key` in [section] of a TOML file; None if it is missing or the file is unreadable.

    A file that can't be parsed counts as unreadable. Root may call this on a file that the service has replaced. A link
    or a pipe therefore gives None, without a wait, and only the first MAX_SETTINGS_BYTES are read.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError, RecursionError):
        with open(os.open(settings, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            content = file.read(MAX_SETTINGS_BYTES) or b""
        return tomllib.loads(content.decode("utf-8-sig")).get(section, {}).get(key)
    return None


def _write(releases: Releases, trial: Trial) -> None:
    """Store a trial in its file, atomically."""
    write_file(releases.place / FILE_NAME, (json.dumps(asdict(trial)).encode(),))


def _forget(releases: Releases) -> None:
    """Delete the trial's file if it exists."""
    file = releases.place / FILE_NAME
    if file.exists():
        file.unlink()
        sync(file.parent)


def main(step: str, machine: Machine) -> int:
    """Run a step of a new release's trial for the table's systemd unit; return exit status 0, or 1 after an error.

    The step "count" runs `count_start` before the table starts. Any other step runs `prove` after it. An error is
    printed to stderr.
    """
    releases = Releases(machine)
    try:
        if step == "count":
            count_start(releases)
        else:
            prove(releases, lambda: entry_of(page_of(machine.at(SETTINGS))))
    except (CompanionError, OSError) as ill:
        print(f"Release on trial: {ill}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Machine()))

"""A new release on trial: it proves itself, or the one before it runs again, whenever the plug was pulled.

On trial is a release that is current and not the proven one. Each start of the service is a try: its unit has `count`
done before and `prove` after, by the Python of the proven release. A release that is not well after TRIES of them is
gone back from, so that neither a plug pulled in the middle nor a release that takes the machine with it ends in a table
that does not start. `pegpip update` begins a trial and waits for what becomes of it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from companion.appliance.machine import Machine
from companion.appliance.releases import Releases
from companion.errors import CompanionError, DeviceError
from companion.table.atomic import sync, write_file

TRIES = 2
"""One pulled plug is no release's fault, two may be."""
WELL_S = 120.0
"""A new release is well in this time or not at all: a Pi 3 takes twenty seconds to start a table."""
LOOKS_S = 1.0
FILE_NAME = "trial.json"
SETTINGS = "/etc/pegpip/pegpip.toml"
PORT = 8000
"""Of the pages, where the settings name none."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial, as its file has it.

    Attributes:
        release: What is on trial.
        entry: The table's newest entry before it began, which must not be lost; None where no table ran.
        tries: Starts of the service so far.
    """

    release: str
    entry: int | None = None
    tries: int = 0


def begin(releases: Releases, name: str, entry: int | None) -> None:
    """Put that release on trial. Raises DeviceError where there is none to go back to, OSError."""
    proven = releases.proven()
    if proven is None:
        raise DeviceError("There is no release to go back to.", "`sudo ./install.sh` or the .deb makes the first.")
    releases.trust(proven)
    _write(releases, Trial(name, entry))
    releases.switch(name)


def on_trial(releases: Releases) -> Trial | None:
    """The trial that is on; what its file says of another release counts for nothing."""
    current = releases.current()
    if current is None or current == releases.proven():
        return None
    with contextlib.suppress(OSError, ValueError, TypeError):
        found = Trial(**json.loads(_file(releases).read_text()))
        if found.release == current:
            return found
    return Trial(current)


def count(releases: Releases) -> None:
    """Before a start of the service: count it, or go back when there were enough. Raises OSError."""
    trial = on_trial(releases)
    if trial is None:
        _forget(releases)
    elif trial.tries >= TRIES:
        back(releases)
    else:
        _write(releases, Trial(trial.release, trial.entry, trial.tries + 1))


def prove(
    releases: Releases,
    look: Callable[[], int | None],
    pause: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """After a start: trust the release on trial once the table is well with it, with the same game.

    Args:
        releases: Of this machine.
        look: The table's newest entry when all of it is well; else None.
        pause: Waits some seconds.
        clock: A monotonic clock, in seconds.

    Raises DeviceError when it was not well in time; it stays on trial then.
    """
    trial = on_trial(releases)
    if trial is None:
        return
    await_well(look, trial.entry, pause, clock)
    if releases.current() != trial.release:
        raise DeviceError(f"It was taken back after {TRIES} starts.", "")
    releases.trust(trial.release)
    _forget(releases)


def back(releases: Releases) -> None:
    """Have the proven release run from the next start on; nothing is on trial any more. Raises OSError."""
    proven = releases.proven()
    if proven is not None:
        releases.switch(proven)
    _forget(releases)


def await_well(
    look: Callable[[], int | None], entry: int | None, pause: Callable[[float], None], clock: Callable[[], float]
) -> None:
    """Return once the table is well and has lost nothing after that entry. Raises DeviceError after WELL_S."""
    end = clock() + WELL_S
    while clock() < end:
        newest = look()
        if newest is not None and (entry is None or newest >= entry):
            return
        pause(LOOKS_S)
    raise DeviceError(f"It was not well within {WELL_S:.0f} s.", "")


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


def page_of(settings: Path) -> str:
    """Where this machine finds the table's pages, without a slash at the end.

    Read as plain TOML: a newer release may know settings that this one would refuse.
    """
    port = PORT
    with contextlib.suppress(OSError, ValueError):
        port = tomllib.loads(settings.read_text(encoding="utf-8")).get("web", {}).get("port", PORT)
    return f"http://127.0.0.1:{port}"


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


def _file(releases: Releases) -> Path:
    return releases.place / FILE_NAME


def _write(releases: Releases, trial: Trial) -> None:
    write_file(_file(releases), (json.dumps(asdict(trial)).encode(),))


def _forget(releases: Releases) -> None:
    file = _file(releases)
    if file.exists():
        file.unlink()
        sync(file.parent)


def main(word: str, machine: Machine) -> int:
    """What the unit calls: `count` or `prove`. Exit status: 0 done, 1 the release on trial is not well."""
    releases = Releases(machine)
    try:
        if word == "count":
            count(releases)
        else:
            prove(releases, partial(entry_of, page_of(machine.at(SETTINGS))))
    except (CompanionError, OSError) as ill:
        print(f"The release on trial: {ill}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Machine()))

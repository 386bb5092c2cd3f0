"""Updates a table from a file: checks the signature, makes the release beside the running one, puts it on trial."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from companion.appliance import signature, trial
from companion.appliance.machine import Machine
from companion.appliance.releases import Releases, Source, remove
from companion.errors import DeviceError

PACKED_IN = "usr/share/pegpip/wheels"
"""Folder in the Debian package that holds its wheels."""
INCOMING = "incoming"
"""Folder beside the releases for the copy of an update under check. Only root can write there; `prune` removes it."""
MAX_BYTES = 400_000_000
"""Largest release in bytes, several times the size of ours. Higher: a wrong file could fill the SD card."""
FULL_BYTES = 1 << 20
"""Free bytes below which a disk counts as full after a .deb could not be unpacked, 1 MiB. Higher: the message blames
the disk for a damaged file. Lower: it blames the file although the disk is almost full."""


def restart_service(machine: Machine) -> None:
    """Stop the table's systemd service, clear its count of failed starts, and start it. Raises DeviceError."""
    for word in ("stop", "reset-failed", "start"):
        machine.run("systemctl", word, "pegpip.service")


@dataclass(frozen=True, slots=True)
class Updater:
    """Replaces the running release, and returns to it when the new one fails.

    `restart` restarts the table's service, and may raise DeviceError. `newest_entry` returns the number of the
    journal's newest entry when the table is healthy, else None. `say` prints a line at each stage; `pause` and `clock`
    count seconds.
    """

    releases: Releases
    restart: Callable[[], None]
    newest_entry: Callable[[], int | None]
    say: Callable[[str], None]
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def update(self, source: Source) -> str:
        """Build a release from `source`, run it on trial until the table is healthy, and return its name.

        A release that is current and proven already is not tried again. Old and incomplete releases are deleted at the
        end.

        Raises:
            DeviceError: The release is older than the proven one or can't be built; the running release stays. Or the
                table did not get healthy, or Ctrl-C was pressed during the trial; then the proven release is started
                again. The message says whether the table is healthy with it.
            OSError: `source` can't be read or the trial can't be stored, and the running release stays. Or old releases
                can't be deleted; the new one then runs.
        """
        (version, signed_s), (least, least_s) = source.age(), self.releases.proven_age()
        if version < least or (version == least and 0 < signed_s < least_s):
            reason = f"This release is older than the one that runs ({'.'.join(map(str, least))})."
            raise DeviceError(reason, "To go back all the same, install the older one with its install.sh.")
        entry = self.newest_entry()
        self.say("making the new release (the table plays on) ...")
        name = self.releases.make(source)
        try:
            if name == self.releases.current() == self.releases.proven():
                self.say("this release runs already")
            else:
                self._try(name, entry)
        except DeviceError:
            with suppress(OSError):  # why the update failed matters more
                self.releases.prune()
            raise
        self.releases.prune()
        return name

    def _try(self, name: str, entry: int | None) -> None:
        """Put release `name` on trial, restart the table's service and wait until the release is proven.

        If `name` is the proven release already, the table only has to be healthy again. After a failure or Ctrl-C, the
        release that was proven before is started again.

        Args:
            name: Name of the release.
            entry: Number of the journal's newest entry, which must not be lost; None if no table was healthy.

        Raises:
            DeviceError: There is no proven release, or the trial failed, took too long or was ended by Ctrl-C.
                After a trial the message says why, and whether the table is healthy again.
            OSError: The trial can't be stored.
        """
        self.say("starting it ...")
        proven = name == self.releases.proven()  # while another one is on trial
        trial.begin(self.releases, name, entry)
        try:
            self.restart()
            if proven:
                trial.await_well(self.newest_entry, entry, self.pause, self.clock)
            else:
                trial.prove(self.releases, self.newest_entry, self.pause, self.clock)
        except KeyboardInterrupt:
            ill = "The update was interrupted."
        except (DeviceError, OSError) as failed:  # OSError: the disk can't keep that the release is proven
            ill = str(failed)
        else:
            return
        self.say("the table is not well: going back ...")
        try:
            trial.back(self.releases)
            self.restart()
            trial.await_well(self.newest_entry, entry, self.pause, self.clock)
        except KeyboardInterrupt:
            raise DeviceError(
                f"The new release is not well ({ill}), and the return to the one before was interrupted.",
                "Restart the table with `systemctl restart pegpip`, and look at its page.",
            ) from None
        except (DeviceError, OSError) as worse:
            raise DeviceError(
                f"The new release is not well ({ill}), and the one before does not start either ({worse}).",
                "`journalctl -u pegpip` says why; the games are untouched in the data folder.",
            ) from worse
        raise DeviceError(
            f"The new release was not well, so the one before runs again, with the same game. {ill}".rstrip(),
            "`journalctl -u pegpip` says why; take another file.",
        )


@contextmanager
def opened(file: Path, releases: Releases, *, unsigned: bool = False) -> Iterator[Source]:
    """Context manager: copy a release's .deb or wheel to this machine, check the signature, and yield its content.

    The signature is a file beside `file`, with `.sig` added to the name; `unsigned` skips the check. The check is done
    on the copy, because a USB stick can return other bytes when it is read again. A .deb is unpacked; nothing in it is
    run. The copy is deleted at the end. Until then no other update or installation can run.

    Raises DeviceError if one is running, or if `file` is no .deb or wheel, can't be copied or unpacked, or lacks a
    valid signature. Damage to an unsigned wheel is noticed only by `Source.age`.
    """
    if file.suffix not in (".deb", ".whl"):
        raise DeviceError(f"{file.name} is neither a .deb nor a wheel.", "Use one of those.")
    incoming = releases.folder / INCOMING
    with releases.locked():
        remove(incoming)
        incoming.mkdir(mode=0o700, parents=True)
        try:
            copy, signed_s = incoming / file.name, 0
            _copy(file, copy)
            if not unsigned:
                beside = copy.with_name(copy.name + signature.SUFFIX)
                _copy(file.with_name(file.name + signature.SUFFIX), beside)
                signed_s = signature.signed_at(copy, beside, releases.machine.at(signature.KEY))
            yield Source(copy if copy.suffix == ".whl" else _unpacked(copy), signed_s)
        finally:
            remove(incoming)


def _copy(file: Path, to: Path) -> None:
    """Copy a regular file of at most MAX_BYTES to `to`, which must not exist.

    Raises DeviceError if `file` is a link, a folder, missing or too large, or if it can't be copied.
    """
    try:
        with open(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as source, to.open("xb") as copy:
            about = os.fstat(source.fileno())
            if not stat.S_ISREG(about.st_mode) or about.st_size > MAX_BYTES:
                raise DeviceError(f"{file} is no file of at most {MAX_BYTES // 1_000_000} MB.", "Copy it again.")
            shutil.copyfileobj(source, copy)
    except FileNotFoundError:
        cure = "Name the .deb or the wheel with its folder; its signature (.sig) must be beside it."
        raise DeviceError(f"There is no file {file}.", cure) from None
    except OSError as refused:
        if refused.errno in (errno.ELOOP, errno.EISDIR):
            raise DeviceError(f"{file} is a link or a folder.", "Name a file, with its signature beside it.") from None
        raise DeviceError(
            f"{file} can't be copied ({refused.strerror}).", "Free some space, or copy it again."
        ) from None


def _unpacked(package: Path) -> Path:
    """Unpack a Debian package beside it, without running its scripts; return the folder of its wheels.

    Raises DeviceError if dpkg-deb is missing, the disk is full, or the package is damaged.
    """
    folder = package.with_suffix("")
    try:
        done = subprocess.run(["dpkg-deb", "--extract", package, folder], capture_output=True, check=False)
    except FileNotFoundError:
        raise DeviceError("This machine can't unpack a .deb: dpkg-deb is missing.", "Use the wheel.") from None
    if done.returncode and shutil.disk_usage(package.parent).free < FULL_BYTES:
        raise DeviceError(f"{package.name} can't be unpacked: the disk is full.", "Free some space, and update again.")
    if done.returncode:
        raise DeviceError(f"{package.name} is damaged, or was not copied whole.", "Copy it to the stick again.")
    return folder / PACKED_IN

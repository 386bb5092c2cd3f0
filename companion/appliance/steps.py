"""The changes that installing makes on a machine, each with its undo; a change that is already there is skipped."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from companion.appliance.machine import USER, Machine
from companion.table.atomic import replacing, write_file

GROUPS = ("video", "gpio", "spi", "audio", "render")
"""Groups with access to camera, LEDs and sound. The service's user joins those that exist: a PC has no gpio."""


class Step(Protocol):
    """One change that installing makes."""

    def missing(self, machine: Machine) -> list[str]:
        """Return one line for each change that `do` would make; empty when all are made."""

    def do(self, machine: Machine) -> None:
        """Make this installation step's changes on the machine. Raises DeviceError, OSError."""

    def left(self, machine: Machine) -> list[str]:
        """Return one line for each change that `undo` would make when uninstalling; empty if there is none."""

    def undo(self, machine: Machine) -> None:
        """Undo this installation step's changes; called only where `left` names some. Raises DeviceError, OSError."""


@dataclass(frozen=True, slots=True)
class Packages:
    """Installation step: the Debian packages `needed`, and those of `useful` that this system's sources have.

    The file `memory_path` holds the names that were installed for the table. Uninstalling marks them as automatic, for
    `apt autoremove`. It removes none itself: other programs may need them.
    """

    needed: tuple[str, ...]
    useful: tuple[str, ...] = ()
    memory_path: str = "/var/lib/pegpip-packages"

    def missing(self, machine: Machine) -> list[str]:
        """Return one line for each absent package that would be installed."""
        return [f"install the package {name}" for name in self._absent(machine)]

    def do(self, machine: Machine) -> None:
        """Update apt's lists, install the absent packages, and record those installed in the file `memory_path`.

        Raises DeviceError if apt fails. Packages installed before the failure are recorded, too.
        """
        machine.run("apt-get", "update", "-q")
        wanted = self._absent(machine)
        try:
            machine.run("apt-get", "install", "-q", "-y", "--no-install-recommends", *wanted)
        finally:
            memory = machine.at(self.memory_path)
            before = memory.read_text().split() if memory.exists() else []
            names = {*before, *(name for name in wanted if _installed(machine, name))}
            memory.write_text("".join(f"{name}\n" for name in sorted(names)))

    def left(self, machine: Machine) -> list[str]:
        """Return one line for each Debian package that was installed for the table; empty if there is none."""
        memory = machine.at(self.memory_path)
        names = memory.read_text().split() if memory.exists() else []
        return [f"leave the package {name} to `apt autoremove`" for name in names]

    def undo(self, machine: Machine) -> None:
        """Mark the packages in the file `memory_path` as automatic, for `apt autoremove`; delete that file."""
        memory = machine.at(self.memory_path)
        machine.run("apt-mark", "auto", *memory.read_text().split())
        memory.unlink()

    def _absent(self, machine: Machine) -> list[str]:
        """Return the packages that are not installed: needed ones, and useful ones that this system's sources have."""
        known = (name for name in self.useful if machine.works("apt-cache", "show", name))
        return [name for name in (*self.needed, *known) if not _installed(machine, name)]


def _installed(machine: Machine, name: str) -> bool:
    """Return whether a Debian package is installed."""
    query = ("dpkg-query", "--show", "--showformat=${db:Status-Status}\n", name)
    return machine.works(*query) and "installed" in machine.run(*query).split()


@dataclass(frozen=True, slots=True)
class TablesUser:
    """Installation step: the user that the service runs as, without password or shell, and its data folder."""

    home: str = "/var/lib/pegpip"

    def missing(self, machine: Machine) -> list[str]:
        """Return one line for the missing user, or one for each group that the user has yet to join; else nothing."""
        if not _user_exists():
            return [f"add the system user {USER}, home {self.home}"]
        return [f"add {USER} to the group {name}" for name in _groups_without_it()]

    def do(self, machine: Machine) -> None:
        """Create the service's user and data folder where missing, and add the user to those of GROUPS that exist.

        If the folder is not the user's own, the user becomes the owner of it and of everything inside. Raises
        DeviceError if a program fails, OSError if the folder can't be created.
        """
        if not _user_exists():
            machine.run("useradd", "--system", "--home-dir", self.home, "--shell", "/usr/sbin/nologin", USER)
        for name in _groups_without_it():
            machine.run("gpasswd", "--add", USER, name)
        home = machine.at(self.home)
        home.mkdir(mode=0o750, exist_ok=True)
        if not _owned(home):  # new, or of a table that was here before: the user's number may be another now
            machine.run("chown", "--recursive", "--no-dereference", f"{USER}:{USER}", str(home))

    def left(self, machine: Machine) -> list[str]:
        """Return one line when the service's user exists, else an empty list."""
        return [f"remove the user {USER}"] if _user_exists() else []

    def undo(self, machine: Machine) -> None:
        """Remove the service's user; its data folder stays."""
        machine.run("userdel", USER)


def _groups_without_it() -> list[str]:
    """Return those of GROUPS that exist on this machine and do not contain the service's user."""
    return [group.gr_name for group in grp.getgrall() if group.gr_name in GROUPS and USER not in group.gr_mem]


def _owned(home: Path) -> bool:
    """Return whether the service's user owns a folder; false when the owner has no name."""
    try:
        return home.owner() == USER
    except KeyError:
        return False


def _user_exists() -> bool:
    """Return whether the service's user exists on this machine."""
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class File:
    """Installation step: a file to write.

    Attributes:
        path: Its absolute path.
        text: Returns its content; called to write the file, and to compare it with what is there.
        mode: Its permissions.
        owner: User and group that it belongs to; root without one.
        once: Write it only where there is none: people change it afterwards.
        keep: Leave it when uninstalling.
    """

    path: str
    text: Callable[[], str]
    mode: int = 0o644
    owner: str = ""
    once: bool = False
    keep: bool = False

    def missing(self, machine: Machine) -> list[str]:
        """Return an empty list if the file is up to date, else a list of one line that says what to write.

        The file must be written if it is missing. Unless `once` is set, it must also be written if it is a symbolic
        link or its content differs. Owner and mode are not compared, and nothing is written.
        """
        file = machine.at(self.path)
        if not os.path.lexists(file):
            return [f"write {self.path}"]
        if self.once or (not file.is_symlink() and file.read_bytes() == self.text().encode()):
            return []
        return [f"write {self.path} anew"]

    def do(self, machine: Machine) -> None:
        """Write the file atomically with its owner and permissions; create missing parent folders.

        A link in the file's place is replaced, not followed.
        """
        file = machine.at(self.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.is_symlink():
            file.unlink()  # `replacing` refuses one that leads to a device, such as an owner's to /dev/null
        owner = pwd.getpwnam(self.owner) if self.owner else None
        with replacing(file, self.mode, owner and (owner.pw_uid, owner.pw_gid)) as written:
            written.write(self.text().encode())

    def left(self, machine: Machine) -> list[str]:
        """Return one line when the file, or a link in its place, exists and is not to be kept; else nothing."""
        return [] if self.keep or not os.path.lexists(machine.at(self.path)) else [f"remove {self.path}"]

    def undo(self, machine: Machine) -> None:
        """Delete the file, and then its parent folders while they are empty and no package owns them.

        Raises FileNotFoundError if the file is missing, so call it only if `left` returns a line.
        """
        file = machine.at(self.path)
        file.unlink()
        with contextlib.suppress(OSError):  # others' files lie there
            for folder in file.parents:
                if machine.works("dpkg-query", "--search", f"/{folder.relative_to(machine.root)}"):
                    break  # a package brought it, and an empty one is as it was
                folder.rmdir()


@dataclass(frozen=True, slots=True)
class OldFile(File):
    """Installation step: a file that earlier releases wrote, which installing removes as uninstalling does."""

    text: Callable[[], str] = str

    def missing(self, machine: Machine) -> list[str]:
        """Return one line when the file exists, else nothing."""
        return self.left(machine)

    def do(self, machine: Machine) -> None:
        """Delete the file and its empty parent folders that no package owns."""
        self.undo(machine)


BEGIN, END = "# Peg & Pip: begin", "# Peg & Pip: end"
"""Marks before and after the installer's lines in config.txt."""
_OURS = re.compile(f"{BEGIN}\n?(?:(?:(?!{BEGIN}).)*?{END}\n?)?", re.DOTALL)
"""Pattern of the installer's block in config.txt, marks included, which is removed before a new one is written.
Where the end mark is missing, it matches the begin mark alone."""


def text_of(file: Path) -> str:
    """Return the text of a file of the owner's; bytes that are not UTF-8 are kept by `encoded`."""
    return file.read_bytes().decode(errors="surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes of a text that `text_of` returned, changed or not."""
    return text.encode(errors="surrogateescape")


@dataclass(frozen=True, slots=True)
class BootLines:
    """Installation step: lines in a Pi's config.txt between two marks. The original is kept as `*.before-pegpip`."""

    lines: tuple[str, ...]
    path: str = "/boot/firmware/config.txt"

    def missing(self, machine: Machine) -> list[str]:
        """Return one message for each line of the block to write if `do` would change config.txt; else an empty list.

        All lines are listed even if only one differs. If this Pi needs no lines, but config.txt holds an earlier block
        of the installer, one message says that it must be removed. The list is empty if config.txt does not exist.
        """
        file = machine.at(self.path)
        if not file.exists() or self.with_block(text_of(file)) == text_of(file):
            return []
        return [f"{self.path}: {line}" for line in self.lines] or self.left(machine)

    def do(self, machine: Machine) -> None:
        """Write the installer's block of lines at the end of config.txt, in place of an earlier block.

        Before the first change the file is copied to `config.txt.before-pegpip`. If there are no lines to write, `undo`
        is called instead.
        """
        if not self.lines:
            self.undo(machine)
            return
        file = machine.at(self.path)
        text = text_of(file)
        kept = file.with_name(file.name + ".before-pegpip")
        if not kept.exists():
            write_file(kept, (encoded(text),))
        write_file(file, (encoded(self.with_block(text)),))

    def left(self, machine: Machine) -> list[str]:
        """Return one line when config.txt holds the installer's marks, else nothing."""
        file = machine.at(self.path)
        return [f"take our lines out of {self.path}"] if file.exists() and BEGIN in text_of(file) else []

    def undo(self, machine: Machine) -> None:
        """Remove the installer's lines from config.txt and delete `config.txt.before-pegpip`; other lines stay.

        Of a block without an end mark only the begin mark is removed, as nothing shows where the block ends. Then
        `config.txt.before-pegpip`, the copy of the original, stays. Raises OSError if config.txt is missing.
        """
        file = machine.at(self.path)
        text = text_of(file)
        write_file(file, (encoded(_OURS.sub("", text)),))
        if text.count(BEGIN) == text.count(END):
            file.with_name(file.name + ".before-pegpip").unlink(missing_ok=True)

    def with_block(self, text: str) -> str:
        """Return `text`, the content of a config.txt, ending in the installer's block: [all] and this step's lines.

        An earlier block is removed, or only its begin mark if the end mark is missing. Without lines no block is added.
        """
        bare = _OURS.sub("", text)
        if not self.lines:
            return bare
        gap = "" if bare.endswith("\n") or not bare else "\n"
        # [all]: the file may end in a section for another model
        return f"{bare}{gap}{BEGIN}\n[all]\n" + "".join(f"{line}\n" for line in self.lines) + f"{END}\n"


@dataclass(frozen=True, slots=True)
class Services:
    """Installation step: systemd units that are enabled, and started where systemd runs."""

    units: tuple[str, ...]

    def missing(self, machine: Machine) -> list[str]:
        """Return one line for each systemd unit that is not enabled yet."""
        return [f"enable {unit}" for unit in self.units if not self._enabled(machine, unit)]

    def do(self, machine: Machine) -> None:
        """Enable all systemd units, so that they start with the machine; where systemd runs, start them now, too."""
        if machine.has_systemd:
            machine.run("systemctl", "daemon-reload")
        for unit in self.units:
            machine.run("systemctl", "enable", "--quiet", *(("--now",) if machine.has_systemd else ()), unit)

    def left(self, machine: Machine) -> list[str]:
        """Return one line for each enabled systemd unit, which `undo` would stop and disable."""
        return [f"stop and disable {unit}" for unit in self.units if self._enabled(machine, unit)]

    def undo(self, machine: Machine) -> None:
        """Disable the systemd units that are enabled, and stop them where systemd runs."""
        for unit in self.units:
            if self._enabled(machine, unit):
                machine.run("systemctl", "disable", "--quiet", *(("--now",) if machine.has_systemd else ()), unit)

    def _enabled(self, machine: Machine, unit: str) -> bool:
        """Return whether a unit is enabled: linked in a `.wants` folder of /etc/systemd/system."""
        wants = Path("/etc/systemd/system")
        return any(machine.at(str(wants)).glob(f"*.wants/{unit}"))

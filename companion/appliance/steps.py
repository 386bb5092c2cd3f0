"""What is changed on a machine, each change with its way back; a change that is there already is none."""

from __future__ import annotations

import contextlib
import grp
import pwd
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from companion.appliance.machine import Machine
from companion.table.atomic import write_file

USER = "pegpip"
GROUPS = ("video", "gpio", "spi", "audio", "render")
"""Of those, the ones that the machine has: a Debian PC knows no gpio."""


class Step(Protocol):
    """One thing that an installed machine has."""

    def missing(self, machine: Machine) -> list[str]:
        """What `do` would change, a line each; empty when nothing is."""

    def do(self, machine: Machine) -> None:
        """Change it. Raises DeviceError, OSError."""

    def left(self, machine: Machine) -> list[str]:
        """What `undo` would take away, a line each."""

    def undo(self, machine: Machine) -> None:
        """Take it away. Raises DeviceError, OSError."""


@dataclass(frozen=True, slots=True)
class Packages:
    """Debian packages; those that this system's sources don't have are done without.

    What was installed for the table is remembered; uninstalling marks it as nobody's wish, so that `apt autoremove`
    may take it, and takes nothing by itself: other programs may have come to need it.
    """

    needed: tuple[str, ...]
    useful: tuple[str, ...] = ()
    memory: str = "/var/lib/pegpip-packages"

    def missing(self, machine: Machine) -> list[str]:
        """The packages that would be installed."""
        absent = [name for name in (*self.needed, *self._known(machine)) if not _installed(machine, name)]
        return [f"install the package {name}" for name in absent]

    def do(self, machine: Machine) -> None:
        """Install them."""
        machine.run("apt-get", "update", "-q")
        wanted = [name for name in (*self.needed, *self._known(machine)) if not _installed(machine, name)]
        words = ("apt-get", "install", "-q", "-y", "--no-install-recommends", *wanted)
        machine.run(*words, environment={"DEBIAN_FRONTEND": "noninteractive"})
        memory = machine.at(self.memory)
        before = memory.read_text().split() if memory.exists() else []
        memory.write_text("\n".join(sorted({*before, *wanted})) + "\n")

    def left(self, machine: Machine) -> list[str]:
        """The packages that came with the table."""
        memory = machine.at(self.memory)
        names = memory.read_text().split() if memory.exists() else []
        return [f"leave the package {name} to `apt autoremove`" for name in names]

    def undo(self, machine: Machine) -> None:
        """Let apt take them when nothing else wants them."""
        memory = machine.at(self.memory)
        if memory.exists():
            machine.run("apt-mark", "auto", *memory.read_text().split())
            memory.unlink()

    def _known(self, machine: Machine) -> list[str]:
        return [name for name in self.useful if machine.works("apt-cache", "show", name)]


def _installed(machine: Machine, name: str) -> bool:
    return machine.works("dpkg-query", "--show", "--showformat=${db:Status-Status}", name) and (
        "installed" in machine.run("dpkg-query", "--show", "--showformat=${db:Status-Status}\n", name).split()
    )


@dataclass(frozen=True, slots=True)
class TablesUser:
    """The user that the table runs as, without a password or a shell, and its data folder."""

    home: str = "/var/lib/pegpip"

    def missing(self, machine: Machine) -> list[str]:
        """The user, where there is none, and the groups of this machine that it is not in."""
        if not _user_exists():
            return [f"add the system user {USER}, home {self.home}"]
        return [f"add {USER} to the group {name}" for name in _groups_without_it()]

    def do(self, machine: Machine) -> None:
        """Add it, in the groups that this machine has."""
        if not _user_exists():
            machine.run("useradd", "--system", "--home-dir", self.home, "--shell", "/usr/sbin/nologin", USER)
        for name in _groups_without_it():
            machine.run("gpasswd", "--add", USER, name)
        home = machine.at(self.home)
        home.mkdir(mode=0o750, exist_ok=True)
        machine.run("chown", "--recursive", f"{USER}:{USER}", str(home))  # a table that was here before

    def left(self, machine: Machine) -> list[str]:
        """The user."""
        return [f"remove the user {USER}"] if _user_exists() else []

    def undo(self, machine: Machine) -> None:
        """Remove it; its data folder stays."""
        if _user_exists():
            machine.run("userdel", USER)


def _groups_without_it() -> list[str]:
    return [group.gr_name for group in grp.getgrall() if group.gr_name in GROUPS and USER not in group.gr_mem]


def _user_exists() -> bool:
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class File:
    """A file of ours.

    Attributes:
        path: Where it lies.
        text: What it says; called when it is written, so that a password is made once.
        mode: Its permissions.
        owner: Whose it is; root's without one.
        once: It is the people's from then on, and never written again.
        keep: The folder that uninstalling moves it to; it is removed without one.
    """

    path: str
    text: Callable[[], str]
    mode: int = 0o644
    owner: str = ""
    once: bool = False
    keep: str = ""

    def missing(self, machine: Machine) -> list[str]:
        """The file, where it is not there or not as it should be."""
        file = machine.at(self.path)
        if not file.exists():
            return [f"write {self.path}"]
        if self.once or file.read_text() == self.text():
            return []
        return [f"write {self.path} anew"]

    def do(self, machine: Machine) -> None:
        """Write it, whole or not at all."""
        file = machine.at(self.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.part")
        part.touch(mode=self.mode)
        part.write_text(self.text())
        part.chmod(self.mode)
        if self.owner:
            shutil.chown(part, self.owner, self.owner)
            shutil.chown(file.parent, self.owner, self.owner)
        part.replace(file)

    def left(self, machine: Machine) -> list[str]:
        """The file."""
        if not machine.at(self.path).exists():
            return []
        return [f"move {self.path} to {self.keep}" if self.keep else f"remove {self.path}"]

    def undo(self, machine: Machine) -> None:
        """Remove it, and the folders that were made for it; what is people's is moved to their data."""
        file = machine.at(self.path)
        if not file.exists():
            return
        if self.keep:
            kept = machine.at(self.keep)
            kept.mkdir(parents=True, exist_ok=True)
            shutil.move(file, kept / file.name)
        else:
            file.unlink()
        with contextlib.suppress(OSError):  # others' files lie there
            for folder in file.parents:
                if machine.works("dpkg-query", "--search", f"/{folder.relative_to(machine.root)}"):
                    break  # a package brought it, and an empty one is as it was
                folder.rmdir()


BEGIN, END = "# Peg & Pip: begin", "# Peg & Pip: end"


@dataclass(frozen=True, slots=True)
class BootLines:
    """Lines of ours in the Pi's config.txt, between two marks; the file as it was lies beside it."""

    lines: tuple[str, ...]
    path: str = "/boot/firmware/config.txt"

    def missing(self, machine: Machine) -> list[str]:
        """The lines that would be added; nothing on a machine without that file."""
        file = machine.at(self.path)
        if not file.exists() or self.applied(file.read_text()) == file.read_text():
            return []
        return [f"{self.path}: {line}" for line in self.lines]

    def do(self, machine: Machine) -> None:
        """Add them, keeping the file as it was."""
        file = machine.at(self.path)
        text = file.read_text()
        kept = file.with_name(file.name + ".before-pegpip")
        if not kept.exists():
            write_file(kept, (text.encode(),))
        write_file(file, (self.applied(text).encode(),))

    def left(self, machine: Machine) -> list[str]:
        """Our lines."""
        file = machine.at(self.path)
        return [f"take our lines out of {self.path}"] if file.exists() and BEGIN in file.read_text() else []

    def undo(self, machine: Machine) -> None:
        """Take our lines out; what others changed since stays."""
        file = machine.at(self.path)
        if file.exists():
            write_file(file, (_without_ours(file.read_text()).encode(),))
            file.with_name(file.name + ".before-pegpip").unlink(missing_ok=True)

    def applied(self, text: str) -> str:
        """That config.txt with our lines in it, once; without lines: with none of ours."""
        bare = _without_ours(text)
        if not self.lines:
            return bare
        gap = "" if bare.endswith("\n") or not bare else "\n"
        # [all]: whatever section of another model the file ended in, ours are for this one
        return f"{bare}{gap}{BEGIN}\n[all]\n" + "".join(f"{line}\n" for line in self.lines) + f"{END}\n"


def _without_ours(text: str) -> str:
    before, begin, rest = text.partition(f"{BEGIN}\n")
    return before + rest.partition(f"{END}\n")[2] if begin else text


@dataclass(frozen=True, slots=True)
class Services:
    """systemd's units, enabled; started where systemd runs."""

    units: tuple[str, ...]

    def missing(self, machine: Machine) -> list[str]:
        """The units that are not enabled."""
        return [f"enable {unit}" for unit in self.units if not self._enabled(machine, unit)]

    def do(self, machine: Machine) -> None:
        """Enable them, and start them."""
        if machine.has_systemd:
            machine.run("systemctl", "daemon-reload")
        for unit in self.units:
            machine.run("systemctl", "enable", "--quiet", *(("--now",) if machine.has_systemd else ()), unit)

    def left(self, machine: Machine) -> list[str]:
        """The units that are enabled."""
        return [f"stop and disable {unit}" for unit in self.units if self._enabled(machine, unit)]

    def undo(self, machine: Machine) -> None:
        """Stop and disable them."""
        for unit in self.units:
            if self._enabled(machine, unit):
                machine.run("systemctl", "disable", "--quiet", *(("--now",) if machine.has_systemd else ()), unit)

    def _enabled(self, machine: Machine, unit: str) -> bool:
        wants = Path("/etc/systemd/system")
        return any(machine.at(str(wants)).glob(f"*.wants/{unit}"))

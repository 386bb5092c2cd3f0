"""The releases on a machine: each in its own folder; one link names the running one, another the last proven one.

Each change is one rename, on the disk before the next: after a power cut the old or the new name holds.
"""

from __future__ import annotations

import email
import hashlib
import json
import lzma
import os
import re
import shutil
import tempfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path

from companion.appliance.machine import USER, Machine
from companion.errors import DeviceError
from companion.table.atomic import sync, write_file
from companion.table.lock import lock_of

OPENCV = "4.11.0.86"
"""Last OpenCV that accepts NumPy 1 and 2. A Pi's picamera2 needs its system's NumPy (1.24 on Bookworm, 2.2 on Trixie)
and fails in `simplejpeg` beside another."""
SYSTEMS_OWN = ("numpy", "opencv", "pillow", "markupsafe", "lgpio", "spidev", "gpiozero")
"""Starts of the names of Python distributions that the system provides; the project's pins must not replace them."""
ROOMS = ("companion", "vision", "hardware", "web")
"""Folders of the Python packages that a release is built from."""
TREE = ("pyproject.toml", "README.md", "LICENSE")
"""Files in the project's folder that its Python package is built from, besides the folders of `ROOMS`."""
PINS = "constraints.txt"
"""Name of the file with the versions of the dependencies, in a source's folder and in a release's own."""
MAX_KEPT = 2
"""Complete releases to keep, counting the current and the proven one, which always stay. More fill the SD card."""
WHOLE = "whole"
"""Name of the file in a release's folder that marks it as complete. It holds version and signing time (`Age`).
Written last and removed first: part of a release never counts as complete."""
LOCK = "update.lock"
"""Name of the file beside the releases that an update or installation locks. It stays when the lock is released."""
PIP = ("-I", "-m", "pip", "--disable-pip-version-check", "--no-cache-dir")
"""Arguments that run pip by a release's Python. -I keeps the working folder, perhaps a stick, off the module path."""
DAMAGED_ZIP = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)
"""Errors that a damaged, encrypted or foreign zip raises while it is read."""
Age = tuple[tuple[int, ...], int]
"""How old a release is: its version's numbers, then the second (since 1970) of its signature, 0 without one."""


@dataclass(frozen=True, slots=True)
class Source:
    """Input from which a release is made.

    Attributes:
        path: The project's folder, a folder with all wheels, or one wheel of the project. Dependencies come from
            the package index, from that folder, or from the proven release.
        signed_s: When its signature was made, in seconds since 1970; 0 without one.
    """

    path: Path
    signed_s: int = 0

    @property
    def is_tree(self) -> bool:
        """Whether the release is made from the project's folder, not from wheels."""
        return (self.path / "pyproject.toml").is_file()

    @property
    def is_wheel(self) -> bool:
        """Whether the release is made from one wheel, with the dependencies of the proven release."""
        return self.path.suffix == ".whl"

    def name(self) -> str:
        """Return the release's name: the first 12 hexadecimal digits of a SHA-256 hash of its files."""
        digest = hashlib.sha256()
        for file in self._files():
            digest.update(str(file.relative_to(self.path.parent)).encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()[:12]

    def age(self) -> Age:
        """Return the version numbers of the release in this source and its signing time, to compare releases.

        The time is in seconds since 1970, 0 without a signature. Raises DeviceError if the wheel is missing, damaged or
        of another project, or the pyproject.toml of a source folder is damaged or can't be read.
        """
        if self.is_tree:
            try:
                return numbers(tomllib.loads((self.path / "pyproject.toml").read_text())["project"]["version"]), 0
            except (OSError, ValueError, KeyError, TypeError):
                raise DeviceError(f"{self.path / 'pyproject.toml'} is damaged.", "Copy the project again.") from None
        wheel = self.path if self.is_wheel else next(iter(self.path.glob("peg_and_pip-*.whl")), None)
        if wheel is None:
            raise DeviceError("It is not a release of Peg & Pip.", "Its packages are named pegpip_….deb.")
        try:
            with zipfile.ZipFile(wheel) as packed:  # the name of a file is not signed, its content is
                place = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
                about = email.message_from_bytes(packed.read(place))
        except (*DAMAGED_ZIP, OSError, StopIteration):
            raise DeviceError(f"{wheel.name} is damaged.", "Copy it again.") from None
        if about["Name"] not in ("peg-and-pip", "peg_and_pip") or not about["Version"]:
            raise DeviceError(f"{wheel.name} is not a release of Peg & Pip.", "Its wheels are peg_and_pip-….whl.")
        return numbers(about["Version"]), self.signed_s

    def _files(self) -> Iterator[Path]:
        """Yield the files that the release is made from, in a fixed order.

        - A wheel: only that file.
        - The project's folder: the files TREE, all files below the folders ROOMS except `__pycache__`, then PINS if
          there is one.
        - Another folder: the wheels in it, then PINS if there is one.
        """
        if self.path.is_file():
            yield self.path
        elif self.is_tree:
            yield from (self.path / part for part in TREE)
            for room in ROOMS:
                kept = (f for f in (self.path / room).rglob("*") if f.is_file() and "__pycache__" not in f.parts)
                yield from sorted(kept)
        else:
            yield from sorted(self.path.glob("*.whl"))
        if (self.path / PINS).is_file():
            yield self.path / PINS


def numbers(version: str) -> tuple[int, ...]:
    """Return a version's leading numbers as a tuple to compare, without zeros at the end; empty if it has none.

    >>> numbers("1.10.0") > numbers("1.9")
    True
    """
    found = re.match(r"\d+(?:\.\d+)*", version)
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def copy_tree(project: Path, to: Path) -> None:
    """Copy the folders and files that the package is built from into an empty folder, to build there."""
    for part in TREE:
        shutil.copy2(project / part, to / part)
    for room in ROOMS:
        shutil.copytree(project / room, to / room, ignore=shutil.ignore_patterns("__pycache__"))


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases of the program on a machine, in the folder `base`, an absolute path; root owns it.

    `user` runs a new release's code for the first time.
    """

    machine: Machine
    base: str = "/opt/pegpip"
    user: str = USER

    @property
    def place(self) -> Path:
        """Return the folder with the releases, the links `current` and `proven`, and the trial's file."""
        return self.machine.at(self.base)

    @property
    def folder(self) -> Path:
        """Return the folder that holds one folder for each release."""
        return self.place / "releases"

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Context manager: keep every other update or installation from changing the releases meanwhile.

        Raises DeviceError if another one is running; OSError if the lock can't be written.
        """
        self.place.mkdir(parents=True, exist_ok=True)
        (self.place / LOCK).touch(mode=0o600)  # a user who could open it could hold the lock
        lock = lock_of(self.place / LOCK)
        if lock is None:
            what = "Another update or installation of the table is running already."
            raise DeviceError(what, "Wait until it has ended, then try again.")
        with lock:
            yield

    def current(self) -> str | None:
        """Return the name of the release that the service runs from its next start on; None if there is none."""
        return _named_by(self.place / "current")

    def proven(self) -> str | None:
        """Return the name of the last proven release, else that of the current one; None if there is neither."""
        return _named_by(self.place / "proven") or self.current()

    def names(self) -> list[str]:
        """Return the names of all complete releases, in the order in which they were completed."""
        if not self.folder.is_dir():
            return []
        whole = [path for path in self.folder.iterdir() if (path / WHOLE).exists()]
        return [path.name for path in sorted(whole, key=lambda path: (path / WHOLE).stat().st_mtime_ns)]

    def proven_age(self) -> Age:
        """Return the version and signing time of the proven release; updates older than it are refused.

        The proven release is the last one that was installed or passed its trial, else the current one. The version is
        a tuple of integers; the time is in seconds since 1970, 0 if unsigned. `((), 0)` if no such release can be read.
        """
        try:
            version, signed_s = json.loads((self.folder / str(self.proven()) / WHOLE).read_bytes())
            return tuple(version), signed_s
        except (OSError, ValueError, TypeError):
            return (), 0

    def make(self, source: Source) -> str:
        """Build a release from `source` in a folder of its own, unless it exists, and return its name.

        The current release is not changed. Code of the new release runs only as the user `self.user`, never as root.
        Raises OSError if `source` can't be read. Raises DeviceError if the release can't be built or its `pegpip
        --version` fails; its folder is then removed.
        """
        name, age = source.name(), source.age()
        place = self.folder / name
        if (place / WHOLE).exists():
            return name
        remove(place)
        try:
            self._fill(place, source)
            self.machine.run(str(place / "bin" / "pegpip"), "--version", user=self.user)
            os.sync()  # the content must be on the disk before the file that says it is complete
            write_file(place / WHOLE, (json.dumps(age).encode(),))
        except OSError as refused:
            remove(place)
            why = refused.args[0][-1][-1] if isinstance(refused, shutil.Error) else refused.strerror or refused
            raise DeviceError(f"The new release can't be written ({why}).", "Free some space on the disk.") from None
        except BaseException:
            remove(place)
            raise
        return name

    def switch(self, name: str) -> None:
        """Make the named release current: the service runs it from its next start on."""
        _point(self.place / "current", name)

    def trust(self, name: str) -> None:
        """Record the named release as proven."""
        _point(self.place / "proven", name)

    def prune(self) -> None:
        """Delete incomplete releases, and the oldest beyond MAX_KEPT. Raises OSError if the disk refuses.

        The current and the proven one always stay. Hold the lock (`locked`): a release that another process is building
        would be deleted as incomplete.
        """
        named = {self.current(), self.proven()} - {None}
        others = [name for name in self.names() if name not in named]
        halves = sorted({path.name for path in self.folder.iterdir()} - {*self.names(), *named})
        for name in [*halves, *others[: max(0, len(others) - (MAX_KEPT - len(named)))]]:
            remove(self.folder / name)

    def _fill(self, place: Path, source: Source) -> None:
        """Create a virtual environment in `place`, a new release's folder, with the source and its dependencies.

        - A source of one wheel: copy the proven release, and replace the project's own distribution by the wheel.
        - Any other source: make a new environment. `keep_extras` then copies what the owner added to the proven
          release, if there is one.

        Raises DeviceError if pip or another program fails, or if there is no proven release to copy for a single wheel.
        Raises OSError if the disk refuses. After an error the caller deletes the folder.
        """
        run, python, before = self.machine.run, str(place / "bin" / "python"), self.proven()
        if source.is_wheel:
            if before is None:
                raise DeviceError("There is no release to take the wheel's dependencies from.", "Use the .deb.")
            libraries = self.folder / before
            unmarked = lambda folder, _: (WHOLE,) if folder == str(libraries) else ()  # noqa: E731
            shutil.copytree(libraries, place, symlinks=True, ignore=unmarked)
            run(python, *PIP, "install", "-q", "--no-index", "--force-reinstall", "--no-deps", str(source.path))
            # Are its dependencies there? Python runs the wheel's .pth files now, so this is no longer root's work.
            run(python, *PIP, "install", "-q", "--no-index", "--dry-run", "peg-and-pip[vision]", user=self.user)
            return
        run("python3", "-I", "-m", "venv", "--system-site-packages", str(place))
        pins = place / PINS
        pins.write_text(pinned(source.path / PINS))
        install = (python, *PIP, "install", "-q", "-c", str(pins))
        if source.is_tree:
            with tempfile.TemporaryDirectory() as copy:
                copy_tree(source.path, Path(copy))
                run(*install, f"{copy}[vision]")
        else:  # wheels only: building a source archive would run its setup script as root
            only = ("--no-index", "--only-binary", ":all:", "--find-links", str(source.path))
            run(*install, *only, "peg-and-pip[vision]")
        if before is not None:
            keep_extras(self.folder / before, place)


def keep_extras(old: Path, new: Path) -> None:
    """Copy into release folder `new` the Python distributions that only release folder `old` has.

    The table's owner may have installed them, for example for the extra `league`. Their code is not run, and their
    commands are not copied. Nothing is copied between different versions of Python. Raises OSError.
    """
    for source in old.glob("lib/python3*/site-packages"):
        target = new / source.relative_to(old)
        if target.is_dir():
            there = {_key(each) for each in target.glob("*.dist-info")}
            for extra in source.glob("[!~]*.dist-info"):  # ~: what pip left of an interrupted step
                listed = () if _key(extra) in there else Distribution.at(extra).files or ()
                for file in (each for each in listed if ".." not in each.parts and (source / each).is_file()):
                    (target / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(source / file, target / file)


def _key(info: Path) -> str:
    """Return the name of the distribution that a `.dist-info` folder is of, in a form that compares.

    The folder has the name even where a power cut has emptied the files in it.
    """
    return re.sub(r"[_.]+", "-", info.name.partition("-")[0]).lower()


def _named_by(link: Path) -> str | None:
    """Return the file name that a symbolic link points to; None when it is no link."""
    return link.readlink().name if link.is_symlink() else None


def _point(link: Path, name: str) -> None:
    """Make `link` a symbolic link to `releases/NAME` beside it, by one atomic rename that is on the disk on return."""
    fresh = link.with_name(f"{link.name}.part")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(Path("releases") / name)
    fresh.replace(link)
    sync(link.parent)


def remove(place: Path) -> None:
    """Remove a release's folder, its mark WHOLE first, so that a half-removed release never counts as complete."""
    if place.exists():
        (place / WHOLE).unlink(missing_ok=True)
        sync(place)
        shutil.rmtree(place)


def pinned(file: Path) -> str:
    """Return a constraints file's pins without those of SYSTEMS_OWN, with OpenCV's added; a missing file has none."""
    lines = file.read_text().splitlines() if file.exists() else []
    ours = [line for line in lines if line and not line.lower().startswith((*SYSTEMS_OWN, "#"))]
    return "\n".join([*ours, f"opencv-python-headless=={OPENCV}"]) + "\n"

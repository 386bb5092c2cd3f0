"""The releases on a machine: each in a folder of its own; one link names the one that runs, one the last that was well.

Each change is one name put in its place, and on the disk before the next: a pulled plug leaves the one or the other.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from companion.appliance.machine import Machine
from companion.errors import DeviceError
from companion.table.atomic import sync

OPENCV = "4.11.0.86"
"""The last OpenCV that takes NumPy 1 and 2: a Pi's picamera2 wants the NumPy of its own system (1.24 on Bookworm, 2.2
on Trixie), and fails in `simplejpeg` beside another."""
SYSTEMS_OWN = ("numpy", "opencv", "pillow", "markupsafe", "lgpio", "spidev", "gpiozero")
"""What the system brings in versions of its own, so that no pin may replace it."""
ROOMS = ("companion", "vision", "hardware", "web")
TREE = ("pyproject.toml", "README.md", "LICENSE")
"""What the package is built from, with the rooms."""
KEPT = 2
"""Releases that stay: the current one and the one before it."""
WHOLE = "whole"
"""A file in a release that was made to its end: the last to come, and the first to go."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a release is made from.

    Attributes:
        path: A folder with the project (asks the package index for what it needs), a folder of wheels that holds all
            it needs (asks nobody), or one wheel of ours (takes what it needs from the release before).
    """

    path: Path

    @property
    def is_tree(self) -> bool:
        """Whether it is the project itself."""
        return (self.path / "pyproject.toml").is_file()

    @property
    def is_wheel(self) -> bool:
        """Whether it is one wheel."""
        return self.path.suffix == ".whl"

    def name(self) -> str:
        """What the release is called: the same content gives the same name."""
        digest = hashlib.sha256()
        for file in self._files():
            digest.update(str(file.relative_to(self.path.parent)).encode() + b"\0" + file.read_bytes())
        return digest.hexdigest()[:12]

    def _files(self) -> Iterator[Path]:
        if self.path.is_file():
            yield self.path
        elif self.is_tree:
            yield from (self.path / part for part in TREE)
            for room in ROOMS:
                kept = (f for f in (self.path / room).rglob("*") if f.is_file() and "__pycache__" not in f.parts)
                yield from sorted(kept)
        else:
            yield from sorted(self.path.glob("*.whl"))


@dataclass(frozen=True, slots=True)
class Releases:
    """The releases under one folder."""

    machine: Machine
    base: str = "/opt/pegpip"

    @property
    def place(self) -> Path:
        """Where all of it lies: the folder of the releases, and beside it the links and the trial."""
        return self.machine.at(self.base)

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return self.place / "releases"

    def current(self) -> str | None:
        """The name of the release that the service runs."""
        return _named_by(self.place / "current")

    def proven(self) -> str | None:
        """The name of the last release that was well; before the first update that is the current one."""
        return _named_by(self.place / "proven") or self.current()

    def names(self) -> list[str]:
        """Those that are whole, oldest first."""
        if not self.folder.is_dir():
            return []
        whole = [path for path in self.folder.iterdir() if (path / WHOLE).exists()]
        return [path.name for path in sorted(whole, key=lambda path: (path / WHOLE).stat().st_mtime_ns)]

    def make(self, source: Source) -> str:
        """Make a release beside the others; its name. One that is there already is made no second time.

        Raises DeviceError when it can't be made or can't even tell its version; nothing of it is left then.
        """
        name = source.name()
        place = self.folder / name
        if (place / WHOLE).exists():
            return name
        _remove(place)
        try:
            self._fill(place, source)
            self.machine.run(str(place / "bin" / "pegpip"), "--version")
        except BaseException:
            _remove(place)
            raise
        os.sync()  # the content, before the name that says it is whole
        (place / WHOLE).touch()
        sync(place)
        return name

    def switch(self, name: str) -> None:
        """Let the service run that release from its next start on."""
        _point(self.place / "current", name)

    def trust(self, name: str) -> None:
        """Have that release for the last that was well."""
        _point(self.place / "proven", name)

    def prune(self) -> None:
        """Remove the oldest, all but KEPT and never one that a link names, and what was never whole."""
        named = {self.current(), self.proven()}
        others = [name for name in self.names() if name not in named]
        halves = sorted({path.name for path in self.folder.iterdir()} - {*self.names(), *named})
        for name in [*halves, *others[: max(0, len(others) - (KEPT - len(named)))]]:
            _remove(self.folder / name)

    def _fill(self, place: Path, source: Source) -> None:
        run = self.machine.run
        if source.is_wheel:
            before = self.proven()
            if before is None:
                raise DeviceError("There is no release whose libraries a wheel could use.", "Take the .deb.")
            libraries = self.folder / before
            beside = partial(_but_for_its_mark, str(libraries))
            shutil.copytree(libraries, place, symlinks=True, ignore=beside)
            words = ("--no-index", "--force-reinstall", "--no-deps", str(source.path))
            run(str(place / "bin" / "python"), "-m", "pip", "install", "-q", *words)
            run(str(place / "bin" / "python"), "-m", "pip", "install", "-q", "--no-index", f"{source.path}[vision]")
            return
        run("python3", "-m", "venv", "--system-site-packages", str(place))
        pins = place / "constraints.txt"
        pins.write_text(pinned(source.path / "constraints.txt"))
        install = (str(place / "bin" / "python"), "-m", "pip", "install", "-q", "-c", str(pins))
        if source.is_tree:
            with tempfile.TemporaryDirectory() as copy:  # building leaves files of root's, which are not for the clone
                for part in (*TREE, *ROOMS):
                    (shutil.copytree if part in ROOMS else shutil.copy2)(source.path / part, Path(copy) / part)
                run(*install, f"{copy}[vision]")
        else:
            run(*install, "--no-index", "--find-links", str(source.path), "peg-and-pip[vision]")


def _named_by(link: Path) -> str | None:
    return link.readlink().name if link.is_symlink() else None


def _point(link: Path, name: str) -> None:
    fresh = link.with_name(f"{link.name}.part")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(Path("releases") / name)
    fresh.replace(link)
    sync(link.parent)


def _remove(place: Path) -> None:
    """Remove a release; half of it never passes for a whole one."""
    if place.exists():
        (place / WHOLE).unlink(missing_ok=True)
        sync(place)
        shutil.rmtree(place)


def _but_for_its_mark(top: str, folder: str, _names: list[str]) -> tuple[str, ...]:
    return (WHOLE,) if folder == top else ()


def pinned(file: Path) -> str:
    """The project's pins, less those of what the system brings, and OpenCV's own."""
    lines = file.read_text().splitlines() if file.exists() else []
    ours = [line for line in lines if line and not line.lower().startswith((*SYSTEMS_OWN, "#"))]
    return "\n".join([*ours, f"opencv-python-headless=={OPENCV}"]) + "\n"

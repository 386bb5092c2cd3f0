"""A machine for tests: its files are in a folder, and its programs only record their arguments."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.appliance.machine import Machine
from companion.appliance.releases import Source
from companion.appliance.steps import BootLines
from companion.errors import DeviceError

VENV = ("-m", "venv")
CONFIG = "/boot/firmware/config.txt"
LINES = BootLines(("dtparam=spi=on", "core_freq=500"))


@dataclass(frozen=True, slots=True)
class Noted(Machine):
    """Attributes: `asked`: the programs that were run; `installed`: packages; `broken`: what fails of their words."""

    asked: list[tuple[str, ...]] = field(default_factory=list)
    installed: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    def run(self, *words: str, user: str = "") -> str:
        self.asked.append(words)
        if self.broken & set(words):
            raise DeviceError(f"{words[0]} failed.", "Mend it.")
        if words[:2] == ("apt-get", "install"):
            self.installed.update(word for word in words[2:] if not word.startswith("-"))
        if VENV in (words[1:3], words[2:4]):
            (Path(words[-1]) / "bin").mkdir(parents=True)
        if words[:2] == ("systemctl", "enable"):
            wants = self.at("/etc/systemd/system/multi-user.target.wants")
            wants.mkdir(parents=True, exist_ok=True)
            (wants / words[-1]).touch()
        if words[:2] == ("systemctl", "disable"):
            self.at("/etc/systemd/system/multi-user.target.wants").joinpath(words[-1]).unlink()
        return "installed" if words[0] == "dpkg-query" else ""

    def works(self, *words: str) -> bool:
        if words[0] == "dpkg-query":
            return words[-1] in self.installed
        return words[0] == "apt-cache" and words[-1] != "python3-picamera2"  # Debian's sources have no such package


def wheel(folder: Path, *, version: str = "0.1.0", files: Mapping[str, str] | None = None) -> Path:
    """Write a wheel of the project, as small as pip takes it, with these files in it besides."""
    about = f"peg_and_pip-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: peg-and-pip\nVersion: {version}\nProvides-Extra: vision\n"
    content = {
        f"{about}/METADATA": metadata,
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\npegpip = pegpip_of_a_test:main\n",
        "pegpip_of_a_test.py": "def main():\n    print('a release')\n",
        **(files or {}),
    }
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"peg_and_pip-{version}-py3-none-any.whl"
    with zipfile.ZipFile(place, "w") as packed:
        for name, text in content.items():
            packed.writestr(name, text)
        packed.writestr(f"{about}/RECORD", "".join(f"{name},,\n" for name in (*content, f"{about}/RECORD")))
    return place


def wheels(folder: Path, text: str) -> Source:
    """Make a folder with one wheel, whose content differs by that text."""
    return Source(wheel(folder, files={"what.txt": text}).parent)


def quiet(_line: str) -> None:
    """Print nothing."""


def files_under(root: Path) -> dict[str, str]:
    """Return the text of each file under a folder, by its path from there."""
    return {str(f.relative_to(root)): f.read_text() for f in root.rglob("*") if f.is_file()}

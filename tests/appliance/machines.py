"""A machine for tests: its files lie in a folder, and its programs only note what they were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from companion.appliance.machine import Machine
from companion.errors import DeviceError

VENV = ("-m", "venv")


@dataclass(frozen=True, slots=True)
class Noted(Machine):
    """Attributes: `asked`: the programs that were run; `installed`: packages; `broken`: what fails of their words."""

    asked: list[tuple[str, ...]] = field(default_factory=list)
    installed: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> str:
        self.asked.append(words)
        if self.broken & set(words):
            raise DeviceError(f"{words[0]} failed.", "Mend it.")
        if words[:2] == ("apt-get", "install"):
            self.installed.update(word for word in words[2:] if not word.startswith("-"))
        if words[1:3] == VENV:
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

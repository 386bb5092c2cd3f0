"""The machine that is installed on: its files under a root, and the programs that change it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from companion.errors import DeviceError

LAST_LINES = 8
"""So much of what a program said is told when it fails."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine that the program runs on.

    Attributes:
        root: What its files lie under; another than `/` for tests of what is written.
    """

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """Where that absolute path lies."""
        return self.root / path.lstrip("/")

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a program to its end; what it printed.

        Raises DeviceError with the last lines it said when it fails or is not there.
        """
        try:
            done = subprocess.run(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                check=True,
                env={**os.environ, "LC_ALL": "C.UTF-8", **(environment or {})},
            )
        except FileNotFoundError:
            raise DeviceError(f"`{words[0]}` is not on this machine.", "Take Debian 12 or newer.") from None
        except subprocess.CalledProcessError as failed:
            said = "\n".join(failed.output.strip().splitlines()[-LAST_LINES:])
            raise DeviceError(
                f"`{' '.join(words)}` failed ({failed.returncode}):\n{said}", "Mend that and run it again: it goes on."
            ) from None
        return done.stdout

    def works(self, *words: str) -> bool:
        """Whether a program is there and ends well; nothing it prints is shown."""
        try:
            return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False).returncode == 0
        except FileNotFoundError:
            return False

    def model(self) -> str:
        """The device tree's name for it, as `Raspberry Pi 4 Model B Rev 1.4`; empty where there is none."""
        try:
            return self.at("/proc/device-tree/model").read_text().rstrip("\0")
        except OSError:
            return ""

    @property
    def has_systemd(self) -> bool:
        """Whether systemd runs here: not in a container or a folder that is being prepared."""
        return self.at("/run/systemd/system").is_dir()

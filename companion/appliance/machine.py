"""The machine to install on: its files under a root folder, and the programs that change it."""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from companion.errors import DeviceError

USER = "pegpip"
"""System user that the table's service runs as."""
ENVIRONMENT = {"LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
"""Variables of each program that is run: it speaks English, and apt and dpkg ask nothing."""
LAST_LINES = 8
"""Most lines of a failed program's output that the error quotes, the last ones. Fewer may hide the cause."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine to install on; `root` is the folder that its absolute paths start from, another than `/` in tests."""

    root: Path = Path("/")

    def at(self, path: str) -> Path:
        """Return the path under `root` of an absolute path on this machine."""
        return self.root / path.lstrip("/")

    def run(self, *words: str, user: str = "") -> str:
        """Run a program to its end, without input, and return its output: stdout and stderr together.

        The variables of ENVIRONMENT are added to the inherited ones; the umask is 022. If the caller is root and names
        a `user`, the program runs as that user, with the user's primary group only and a HOME that does not exist. For
        another caller `user` is ignored. Raises DeviceError if the program fails (quoting its last lines) or is not
        installed, KeyError if root names an unknown user.
        """
        lowered = bool(user) and os.geteuid() == 0
        try:
            done = subprocess.run(
                words,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",  # a program may quote a file name that is no UTF-8
                check=True,
                env={**os.environ, **ENVIRONMENT, **({"HOME": "/nonexistent"} if lowered else {})},
                user=user if lowered else None,
                group=pwd.getpwnam(user).pw_gid if lowered else None,
                extra_groups=() if lowered else None,
                umask=0o022,
            )
        except FileNotFoundError:
            raise DeviceError(f"`{words[0]}` is not installed.", "Use Debian 12 or newer.") from None
        except subprocess.CalledProcessError as failed:
            said = "\n".join(failed.output.strip().splitlines()[-LAST_LINES:])
            raise DeviceError(
                f"`{' '.join(words)}` failed ({failed.returncode}):\n{said}", "Correct that and run it again."
            ) from None
        return done.stdout

    def works(self, *words: str) -> bool:
        """Return whether a program is installed and exits with status 0; its output is discarded."""
        try:
            return subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, check=False).returncode == 0
        except FileNotFoundError:
            return False

    def model(self) -> str:
        """Return a Pi's model from the device tree, such as `Raspberry Pi 4 Model B Rev 1.4`; empty without one."""
        try:
            return self.at("/proc/device-tree/model").read_text().rstrip("\0")
        except OSError:
            return ""

    @property
    def has_systemd(self) -> bool:
        """Whether systemd runs here; false in a container or in a folder that is being prepared."""
        return self.at("/run/systemd/system").is_dir()

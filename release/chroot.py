"""A Debian in a folder: made by debootstrap, and used by chroot. Needs root."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

NATIVE = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
"""Debian's name of this machine's processor."""
CERTIFICATES = os.environ.get("PIP_CERT") or "/etc/ssl/certs/ca-certificates.crt"
"""This machine's file of CA certificates. Release tests copy it into the Debian root (chroot).
There pip checks the package index by it."""
OURS = ("etc", "opt", "usr/local", "root", "boot")
"""Folders of the Debian root that uninstalling must leave as they were before installing."""
BACKUPS = ("etc/passwd-", "etc/group-", "etc/shadow-", "etc/gshadow-")
"""Debian's copies of its user and group files before the last change. `Root.files` leaves them out: they differ after
uninstalling even if every user and group is restored."""


@dataclass(frozen=True, slots=True)
class Root:
    """A Debian in a folder."""

    folder: Path

    def run(self, *words: str, check: bool = True) -> str:
        """Run a program with arguments, `words`, in the root (chroot); return its output, standard error included.

        If `check` is set and the program fails, exit this program with the command and the end of that output.
        """
        environment = {
            "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LC_ALL": "C.UTF-8",
            "PIP_CERT": "/root/certificates.crt",
            "PIP_CACHE_DIR": "/var/cache/pegpip-wheels",
        }
        done = subprocess.run(
            ["chroot", self.folder, *words],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            check=False,
        )
        if check and done.returncode:
            sys.exit(f"FAILED: {' '.join(words)}\n{done.stdout[-3000:]}")
        return done.stdout

    def sh(self, script: str, *, check: bool = True) -> str:
        """Run a shell script in /root/pegpip of the root; return its output, standard error included.

        If `check` is set and the script fails, exit this program with the script and the end of that output.
        """
        return self.run("sh", "-c", f"cd /root/pegpip && {script}", check=check)

    def files(self) -> dict[str, str]:
        """Return the files, links and folders of the Debian root below the folders `OURS`, to compare two states of it.

        The result is path -> content. A path is relative to the root. The content is a file's SHA-256, a link's target,
        and "" for a folder. Left out are `BACKUPS`, and root/pegpip with all in it.
        """
        found = {}
        for place in OURS:
            for path in sorted((self.folder / place).rglob("*")):
                name = str(path.relative_to(self.folder))
                if f"{name}/".startswith("root/pegpip/") or name in BACKUPS:
                    continue
                if path.is_symlink():
                    found[name] = str(path.readlink())
                elif path.is_dir():
                    found[name] = ""
                elif path.is_file():
                    found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        return found


def debootstrap(folder: Path, arch: str, suite: str) -> None:
    """Install a minimal Debian from its mirror into a new folder.

    Until the installation is complete, `.part` is added to the folder's name. A `.part` folder of an earlier failure is
    deleted. For a foreign processor, `register_qemu` first registers qemu with the kernel.

    Args:
        folder: The folder; must be new or empty.
        arch: Debian's name of the processor, `amd64` or `arm64`.
        suite: Debian's release, such as `bookworm`.

    Raises:
        CalledProcessError: debootstrap fails.
        SystemExit: Its second stage fails, which only a foreign processor needs.
    """
    part = folder.with_name(f"{folder.name}.part")
    remove(part)
    words = ["debootstrap", f"--arch={arch}", "--variant=minbase", suite, str(part)]
    if arch == NATIVE:
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    else:
        register_qemu()
        subprocess.run([*words[:1], "--foreign", *words[1:]], check=True, stdout=subprocess.DEVNULL)
        Root(part).run("/debootstrap/debootstrap", "--second-stage")
    part.rename(folder)


def remove(folder: Path) -> None:
    """Delete a Debian root if it exists; its `/proc` is unmounted first. Raises CalledProcessError if that fails."""
    if (folder / "proc/self").exists():
        subprocess.run(["umount", folder / "proc"], check=True)
    if folder.exists():
        shutil.rmtree(folder)


def register_qemu() -> None:
    """Register qemu with the kernel (binfmt_misc) to run arm64 programs, in a chroot too. Needs root.

    Does nothing if it is registered. Raises CalledProcessError if binfmt_misc can't be mounted, OSError if qemu is not
    installed.
    """
    place = Path("/proc/sys/fs/binfmt_misc")
    if not (place / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", place], check=True)
    if not (place / "qemu-aarch64").exists():
        magic = r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
        mask = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
        (place / "register").write_text(f":qemu-aarch64:M::{magic}:{mask}:/usr/bin/qemu-aarch64-static:F")

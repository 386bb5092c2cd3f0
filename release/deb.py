"""`make deb`: the Debian package with every wheel in it. It installs and updates without the package index.

Needs Debian's dpkg-deb. `python -m release.deb --arch arm64 --out dist`
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path

from companion.appliance.install import NEEDED, PUBLIC_KEY, USEFUL
from companion.appliance.releases import SYSTEMS_OWN, Source, copy_tree, pinned

PROJECT = Path(__file__).resolve().parents[1]
"""The project's folder."""
PYTHONS = ("3.11", "3.13")
"""Python versions for which the Debian package brings wheels: those of Debian 12 and 13. More make it larger; a Python
that is not listed finds no wheels."""
MACHINES = {"arm64": "aarch64", "amd64": "x86_64"}
"""Debian's name of a processor -> its name in the tags of wheels."""
BROUGHT = ("opencv", "markupsafe")
"""Starts of the names of distributions in SYSTEMS_OWN that the Debian package brings all the same: a Pi without the
Internet may lack them."""
GLIBCS = ("manylinux2014", "manylinux_2_17", "manylinux_2_28", "manylinux_2_34")
"""Platform tags of the wheels that may go into the package: all run on Debian 12 (glibc 2.36)."""
INSTALLER = (
    "companion/__init__.py",
    "companion/errors.py",
    "companion/table/__init__.py",
    "companion/table/atomic.py",
    "companion/table/lock.py",
    "companion/service/__init__.py",
    "companion/service/addresses.py",
    "companion/appliance",
    "systemd",
    "constraints.txt",
    PUBLIC_KEY,
)
"""Files and folders of the project that the Debian package copies to SHARE. Its maintainer scripts run the installer
from there with the system's Python. A missing `PUBLIC_KEY` is left out."""
SHARE = "usr/share/pegpip"
"""Folder in the package for the installer's files and the wheels."""
CONTROL = """Package: pegpip
Version: {version}
Architecture: {arch}
Maintainer: Peg & Pip <pegpip@localhost>
Section: games
Priority: optional
Installed-Size: {size}
Depends: python3 (>= 3.11), {needed}
Recommends: {useful}
Suggests: network-manager, polkitd
Description: dice table: a camera reads the dice, every phone shows the score
 Throw real dice into a tray at the pub. A camera reads the pips, a rules
 engine scores Crib Dice, Crag or Crapola, an LED strip is the cribbage track,
 and every phone on the local Wi-Fi shows the scoreboard.
 .
 The package makes its machine a table: it starts with it, and opens a Wi-Fi
 of its own where there is none.
 .
 The package holds its Python wheels and needs no package index. A machine
 without the Internet needs the packages in Depends beforehand.
"""
"""Control file of the package, with places for its version, processor, size in KiB and needed packages."""
SCRIPTS = {
    "postinst": """#!/bin/sh
set -e
if [ "$1" = configure ]; then
    cd /usr/share/pegpip
    PYTHONDONTWRITEBYTECODE=1 python3 -m companion.appliance.install --wheels wheels
fi
""",
    "prerm": """#!/bin/sh
set -e
if [ "$1" = remove ]; then
    cd /usr/share/pegpip
    PYTHONDONTWRITEBYTECODE=1 python3 -m companion.appliance.install --wheels wheels --uninstall
fi
""",
}
"""Maintainer script of the Debian package -> its text."""
OVERRIDES = """# The project has no mail of its own; its users ask where they found it.
pegpip: bogus-mail-host Maintainer *
pegpip: bogus-mail-host-in-debian-changelog *
"""
"""Overrides for lintian, the checker of packages: findings that do not apply, with the reason."""


def bundled_distributions() -> list[str]:
    """Return the sorted names of the Python distributions that the Debian package brings as wheels.

    These are OpenCV, the project's dependencies and, recursively, what they require. Requirements of a dependency that
    have a marker, such as those of an extra, are left out. Names with a prefix in `SYSTEMS_OWN`, which Debian provides,
    are left out, except those with a prefix in `BROUGHT`. Raises PackageNotFoundError if a distribution is not
    installed here.
    """
    found: set[str] = set()
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    asked = ["opencv-python-headless", *(_name(one) for one in project["dependencies"])]
    while asked:
        name = asked.pop()
        if name in found or (name.startswith(SYSTEMS_OWN) and not name.startswith(BROUGHT)):
            continue
        found.add(name)
        for one in importlib.metadata.requires(name) or []:
            wanted, _, marker = one.partition(";")
            if not marker.strip():
                asked.append(_name(wanted))
    return sorted(found)


def _name(requirement: str) -> str:
    """Return the normalised name of the distribution in a requirement."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return found[0].lower().replace("_", "-")


def wheels(into: Path, arch: str) -> None:
    """Build the project's wheel into a folder, and download the wheels that it needs for each of `PYTHONS`.

    `bundled_distributions` names the distributions, constraints.txt their versions. Prints a line for each Python.

    Args:
        into: The folder.
        arch: Debian's name of the processor, `arm64` or `amd64`.

    Raises:
        CalledProcessError: pip fails.
    """
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "-q")
    own_wheel(into)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as constraints:
        constraints.write(pinned(PROJECT / "constraints.txt"))
        constraints.flush()
        for python in PYTHONS:
            print(f"wheels of Python {python} for {arch} ...", flush=True)  # noqa: T201
            tag = "cp" + python.replace(".", "")
            words = [f"--platform={glibc}_{MACHINES[arch]}" for glibc in GLIBCS]
            words += [f"--abi={abi}" for abi in (tag, "abi3", "none")]
            words += ["--implementation=cp", f"--python-version={python}", "--only-binary=:all:", "--no-deps"]
            words += bundled_distributions()
            subprocess.run([*pip, "download", "-d", into, "-c", constraints.name, *words], check=True)


def own_wheel(into: Path) -> None:
    """Build the project's wheel into a folder. Raises CalledProcessError if pip fails.

    It is built from a copy of the sources: the project's folder may hold other files, such as a chroot with links to
    /proc.
    """
    with tempfile.TemporaryDirectory() as copy:
        copy_tree(PROJECT, Path(copy))
        words = ("-m", "pip", "--disable-pip-version-check", "-q", "wheel", "--no-deps", "-w", into, copy)
        subprocess.run([sys.executable, *words], check=True)


def version() -> str:
    """Return the project's version with a hash of its content, so that other content gives another version."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    return f"{project['version']}+{Source(PROJECT).name()[:8]}"


def write_files(root: Path, arch: str, release: str) -> Path:
    """Build the wheels, and write the content of the Debian package into a new folder.

    The content is the wheels, the installer's files, licence, changelog and lintian overrides. The control files are
    not written.
    """
    share, doc = root / SHARE, root / "usr/share/doc/pegpip"
    (share / "wheels").mkdir(parents=True)
    doc.mkdir(parents=True)
    wheels(share / "wheels", arch)
    for part in INSTALLER:
        target = share / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (PROJECT / part).is_dir():
            shutil.copytree(PROJECT / part, target, ignore=shutil.ignore_patterns("__pycache__"))
        elif (PROJECT / part).exists() or part != PUBLIC_KEY:
            shutil.copy2(PROJECT / part, target)
    shutil.copy2(PROJECT / "LICENSE", doc / "copyright")
    log = f"pegpip ({release}) stable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- Peg & Pip <pegpip@localhost>  "
    (doc / "changelog.gz").write_bytes(gzip.compress(f"{log}{formatdate(0)}\n".encode(), 9, mtime=0))
    overrides = root / "usr/share/lintian/overrides"
    overrides.mkdir(parents=True)
    (overrides / "pegpip").write_text(OVERRIDES)
    return root


def control(root: Path, arch: str, release: str) -> None:
    """Write the Debian package's control files into `root/DEBIAN`: description, checksums and maintainer scripts.

    Args:
        root: The package's root, with all its other files in it.
        arch: Debian's name of the processor, `arm64` or `amd64`.
        release: The package's version.
    """
    folder = root / "DEBIAN"
    folder.mkdir()
    size = sum(file.stat().st_size for file in root.rglob("*") if file.is_file()) // 1024
    (folder / "control").write_text(
        CONTROL.format(
            version=release,
            arch=arch,
            size=size,
            needed=", ".join(NEEDED),
            useful=", ".join(USEFUL),
        )
    )
    sums = list(_sums(root))
    (folder / "md5sums").write_text("".join(sums))
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)


def _sums(root: Path) -> Iterator[str]:
    """Yield the line of `md5sums` for each file under the package's root, except its control files in DEBIAN."""
    for file in sorted(path for path in root.rglob("*") if path.is_file() and "DEBIAN" not in path.parts):
        done = subprocess.run(["md5sum", file.relative_to(root)], cwd=root, capture_output=True, text=True, check=True)
        yield done.stdout


def main() -> None:
    """Build the Debian package for `--arch` into the folder `--out`, and print the path of the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", choices=MACHINES, default="arm64", help="arm64 is a Raspberry Pi's")
    parser.add_argument("--out", type=Path, default=PROJECT / "dist")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    release = version()  # once: sources that change while the wheels are built would give other versions
    package = given.out / f"pegpip_{release}_{given.arch}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = write_files(Path(folder) / "root", given.arch, release)
        control(root, given.arch, release)
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() or (path.parent.name == "DEBIAN" and path.name in SCRIPTS) else 0o644)
        subprocess.run(["dpkg-deb", "--build", "--root-owner-group", "-Zxz", root, package], check=True)
    print(package)  # noqa: T201


if __name__ == "__main__":
    main()

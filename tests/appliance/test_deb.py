"""The Debian package holds the installer and all that it imports; the Python distribution holds what runs."""

from __future__ import annotations

import hashlib
import os
import runpy
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from setuptools import find_packages

from companion.appliance.install import PROJECT, PUBLIC_KEY


def test_the_installer_starts_from_only_the_parts_that_deb_py_packs_for_it(tmp_path: Path) -> None:
    """The system's Python runs it, with nothing else of the project beside it."""
    for part in runpy.run_path(str(PROJECT / "release/deb.py"))["INSTALLER"]:
        to = tmp_path / part
        if part == PUBLIC_KEY and not (PROJECT / part).exists():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (PROJECT / part).is_dir() else shutil.copy2)(PROJECT / part, to)
    (tmp_path / "wheels").mkdir()
    words = [sys.executable, "-S", "-m", "companion.appliance.install", "--wheels", "wheels", "--dry-run"]
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, env=bare)
    assert done.returncode == 0, done.stderr
    assert "make the release" in done.stdout


def test_the_deb_package_states_its_version_and_lists_files_in_md5sums(tmp_path: Path) -> None:
    share = tmp_path / "usr/share/pegpip"
    share.mkdir(parents=True)
    (share / "constraints.txt").write_text("flask==3\n")
    runpy.run_path(str(PROJECT / "release/deb.py"))["control"](tmp_path, "arm64", "0.1.0+12345678")
    assert "\nVersion: 0.1.0+12345678\n" in (tmp_path / "DEBIAN/control").read_text()
    digest = hashlib.md5(b"flask==3\n").hexdigest()
    assert (tmp_path / "DEBIAN/md5sums").read_text() == f"{digest}  usr/share/pegpip/constraints.txt\n"


def test_the_installed_distribution_leaves_out_the_release_package() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = find_packages(str(PROJECT), **project["tool"]["setuptools"]["packages"]["find"])
    assert "hardware.pictures" in packages
    assert not [name for name in packages if name.startswith("release")]

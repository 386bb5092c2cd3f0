"""The card image: its stage hides no password, and Raspberry Pi Imager gets what it asks for."""

from __future__ import annotations

import hashlib
import importlib.util
import lzma
import os
import re
import runpy
import subprocess
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest

from companion.appliance.install import KEYFILE
from companion.appliance.trial import SETTINGS

IMAGE = Path(__file__).resolve().parents[2] / "release" / "image"
STAGE = IMAGE / "stage-pegpip"
SCRIPTS = sorted([*STAGE.rglob("*.sh"), STAGE / "00-pegpip/files/first-start"])
REQUIRED = {
    "name": str,
    "description": str,
    "icon": str,
    "url": str,
    "extract_size": int,
    "extract_sha256": str,
    "image_download_size": int,
    "release_date": str,
}
"""Fields that Imager's schema (doc/json-schema/os-list-schema.json) requires of an operating system."""


@pytest.fixture
def imager_json() -> ModuleType:
    spec = importlib.util.spec_from_file_location("imager_json", IMAGE / "imager_json.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_imager_json_has_required_fields_and_image_sizes_and_checksums(imager_json: ModuleType, tmp_path: Path) -> None:
    content = bytes(range(256)) * 20_000
    packed = tmp_path / "pegpip.img.xz"
    packed.write_bytes(lzma.compress(content))
    (entry,) = imager_json.os_list(packed, "https://example.org/pegpip.img.xz", date(2026, 11, 24))["os_list"]
    assert {field: type(entry[field]) for field in REQUIRED} == REQUIRED
    assert entry["extract_size"] == len(content)
    assert entry["extract_sha256"] == hashlib.sha256(content).hexdigest()
    assert entry["image_download_size"] == packed.stat().st_size
    assert entry["image_download_sha256"] == hashlib.sha256(packed.read_bytes()).hexdigest()
    assert entry["release_date"] == "2026-11-24"
    assert entry["init_format"] == "cloudinit-rpi"  # or Imager would not ask for user, Wi-Fi and country


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_each_image_build_script_is_valid_bash_and_all_but_run_chroot_scripts_are_executable(script: Path) -> None:
    assert subprocess.run(["bash", "-n", script], check=False).returncode == 0
    # pi-gen runs only what may be executed; a `-chroot` script goes in by standard input.
    assert os.access(script, os.X_OK) or script.name.endswith("-run-chroot.sh")


def test_the_image_build_deletes_the_settings_and_hotspot_key_files_after_apt_install() -> None:
    inside = (STAGE / "00-pegpip/01-run-chroot.sh").read_text()
    removed = re.findall(r"^rm -f (.*)$", inside, re.MULTILINE)
    assert [KEYFILE in line and SETTINGS in line for line in removed] == [True]
    assert inside.index("apt-get install") < inside.index("rm -f")


def test_first_start_leaves_its_done_mark_only_if_the_installer_succeeds(tmp_path: Path) -> None:
    """A power cut after the settings and before the hotspot's keyfile must not be the end of the first start."""
    unit = (STAGE / "00-pegpip/files/pegpip-first-start.service").read_text()
    (mark,) = re.findall(r"^ConditionPathExists=!(.*)$", unit, re.MULTILINE)
    assert "Before=pegpip.service pegpip-hotspot.service\n" in unit
    assert mark not in (SETTINGS, KEYFILE)
    made, config, restarted = (tmp_path / name for name in ("mark", "config.txt", "restarted"))
    script = (STAGE / "00-pegpip/files/first-start").read_text()
    for path, here in ((mark, made), ("/boot/firmware/config.txt", config), ("/usr/share/pegpip", tmp_path)):
        assert path in script
        script = script.replace(path, str(here))
    for status in (1, 0):
        does = {"python3": f"echo >>{config}; exit {status}", "systemctl": f"mv {made} {restarted}", "nmcli": "exit 1"}
        for name, program in does.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{program}\n")
            (tmp_path / name).chmod(0o755)
        done = subprocess.run(["sh", "-c", script], check=False, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
        assert (done.returncode, made.exists(), restarted.exists()) == (status, False, status == 0)


def test_the_card_image_config_sets_no_password_or_wifi_and_disables_ssh() -> None:
    config = (IMAGE / "config").read_text()
    assert "ENABLE_SSH='0'" in config
    assert "FIRST_USER_PASS" not in config
    assert "WPA_" not in config


def test_a_failed_debootstrap_leaves_no_debian_root_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: the next run took the half-made root for a whole one."""
    chroot, folder = runpy.run_path(str(IMAGE.parent / "chroot.py")), tmp_path / "root"
    program = tmp_path / "debootstrap"
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for status in (1, 0):
        program.write_text(f'#!/bin/sh\nmkdir -p "$4" && touch "$4/{status}" && exit {status}\n')
        program.chmod(0o755)
        with suppress(subprocess.CalledProcessError):
            chroot["debootstrap"](folder, chroot["NATIVE"], "trixie")
        assert folder.exists() == (status == 0)
    assert [path.name for path in folder.iterdir()] == ["0"]


@pytest.mark.parametrize("inside", [True, False])
def test_the_sd_card_image_trial_uses_only_the_given_deb_package_and_never_deletes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: bool
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    files = tmp_path / "files"
    files.mkdir()
    (files / "pegpip_1_amd64.deb").write_text("old")
    package = (files if inside else tmp_path) / "pegpip_2_amd64.deb"
    package.write_text("new")
    with runpy.run_path(str(IMAGE / "try_stage.py"))["packed"](package, files):
        assert {path.name: path.read_text() for path in files.iterdir()} == {package.name: "new"}
    assert package.read_text() == "new"
    assert list(files.iterdir()) == ([package] if inside else [])

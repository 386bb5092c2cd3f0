"""`pegpip doctor`: every part's check, well and ill, with what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click import UsageError
from click.testing import CliRunner, Result

from companion.commands.doctor import command
from companion.diagnostics.devices import (
    check_buttons,
    check_camera,
    check_sounds,
    check_strip,
    picture_checks,
    shutdown_refusal,
)
from companion.diagnostics.health import Finding
from companion.diagnostics.versions import check_versions
from companion.errors import DeviceError
from companion.settings.load import Settings
from hardware.settings import ButtonSettings, StripSettings
from hardware.strips.memory import MemoryStrip
from vision.cameras import Frame
from vision.settings import CameraSettings

WELL = {"OpenCV": "4.10.0", "NumPy": "1.24.2", "picamera2": "0.3.12", "simplejpeg": "1.6.4"}


def doctor(tmp_path: Path, settings: str, *words: str) -> Result:
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nhost = '127.0.0.1'\nport = 0\n{settings}")
    return CliRunner().invoke(command, ["--config", str(file), *words], standalone_mode=False)


@pytest.mark.parametrize("words", [("--photos",), ("--throws", "3"), ("--yes",), ("--out", "report")])
def test_the_doctor_command_refuses_options_that_would_have_no_effect(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert isinstance(doctor(tmp_path, "", *words).exception, UsageError)


class BrokenCamera:
    name = "broken"

    def start(self) -> None:
        raise DeviceError("The camera is not there.", "Seat its ribbon.")

    def frame(self) -> Frame | None:
        raise AssertionError

    def stop(self) -> None: ...


class BrokenStrip(MemoryStrip):
    def start(self) -> None:
        raise DeviceError("There is no /dev/spidev0.0.", "Switch SPI on.")


def ill(check: Finding, *words: str) -> bool:
    return not check.ok and bool(check.cure) and all(word in f"{check.says} {check.cure}" for word in words)


def test_doctor_passes_on_a_pc_and_marks_camera_strip_buttons_simulated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.diagnostics.network.own_addresses", lambda: ("192.0.2.7",))
    done = doctor(tmp_path, "", "--json")
    told = {row["part"]: row for row in map(json.loads, done.stdout.splitlines())}
    assert set(told) == {
        "camera", "light", "focus", "calibration", "strip", "buttons", "settings",
        "disk", "journal", "clock", "network", "power", "port", "versions",
    }  # fmt: skip
    assert {part for part, row in told.items() if row["simulated"]} >= {"camera", "strip", "buttons"}
    assert "192.0.2.7" in told["network"]["says"]
    assert [row for row in told.values() if not row["ok"]] == []
    assert done.return_value == 0


def test_a_failed_doctor_check_is_printed_with_a_cure_and_exit_status_1(tmp_path: Path) -> None:
    done = doctor(tmp_path, "[camera]\nsource = 'files:/nowhere/at/all'\n[strip]\nkind = 'spi'\n")
    assert done.return_value == 1
    assert "ill" in done.stdout
    assert "->" in done.stdout
    assert "to see to." in done.stdout


def test_the_doctor_tells_dark_overexposed_and_blurred_pictures_apart() -> None:
    dark, burnt, flat = (np.full((96, 128, 3), level, np.uint8) for level in (10, 255, 120))
    sharp = (np.indices((96, 128)).sum(axis=0) // 8 % 2 * 120 + 60).astype(np.uint8)[:, :, None].repeat(3, axis=2)
    assert ill(picture_checks(dark)[0], "Too dark")
    assert ill(picture_checks(burnt)[0], "Too bright")
    assert ill(picture_checks(flat)[1], "Sharpness 0")
    assert all(check.ok for check in picture_checks(sharp))


CLASHING = Settings(strip=StripSettings(kind="spi"), buttons=ButtonSettings(kind="gpio", bank=10, undo=5, next=5))
WRONG_ORDER = Settings(strip=StripSettings(order="GRG"))


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (lambda: check_camera(Settings(), lambda _source: BrokenCamera())[0], ("not there", "ribbon")),
        (lambda: check_camera(Settings(camera=CameraSettings(source="picamer")))[0], ("picamera2", "[camera] source")),
        (lambda: check_strip(Settings(), lambda _kind, leds, _wired: BrokenStrip(leds)), ("spidev0.0", "SPI on")),
        (lambda: check_strip(Settings(strip=StripSettings(layout="bord3x121"))), ("board3x121",)),
        (lambda: check_strip(WRONG_ORDER), ("[strip] order 'GRG'", "Correct [strip].")),
        (lambda: check_buttons(CLASHING, machine=""), ("bank is on pin 10", "share pin 5")),
        (lambda: check_buttons(Settings(buttons=ButtonSettings(kind="gpoi"))), ("gpio",)),
    ],
    ids=["no camera", "mistyped camera", "no strip", "mistyped layout", "strip's order", "pins", "mistyped buttons"],
)
def test_a_failed_doctor_check_of_camera_led_strip_or_buttons_names_fault_and_cure(
    check: Callable[[], Finding], words: tuple[str, ...]
) -> None:
    assert ill(check(), *words)


def test_the_doctors_button_check_passes_despite_an_invalid_strip_order() -> None:
    assert check_buttons(WRONG_ORDER, machine="").ok


@pytest.mark.parametrize(
    ("said", "ok"), [('s "yes"', True), ('s "challenge"', False), ("logind can't be asked", False)]
)
def test_the_doctor_reports_a_shutdown_button_that_lacks_permission_to_shut_down(said: str, ok: bool) -> None:
    found = shutdown_refusal(lambda: said)
    assert found is None if ok else found is not None and ill(found, said, "polkitd")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"NumPy": "2.2.0"}, ("simplejpeg",)),
        ({"picamera2": None}, ("--system-site-packages",)),
        ({"OpenCV": None}, ("python3-opencv",)),
    ],
)
def test_the_doctor_reports_incompatible_or_missing_libraries_with_a_cure(
    changed: dict[str, str | None], words: tuple[str, ...]
) -> None:
    assert check_versions("picamera2", WELL).ok
    assert ill(check_versions("picamera2", {**WELL, **changed}), *words)


def test_a_missing_picamera2_passes_the_doctor_with_an_opencv_camera() -> None:
    assert check_versions("opencv:0", {**WELL, "picamera2": None}).ok


def test_the_doctor_reports_a_sound_failure_with_its_cure() -> None:
    assert check_sounds(lambda _wav: None).ok
    ill = check_sounds(lambda _wav: "Sounds can't be played: aplay is missing. sudo apt install alsa-utils.")
    assert (ill.ok, ill.says, ill.cure) == (
        False,
        "Sounds can't be played: aplay is missing.",
        "sudo apt install alsa-utils.",
    )

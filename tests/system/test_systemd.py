"""The units as systemd itself sees them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from companion.adapters import tray_observer
from companion.service import supervision
from hardware import sounds
from web.serving import server

SYSTEMD = Path(__file__).resolve().parents[2] / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
ANALYZE = shutil.which("systemd-analyze")


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    if ANALYZE is None:
        if os.environ.get("CI"):
            pytest.fail("systemd-analyze is missing: .ci/run installs it")
        pytest.skip("systemd-analyze is not on this machine")
    return subprocess.run([ANALYZE, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_analyze_verify_accepts_each_unit(unit: Path) -> None:
    done = analyze("verify", str(unit))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_each_systemd_unit_has_an_exposure_level_below_2_5(unit: Path) -> None:
    done = analyze("security", "--offline=yes", str(unit))
    exposure = re.search(rf"exposure level for {unit.name}: ([\d.]+)", done.stdout)
    assert exposure is not None
    assert float(exposure[1]) < 2.5


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_no_systemd_unit_sets_supplementary_groups(unit: Path) -> None:
    """Debian on a PC has no groups gpio and spi, and systemd starts no service in an unknown group (216/GROUP)."""
    assert "SupplementaryGroups" not in unit.read_text()


def test_systemd_stop_timeout_exceeds_the_sum_of_the_tables_shutdown_timeouts() -> None:
    """What is killed while OpenCV looks at a picture aborts, and is told as a failure."""
    given = re.search(r"^TimeoutStopSec=(\d+)$", (SYSTEMD / "pegpip.service").read_text(), re.MULTILINE)
    assert given is not None
    looking_s = tray_observer.JOIN_TIMEOUT_S + tray_observer.EXIT_TIMEOUT_S
    assert int(given[1]) > server.SHUTDOWN_S + supervision.STOP_TIMEOUT_S + sounds.PLAYER_TIMEOUT_S + 1 + looking_s

"""The machine that the installer's tests change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.appliance.machines import CONFIG, Noted


@pytest.fixture
def machine(tmp_path: Path) -> Noted:
    """A Pi with a config.txt and a command line, and nothing installed."""
    config = tmp_path / CONFIG.lstrip("/")
    config.parent.mkdir(parents=True)
    config.write_text("camera_auto_detect=1\n[cm4]\notg_mode=1\n")
    config.with_name("cmdline.txt").write_text("console=tty1 rootwait\n")
    (tmp_path / "var/lib").mkdir(parents=True)
    return Noted(tmp_path)

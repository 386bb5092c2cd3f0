"""A few random changes of settings with a restart after each; `make settings-storm` runs three hundred."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.settings.storm import BY_HAND, storm

ROUNDS = 5
"""Enough for a forbidden port, an unplugged camera, a deleted video, a strip and a layout that are not there."""


PROJECT = Path(__file__).resolve().parents[2]
REACHABLE = all(folder.stat().st_mode & stat.S_IXOTH for folder in (PROJECT, *PROJECT.parents))
"""Whether any user may enter the project's folder; in root's home nobody else may."""


@pytest.mark.slow
@pytest.mark.skipif(not REACHABLE, reason="the user nobody can't enter the project's folder")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a table as another user")
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv (util-linux) is not installed")
def test_the_page_comes_up_after_each_random_setting_change_and_restart() -> None:
    assert len(storm(ROUNDS, seed=5)) == ROUNDS
    assert {(section, key) for section, key, _, _ in BY_HAND[:ROUNDS]} >= {
        ("web", "port"),
        ("camera", "source"),
        ("strip", "kind"),
    }

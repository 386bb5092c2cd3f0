"""`pegpip watch --limit-s` ends in time, with a camera or without."""

from __future__ import annotations

import time

from click.testing import CliRunner

from companion.commands.watch import command
from tests.waiting import PATIENCE_S


def test_the_watch_command_without_a_camera_exits_1_at_its_time_limit() -> None:
    begun_s = time.monotonic()
    done = CliRunner().invoke(command, ["--limit-s", "1.2", "opencv:61"], standalone_mode=False)
    assert 1.2 <= time.monotonic() - begun_s < PATIENCE_S
    assert done.return_value == 1
    assert "opencv" in done.stderr

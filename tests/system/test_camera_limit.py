"""`pegpip watch --limit-s` ends in time, with a camera or without."""

from __future__ import annotations

from click.testing import CliRunner

from companion.commands.watch import command


def test_the_watch_command_without_a_camera_exits_1_at_its_time_limit() -> None:
    done = CliRunner().invoke(command, ["--limit-s", "1.2", "opencv:61"], standalone_mode=False)
    assert done.return_value == 1
    assert "opencv" in done.stderr

"""A running table whose WLED controller is switched off: it plays on, says so, and lights it as soon as it is there."""

from __future__ import annotations

import socket
from pathlib import Path

from hardware.strips.wled import PORT
from tests.system.running import Running

HOST = "127.0.0.9"
"""Of this machine, and nobody else's."""


def strip_says(table: Running, ok: bool) -> str:
    """What the strip says of itself, once it is well or ill as expected."""
    part = table.until("/healthz", lambda answer: answer["parts"]["strip"]["ok"] is ok)["parts"]["strip"]
    assert part["ok"] is ok, part
    return str(part["says"])


def test_an_unreachable_wled_strip_is_reported_and_sent_frames_when_back(tmp_path: Path) -> None:
    """The game goes on meanwhile, and the page shows the board."""
    with Running(tmp_path, "--strip", f"wled:{HOST}", "--players", "Ann,Ben") as table:
        says = strip_says(table, ok=False)
        assert f"The WLED controller {HOST} can't be reached" in says
        assert "Check that it is switched on" in says
        table.pair()
        table.play({"throw": [1, 1, 2, 3, 4, 5, 6]})
        assert any(any(led) for led in table.ask("/api/board")[1]["leds"]), "the page has the board"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as controller:
            controller.bind((HOST, PORT))
            controller.settimeout(60.0)  # how soon it is back test_strip_faults.py holds, by a clock of its own
            packet = controller.recv(2000)
            assert packet[0] == 0x41
            assert len(packet) == 10 + 3 * 122
            assert any(packet[10:]), "some LED is lit"
            assert "wled strip of 122 LEDs" in strip_says(table, ok=True)

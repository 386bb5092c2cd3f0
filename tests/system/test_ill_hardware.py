"""Drivers that fail below the adapters: the table serves, reports the part with its cure, and exits with status 0."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.system.running import Running

PI = Path(__file__).resolve().parents[1] / "hardware" / "pi"
PI_4, PI_5 = "Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0"
LONG = '[strip]\nlayout = "own"\nkind = "spi"\n[track]\nleds = 500\n'

CASES = {
    "busy pin": (PI_4, '[buttons]\nkind = "gpio"\n', "buttons", ("bank on GPIO17 (GPIO busy)", "gpioinfo")),
    "no /dev/spidev": (PI_4, '[strip]\nkind = "auto"\n', "strip", ("no /dev/spidev0.0", "raspi-config")),
    "no /dev/leds0": (
        PI_5,
        '[strip]\nkind = "auto"\npio_path = "/dev/no-leds0"\n',
        "strip",
        ("no /dev/no-leds0", "dtoverlay=ws2812-pio,gpio=18,num_leds=122,brightness=0"),
    ),
    "more LEDs than the overlay has": (  # /dev/full refuses each write with ENOSPC, as the driver does
        PI_5,
        '[strip]\nkind = "pio"\npio_path = "/dev/full"\n',
        "strip",
        ("made for fewer LEDs than the 122", "num_leds=122"),
    ),
    "more LEDs than the kernel sends": (PI_4, LONG, "strip", ("500 LEDs need 4680 bytes", "spidev.bufsiz=4680")),
    "failed begin()": (PI_4, '[strip]\nkind = "ws281x"\n', "strip", ("can't begin on pin 18", "need root")),
}


@pytest.mark.parametrize("case", CASES)
def test_a_table_plays_on_with_failed_led_strip_or_buttons_and_exits_0(case: str, tmp_path: Path) -> None:
    model, settings, part, words = CASES[case]
    (tmp_path / "model").write_text(f"{model}\0")
    (tmp_path / "pegpip.toml").write_text(settings)
    env = {
        "PYTHONPATH": os.pathsep.join([str(PI), *filter(None, sys.path)]),
        "PI_MODEL": str(tmp_path / "model"),
        "PI_BUSY_PINS": "17",
        "PI_WS2811_INIT": "-5",
    }
    program = (sys.executable, str(PI / "launch.py"))
    options = ("--config", str(tmp_path / "pegpip.toml"), "--players", "Ann,Ben")
    with Running(tmp_path / "data", *options, program=program, env=env) as table:
        told = table.until("/healthz", lambda answer: not answer["parts"][part]["ok"])["parts"][part]
        assert not told["ok"]
        assert all(word in told["says"] for word in words), told["says"]
        table.pair()
        table.play({"throw": [1, 1, 2, 3, 4, 5, 6]})
        assert table.stop(signal.SIGTERM) == 0

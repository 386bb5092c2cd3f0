"""Faults below the real drivers: each is reported with what to do, and the strip is lit again once it is mended."""

from __future__ import annotations

import errno
import io
import os
import re
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.errors import DeviceError
from hardware.board import Board
from hardware.power import Power
from hardware.settings import PowerSettings
from hardware.strips import DrivenStrip, Driver
from hardware.strips.pio import PioDriver
from hardware.strips.spi import SpiDriver
from hardware.strips.terminal import TerminalDriver
from hardware.strips.wled import WledDriver
from hardware.strips.ws281x import Ws281xDriver
from hardware.track import preset
from hardware.view import BoardView, Peg
from tests.hardware.pi_drivers import fake_spi, fresh_driver
from tests.waiting import PATIENCE_S, until

FRAME_RGB = np.full((122, 3), 7, np.uint8)
PI_4 = "Raspberry Pi 4 Model B Rev 1.4"


@dataclass
class Below:
    """The layer below a driver, and how to break and mend it."""

    driver: Driver
    opening: BaseException | None = None
    writing: BaseException | None = None

    def call(self, what: str) -> None:
        if error := self.opening if what == "open" else self.writing:
            raise error


Made = Callable[[pytest.MonkeyPatch, Path], Below]


def spi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Below:
    below = Below(SpiDriver(bufsiz=tmp_path / "bufsiz"))
    fake_spi(monkeypatch, below.call)
    return below


def ws281x(monkeypatch: pytest.MonkeyPatch, _tmp_path: Path) -> Below:
    """The real rpi_ws281x 5.0.0; its C part is a stand-in whose `init` and `render` a test makes fail."""
    library, below = fresh_driver(monkeypatch, "_rpi_ws281x"), Below(Ws281xDriver(machine=PI_4))
    init, render = library.ws2811_init, library.ws2811_render
    monkeypatch.setattr(library, "ws2811_init", lambda leds: below.opening.args[0] if below.opening else init(leds))
    monkeypatch.setattr(library, "ws2811_render", lambda leds: -5 if below.writing else render(leds))
    return below


def pio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Below:
    device = tmp_path / "leds0"
    device.touch()
    below, true_open, true_pwrite = Below(PioDriver(device)), os.open, os.pwrite

    def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if path == device:
            below.call("open")
        return true_open(path, flags, *rest, **named)

    def written(descriptor: int, data: bytes, offset: int) -> int:
        below.call("write")
        return true_pwrite(descriptor, data, offset)

    monkeypatch.setattr("hardware.strips.pio.os.open", opened)
    monkeypatch.setattr("hardware.strips.pio.os.pwrite", written)
    return below


def terminal(monkeypatch: pytest.MonkeyPatch, _tmp_path: Path) -> Below:
    out = io.StringIO()
    below = Below(TerminalDriver(out))
    monkeypatch.setattr(out, "isatty", lambda: True)
    monkeypatch.setattr(out, "write", below.call)
    return below


def light(strip: DrivenStrip) -> None:
    strip.start()
    strip.show(FRAME_RGB)


DENIED = PermissionError(errno.EACCES, "Permission denied")
GONE = FileNotFoundError(errno.ENOENT, "No such file or directory")
BROKEN = OSError(errno.EIO, "Input/output error")
UNPLUGGED = OSError(errno.ENODEV, "No such device")


@pytest.mark.parametrize(
    ("made", "opening", "writing", "told"),
    [
        (spi, GONE, UNPLUGGED, "Switch SPI on with `sudo raspi-config`"),
        (spi, DENIED, BROKEN, "sudo adduser $USER spi"),
        (spi, BROKEN, BROKEN, "Check the wiring of the strip"),
        (pio, GONE, UNPLUGGED, "dtoverlay=ws2812-pio,gpio=18,num_leds=122,brightness=0"),
        (pio, DENIED, BROKEN, "Copy systemd/99-pegpip.rules"),
        (pio, BROKEN, BROKEN, "Check the overlay and the wiring"),
        (terminal, None, BROKEN, "Input/output error"),
        (terminal, None, UnicodeEncodeError("latin-1", "\u25cf", 0, 1, "no such character"), "can't be written"),
        (ws281x, RuntimeError(-5), RuntimeError(-5), "need root"),
        (ws281x, RuntimeError(-11), RuntimeError(-5), "on pin 18"),
    ],
)
def test_a_failed_led_strip_reports_its_cure_and_lights_again_once_mended(
    made: Made,
    opening: BaseException | None,
    writing: BaseException,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    below = made(monkeypatch, tmp_path)
    strip = DrivenStrip(122, below.driver)
    light(strip)
    below.opening, below.writing = opening, writing
    with pytest.raises(DeviceError):
        strip.show(FRAME_RGB)
    with pytest.raises(DeviceError, match=re.escape(told)):
        light(strip)
    below.opening = below.writing = None
    light(strip)
    strip.stop()


@pytest.mark.parametrize("code", [errno.EFBIG, errno.ENOSPC])
def test_a_pio_led_driver_configured_for_too_few_leds_fails_at_start_with_advice(
    code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    below = pio(monkeypatch, tmp_path)
    below.writing = OSError(code, os.strerror(code))
    with pytest.raises(DeviceError, match=r"made for fewer LEDs than the 122.*num_leds=122,brightness=0"):
        DrivenStrip(122, below.driver).start()


def test_an_spi_strip_refused_for_a_small_bufsiz_can_be_lit_after_bufsiz_is_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    strip = DrivenStrip(122, spi(monkeypatch, tmp_path).driver)
    (tmp_path / "bufsiz").write_text("1024\n")
    with pytest.raises(DeviceError, match=r"spidev\.bufsiz=1278"):  # 122 x 9 bytes and two gaps of 90
        strip.start()
    (tmp_path / "bufsiz").write_text("4096\n")
    light(strip)


def test_a_slow_name_lookup_fails_the_start_of_a_wled_strip_until_it_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answered, resolve = threading.Event(), socket.getaddrinfo

    def slow(_host: str, port: int, **kind: Any) -> Any:
        answered.wait(PATIENCE_S)
        return resolve("127.0.0.1", port, **kind)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    strip = DrivenStrip(122, WledDriver("wled-bar.local"))
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"wled-bar\.local can't be reached \(its name is still being looked up"):
            strip.start()
    answered.set()
    assert until(lambda: not [one for one in threading.enumerate() if one.name == "wled lookup"])
    light(strip)
    strip.stop()


def test_an_unreachable_wled_controller_is_reported_and_relit_when_back() -> None:
    place, clock = ("127.0.0.8", 21324), [100.0]  # of this machine, and nobody else's
    strip = DrivenStrip(122, WledDriver(*place))
    board = Board(strip, preset("strip122"), Power(PowerSettings(brightness=1)), lambda: clock[0])
    board.show(BoardView(pegs=(Peg(1, 10, 14), Peg(3, 40, 40)), to_play=0, mood="read"))

    def run(for_s: float) -> None:
        end_s = clock[0] + for_s
        while clock[0] < end_s:
            clock[0] += min(max(board.step(), 1e-3), max(1e-3, end_s - clock[0]))

    run(6.0)  # nobody listens: the network says so at each second packet
    for _ in range(60):
        run(0.1)
        ok, says = board.health()
        assert not ok, "health stays bad until packets arrive, though every first packet seems to go out"
        assert "127.0.0.8 can't be reached" in says
        assert "switched on" in says
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as controller:
        controller.bind(place)
        controller.setblocking(False)
        run(5.0)
        assert controller.recv(2000)
        run(3.0)
        assert board.health()[0]
        strip.stop()

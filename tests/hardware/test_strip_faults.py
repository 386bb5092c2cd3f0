"""Faults below the real adapters: the board plays on, says what is wrong and what to do, and is lit again by itself."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.errors import DeviceError
from hardware.board import Board
from hardware.power import Power
from hardware.settings import PowerSettings
from hardware.strips import DrivenStrip, Strip
from hardware.strips.pio import PioDriver
from hardware.strips.spi import SpiDriver
from hardware.strips.terminal import TerminalDriver
from hardware.strips.wled import WledDriver
from hardware.strips.ws281x import Ws281xDriver
from hardware.track import preset
from hardware.view import BoardView, Peg
from tests.hardware.pi_drivers import fake_spi, fresh_driver

LAYOUT = preset("strip122")
PI_4 = "Raspberry Pi 4 Model B Rev 1.4"
AT_PLAY = BoardView(pegs=(Peg(1, 10, 14), Peg(3, 40, 40)), to_play=0, mood="read")


@dataclass
class Below:
    """The layer below an adapter: how to break and mend it, and how often light has reached it."""

    strip: Strip
    arrived: Callable[[], int]
    opening: BaseException | None = None
    writing: BaseException | None = None
    frames: list[bytes] = field(default_factory=list)


@dataclass
class Bench:
    """A board over an adapter, on a clock that jumps to the next due step."""

    board: Board
    below: Below
    clock: list[float]

    def run(self, for_s: float) -> None:
        end_s = self.clock[0] + for_s
        while self.clock[0] < end_s:
            self.clock[0] += min(max(self.board.step(), 1e-3), max(1e-3, end_s - self.clock[0]))

    def back_after_s(self) -> float:
        """Return the seconds until light arrives again."""
        begun_s, before = self.clock[0], self.below.arrived()
        while self.below.arrived() == before:
            assert self.clock[0] - begun_s < 30, "it never came back"
            self.clock[0] += min(max(self.board.step(), 1e-3), 0.1)
        return self.clock[0] - begun_s


def bench(below: Below) -> Bench:
    clock = [100.0]
    board = Board(below.strip, LAYOUT, Power(PowerSettings(brightness=1)), lambda: clock[0])
    board.show(AT_PLAY)
    return Bench(board, below, clock)


def spi(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Below:
    def fault(call: str) -> None:
        if error := below.opening if call == "open" else below.writing:
            raise error

    sent = fake_spi(monkeypatch, fault)
    below = Below(DrivenStrip(122, SpiDriver(bufsiz=tmp_path / "none")), lambda: len(sent))
    return below


def ws281x(monkeypatch: pytest.MonkeyPatch, _tmp_path: Path) -> Below:
    """The real rpi_ws281x 5.0.0; its C part is a stand-in whose `init` and `render` a test makes fail."""
    library = fresh_driver(monkeypatch, "_rpi_ws281x")
    init, render = library.ws2811_init, library.ws2811_render
    monkeypatch.setattr(library, "ws2811_init", lambda leds: below.opening.args[0] if below.opening else init(leds))
    monkeypatch.setattr(library, "ws2811_render", lambda leds: -5 if below.writing else render(leds))
    below = Below(DrivenStrip(122, Ws281xDriver(machine=PI_4)), lambda: len(library.rendered))
    return below


def pio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Below:
    device = tmp_path / "leds0"
    device.touch()
    true_open, true_pwrite = os.open, os.pwrite

    def opened(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if path == device and below.opening:
            raise below.opening
        return true_open(path, flags, *rest, **named)

    def written(descriptor: int, data: bytes, offset: int) -> int:
        if below.writing:
            raise below.writing
        below.frames.append(data)
        return true_pwrite(descriptor, data, offset)

    monkeypatch.setattr("hardware.strips.pio.os.open", opened)
    monkeypatch.setattr("hardware.strips.pio.os.pwrite", written)
    below = Below(DrivenStrip(122, PioDriver(device)), lambda: len(below.frames))
    return below


def terminal(monkeypatch: pytest.MonkeyPatch, _tmp_path: Path) -> Below:
    def write(text: str) -> None:
        if below.writing:
            raise below.writing
        below.frames.append(text.encode())

    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True)
    monkeypatch.setattr(out, "write", write)
    below = Below(DrivenStrip(122, TerminalDriver(out)), lambda: len(below.frames))
    return below


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
        (pio, GONE, UNPLUGGED, "dtoverlay=ws2812-pio,gpio=18,num_leds=122"),
        (pio, DENIED, BROKEN, "Copy systemd/99-pegpip.rules"),
        (pio, BROKEN, BROKEN, "Check the overlay and the wiring"),
        (terminal, BROKEN, BROKEN, "Input/output error"),
        (terminal, BROKEN, UnicodeEncodeError("latin-1", "\u25cf", 0, 1, "no such character"), "can't be written"),
        (ws281x, RuntimeError(-5), RuntimeError(-5), "need root"),
        (ws281x, RuntimeError(-11), None, "on pin 18"),
    ],
)
def test_a_vanished_led_strip_is_reported_with_its_cure_and_reopened(
    made: Callable[[pytest.MonkeyPatch, Path], Below],
    opening: BaseException,
    writing: BaseException | None,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    at = bench(made(monkeypatch, tmp_path))
    if writing is not None:
        at.run(1.0)
        assert at.board.health()[0]
    at.below.opening, at.below.writing = opening, writing
    at.run(10.0)
    ok, says = at.board.health()
    assert not ok
    assert told in says
    assert any(any(led) for led in at.board.latest().leds), "the page still has the board"
    at.below.opening = at.below.writing = None
    assert at.back_after_s() < 5.0
    at.run(3.0)
    assert at.board.health()[0]


@pytest.mark.parametrize("code", [errno.EFBIG, errno.ENOSPC])
def test_a_pio_led_driver_for_fewer_leds_is_a_start_error_with_its_cure(
    code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    at = bench(pio(monkeypatch, tmp_path))
    at.below.writing = OSError(code, os.strerror(code))
    with pytest.raises(DeviceError, match="made for fewer LEDs than the 122"):
        at.below.strip.start()
    at.run(3.0)
    assert "dtoverlay=ws2812-pio,gpio=18,num_leds=122,brightness=0" in at.board.health()[1]
    at.below.writing = None
    assert at.back_after_s() < 5.0


def test_an_spi_strip_too_long_for_bufsiz_is_lit_once_bufsiz_is_larger(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    below = spi(monkeypatch, tmp_path)
    (tmp_path / "bufsiz").write_text("1024\n")
    below.strip = DrivenStrip(122, SpiDriver(bufsiz=tmp_path / "bufsiz"))
    at = bench(below)
    at.run(5.0)
    assert "spidev.bufsiz=1278" in at.board.health()[1]  # 122 x 9 bytes and two gaps of 90
    (tmp_path / "bufsiz").write_text("4096\n")
    assert at.back_after_s() < 5.0


def test_an_unreachable_wled_controller_is_reported_and_relit_when_back() -> None:
    place = ("127.0.0.8", 21324)  # of this machine, and nobody else's
    at = bench(Below(DrivenStrip(122, WledDriver(*place)), lambda: 0))
    at.run(6.0)  # nobody listens: the network says so at each second packet
    for _ in range(60):
        at.run(0.1)
        ok, says = at.board.health()
        assert not ok, "health stays bad until packets arrive, though every first packet seems to go out"
        assert "127.0.0.8 can't be reached" in says
        assert "switched on" in says
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as controller:
        controller.bind(place)
        controller.setblocking(False)

        def arrived() -> int:
            with contextlib.suppress(BlockingIOError):
                at.below.frames.append(controller.recv(2000))
            return len(at.below.frames)

        at.below.arrived = arrived
        assert at.back_after_s() < 5.0
        at.run(3.0)
        assert at.board.health()[0]
        at.below.strip.stop()

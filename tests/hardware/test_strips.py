"""Every strip of the registry keeps one contract; bytes on the wire against hand-worked ones; faults with cures."""

from __future__ import annotations

import io
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from companion.appliance.install import PIO_LINE
from companion.commands.leds import command as leds
from companion.errors import DeviceError, SetupError
from hardware.settings import StripSettings
from hardware.strips import DrivenStrip, Driver, Strip
from hardware.strips.memory import MemoryStrip
from hardware.strips.opening import STRIPS, automatic, known_kinds, open_strip
from hardware.strips.pio import PioDriver, kernel_problem, overlay_line
from hardware.strips.spi import SpiDriver
from hardware.strips.terminal import TerminalDriver
from hardware.strips.wled import WledDriver
from hardware.strips.ws281x import Ws281xDriver
from hardware.strips.ws2812 import bytes_for, encoded, gap
from tests.hardware.pi_drivers import PI_DRIVERS, fake_spi, fresh_driver

LEDS = 5
PI_4, PI_5 = "Raspberry Pi 4 Model B Rev 1.4", "Raspberry Pi 5 Model B Rev 1.0"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Fixture: stand-ins for spidev and for the C part of rpi_ws281x; what is sent to spidev."""
    fresh_driver(monkeypatch, "_rpi_ws281x")
    return fake_spi(monkeypatch)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
        link.bind(("127.0.0.1", 0))
        link.settimeout(60)
        yield link


@pytest.fixture
def device(tmp_path: Path) -> Path:
    (file := tmp_path / "leds0").touch()
    return file


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(params=STRIPS)
def strip(
    request: pytest.FixtureRequest, sent: list[bytes], listener: socket.socket, device: Path, tmp_path: Path
) -> Any:
    """Fixture: each strip of the registry over a stand-in for its driver. A new strip needs a line here."""
    opened: dict[str, Callable[[], Strip]] = {
        "memory": lambda: MemoryStrip(LEDS),
        "terminal": lambda: DrivenStrip(LEDS, TerminalDriver(out=Terminal())),
        "spi": lambda: DrivenStrip(LEDS, SpiDriver(bufsiz=tmp_path / "none")),
        "pio": lambda: DrivenStrip(LEDS, PioDriver(device)),
        "wled": lambda: DrivenStrip(LEDS, WledDriver("127.0.0.1", listener.getsockname()[1])),
        "ws281x": lambda: DrivenStrip(LEDS, Ws281xDriver(machine=PI_4)),
    }
    return opened[request.param]()


def frame(*colours: tuple[int, int, int]) -> Any:
    return np.array(colours, np.uint8)


def showing(driver: Driver, *colours: tuple[int, int, int]) -> DrivenStrip:
    """Return a strip of as many LEDs as there are colours, which shows them."""
    strip = DrivenStrip(len(colours), driver)
    strip.start()
    strip.show(frame(*colours))
    return strip


def test_every_led_strip_driver_can_restart_and_rejects_frames_of_wrong_length(strip: Any) -> None:
    assert strip.name
    assert strip.leds == LEDS
    strip.start()
    strip.start()
    strip.show(np.full((LEDS, 3), 7, np.uint8))
    for leds_given in (LEDS - 1, LEDS + 1):
        with pytest.raises(ValueError, match="5"):
            strip.show(np.zeros((leds_given, 3), np.uint8))
    strip.stop()
    strip.stop()
    strip.start()
    strip.show(np.zeros((LEDS, 3), np.uint8))
    strip.stop()


# The signal, worked by hand from the data sheet: 0 is 100 in SPI bits, 1 is 110; of four SPI bits 1000 and 1110.
OFF3 = bytes([0b10010010, 0b01001001, 0b00100100])
FULL3 = bytes([0b11011011, 0b01101101, 0b10110110])
HEX55 = bytes([0b10011010, 0b01101001, 0b10100110])  # 01010101
HEXAA = bytes([0b11010011, 0b01001101, 0b00110100])  # 10101010
HEX80 = bytes([0b11010010, 0b01001001, 0b00100100])  # 10000000
IN_FOUR = {0: "88888888", 0xFF: "eeeeeeee", 0x55: "8e8e8e8e", 0xAA: "e8e8e8e8", 1: "8888888e", 0x80: "e8888888"}


def body(data: bytes, bits: int = 3) -> bytes:
    return data[len(gap(bits)) : -len(gap(bits))]


@pytest.mark.parametrize(
    ("colour", "hand_worked"),
    [
        ((0, 0, 0), OFF3 * 3),
        ((255, 0, 0), OFF3 + FULL3 + OFF3),
        ((0x55, 0xAA, 0x55), HEXAA + HEX55 + HEX55),
        ((0x80, 0x80, 0x80), HEX80 * 3),
    ],
)
def test_each_colour_bit_is_encoded_in_three_spi_bits_and_green_comes_first(
    colour: tuple[int, int, int], hand_worked: bytes
) -> None:
    assert body(encoded(frame(colour))) == hand_worked


@pytest.mark.parametrize(("value", "hand_worked"), IN_FOUR.items())
def test_each_bit_of_a_colour_value_is_encoded_as_four_spi_bits(value: int, hand_worked: str) -> None:
    sent = body(encoded(frame((0, value, 0)), bits=4), 4)
    assert sent == bytes.fromhex(hand_worked + 2 * IN_FOUR[0]), "green first"


@pytest.mark.parametrize(("order", "lit"), [("GRB", 1), ("RGB", 0), ("BRG", 1), ("BGR", 2)])
def test_spi_encodes_colours_in_the_configured_order_of_the_led_strip(order: str, lit: int) -> None:
    sent = body(encoded(frame((255, 0, 0)), order))
    assert [sent[3 * k : 3 * k + 3] for k in range(3)] == [FULL3 if k == lit else OFF3 for k in range(3)]


def test_an_spi_led_frame_has_300_microseconds_of_zeros_at_both_ends() -> None:
    assert gap(3) == bytes(90)  # 300 us x 2.4 MHz / 8
    assert gap(4) == bytes(120)
    data = encoded(frame((255, 255, 255)))
    assert (data[:90], data[-90:]) == (bytes(90), bytes(90))


def test_at_3_spi_bits_per_led_bit_at_most_435_leds_fit_in_4096_bytes(sent: list[bytes], tmp_path: Path) -> None:
    assert bytes_for(435, 3) == 4095
    with pytest.raises(DeviceError, match=r"spidev.bufsiz=4104"):
        DrivenStrip(436, SpiDriver(bufsiz=tmp_path / "none")).start()


def test_the_spi_strip_sends_an_led_frame_in_one_transfer(sent: list[bytes], tmp_path: Path) -> None:
    showing(SpiDriver(bufsiz=tmp_path / "none"), (255, 0, 0), (0, 0, 0))
    assert [body(data) for data in sent] == [OFF3 + FULL3 + OFF3 * 4]


def test_the_error_for_a_missing_spi_bus_1_names_its_dtoverlay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """raspi-config switches bus 0 alone on."""

    def missing(_call: str) -> None:
        raise FileNotFoundError(2, "No such file")

    fake_spi(monkeypatch, missing)
    with pytest.raises(DeviceError, match="dtoverlay=spi1-2cs"):
        DrivenStrip(2, SpiDriver(bus=1, device=1, bufsiz=tmp_path / "none")).start()


def test_the_pio_strip_writes_four_bytes_per_led_and_zeros_on_stop(device: Path) -> None:
    strip = showing(PioDriver(device), (1, 2, 3), (255, 0, 9))
    assert device.read_bytes() == bytes([1, 2, 3, 0, 255, 0, 9, 0])
    strip.stop()
    assert device.read_bytes() == bytes(8)


def test_an_rgb_strip_gets_rgb_order_although_the_pio_kernel_driver_swaps_red_and_green(device: Path) -> None:
    showing(PioDriver(device, order="RGB"), (1, 2, 3))
    first, second, third, _ = device.read_bytes()
    on_the_wire = (second, first, third)  # ws2812-pio-rp1.c: green, red, blue of the bytes that were written
    assert on_the_wire == (1, 2, 3)


def test_the_wled_strip_sends_colours_in_a_ddp_packet_whose_header_has_the_push_flag(
    sent: list[bytes], listener: socket.socket
) -> None:
    strip = showing(WledDriver("127.0.0.1", listener.getsockname()[1]), (1, 2, 3), (4, 5, 6))
    expected = bytes([0x41, 1, 0x0B, 1, 0, 0, 0, 0, 0, 6, 1, 2, 3, 4, 5, 6])
    assert listener.recv(2000) == expected
    strip.stop()
    assert listener.recv(2000)[10:] == bytes(6)


def test_wled_ddp_frames_split_at_480_leds_and_flag_the_last_packet(listener: socket.socket) -> None:
    strip = showing(WledDriver("127.0.0.1", listener.getsockname()[1]), *[(0, 0, 0)] * 500)
    first, second = listener.recv(2000), listener.recv(2000)
    assert (first[0], first[4:10]) == (0x40, bytes([0, 0, 0, 0, 0x05, 0xA0]))
    assert (second[0], second[4:10]) == (0x41, bytes([0, 0, 0x05, 0xA0, 0, 60]))
    assert (len(first), len(second)) == (1450, 70)
    strip.stop()


def test_starting_a_wled_strip_with_an_unresolvable_host_is_an_error() -> None:
    with pytest.raises(DeviceError, match="its IP address"):
        DrivenStrip(2, WledDriver("no-such-host.invalid")).start()


def test_the_ws281x_strip_sends_colours_as_0xrrggbb_and_turns_dark_on_stop(sent: list[bytes]) -> None:
    strip = showing(Ws281xDriver(machine=PI_4), (1, 2, 3), (255, 0, 0))
    library: Any = sys.modules["_rpi_ws281x"]
    assert library.rendered == [[0x010203, 0xFF0000]]
    strip.stop()
    assert library.rendered[-1] == [0, 0]
    assert library.alive == [], "the library gave its memory back"


@pytest.mark.parametrize("code", [0, -5, -11])
def test_a_failed_ws281x_start_suggests_a_cure_and_does_not_crash_python(code: int) -> None:
    use = f"""if True:
        from companion.errors import DeviceError
        from hardware.strips import DrivenStrip
        from hardware.strips.ws281x import Ws281xDriver
        strip = DrivenStrip(5, Ws281xDriver(machine={PI_4!r}))
        for _ in range(3):
            try:
                strip.start()
            except DeviceError as ill:
                print(ill.cure)
    """
    paths = os.pathsep.join([str(PI_DRIVERS), *filter(None, sys.path)])
    env = {**os.environ, "PYTHONPATH": paths, "PI_WS2811_INIT": str(code)}
    done = subprocess.run([sys.executable, "-c", use], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("needs neither root") == (3 if code else 0)


def test_the_fake_rpi_ws281x_library_crashes_at_exit_if_its_strip_was_never_started() -> None:
    """The crash is the one that the test above rules out for the program."""
    use = "import rpi_ws281x; rpi_ws281x.PixelStrip(5, 18)"
    env = {**os.environ, "PYTHONPATH": str(PI_DRIVERS)}
    assert subprocess.run([sys.executable, "-c", use], env=env, check=False).returncode == -signal.SIGSEGV


@pytest.mark.parametrize(("machine", "cure"), [(PI_5, "spi or pio"), ("", "memory")])
def test_the_ws281x_driver_refuses_a_pi_5_or_another_computer_without_importing_its_library(
    monkeypatch: pytest.MonkeyPatch, machine: str, cure: str
) -> None:
    monkeypatch.setitem(sys.modules, "rpi_ws281x", None)  # an import would raise ImportError
    with pytest.raises(DeviceError, match=cure):
        DrivenStrip(2, Ws281xDriver(machine=machine)).start()


def test_the_terminal_strip_writes_nothing_to_output_that_is_no_terminal() -> None:
    out = io.StringIO()
    showing(TerminalDriver(out=out), (255, 0, 0), (0, 0, 0))
    assert out.getvalue() == ""


@pytest.mark.parametrize(("columns", "rows"), [(160, 1), (80, 2), (61, 2)])
def test_the_terminal_strip_draws_over_all_rows_of_its_last_frame(
    columns: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal that was made narrower or wider meanwhile has wrapped them anew."""
    strip = DrivenStrip(122, TerminalDriver(out=(out := Terminal())))
    strip.start()
    for width in (100, columns):
        monkeypatch.setenv("COLUMNS", str(width))
        strip.show(np.zeros((122, 3), np.uint8))
    assert out.getvalue().partition("\n")[2].startswith(f"\x1b[{rows}A\r")


def test_strip_kind_auto_chooses_pio_on_a_pi_5_spi_on_a_pi_4_and_memory_without_a_pi() -> None:
    assert automatic(PI_5)[0] == "pio"
    assert automatic(PI_4)[0] == "spi"
    assert automatic("") == ("memory", "This is no Raspberry Pi: the board is drawn in the page.")


def test_the_ws2812_pio_dtoverlay_line_has_the_led_count_and_brightness_0() -> None:
    assert overlay_line(363) == "dtoverlay=ws2812-pio,gpio=18,num_leds=363,brightness=0"
    assert PIO_LINE.format(pin=18, leds=363) == overlay_line(363), "the installer, without NumPy, writes the same"


@pytest.mark.parametrize(
    ("release", "dark"),
    [("6.6.31+rpt-rpi-2712", True), ("6.12.47+rpt-rpi-2712", True), ("6.12.56+rpt", False), ("7.0.1", False)],
)
def test_pio_led_strip_check_reports_a_problem_of_kernels_before_6_12_56(release: str, dark: bool) -> None:
    """Older kernels multiply each colour by the brightness=0 of the overlay line."""
    assert (kernel_problem(release) is not None) is dark


def test_the_help_of_leds_test_names_every_kind_of_strip() -> None:
    shown = CliRunner().invoke(leds, ["test", "--help"]).output
    named = re.search(r"--strip S +One of ([^.]+)\.", shown)
    assert named is not None, shown
    kinds = ["memory", "terminal", "spi", "pio", "ws281x", "wled:HOST", "auto"]
    assert re.split(r",\s+", named[1]) == kinds == [*known_kinds()]


@pytest.mark.parametrize(("kind", "suggested"), [("spii", "'spi'"), ("wled", "wled:HOST")])
def test_an_unknown_led_strip_kind_is_refused_with_a_suggestion(kind: str, suggested: str) -> None:
    with pytest.raises(SetupError, match=suggested):
        open_strip(kind, 10, StripSettings())


@pytest.mark.parametrize(
    "host", ["a" * 64, "a" * 63 + "." + "b" * 200, "..", "two words", "a\x00b", "tray\u202e", "a/b", "é" * 60]
)
def test_an_impossible_wled_host_is_a_settings_error(host: str) -> None:
    with pytest.raises(SetupError, match="no host name"):
        open_strip(f"wled:{host}", 3, StripSettings())


@pytest.mark.parametrize("host", ["192.168.1.50:4048", "wled-bar.local:80"])
def test_a_wled_host_with_a_port_is_a_settings_error(host: str) -> None:
    with pytest.raises(SetupError, match="no host name"):
        open_strip(f"wled:{host}", 3, StripSettings())


@pytest.mark.parametrize("host", ["192.168.1.50", "wled-bar.local", "fe80::1%wlan0", "bücher.example", "wled_bar"])
def test_a_wled_strip_accepts_a_host_name_or_an_ip_address(host: str) -> None:
    assert open_strip(f"wled:{host}", 3, StripSettings()).name == "wled"

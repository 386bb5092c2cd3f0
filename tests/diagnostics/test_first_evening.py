"""`pegpip doctor --first-evening`: each check well and failing, what a person types, Ctrl-C, the page and the zip."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from companion.adapters.reader_setup import load_reader
from companion.commands.doctor import command
from companion.diagnostics.first_evening.evening import Evening, Values
from companion.diagnostics.first_evening.holding import PAGE, ZIP, Screen, hold, phones_joined, write
from companion.diagnostics.first_evening.people import Agreeable, TerminalPerson
from companion.diagnostics.health import Finding
from companion.errors import DeviceError
from companion.settings.load import Settings, validated
from hardware.buttons import Press, Touch, ignore_touch
from hardware.settings import ButtonSettings, StripSettings
from hardware.strips import FrameRGB
from hardware.strips.memory import MemoryStrip
from vision.cameras import Camera, Frame
from vision.cameras.simulated.camera import VirtualCamera
from vision.reading.reading import Doubt, FrameBGR, Reading

STEPS = "companion.diagnostics.first_evening.steps"
BROKEN = DeviceError("It is unplugged.", "Plug it in.")


class QuickCamera(VirtualCamera):
    """The virtual camera on a clock of its own: no frame is waited for."""

    def __init__(self, seed: int = 4) -> None:
        self.now_s = 100.0
        super().__init__(4, lambda: self.now_s, self._sleep_on, seed)

    def _sleep_on(self, seconds: float) -> None:
        self.now_s += seconds


@dataclass
class FilmCamera:
    """A camera whose frames come at these times."""

    times_s: list[float]
    ill: DeviceError | None = None
    name: str = "film"

    def start(self) -> None:
        if self.ill is not None:
            raise self.ill

    def frame(self) -> Frame | None:
        return Frame(np.zeros((96, 128, 3), np.uint8), self.times_s.pop(0)) if self.times_s else None

    def stop(self) -> None: ...


@dataclass
class Someone:
    """A person who agrees to everything but what a test says, and throws on the virtual table."""

    denies: tuple[str, ...] = ()
    skips: tuple[str, ...] = ()
    misreads: bool = False
    hands_off: bool = False
    leaves_after: int = 1000
    enough_throws: bool = False
    judged: int = 0

    def begins(self, title: str, what: str) -> bool:
        return title not in self.skips

    def agrees(self, question: str) -> bool:
        return not any(words in question for words in self.denies)

    def throws(self, number: int, of: int, camera: Camera) -> None:
        if not self.hands_off:
            Agreeable().throws(number, of, camera)

    def judges(self, read: Values, doubt: str | None, camera: Camera) -> Values | None:
        if self.judged == self.leaves_after:
            raise KeyboardInterrupt
        self.judged += 1
        return (6, 6, 6) if self.misreads else read

    def presses(self, button: str) -> None: ...


@dataclass
class FakeButtons:
    """Buttons on which each asked press is heard as the next of these."""

    heard: list[str]
    ill: DeviceError | None = None
    name: str = "fake"

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        if self.ill is not None:
            raise self.ill
        for button in self.heard:
            on_press(Press(button))

    def stop(self) -> None: ...

    def alive(self) -> bool:
        return True


class RealStrip(MemoryStrip):
    """A strip that counts as real: people are asked about it."""

    name = "spi"
    broken_at: int | None = None

    def show(self, frame_rgb: FrameRGB) -> None:
        if self.shown == self.broken_at:
            raise BROKEN
        super().show(frame_rgb)


def no_checks(_settings: Settings) -> Iterator[Finding]:
    yield Finding("disk", True, "100 MB free.")


@dataclass
class Table:
    """An evening whose every part a test can break, held without a terminal."""

    tmp_path: Path
    settings: dict[str, Any] = field(default_factory=dict)
    person: Someone = field(default_factory=Someone)

    def held(self, **parts: Any) -> Evening:
        settings = validated({"data": {"dir": str(self.tmp_path)}, **self.settings})
        usual = {"throws_wanted": 2, "open_camera": lambda _settings: QuickCamera(), "temperature": lambda: 51.0}
        given = {**usual, **parts}
        evening = Evening(settings, self.person, given.pop("checks", no_checks), **given)
        hold(evening, Screen(Console(file=StringIO())))
        return evening


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path, person=Someone(skips=("Throws",)))


def told(evening: Evening, part: str) -> Finding:
    (found,) = (finding for finding in evening.findings if finding.part == part)
    return found


def is_ill(evening: Evening, part: str, *words: str) -> bool:
    found = told(evening, part)
    return not found.ok and bool(found.cure) and all(word in f"{found.says} {found.cure}" for word in words)


def test_a_first_evening_on_the_virtual_table_finds_nothing_wrong(table: Table) -> None:
    table.person.skips = ()
    evening = table.held()
    assert evening.ill() == []
    assert told(evening, "throws").says == "2 throws: 2 read right, 0 asked about, 0 wrong, 0 not seen."
    assert told(evening, "frame rate").says.startswith("30.0 frames a second")
    assert told(evening, "temperature").says == "The processor reached 51 °C (it slows down at 80)."
    assert evening.not_done == []


def test_the_first_evening_includes_the_doctors_findings(table: Table) -> None:
    evening = table.held(checks=lambda _settings: iter([Finding("disk", False, "Full.", "Free some space.")]))
    assert is_ill(evening, "disk", "Free some space")


@pytest.mark.parametrize(
    ("camera", "words"),
    [
        (FilmCamera([at / 10 for at in range(150)]), ("10.0 frames a second", "more light")),
        (FilmCamera([at / 30 + (at > 50) for at in range(150)]), ("longest gap 1033 ms", "more light")),
        (FilmCamera([1.0]), ("1 frames", "[camera] source")),
        (FilmCamera([], BROKEN), ("unplugged", "Plug it in")),
    ],
)
def test_a_slow_or_broken_camera_is_reported(camera: FilmCamera, words: tuple[str, ...], table: Table) -> None:
    assert is_ill(table.held(open_camera=lambda _settings: camera), "frame rate", *words)


def test_bands_of_a_flickering_lamp_are_reported(table: Table) -> None:
    class Banded(FilmCamera):
        def frame(self) -> Frame | None:
            frame = super().frame()
            if frame is None:
                return None
            rows = 120 * (1 + 0.2 * np.sin(np.arange(240) / 10 + 700 * frame.at_s))
            return replace(frame, image_bgr=np.repeat(rows, 320 * 3).reshape(240, 320, 3).astype(np.uint8))

    evening = table.held(open_camera=lambda _settings: Banded([at / 30 for at in range(150)]))
    assert is_ill(evening, "lamp bands", "flickers", "DC supply")
    assert told(table.held(), "lamp bands").ok


def test_a_camera_that_fails_while_dice_are_thrown_is_reported(table: Table) -> None:
    table.person.skips = ("Frame rate",)
    assert is_ill(table.held(open_camera=lambda _settings: FilmCamera([], BROKEN)), "throws", "Plug it in")


def test_a_recording_that_ends_ends_the_throws(table: Table) -> None:
    table.person.skips = ("Frame rate",)
    evening = table.held(open_camera=lambda _settings: FilmCamera([0.0, 0.1]))
    assert not any(finding.part == "throws" for finding in evening.findings)


def test_misread_throws_are_reported_with_pictures(table: Table) -> None:
    table.person = Someone(misreads=True)
    evening = table.held()
    assert is_ill(evening, "throws", "2 wrong", "pegpip calibrate")
    assert all(throw.jpeg.startswith(b"\xff\xd8") for throw in evening.throws)


def test_throws_that_the_table_asks_about_are_reported(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    class Doubting:
        def __init__(self, reader: Any) -> None:
            self._reader = reader

        def read(self, frame_bgr: FrameBGR, expect: int | None = None, *_: object) -> Reading:
            reading: Reading = self._reader.read(frame_bgr, expect)
            return replace(reading, doubt=Doubt.UNREAD)

    def load(*given: Any) -> Any:
        setup = load_reader(*given)
        reader: Any = Doubting(setup.reader)
        return replace(setup, reader=reader)

    monkeypatch.setattr(f"{STEPS}.load_reader", load)
    table.person.skips = ()
    assert is_ill(table.held(), "throws", "2 asked about", "diffuse bars")


def test_a_throw_that_the_camera_missed_is_asked_about_and_reported(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 1.0)
    table.person = Someone(hands_off=True)
    assert is_ill(table.held(), "throws", "2 not seen", "whole tray")


def test_readings_that_take_long_are_reported(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(10_000))
    monkeypatch.setattr(f"{STEPS}.time.perf_counter", lambda: 0.6 * next(ticks))
    table.person.skips = ()
    assert is_ill(table.held(), "reading time", "600 ms", "Pi 4")


@pytest.mark.parametrize(
    ("denied", "part", "words"),
    [
        ("red, green, blue", "LED colours", ("SPI coding", "level shifter")),
        ("walk through every hole", "LED by LED", ("mend the joint",)),
    ],
)
def test_leds_that_a_person_sees_wrong_are_reported(
    denied: str, part: str, words: tuple[str, ...], table: Table
) -> None:
    table.person.denies = (denied,)
    shown: list[RealStrip] = []

    def opened(_kind: str, leds: int, _wired: StripSettings) -> RealStrip:
        shown.append(RealStrip(leds))
        return shown[-1]

    evening = table.held(open_strip=opened)
    assert is_ill(evening, part, *words)
    assert shown[0].shown == 4 + 122


@pytest.mark.parametrize("broken_at", [0, 60])
def test_a_strip_that_fails_while_it_is_lit_is_reported(broken_at: int, table: Table) -> None:
    def opened(_kind: str, leds: int, _wired: StripSettings) -> RealStrip:
        strip = RealStrip(leds)
        strip.broken_at = broken_at
        return strip

    assert is_ill(table.held(open_strip=opened), "LEDs", "Plug it in")


@pytest.mark.parametrize(
    ("heard", "part", "words"),
    [
        (["bank", "bank", "next"], "button undo", ("GPIO27", "bank was heard")),
        (["bank", "undo"], "button next", ("GPIO22", "nothing was heard")),
    ],
)
def test_a_button_that_is_not_heard_or_mixed_up_is_reported(
    heard: list[str], part: str, words: tuple[str, ...], table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.PRESS_WAIT_S", 0.01)
    table.settings = {"buttons": {"kind": "gpio"}}
    evening = table.held(open_buttons=lambda _kind, _wired: FakeButtons(heard))
    assert is_ill(evening, part, *words)
    assert told(evening, "button bank").ok


def test_buttons_whose_pins_are_busy_are_reported(table: Table) -> None:
    table.settings = {"buttons": {"kind": "gpio"}}

    def opened(_kind: str, _wired: ButtonSettings) -> FakeButtons:
        return FakeButtons([], BROKEN)

    assert is_ill(table.held(open_buttons=opened), "button presses", "Plug it in")


def test_a_sound_that_cannot_be_played_or_heard_is_reported(table: Table) -> None:
    table.settings = {"sound": {"effects": True}}
    assert is_ill(table.held(play=lambda _wav: "No sound card. Plug one in."), "sounds", "Plug one in")
    table.person.denies = ("hear a short tone",)
    assert is_ill(table.held(play=lambda _wav: None), "sound", "alsamixer")
    table.person.denies = ()
    assert told(table.held(play=lambda _wav: None), "sounds").ok


def test_phones_that_cannot_join_the_hotspot_are_reported(table: Table) -> None:
    assert is_ill(table.held(clients=lambda: 0), "phones", "router")
    table.person.denies = ("all that tried",)
    assert is_ill(table.held(clients=lambda: 7), "phones", "7 phones", "router")
    table.person.denies = ()
    assert told(table.held(clients=lambda: 7), "phones").ok


def test_phones_are_counted_on_the_interface_that_is_an_access_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    iw = tmp_path / "iw"
    listed = "phy#0\n\tInterface wlan0\n\t\ttype AP\nphy#1\n\tInterface wlan1\n\t\ttype managed\n"
    stations = "Station aa:bb (on wlan0)\n\tinactive time: 3 ms\nStation cc:dd (on wlan0)\n"
    script = f"""#!/bin/sh
case "$*" in
dev) printf '{listed}' ;;
'dev wlan0 station dump') printf '{stations}' ;;
esac
"""
    iw.write_text(script)
    iw.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert phones_joined() == 2
    monkeypatch.setenv("PATH", "/nowhere")
    assert phones_joined() is None


def test_a_hot_processor_and_a_weak_supply_are_reported(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    weak = Finding("power", False, "The supply's voltage has been too low.", "Use the Pi's own supply.")
    monkeypatch.setattr(f"{STEPS}.check_power", lambda **_: weak)
    heats = iter([50.0, 84.0, *[60.0] * 50])
    evening = table.held(temperature=lambda: next(heats))
    assert is_ill(evening, "temperature", "84 °C", "heat sink")
    assert is_ill(evening, "power under load", "own supply")


def test_wrong_settings_are_reported_and_the_other_steps_go_on(table: Table) -> None:
    table.settings = {"strip": {"layout": "bord3x121"}}
    evening = table.held()
    assert is_ill(evening, "leds", "board3x121")
    assert told(evening, "temperature").ok


def test_ctrl_c_keeps_the_results_and_names_the_steps_left_out(table: Table, tmp_path: Path) -> None:
    table.person = Someone(leaves_after=1)
    evening = table.held(throws_wanted=5)
    assert evening.stopped
    assert told(evening, "throws").says.startswith("1 throws: 1 read right")
    assert evening.not_done == ["Throws", "LEDs", "Buttons", "Sound", "Phones", "Temperature and power"]
    page, _ = write(evening, tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    assert "Stopped early" in page.read_text()
    assert "Not done: Throws, LEDs" in page.read_text()


def test_a_report_that_cannot_be_written_is_reported(table: Table, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeviceError, match="--out"):
        write(table.held(), tmp_path / "file" / "out", datetime(2026, 11, 24, tzinfo=UTC))


def test_page_and_zip_hold_the_findings_and_no_secret(table: Table, tmp_path: Path) -> None:
    table.settings = {"table": {"name": "<b>Plough</b>"}, "web": {"wifi_password": "six of one"}}
    table.person = Someone(misreads=True)
    page, packed = write(table.held(), tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    text = page.read_text()
    assert "First evening of &lt;b&gt;Plough" in text
    assert "24 November 2026, 20:15" in text
    assert "Calibrate again (<code>pegpip calibrate</code>)" in text
    assert "http" not in text, "the page needs no other file"
    with zipfile.ZipFile(packed) as archive:
        assert {PAGE, "settings.json", "doctor.jsonl", "first-evening.json", "throws/1.jpg"} <= set(archive.namelist())
        result = json.loads(archive.read("first-evening.json"))
        assert all(b"six of one" not in archive.read(name) for name in archive.namelist())
    assert [throw["lay"] for throw in result["throws"]] == [[6, 6, 6], [6, 6, 6]]
    assert len(result["readings_ms"]) >= 6


# -- a person at the terminal --------------------------------------------------------------------------------------


@contextmanager
def typing(*lines: str) -> Iterator[TerminalPerson]:
    with CliRunner().isolation(input="".join(f"{line}\n" for line in lines)):
        yield TerminalPerson(nullcontext)


@pytest.mark.parametrize(
    ("typed", "lay", "enough"),
    [
        ([""], (1, 4), False),
        (["6 2 2"], (2, 2, 6), False),
        (["622"], (2, 2, 6), False),
        (["what?", "7", "3"], (3,), False),
        (["x"], None, False),
        (["q"], None, True),
    ],
)
def test_typed_answers_give_a_throws_true_values_or_none(typed: list[str], lay: Values | None, enough: bool) -> None:
    with typing(*typed) as person:
        assert person.judges((1, 4), "count", FilmCamera([])) == lay
        assert person.enough_throws is enough


def test_typed_answers_agree_deny_skip_a_step_or_end_the_evening() -> None:
    with typing("", "n", "s", "") as person:
        assert person.agrees("Right?")
        assert not person.agrees("Right?")
        assert not person.begins("LEDs", "Look.")
        assert person.begins("LEDs", "Look.")
        person.throws(1, 2, FilmCamera([]))
        person.presses("bank")
        with pytest.raises(KeyboardInterrupt):
            person.agrees("Right?")  # the input has ended, as with Ctrl-C


# -- the command ---------------------------------------------------------------------------------------------------


def doctor(tmp_path: Path, *words: str) -> Result:
    file = tmp_path / "pegpip.toml"
    file.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nhost = '127.0.0.1'\nport = 0\n")
    given = ["--config", str(file), "--first-evening", "--camera", "virtual", *words]
    return CliRunner().invoke(command, given, standalone_mode=False)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.diagnostics.first_evening.evening.open_camera", lambda *_given: QuickCamera())
    monkeypatch.setattr("companion.diagnostics.network.own_addresses", lambda: ("192.0.2.7",))


def test_the_demonstration_ends_with_a_page_and_a_zip(quick: None, tmp_path: Path) -> None:
    done = doctor(tmp_path, "--yes", "--throws", "3", "--out", str(tmp_path / "report"))
    assert done.exception is None, done.output
    assert done.return_value == 0, done.output
    assert "✗" not in done.output
    (throws,) = (line for line in done.output.splitlines() if "throws 3 throws" in line)
    assert throws.endswith("0 wrong, 0 not seen.")
    assert {path.name for path in (tmp_path / "report").iterdir()} == {PAGE, ZIP}
    assert "read right" in (tmp_path / "report" / PAGE).read_text()


def test_ctrl_c_in_the_demonstration_is_a_clean_end(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leave(*_given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Agreeable, "judges", leave)
    done = doctor(tmp_path, "--yes", "--throws", "3")
    assert done.return_value == 130
    assert (tmp_path / "first-evening" / ZIP).exists()


@pytest.mark.browser
def test_the_page_fits_phone_and_screen_and_loads_nothing_else(table: Table, tmp_path: Path, chromium: Any) -> None:
    table.person = Someone(misreads=True)
    page, _ = write(table.held(), tmp_path / "out", datetime(2026, 11, 24, 20, 15, tzinfo=UTC))
    for width, height in ((390, 844), (1280, 720)):
        shown = chromium.new_page(viewport={"width": width, "height": height})
        asked: list[str] = []
        shown.on("request", lambda request, asked=asked: asked.append(request.url))
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") == width
        assert shown.locator(".verdict").inner_text().startswith("1 thing to see to")
        assert shown.locator(".squares i.wrong").count() == 2
        assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
        shown.close()

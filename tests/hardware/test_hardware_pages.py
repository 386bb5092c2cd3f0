"""The pages about the hardware: their figures, pins and boot lines equal those of the code and of the units."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.appliance import hotspot
from companion.appliance.install import CORE_LINES, NEEDED, PIO_LINE
from companion.appliance.trial import HEALTHY_TIMEOUT_S, MAX_TRIES
from companion.diagnostics.first_evening.steps import FILMED_FRAMES
from companion.diagnostics.machine import THROTTLED_FROM_C
from companion.table.settings import DataSettings
from hardware.board import MIN_FRAME_S, RETRY_S
from hardware.motion import SHUTDOWN_PRESS_S
from hardware.pictures.plans import HOLE_MM, SCREW_MM
from hardware.pictures.wires import HEADER_PINS
from hardware.settings import ButtonSettings, StripSettings
from hardware.strips.pio import FIRST_KERNEL
from hardware.strips.spi import DEFAULT_BUFSIZ
from hardware.strips.ws2812 import SPEED_HZ, bytes_for
from hardware.track import preset
from release.parts import dimensions as mm
from release.parts.sheets import PILOT_MM
from vision.calibration.sheet import BAR_MM
from vision.calibration.solving import DIE_RANGE_MM
from vision.cameras import SIZE_WH
from vision.cameras.field import MODULES

DOCS = Path(__file__).resolve().parents[2] / "docs"
BOARD = preset("board3x121")
PAGES = {name: " ".join((DOCS / f"{name}.md").read_text(encoding="utf-8").split()) for name in ("build", "appliance")}
PAGES["hardware"] = " ".join((DOCS / "reference" / "hardware.md").read_text(encoding="utf-8").split())
WORDS = {1: "a", 2: "two", 3: "three", 5: "five", 100: "a hundred"}
STRIP, BUTTONS = StripSettings(), ButtonSettings()
MOST_LEDS = {bits: max(n for n in range(1000) if bytes_for(n, bits) <= DEFAULT_BUFSIZ) for bits in SPEED_HZ}
FIGURES = (
    ("build", f"asks it for {SIZE_WH[0]} x {SIZE_WH[1]}"),
    ("build", f"Divide 300 x {mm.MARGIN * mm.TRAY_WH_MM[0]:g} by that: it is the height"),
    ("build", "calibrating accepts {:g} to {:g} mm".format(*DIE_RANGE_MM)),
    ("build", f"Above {THROTTLED_FROM_C:g} °C a Pi slows down"),
    ("build", f"Drill {PILOT_MM:g} mm, 10 mm deep"),
    ("build", f"The bar on it measures {BAR_MM:g} mm"),
    ("build", f"Drill {HOLE_MM:g} mm at each cross, {SCREW_MM:g} mm at those in the corners"),
    ("build", f"{STRIP.channel_ma:g} mA for each colour at full, {STRIP.idle_ma:g} mA for a dark LED"),
    ("build", f"at a brightness of {STRIP.brightness:g} is estimated"),
    ("build", f"holds {MOST_LEDS[3]} LEDs, or {MOST_LEDS[4]} with `spi_bits = 4`. The cribbage board has {BOARD.leds}"),
    ("build", f"data on GPIO10 (pin {HEADER_PINS[10]}) | Pi 5: data on GPIO{STRIP.pin} (pin {HEADER_PINS[STRIP.pin]})"),
    *(
        ("build", f"| *{name}* | GPIO{bcm} (pin {HEADER_PINS[bcm]}) |")
        for name, bcm in (("bank", BUTTONS.bank), ("undo", BUTTONS.undo), ("next", BUTTONS.next))
    ),
    ("build", f"between GPIO3 (pin {HEADER_PINS[3]}) and ground"),
    ("build", f"`{CORE_LINES['Raspberry Pi Zero 2'][1]}`"),
    ("build", "| Pi 4 with `spi` | `{}` and `{}` |".format(*CORE_LINES["Raspberry Pi 4"][1:])),
    ("build", f"`{PIO_LINE.format(pin=STRIP.pin, leds=BOARD.leds)}`"),
    ("build", "before {}.{}.{} keeps the strip dark".format(*FIRST_KERNEL)),
    ("build", f"films for {WORDS[round(FILMED_FRAMES / 30)]} seconds"),
    ("build", f"{WORDS[round(SHUTDOWN_PRESS_S)]} seconds: the track turns red"),
    ("appliance", "From Debian it needs `{}`, `{}`, `{}` and `{}`.".format(*NEEDED[1:])),
    ("appliance", f"holds **{hotspot.PHONES} to 10 phones**"),
    ("appliance", f"raises it to {hotspot.MINIMAL_PHONES}"),
    ("appliance", hotspot.MORE_PHONES),
    ("appliance", f"at most {DataSettings().photo_bytes / 1e6:g} MB of them"),
    ("appliance", f"well within {WORDS[round(HEALTHY_TIMEOUT_S / 60)]} minutes"),
    ("appliance", f"After {WORDS[MAX_TRIES]} failed tries"),
    ("appliance", f"opens it again every {WORDS[round(RETRY_S)]} seconds"),
    ("hardware", f"{hotspot.PHONES} to 10 phones fit with the default firmware, {hotspot.MINIMAL_PHONES} with"),
    ("hardware", f"debouncing ({1000 * BUTTONS.settle_s:g} ms), long press after {BUTTONS.long_s:g} s"),
    ("hardware", f"default {STRIP.limit_ma / 1000:g} A"),
    ("hardware", f"At most {1 / MIN_FRAME_S:.0f} frames a second"),
)


@pytest.mark.parametrize(("page", "sentence"), FIGURES)
def test_a_listed_sentence_of_the_hardware_docs_quotes_the_figure_in_the_code(page: str, sentence: str) -> None:
    assert sentence in PAGES[page]


def test_the_appliance_docs_page_gives_the_systemd_units_times_and_sizes() -> None:
    units = {path.name: path.read_text(encoding="utf-8") for path in (DOCS.parent / "systemd").iterdir()}
    assert "nm-online -q -t 30" in units["pegpip-hotspot.service"]
    assert "no network within half a minute" in PAGES["appliance"]
    assert "WatchdogSec=20\n" in units["pegpip.service"]
    assert "for 20 s | systemd restarts everything" in PAGES["appliance"]
    assert "SystemMaxUse=64M\n" in units["journald.conf"]
    assert "and 64 MB in all" in PAGES["appliance"]


def test_the_hardware_docs_state_the_camera_modules_angles_of_view() -> None:
    stated = re.search(r"Module 1 ([\d.]+), Module 2 ([\d.]+), Module 3 ([\d.]+) degrees across", PAGES["hardware"])
    assert stated is not None
    assert list(stated.groups()) == [f"{one.angle_deg(SIZE_WH):.1f}" for one in MODULES[:3]]


def test_docs_commands_run_as_user_pegpip_write_only_to_permitted_folders() -> None:
    lines = [line for page in PAGES.values() for line in re.findall(r"sudo -u pegpip (pegpip [^`]*)", page)]
    files = [file for line in lines for file in re.findall(r"--(?:bundle|preview|out) (\S+)", line)]
    assert files, "no documented command writes a file: the pattern fits none"
    assert [file for file in files if not file.startswith(("/tmp/", "/var/lib/pegpip/"))] == []

"""`pegpip leds`: the pictures it draws and the lights it walks through."""

from __future__ import annotations

import re
import socket
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner, Result

from companion.commands.leds import command
from companion.errors import DeviceError, SetupError
from hardware.pictures.gallery import SCENES
from hardware.pictures.glow import PictureBGR, save_moving, save_still, scenery
from hardware.pictures.plans import SCREW_MM, drilling_template, walk, wiring_map
from hardware.pictures.wires import HEADER_PINS, wiring_diagram
from hardware.settings import StripSettings
from hardware.strips import FrameRGB
from hardware.strips.memory import MemoryStrip
from hardware.strips.ws2812 import bytes_for
from hardware.track import PRESETS, preset
from release.parts import dimensions as mm
from release.parts.sheets import GAP_MM, sheets
from tests.hardware.pi_drivers import fake_spi
from vision.images.loading import picture_in

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def empty_settings(tmp_path: Path) -> str:
    file = tmp_path / "pegpip.toml"
    file.write_text("")
    return str(file)


def leds(*words: str) -> Result:
    return CliRunner().invoke(command, list(words))


@pytest.mark.parametrize("name", PRESETS)
def test_the_step_by_step_led_walk_visits_every_used_led_once(name: str) -> None:
    layout = preset(name)
    visited = [led for _, leds in walk(layout) for led in leds]
    used = {led for lane in layout.lanes for hole in lane for led in hole} | set(layout.status)
    assert len(visited) == len(set(visited))
    assert set(visited) == used


@pytest.mark.parametrize("name", PRESETS)
def test_led_board_drilling_template_is_true_to_size_with_a_hole_per_led(name: str) -> None:
    layout = preset(name)
    svg = ET.fromstring(drilling_template(layout))
    circles = [(float(c.get("cx", "")), float(c.get("cy", ""))) for c in svg.iter(f"{SVG}circle")]
    used = sorted({led for _, leds in walk(layout) for led in leds})
    assert len(circles) == len(used)
    (ax, ay), (bx, by) = (layout.places_mm[led] for led in (used[0], used[-1]))
    assert circles[-1][0] - circles[0][0] == pytest.approx(bx - ax, abs=0.01)
    assert circles[-1][1] - circles[0][1] == pytest.approx(by - ay, abs=0.01)
    # True size: a unit of the drawing is a millimetre of paper.
    assert svg.get("width") == f"{svg.get('viewBox', '').split()[2]}mm"


def test_led_drilling_template_frame_and_screw_holes_match_the_front_panel() -> None:
    svg = ET.fromstring(drilling_template(preset("board3x121")))
    (frame,) = svg.iter(f"{SVG}rect")
    width, height = mm.board_wh_mm(preset("board3x121"))
    assert (float(frame.get("width", "")), float(frame.get("height", ""))) == pytest.approx((width, height), abs=0.21)
    corners = re.findall(rf'd="M([\d.]+) ([\d.]+)a{SCREW_MM / 2} ', drilling_template(preset("board3x121")))
    assert len(corners) == 4
    assert float(corners[0][0]) + SCREW_MM / 2 == pytest.approx(5.0)
    panel = re.findall(rf'cx="([\d.]+)" cy="([\d.]+)" r="{SCREW_MM / 2}"', sheets(preset("board3x121"))["board-front"])
    moved = [(float(x) - GAP_MM - SCREW_MM / 2, float(y) - GAP_MM) for x, y in panel]
    assert [tuple(map(float, corner)) for corner in corners] == [pytest.approx(one, abs=0.02) for one in moved]


@pytest.mark.parametrize(("scale", "size"), [(1.0, "5"), (0.5, "2.9")])
def test_led_drilling_template_names_the_diameter_of_the_holes_that_it_draws(scale: float, size: str) -> None:
    layout = preset("strip122")
    close = replace(layout, places_mm=tuple((scale * x, scale * y) for x, y in layout.places_mm))
    assert f"holes of {size} mm" in drilling_template(close)
    (radius,) = {circle.get("r") for circle in ET.fromstring(drilling_template(close)).iter(f"{SVG}circle")}
    assert 2 * float(str(radius)) == pytest.approx(float(size), abs=0.05)


@pytest.mark.parametrize("name", PRESETS)
def test_each_led_in_the_svg_map_has_a_title_and_those_of_hole_120_name_the_hole(name: str) -> None:
    """One more title is that of the drawing."""
    titles = [t.text for t in ET.fromstring(wiring_map(preset(name))).iter(f"{SVG}title")]
    assert len(titles) == preset(name).leds + 1
    assert sum("hole 120" in (title or "") for title in titles) == sum(len(lane[120]) for lane in preset(name).lanes)


def test_the_wiring_diagram_shows_configured_pins_and_the_current_limit() -> None:
    drawn = wiring_diagram("ws281x", StripSettings(pin=21), {"bank": 5, "undo": 6}, 4000)
    for words in ("GPIO21 (pin 40)", "GPIO5 (pin 29)", "GPIO6 (pin 31)", "strip limited to 4000 mA", "Supply 5 V, 5 A"):
        assert words in drawn
    assert "GPIO10 (pin" not in drawn
    ET.fromstring(drawn)


def covered(path: str) -> set[tuple[int, int]]:
    """Return the pixels that a wire of horizontal and vertical parts covers, from the `d` of its SVG path."""
    found: set[tuple[int, int]] = set()
    x = y = 0
    for letter, words in re.findall(r"([MHVv])([\d. ]+)", path):
        first, *more = (round(float(word)) for word in words.split())
        if letter == "M":
            x, y = first, more[0]
        elif letter == "H":
            found |= {(each, y) for each in range(min(x, first), max(x, first) + 1)}
            x = first
        else:
            end = first if letter == "V" else y + first
            found |= {(x, each) for each in range(min(y, end), max(y, end) + 1)}
            y = end
    return found


@pytest.mark.parametrize("kind", ["spi", "pio"])
def test_wiring_diagram_wires_may_cross_but_only_5_v_wires_overlap(kind: str) -> None:
    pins = {"shutdown": 3, "bank": 17, "undo": 27, "next": 22}
    drawn = wiring_diagram(kind, StripSettings(), pins, 2000)
    wires = [
        (covered(path), red) for path, red in re.findall(r'<path d="([^"]+)" fill="none" stroke="(#e5533d)?', drawn)
    ]
    assert len(wires) == 21
    # Two wires that cross share one pixel, and at most two such places here. The red ones are joined.
    assert max(len(one & other) for (one, red), (other, also) in combinations(wires, 2) if not (red and also)) <= 2


def test_the_wiring_diagram_joins_button_grounds_and_runs_them_to_pin_39() -> None:
    drawn = wiring_diagram("pio", StripSettings(), {"bank": 17, "undo": 27}, 2000)
    ground = next(path for path in re.findall(r'<path d="([^"]+)"', drawn) if path.endswith("H800V390"))
    assert ground.startswith("M95 565v"), "pin 39"
    assert drawn.count('<circle cx="800"') == 1, "the second button's ground joins the first one's"


def test_the_wiring_diagram_puts_spi_data_on_its_bus_and_wled_on_no_pin() -> None:
    assert "GPIO10 (pin 19): data" in wiring_diagram("spi", StripSettings(pin=18), {}, 2000)
    assert "GPIO20 (pin 38): data" in wiring_diagram("spi", StripSettings(spi_bus=1), {}, 2000)
    assert "takes no pin" in wiring_diagram("wled:board.local", StripSettings(), {}, 2000)


def test_the_pin_table_gives_each_gpio_its_own_pin_never_a_power_or_ground_pin() -> None:
    assert sorted(HEADER_PINS) == list(range(28))
    assert len(set(HEADER_PINS.values())) == 28
    assert not set(HEADER_PINS.values()) & {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}  # powers and grounds


def test_leds_map_command_lists_each_holes_led_and_says_a_memory_strip_is_simulated(empty_settings: str) -> None:
    done = leds("map", "--config", empty_settings, "--strip", "memory")
    assert done.exit_code == 0
    assert "simulated" in done.stderr
    holes = [f"hole {hole}: LED {hole}" for hole in range(1, 121)]
    assert done.stdout.splitlines() == ["start: LED 0", *holes, "finish: LED 121"]


def test_leds_test_command_shows_and_names_colours_then_track_holes_then_status_leds(
    empty_settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[FrameRGB] = []
    monkeypatch.setattr(MemoryStrip, "show", lambda _strip, frame_rgb: shown.append(frame_rgb))
    done = leds("test", "--config", empty_settings, "--layout", "table300", "--strip", "memory")
    told = done.stdout.splitlines()
    assert [[*map(tuple, (frame > 0).astype(int))] for frame in shown[:4]] == [
        [rgb] * 300 for rgb in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1))
    ]
    assert [np.flatnonzero(frame.any(axis=1)).tolist() for frame in (shown[5], shown[-1])] == [
        [4, 5],
        [*range(264, 288)],
    ]
    assert told[:4] == [f"{name}: LED 0 to 299" for name in ("red", "green", "blue", "white")]
    assert told[5] == "hole 1: LED 4 to 5"
    assert told[-1] == "status: LED 264 to 287"


@pytest.mark.parametrize(("words", "name"), [(("map",), "m.svg"), (("map",), "m.PNG"), (("design",), "d.svg")])
def test_leds_map_and_design_create_a_missing_folder_for_their_drawing(
    words: tuple[str, ...], name: str, tmp_path: Path, empty_settings: str
) -> None:
    out = tmp_path / "new" / name
    done = leds(*words, "--config", empty_settings, "--layout", "board3x121", "--out", str(out))
    assert (done.exit_code, done.stdout) == (0, f"{out} written.\n"), done.output
    assert out.stat().st_size > 1000
    assert out.read_bytes().startswith(b"\x89PNG") == name.endswith("PNG")


def test_leds_map_refuses_an_output_file_that_is_neither_svg_nor_png(tmp_path: Path, empty_settings: str) -> None:
    done = leds("map", "--config", empty_settings, "--out", str(tmp_path / "m.pdf"))
    assert (done.exit_code, ".svg or .png" in str(done.exception)) == (1, True)
    assert not (tmp_path / "m.pdf").exists()


@pytest.mark.parametrize("what", ["design", "wiring"])
def test_leds_design_and_wiring_refuse_an_output_that_is_no_svg(what: str, tmp_path: Path, empty_settings: str) -> None:
    done = leds(what, "--config", empty_settings, "--out", str(tmp_path / "d.png"))
    assert (type(done.exception), ".svg" in str(done.exception)) == (SetupError, True)
    assert not (tmp_path / "d.png").exists()


@pytest.mark.parametrize("step_s", ["nan", "inf", "-1", "0"])
@pytest.mark.parametrize("what", ["map", "test"])
def test_leds_map_and_test_refuse_a_step_time_not_positive_and_finite(
    what: str, step_s: str, empty_settings: str
) -> None:
    done = leds(what, "--config", empty_settings, "--strip", "memory", f"--step={step_s}")
    assert (done.exit_code, "--step" in done.stderr) == (2, True), done.output


@pytest.mark.parametrize("words", [("map", "--out", "m.svg"), ("map", "--out", "m.png"), ("design", "--out", "d.svg")])
def test_the_leds_map_and_design_commands_draw_a_track_of_one_led(words: tuple[str, ...], tmp_path: Path) -> None:
    file, out = tmp_path / "own.toml", tmp_path / words[-1]
    track = "leds = 1\nholes = 1\nstart_leds = 0\nfinish_leds = 0\nlanes = ['0']\n"
    file.write_text(f"[strip]\nlayout = 'own'\n[track]\n{track}")
    done = leds(*words[:-1], str(out), "--config", str(file))
    assert done.exit_code == 0, done.output
    assert out.stat().st_size > 500
    assert out.suffix == ".png" or out.read_text().count("<circle") == 1


def test_leds_wiring_draws_the_strip_and_button_pins_of_the_settings(tmp_path: Path) -> None:
    file, out = tmp_path / "own.toml", tmp_path / "w.svg"
    file.write_text("[strip]\nkind = 'ws281x'\npin = 12\n[buttons]\nkind = 'gpio'\nbank = 26\n")
    assert leds("wiring", "--config", str(file), "--out", str(out)).exit_code == 0
    assert "GPIO12 (pin 32)" in out.read_text()
    assert "GPIO26 (pin 37)" in out.read_text()


def test_the_leds_scenes_command_with_stills_writes_a_picture_of_every_led_scene(tmp_path: Path) -> None:
    done = leds("scenes", "--layout", "strip122", "--stills", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert {path.stem for path in tmp_path.iterdir()} == {f"strip122-{scene.name}" for scene in SCENES}
    picture = picture_in(tmp_path / "strip122-flood.png")
    assert picture.shape[1] > 122 * 12, "wide enough to tell LEDs apart"
    assert picture.max() > 150, "something glows"


def test_the_leds_scenes_command_prints_how_many_scenes_it_drew_and_in_which_folder(tmp_path: Path) -> None:
    done = leds("scenes", "--layout", "strip122", "--stills", "--out", str(tmp_path))
    assert done.output.endswith(f"{len(SCENES)} scenes drawn in {tmp_path}.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="uses /dev/full")
@pytest.mark.parametrize("save", [save_still, lambda path, picture: save_moving(path, [picture, ~picture], 80)])
def test_a_picture_of_the_led_board_on_a_full_disk_is_a_device_error(
    save: Callable[[Path, PictureBGR], None], tmp_path: Path
) -> None:
    """OpenCV's writers reported success; the file was cut off."""
    (full := tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(DeviceError, match=r"can't be written \(No space left on device\)"):
        save(full, scenery(preset("strip122"), 960).numbered(preset("strip122")))


@pytest.mark.parametrize(
    ("words", "suggested"),
    [
        *((f"{what} --layout bord3x12", "board3x121") for what in ("map", "test", "design --out x", "scenes --out x")),
        ("map --strip sip", "spi"),
        ("map --out x.svg --strip sip", "spi"),
        ("wiring --out x --strip ws2812x", "ws281x"),
    ],
)
def test_leds_commands_refuse_an_unknown_layout_or_strip_with_a_suggestion(
    words: str, suggested: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SetupError, match=f"did you mean '{suggested}'"):
        CliRunner().invoke(command, words.split(), catch_exceptions=False)
    assert list(tmp_path.iterdir()) == [], "nothing is drawn"


def test_leds_design_with_out_path_below_a_plain_file_is_a_device_error(tmp_path: Path, empty_settings: str) -> None:
    (tmp_path / "file").write_text("")
    words = ["design", "--config", empty_settings, "--out", str(tmp_path / "file" / "d.svg")]
    with pytest.raises(DeviceError, match="--out"):
        CliRunner().invoke(command, words, catch_exceptions=False)


@pytest.mark.parametrize(
    ("given", "answers", "status", "told", "bits"),
    [
        ([], "y\n", 0, "without flicker", {3}),
        ([], "n\ny\n", 0, "Set spi_bits = 4 in [strip].", {3, 4}),
        ([], "n\nn\n", 1, "Check `order` in [strip]", {3, 4}),
        (["--spi-bits", "4"], "y\n", 0, "without flicker", {4}),
    ],
)
def test_the_leds_test_command_retries_with_four_spi_bits_when_the_user_sees_wrong_colours(
    given: list[str],
    answers: str,
    status: int,
    told: str,
    bits: set[int],
    empty_settings: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = fake_spi(monkeypatch)
    monkeypatch.setattr("companion.commands.leds.sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    words = ["test", "--config", empty_settings, "--strip", "spi", "--step", "0.01", *given]
    done = CliRunner().invoke(command, words, input=answers, standalone_mode=False)
    assert done.return_value == status, done.output
    assert told in done.output
    assert {len(data) for data in sent} == {bytes_for(122, each) for each in bits}


def test_leds_wiring_command_with_strip_auto_draws_the_pi_models_data_pin(
    tmp_path: Path, empty_settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pi_5, pi_4 = "Raspberry Pi 5 Model B Rev 1.0", "Raspberry Pi 4 Model B Rev 1.4"
    for machine, pin in ((pi_5, 18), (pi_4, 10), ("Orange Pi 5", 10), ("", 10)):
        monkeypatch.setattr("hardware.machine.model", lambda machine=machine: machine)
        out = tmp_path / "w.svg"
        assert leds("wiring", "--config", empty_settings, "--strip", "auto", "--out", str(out)).exit_code == 0
        assert f"GPIO{pin} (pin" in out.read_text()


def test_leds_map_command_resends_the_frame_of_a_long_step_before_wleds_timeout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept_s: list[float] = []
    monkeypatch.setattr("companion.commands.leds.time.sleep", slept_s.append)
    file = tmp_path / "pegpip.toml"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as controller:
        controller.bind(("127.0.0.1", 0))
        file.write_text(f"[strip]\nwled_port = {controller.getsockname()[1]}\n")
        assert leds("map", "--config", str(file), "--strip", "wled:127.0.0.1", "--step", "4.5").exit_code == 0
        sent = [controller.recv(2000)[10:] for _ in range(6)]
    assert any(sent[0])
    assert [packet == sent[0] for packet in sent] == [True] * 5 + [False]
    assert sum(slept_s) == pytest.approx(122 * 4.5)
    assert max(slept_s) < 2.5, "seconds after which WLED returns to its own effect"

"""The build guide (docs/build.md): its settings load, and its numbers and pictures match what the code computes."""

from __future__ import annotations

import csv
import math
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

from companion.appliance import hotspot
from companion.appliance.install import USEFUL
from companion.appliance.steps import GROUPS
from companion.appliance.trial import PORT, SETTINGS
from companion.games.registry import GAMES
from companion.settings import load as config
from hardware.pictures.plans import HOLE_MM, SCREW_MM, drilling_template, wiring_map
from hardware.pictures.wires import HEADER_PINS, wiring_diagram
from hardware.power import cabling
from hardware.settings import StripSettings
from hardware.track import PRESETS, preset
from hardware.wiring import wiring_problems
from release.parts import dimensions as mm
from tests.games.playing import told
from vision.cameras import SIZE_WH
from vision.cameras.field import MODULES, height_mm

DOCS = Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "build.md").read_text(encoding="utf-8")
IN_ONE_LINE = " ".join(GUIDE.split())
F_NUMBERS = {
    "Camera Module 1": 2.9,
    "Camera Module 2": 2.0,
    "Camera Module 3": 1.8,
    "Camera Module 3 Wide": 2.2,
    "HQ Camera, 6 mm lens": 1.2,
    "Global Shutter Camera, 6 mm lens": 1.2,
}
"""Each camera module's f-number, from Raspberry Pi's documentation."""


@pytest.fixture
def settings(tmp_path: Path) -> config.Settings:
    example = re.search(r"```toml\n(.*?)```", GUIDE, re.DOTALL)
    assert example is not None
    (tmp_path / "pegpip.toml").write_text(example[1])
    return config.load(tmp_path / "pegpip.toml", {})


def test_the_build_guides_example_settings_load_without_wiring_problems(settings: config.Settings) -> None:
    strip = settings.strip
    assert wiring_problems(strip.kind, strip, settings.buttons, "Raspberry Pi 5 Model B Rev 1.0") == []


@pytest.mark.parametrize(("picture", "kind"), [("wiring", "spi"), ("wiring-pi5", "pio")])
def test_the_build_guides_wiring_pictures_match_its_example_settings(
    settings: config.Settings, picture: str, kind: str
) -> None:
    (shutdown,) = re.findall(r"^shutdown = (\d+)$", GUIDE, re.MULTILINE)
    pins = {**settings.buttons.pins, "shutdown": int(shutdown)}
    drawn = wiring_diagram(kind, StripSettings(), pins, settings.strip.limit_ma)
    assert f"button** between GPIO{shutdown} (pin {HEADER_PINS[int(shutdown)]}) and ground (pin 9)" in IN_ONE_LINE
    assert ">GND (pin 9)<" in drawn
    assert (DOCS / "img" / f"{picture}.svg").read_text(encoding="utf-8") == drawn


def test_the_wiring_diagram_feeds_level_shifter_and_strip_after_the_fuse(settings: config.Settings) -> None:
    drawn = wiring_diagram("spi", StripSettings(), settings.buttons.pins, settings.strip.limit_ma)
    wires = re.findall(r'<path d="M([\d.]+) ([\d.]+)[^"]*H([\d.]+)" fill="none" stroke="([^"]+)"', drawn)
    red = [(float(x), float(end)) for x, _, end, colour in wires if colour == "#e5533d"]
    into, out_of = [(478.0, 530.0), (636.0, 680.0)], [(760.0, 780.0), (450.0, 780.0)]
    assert red == into + out_of, "from the supply by the terminal block into the fuse, from there to strip and shifter"
    assert "After the fuse the plus goes to the strip and to the shifter" in IN_ONE_LINE


def test_the_build_guides_drilling_template_and_wiring_map_match_the_led_layout() -> None:
    assert f"{HOLE_MM:g} mm at each cross, {SCREW_MM:g} mm at those in the corners" in IN_ONE_LINE
    board = preset("board3x121")
    assert (DOCS / "img" / "template-board3x121.svg").read_text(encoding="utf-8") == drilling_template(board)
    assert (DOCS / "img" / "map-board3x121.svg").read_text(encoding="utf-8") == wiring_map(board)


def test_the_build_guides_camera_heights_match_each_cameras_view_angle() -> None:
    angles = [one.angle_deg(SIZE_WH) for one in MODULES]
    (head,) = re.findall(r"^\| tray width \|(.*)\|$", GUIDE, re.MULTILINE)
    assert re.findall(r"\((\d+\.\d)°\)", head) == [f"{angle:.1f}" for angle in angles]
    rows = re.findall(r"^\| (\d+) mm \|((?: \d+ mm \|){6})$", GUIDE, re.MULTILINE)
    assert len(rows) == 5
    for width, heights in rows:
        wanted = [f"{height_mm(int(width), angle):.0f}" for angle in angles]
        assert re.findall(r"(\d+) mm", heights) == wanted


def test_the_build_guide_names_every_led_layout_and_has_small_pictures() -> None:
    assert all(f"`{name}`" in GUIDE for name in PRESETS)
    pictures = [DOCS / name for name in re.findall(r"\]\((img/[^)]+)\)", GUIDE)]
    assert len(pictures) >= 5
    assert all(0 < picture.stat().st_size < 150_000 for picture in pictures)


BOARD = preset("board3x121")


def orders() -> list[dict[str, str]]:
    with (DOCS / "BOM.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ordered(beginning: str) -> dict[str, str]:
    """The one line of the list whose part begins so."""
    (line,) = [line for line in orders() if line["part"].startswith(beginning)]
    return line


def number(pattern: str) -> float:
    """The number that a sentence of the page names."""
    found = re.findall(pattern, GUIDE)
    assert len(set(found)) == 1, (pattern, found)
    return float(found[0].replace(",", ""))


def test_parts_list_has_no_empty_field_and_guide_and_readme_state_its_prices() -> None:
    lines = orders()
    for line in lines:
        assert all(line.values()), line
        assert int(line["quantity"]) >= 1
        assert float(line["price_eur"]) > 0
    assert {line["stage"] for line in lines if line["needed"] == "optional"} == {"8", "9"}
    assert {line["needed"] for line in lines if line["stage"] not in {"8", "9"}} == {"required"}
    total = sum(float(line["price_eur"]) for line in lines)
    assert f"{total:g} EUR in {len(lines)} lines" in GUIDE
    optional = sum(float(line["price_eur"]) for line in lines if line["needed"] == "optional")
    assert number(r"([\d]+) EUR less") == optional
    buttons = ("Push", "Wires with a socket", "Wire 0.25", "Plastic box")
    assert number(r"They alone are (\d+) EUR") == sum(float(ordered(part)["price_eur"]) for part in buttons)
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    stated = re.findall(r"All parts together cost about (\d+) EUR, .*? about (\d+) EUR", readme)
    assert [tuple(map(float, pair)) for pair in stated] == [(round(total, -1), total - optional)]


def test_led_strip_width_in_the_parts_list_is_less_than_the_lane_spacing() -> None:
    lanes = sorted({place[1] for place in BOARD.places_mm})
    pitch = min(b - a for a, b in pairwise(lanes))
    wide = re.search(r"(\d+) mm wide: the lanes are (\d+) mm apart", ordered("LED strip")["look_for"])
    assert wide is not None
    assert float(wide[1]) < float(wide[2]) == pitch
    assert f"{wide[1]} mm. The three lanes are {wide[2]} mm apart" in IN_ONE_LINE


def test_build_guide_screw_ridge_and_tray_positions_match_the_designed_sizes() -> None:
    x, y = (sorted({abs(at[axis]) for at in mm.FOOT_SCREWS_MM}) for axis in (0, 1))
    behind = sorted({round(mm.post_y_mm() + at[1]) for at in mm.FOOT_SCREWS_MM})
    assert len(x) == 1
    assert len(y) == 2
    assert f"| foot of the post, four | {x[0]:g} mm | {behind[0]} and {behind[1]} mm behind |" in GUIDE
    across = sorted(mm.LIGHT_PLACE_MM[0] + at for at in mm.HOLDER_SCREWS_MM)
    along = mm.LIGHT_BAR_WDL_MM[2] / 3
    row = f"{across[0]:g} and {across[1]:g} mm | {along:g} mm in front, {along:g} mm behind"
    assert f"| light holders, eight | {row} |" in GUIDE
    left = mm.TRAY_WH_MM[0] - mm.KEEP_ZONE_MM - mm.RIDGE_WH_MM[0] / 2
    assert f"{left:g} to {left + mm.RIDGE_WH_MM[0]:g} mm from the left" in IN_ONE_LINE
    outer = [side / 2 + mm.SHEET_MM for side in mm.TRAY_WH_MM]
    assert f"{outer[0]:g} mm left and right of the middle and {outer[1]:g} mm in front" in IN_ONE_LINE


def rows_of_ends() -> list[set[int]]:
    """The first and last LEDs of the pieces in each row of the board, as indices, from the top."""
    pieces = sorted(mm.strip_pieces(BOARD), key=lambda piece: BOARD.places_mm[piece[0]][1])
    return [{led for piece in pieces[3 * row : 3 * row + 3] for led in piece} for row in range(4)]


def test_build_guide_table_of_led_strip_pieces_matches_the_board_geometry() -> None:
    places = mm.on_board(BOARD)
    found = {}
    for number_, (first, last) in enumerate(mm.strip_pieces(BOARD), 1):
        way = "right" if places[last][0] > places[first][0] else "left"
        found[round(places[first][1])] = (number_, way, last - first + 1)
    for row in range(4):
        ys = sorted(found)[3 * row : 3 * row + 3]
        (words,) = re.findall(rf"^   \| {', '.join(map(str, ys))} mm \| (.*) \|$", GUIDE, re.MULTILINE)
        pieces, ways = words.split(" | ")
        assert [int(each) for each in re.findall(r"\d+", pieces.partition("(")[0])] == [found[y][0] for y in ys]
        assert ways.split(", ") == [found[y][1] for y in ys]
        assert {found[y][2] for y in ys} == ({31} if "31" in pieces else {30})
    ends = {row: {round(places[led][0]) for led in pair} for row, pair in enumerate(rows_of_ends())}
    assert ends == {0: {19, 220}, 1: {19, 220}, 2: {19, 220}, 3: {12, 220}}
    assert "are 19 and 220 mm from the left edge, in the last row 12 and 220 mm" in IN_ONE_LINE
    # The hole for the wires: between the strips of two rows, and between their light walls.
    x, y = 20, 47
    assert f"{x} mm from the left edge and {y} mm from the upper one" in IN_ONE_LINE
    assert all(abs(y - row) >= 5 + 8 / 2 for row in found)


def test_the_parts_list_orders_exactly_the_dice_of_the_largest_throw_in_any_game() -> None:
    assert int(ordered("Dice")["quantity"]) == max(max(told(game).state.throw_sizes) for game in GAMES)


def test_the_led_strip_rolls_on_the_parts_list_give_exactly_the_pieces_the_board_needs() -> None:
    strip = ordered("LED strip")
    pieces = [last - first + 1 for first, last in mm.strip_pieces(BOARD)]
    assert f"{BOARD.leds} LEDs in {len(pieces)} pieces, of which a roll gives 4" in strip["look_for"]
    assert 4 * max(pieces) <= 144
    assert int(strip["quantity"]) * 4 == len(pieces)
    assert f"the {len(pieces) - 1} joins" in ordered("Wire 0.25")["look_for"]
    assert f"into {len(pieces)} pieces" in GUIDE
    assert [pieces.count(30), pieces.count(31), len(pieces)] == [9, 3, 12]
    assert "nine of 30 LEDs, three of 31" in GUIDE
    assert number(r"(\d+) joins of three") == len(pieces) - 1


def test_stated_power_supply_fuse_and_wire_are_those_computed_from_limit_ma(settings: config.Settings) -> None:
    default = cabling(StripSettings().limit_ma)
    assert ordered("Supply of the strip")["part"].endswith(f"5 V {default.supply_a:g} A")
    assert ordered("Blade fuse")["part"].startswith(f"Blade fuse of {default.fuse_a:g} A")
    assert ordered(f"Wire {default.wire_mm2:g} mm2")
    assert settings.strip.limit_ma == StripSettings().limit_ma
    row = r"^\| ([\d,]+)(?: \(default\))? \| 5 V, (\d+) A \| (\d+) \| ([\d.]+) A \| ([\d.]+) mm2 \|$"
    rows = re.findall(row, GUIDE, re.MULTILINE)
    assert len(rows) == 4
    for limit, *stated in rows:
        wanted = cabling(int(limit.replace(",", "")))
        assert [float(value) for value in stated] == [wanted.supply_a, wanted.feeds, wanted.fuse_a, wanted.wire_mm2]
    assert number(r"full white would draw (\d+) A") == round(BOARD.leds * 3 * StripSettings().channel_ma / 1000)


def test_the_build_guides_camera_arm_lengths_match_the_computed_lengths() -> None:
    rows = re.findall(r"^\| ([^|]+) \| (\d+) mm \| (\d+) mm \|$", GUIDE, re.MULTILINE)
    arms = [(one.title, mm.arm_for(one, SIZE_WH)) for one in MODULES]
    assert rows == [(title, f"{arm.lens_height_mm:g}", f"{arm.post_mm:g}") for title, arm in arms]
    longest = max(mm.arm_for(one, SIZE_WH).post_mm for one in MODULES)
    assert longest < 1000  # the batten on the list


def test_sizes_in_build_guide_and_parts_list_match_the_computed_parts() -> None:
    width, depth = mm.TRAY_WH_MM
    for sides in ((width + 2 * mm.SHEET_MM, depth + 2 * mm.SHEET_MM), (depth, mm.WALL_HEIGHT_MM)):
        assert f"{sides[0]:g} x {sides[1]:g} mm" in GUIDE
    assert f"{depth:g} x {mm.RIDGE_WH_MM[0]:g} mm, {mm.RIDGE_WH_MM[1]:g} mm high" in GUIDE
    base = "{:g} x {:g} mm, {:g} mm or thicker".format(*mm.BASE_WDH_MM)
    assert ordered("Board ")["part"] == f"Board {base}"
    panel = "{:.0f} x {:.0f} mm".format(*mm.board_wh_mm(BOARD))
    assert sum(panel in line["look_for"] for line in orders()) == 2
    assert number(r"axis is (\d+) mm behind") == round(mm.post_y_mm())
    x, z = mm.LIGHT_PLACE_MM
    assert f"{x:g} mm left and right of the tray's middle and {z:g} mm above" in IN_ONE_LINE
    assert number(r"about (\d+) lux") == round(mm.illuminance_lx(), -1)
    # The screws through foot and holders end inside the base board; the cable reaches along the arm down to the Pi.
    assert 6 + mm.BASE_WDH_MM[2] > 16
    assert mm.post_y_mm() + mm.SLEEVE_MM / 2 + 200 <= 500


def test_the_camera_module_with_the_darkest_lens_needs_a_gain_under_4_at_the_build_guides_exposure() -> None:
    # Incident light meters: N^2 / t = E S / 250. The gain of Module 1's sensor, with the darkest lens, goes to 8.
    darkest = max(F_NUMBERS[module.title] for module in MODULES)
    exposure_s = number(r"enough for an exposure of (\d+) ms") / 1000
    gain = 250 * darkest**2 / (exposure_s * mm.illuminance_lx()) / 100
    assert gain < 4


def test_the_build_guide_states_the_right_number_of_printed_pieces() -> None:
    pieces = [last - first + 1 for first, last in mm.strip_pieces(BOARD)]
    rows = len(pieces) // len(BOARD.lanes)
    walls = rows * math.ceil(max(pieces) / mm.LIGHT_WALL_COLUMNS)
    words = {4: "four", 8: "eight", 14: "fourteen"}
    times = {"foot": 1, "camera-arm": 1, "light-holder": 4, "light-wall": walls}
    assert {file.stem for file in (DOCS / "parts").glob("*.stl")} == set(times)
    assert f"{words[len(times)]} files](parts), {words[sum(times.values())]} pieces" in IN_ONE_LINE
    for name in ("light-holder", "light-wall"):
        assert f"[{name}](parts/{name}.stl) {words[times[name]]} times" in GUIDE


def test_the_drilling_template_fits_a4_with_the_margins_the_guide_states() -> None:
    size = re.search(r'width="([\d.]+)mm" height="([\d.]+)mm"', drilling_template(BOARD))
    assert size is not None
    margins = [(paper - float(side)) / 2 for paper, side in zip((297, 210), size.groups(), strict=True)]
    assert math.floor(min(margins)) == number(r"it leaves margins of (\d+) mm")
    assert min(margins) >= 6  # what printers leave blank at most


def test_the_build_guides_hours_per_stage_add_up_to_its_totals() -> None:
    rows = re.findall(r"^\| (\d+)\. [^|]+ \| ([\d.]+) \|", GUIDE, re.MULTILINE)
    hours = {int(stage): float(value) for stage, value in rows}
    assert list(hours) == list(range(1, 11))
    assert number(r"That is (\d+) hours") == sum(hours.values())
    assert number(r"it is (\d+) hours: leave out") == sum(hours.values()) - hours[8] - hours[9]
    assert {line["stage"] for line in orders()} <= {str(stage) for stage in hours}


def test_every_stage_of_the_build_guide_has_a_proof_and_a_remedy() -> None:
    stages = re.split(r"^## \d+\. ", GUIDE.partition("## Reference")[0], flags=re.MULTILINE)[1:]
    assert len(stages) == 10
    for stage in stages:
        assert "*Proof:*" in stage, stage[:40]
        assert re.search(r"\*If\s+not:\*", stage), stage[:40]


def test_build_guide_addresses_settings_path_and_phone_limits_match_the_code() -> None:
    assert set(re.findall(r"http://10[\d.]+:\d+", GUIDE)) == {f"http://{hotspot.ADDRESS}:{PORT}"}
    assert set(re.findall(r"http://pegpip\.local:(\d+)", GUIDE)) == {str(PORT)}
    assert set(re.findall(r"/[\w/]+/pegpip\.toml", GUIDE)) == {SETTINGS}
    assert f"holds {hotspot.PHONES} to 10 phones, {hotspot.MINIMAL_PHONES} with" in GUIDE


def test_the_build_guides_drawing_of_phones_shows_the_hotspots_address() -> None:
    drawing = (DOCS / "img" / "step-phones.svg").read_text(encoding="utf-8")
    assert f">http://{hotspot.ADDRESS}:{PORT}<" in drawing


def test_every_setting_that_the_build_guide_names_exists(settings: config.Settings) -> None:
    before = re.findall(r"`(\w+)(?: = [^`]+)?`(?: or `[^`]+`)?\s+in \[(\w+)\]", GUIDE)
    after = re.findall(r"[Ii]n \[(\w+)\]\s+`(\w+)(?: = [^`]+)?`(?: and `(\w+) = )?", GUIDE)
    named = {*before, *((key, section) for section, *keys in after for key in keys if key)}
    assert {("order", "strip"), ("source", "camera"), ("layout", "strip"), ("kind", "buttons")} <= named
    for key, section in named:
        assert hasattr(getattr(settings, section), key), (section, key)


def test_every_package_of_the_parts_extra_is_pinned_in_constraints_txt() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[<>=]", one)[0] for one in project["optional-dependencies"]["parts"]]
    pinned = (DOCS.parent / "constraints.txt").read_text(encoding="utf-8")
    assert all(f"\n{name}==" in pinned for name in names)


def test_the_installation_gives_the_service_alsa_devices_the_audio_group_and_espeak() -> None:
    unit = (DOCS.parent / "systemd" / "pegpip.service").read_text(encoding="utf-8")
    assert "DeviceAllow=char-alsa rw" in unit
    assert "audio" in GROUPS
    assert {"alsa-utils", "espeak-ng"} <= set(USEFUL)
    assert "its user is in the group `audio`" in IN_ONE_LINE

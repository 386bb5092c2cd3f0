"""Printed and sawn parts: closed meshes, and a lens, lights and screws where the dimensions say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from hardware.track import PRESETS, preset
from release.parts import dimensions as mm
from release.parts.sheets import sheets
from vision.cameras.field import MODULES, Module, SizeWH

ROOT = Path(__file__).resolve().parents[2]
PARTS = ROOT / "docs" / "parts"
PICTURES = sorted([*PARTS.glob("*.webp"), *(ROOT / "docs" / "img").glob("step-*.webp")])
MESHES = sorted(PARTS.glob("*.stl"))
SIZES = ((1280, 960), (1280, 720))
CAMERAS = list(product(MODULES, SIZES))
BED_MM = 200.0
"""Side of the smallest printer's bed that the pages promise."""
MOST_BYTES = 3_000_000
BOARD = preset("board3x121")
NAMES = ["camera-arm", "foot", "light-holder", "light-wall"]


def triangles(file: Path) -> NDArray[np.float32]:
    """Corners of each triangle of a binary STL file, (n, 3, 3)."""
    raw = file.read_bytes()
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
    found = np.frombuffer(raw, record, count=int.from_bytes(raw[80:84], "little"), offset=84)
    return np.asarray(found["corners"], np.float32)


def volume_mm3(corners: NDArray[np.float32]) -> float:
    a, b, c = np.moveaxis(corners.astype(np.float64), 1, 0)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def open_edges(corners: NDArray[np.float32]) -> int:
    """Edges that are not met by exactly one neighbour, which runs along them the other way."""
    # A file's corners are rounded: closer than a ten-thousandth of a millimetre is the same one.
    _, index = np.unique(np.round(corners.reshape(-1, 3).astype(np.float64), 4), axis=0, return_inverse=True)
    faces = index.reshape(-1, 3)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    there = {tuple(edge) for edge in edges.tolist()}
    return len(edges) - len(there) + sum((b, a) not in there for a, b in there)


def test_the_repository_has_exactly_the_meshes_of_four_printed_parts() -> None:
    assert [file.stem for file in MESHES] == NAMES


@pytest.mark.parametrize("file", MESHES, ids=lambda file: file.stem)
def test_each_printed_parts_mesh_is_watertight_and_fits_a_200_mm_bed(file: Path) -> None:
    corners = triangles(file)
    assert open_edges(corners) == 0
    assert volume_mm3(corners) > 1000
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    assert low[2] == pytest.approx(0, abs=0.01)
    assert (high - low).max() <= BED_MM


def test_the_mesh_check_finds_three_open_edges_at_a_missing_triangle() -> None:
    assert open_edges(triangles(MESHES[0])[1:]) == 3


@pytest.mark.parametrize(("module", "size_wh"), CAMERAS)
def test_each_camera_arm_is_just_high_enough_for_a_5_percent_tray_margin(module: Module, size_wh: SizeWH) -> None:
    width, depth = mm.seen_mm(mm.arm_for(module, size_wh), module, size_wh)
    assert width >= 1.05 * mm.TRAY_WH_MM[0]
    assert depth >= 1.05 * mm.TRAY_WH_MM[1]
    # No higher than needed either: one side has no more than a millimetre of height to spare.
    assert min(width / mm.TRAY_WH_MM[0], depth / mm.TRAY_WH_MM[1]) <= 1.06


@pytest.mark.parametrize(("module", "size_wh"), CAMERAS)
def test_printed_camera_post_foot_and_light_holder_are_outside_camera_view(module: Module, size_wh: SizeWH) -> None:
    width, depth = mm.seen_mm(mm.arm_for(module, size_wh), module, size_wh)
    foot = triangles(PARTS / "foot.stl")
    holder = triangles(PARTS / "light-holder.stl")
    assert depth / 2 < mm.post_y_mm() + foot[..., 1].min()
    assert width / 2 < mm.LIGHT_PLACE_MM[0] - mm.HOLDER_BEFORE_MM + holder[..., 0].min()


@pytest.mark.parametrize(("module", "size_wh"), CAMERAS)
def test_camera_post_is_under_1_m_and_the_tray_mirrors_no_light_bar_to_the_lens(
    module: Module, size_wh: SizeWH
) -> None:
    """A light bar's mirror point lies off the tray's floor."""
    arm = mm.arm_for(module, size_wh)
    assert mm.SLEEVE_HEIGHT_MM < arm.post_mm < 1000
    assert mm.mirrored_x_mm(arm.lens_height_mm) > mm.TRAY_WH_MM[0] / 2


def test_the_printed_camera_arm_reaches_from_the_post_to_the_lens() -> None:
    arm = triangles(PARTS / "camera-arm.stl")
    # The lens's axis is the arm's origin, the sleeve its far end.
    assert arm[..., 1].max() - mm.SLEEVE_MM / 2 == pytest.approx(mm.post_y_mm(), abs=0.05)
    assert arm[..., 2].max() == pytest.approx(mm.SLEEVE_HEIGHT_MM, abs=0.05)


def test_the_printed_light_holder_lifts_the_light_bar_to_its_height() -> None:
    holder = triangles(PARTS / "light-holder.stl")  # on its side: what is up on the table is y here
    clip_mm = mm.LIGHT_BAR_WDL_MM[0] + 6
    height_mm = float(np.ptp(holder[..., 1])) - mm.SHEET_MM
    assert mm.LIGHT_PLACE_MM[1] < height_mm < mm.LIGHT_PLACE_MM[1] + clip_mm


@pytest.mark.parametrize("name", PRESETS)
def test_the_led_strip_cutting_list_has_only_straight_pieces_that_together_hold_every_led(name: str) -> None:
    layout = preset(name)
    pieces = mm.strip_pieces(layout)
    assert [led for first, last in pieces for led in range(first, last + 1)] == list(range(layout.leds))
    for first, last in pieces:
        places = np.array(layout.places_mm[first : last + 1])
        assert min(np.ptp(places, axis=0)) < 10.0


def test_the_stored_part_drawings_equal_those_drawn_from_the_dimensions() -> None:
    drawn = sheets(BOARD)
    assert {file.stem: file.read_text(encoding="utf-8") for file in PARTS.glob("*.svg")} == drawn
    assert all(ET.fromstring(text).tag.endswith("svg") for text in drawn.values())


def test_the_level_shifter_drawing_leaves_no_input_floating() -> None:
    drawing = (ROOT / "docs" / "img" / "step-shifter.svg").read_text(encoding="utf-8")
    legs = {int(leg): joined for leg, joined in re.findall(r">(\d+)</text>\n<text[^>]*>([^<]+)</text>", drawing)}
    assert sorted(legs) == list(range(1, 15))
    assert "free" not in {legs[leg] for leg in (1, 2, 4, 5, 9, 10, 12, 13)}
    # Buffer 1 is switched on (leg 1 low), the others off (legs 4, 10 and 13 high).
    assert "GND" in legs[1]
    assert all("+5 V" in legs[leg] for leg in (4, 10, 13, 14))


def test_the_tray_cutting_drawing_has_four_walls_that_fit_the_trays_width_and_depth() -> None:
    """The ridge at the keep zone is at most 4 mm high."""
    rects = re.findall(r'width="([\d.]+)" height="([\d.]+)"', sheets(BOARD)["tray"])
    sides = [(float(width), float(height)) for width, height in rects]
    width, depth = mm.TRAY_WH_MM
    assert sides.count((width + 2 * mm.SHEET_MM, mm.WALL_HEIGHT_MM)) == 2
    assert sides.count((depth, mm.WALL_HEIGHT_MM)) == 2
    assert mm.RIDGE_WH_MM[1] <= 4


def test_the_front_panel_drawing_has_a_hole_for_every_led() -> None:
    circles = re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="2.50"', sheets(BOARD)["board-front"])
    assert len(circles) == BOARD.leds
    offsets = np.array(circles, float) - np.array(BOARD.places_mm)
    assert np.ptp(offsets, axis=0).max() < 0.02, "all holes are where the LEDs are, moved by the same distance"


@pytest.mark.parametrize("file", PICTURES, ids=lambda file: file.stem)
def test_each_picture_of_a_mechanical_part_in_the_docs_has_contrast_and_is_under_150_kb(file: Path) -> None:
    with Image.open(file) as image:
        pixels = np.asarray(image.convert("L"), np.float64)
    assert pixels.std() > 15
    assert file.stat().st_size < 150_000


def test_every_part_mesh_has_a_picture_and_part_files_total_at_most_3_mb() -> None:
    assert {file.stem for file in MESHES} <= {file.stem for file in PICTURES}
    assert sum(file.stat().st_size for file in [*PARTS.iterdir(), *PICTURES]) <= MOST_BYTES


def test_no_source_file_of_the_running_program_mentions_the_python_package_named_release_parts() -> None:
    rooms = [path for room in ("companion", "vision", "hardware", "web") for path in (ROOT / room).rglob("*.py")]
    assert [path.name for path in rooms if "release.parts" in path.read_text(encoding="utf-8")] == []


@pytest.mark.parametrize("name", NAMES)
def test_stored_part_meshes_match_volume_and_size_of_the_modelled_solids(name: str) -> None:
    pytest.importorskip("build123d", reason="needs the extra `parts` (make parts)")
    from release.parts.solids import printed

    solid = printed(BOARD)[name]
    assert solid.is_valid
    assert len(solid.solids()) == 1
    corners = triangles(PARTS / f"{name}.stl")
    assert volume_mm3(corners) == pytest.approx(solid.volume, rel=0.01)
    size = solid.bounding_box().size
    assert tuple(np.ptp(corners, axis=(0, 1))) == pytest.approx((size.X, size.Y, size.Z), abs=0.1)

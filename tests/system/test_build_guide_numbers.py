"""The build guide's answers on lanes, plan, room and pass marks (docs/build.md) match what the code computes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.diagnostics.first_evening.steps import MAX_ASKED
from companion.games.registry import GAMES, game_named
from hardware.pictures.plans import HOLE_MM
from hardware.scenes import PEG_TURN_S
from hardware.track import preset
from release.parts import dimensions as mm
from vision.cameras import SIZE_WH
from vision.cameras.field import MODULES

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "build.md").read_text(encoding="utf-8")
IN_ONE_LINE = " ".join(GUIDE.split())
BOARD = preset("board3x121")


def test_the_build_guides_table_of_lanes_matches_the_board_layout() -> None:
    rows = re.findall(r"^\| (\d+)(?: \([^|]*\))? \|([^|]*)\|([^|]*)\|([^|]*)\|$", GUIDE, re.MULTILINE)
    assert [int(players) for players, *_ in rows] == [2, 3, 4, 6, 10]
    for players, *cells in rows:
        stated = [[int(seat) for seat in re.findall(r"\d+", cell)] for cell in cells]
        seats = range(int(players))
        lanes = [[seat + 1 for seat in seats if BOARD.lane_of(seat) == lane] for lane in BOARD.lanes]
        assert stated == lanes


@pytest.mark.parametrize("game", ["crib_dice", "crapola"])
def test_build_guide_lane_table_names_the_most_players_of_crib_dice_and_crapola(game: str) -> None:
    assert game in GAMES
    most = game_named(game).max_players
    assert f"| {most} (the most in {game.replace('_', ' ').title()}) |" in GUIDE


def test_build_guide_finish_pocket_led_numbers_match_the_led_board_layout() -> None:
    finishes = [lane[-1] for lane in BOARD.lanes]
    assert all(len(pocket) == 1 and not lane[0] for pocket, lane in zip(finishes, BOARD.lanes, strict=True))
    stated = re.findall(r"LED (\d+) for lane (\d)", IN_ONE_LINE)
    assert len(stated) == 3
    for led, lane in [*stated, *re.findall(r"LED (\d+) for lane (\d), where", IN_ONE_LINE)]:
        assert finishes[int(lane) - 1] == (int(led),)
    left = min(x for x, _ in BOARD.places_mm)
    assert all(BOARD.places_mm[led][0] == left for (led,) in finishes)
    firsts = [BOARD.places_mm[lane[1][0]] for lane in BOARD.lanes]
    assert [y for _, y in firsts] == sorted(y for _, y in firsts), "lane 1 is the upper one at the start"
    assert max(y for _, y in firsts) < 30 < min(BOARD.places_mm[led][1] for (led,) in finishes)
    assert f"{len(BOARD.lanes[0]) - 2} holes and one finish pocket: {len(BOARD.lanes[0]) - 1} LEDs" in IN_ONE_LINE
    assert f"in turn, {PEG_TURN_S:g} seconds each" in IN_ONE_LINE


def test_the_build_guide_states_the_same_pass_mark_as_the_first_evening_check() -> None:
    assert f"at most {max(1, round(MAX_ASKED * 10))} line of the ten" in IN_ONE_LINE
    assert f"at most {100 * MAX_ASKED:g} % of the throws in doubt" in IN_ONE_LINE


def test_the_hours_in_the_build_guides_weekend_plan_add_up() -> None:
    rows = re.findall(r"^\| (\d+)\. [^|]+ \| ([\d.]+) \|(.*)\|$", GUIDE, re.MULTILINE)
    hours = {int(stage): float(value) for stage, value, _ in rows}
    printing = sum(int(each) for _, _, wait in rows for each in re.findall(r"(\d+) hours of printing", wait))
    assert f"Printing takes {printing} hours" in GUIDE
    first, last = sum(hours[stage] for stage in range(4, 8)), sum(hours[stage] for stage in range(8, 11))
    assert f"Stages 4 to 7 are {first:g} hours of Saturday, stages 8 to 10 are {last:g} hours of Sunday" in IN_ONE_LINE


def test_build_guide_states_the_designed_sizes_of_post_keep_zone_and_led_board() -> None:
    (camera,) = [one for one in MODULES if one.title == "Camera Module 3"]
    high = mm.BASE_WDH_MM[2] + mm.arm_for(camera, SIZE_WH).post_mm
    assert f"the post ends {high:g} mm above" in IN_ONE_LINE
    keep = f"{mm.KEEP_ZONE_MM - mm.RIDGE_WH_MM[0] / 2:g} mm of floor"
    assert f"{keep}. The calibration counts it from the ridge's middle: {mm.KEEP_ZONE_MM:g} mm" in IN_ONE_LINE
    bore = mm.POST_MM + mm.CLEARANCE_MM
    assert f"holes of {bore:g} x {bore:g} mm" in IN_ONE_LINE
    pitch = BOARD.places_mm[1][0] - BOARD.places_mm[0][0]
    assert f"Only {pitch - HOLE_MM:.1f} mm of wood are left" in IN_ONE_LINE
    strip_mm = 2
    assert f"front: {mm.BACK_MM + strip_mm + mm.LIGHT_WALL_MM + mm.FRONT_MM:g} mm with the strip" in IN_ONE_LINE

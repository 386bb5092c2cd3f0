"""The track: holes and their LEDs, on ready-made layouts and on one's own."""

from __future__ import annotations

import itertools

import pytest

from companion.errors import SetupError
from hardware.settings import TrackSettings
from hardware.track import PRESETS, layout_from, preset


@pytest.mark.parametrize("name", PRESETS)
def test_every_led_track_preset_has_120_holes_per_lane_and_a_finish(name: str) -> None:
    assert preset(name).holes == 120
    assert all(hole for lane in preset(name).lanes for hole in lane[1:])


@pytest.mark.parametrize("name", PRESETS)
def test_no_led_track_preset_uses_an_led_twice_or_a_missing_led(name: str) -> None:
    layout = preset(name)
    used = [led for lane in layout.lanes for hole in lane for led in hole] + list(layout.status)
    assert len(used) == len(set(used))
    assert 0 <= min(used) <= max(used) < layout.leds == len(layout.places_mm)


@pytest.mark.parametrize("name", PRESETS)
def test_adjacent_holes_of_every_led_track_preset_lie_within_75_mm(name: str) -> None:
    layout = preset(name)
    for lane in layout.lanes:
        ways = [layout.places_mm[hole[0]] for hole in lane if hole]
        longest = max(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in itertools.pairwise(ways))
        assert longest < 75, "a peg never jumps across the board"


def test_led_layout_strip122_is_a_start_120_holes_and_a_finish() -> None:
    assert preset("strip122").lanes == (tuple((led,) for led in range(122)),)


def test_led_layout_board3x121_is_wired_backwards_in_the_middle_lane() -> None:
    wired = [[led for hole in lane for led in hole] for lane in preset("board3x121").lanes]
    assert wired == [[*range(121)], [*range(241, 120, -1)], [*range(242, 363)]]


def test_led_layout_matrix16_spirals_from_a_corner_over_zigzag_wiring() -> None:
    lane = preset("matrix16").lanes[0]
    assert [lane[k][0] for k in (0, 15, 16, 17)] == [0, 15, 16, 47]  # rows are wired there and back


def test_the_led_layout_preset_table300_has_two_leds_per_hole_and_24_status_leds() -> None:
    layout = preset("table300")
    assert layout.lanes[0][1] == (4, 5)
    assert layout.lanes[0][120] == (242, 243)
    assert layout.status == tuple(range(264, 288))


@pytest.mark.parametrize(
    ("of", "places"),
    [
        (120, {0: 0, 1: 1, 120: 120, 121: 121}),
        (240, {1: 1, 2: 1, 3: 2, 240: 120, 241: 121}),
        (60, {1: 2, 60: 120, 61: 121}),
    ],
)
def test_holes_of_a_60_or_240_hole_game_are_scaled_to_the_led_track(of: int, places: dict[int, int]) -> None:
    assert {hole: preset("strip122").lane_index(hole, of) for hole in places} == places


def test_a_fourth_player_on_a_three_lane_led_board_shares_lane_1() -> None:
    layout = preset("board3x121")
    assert layout.lane_of(3) is layout.lanes[0]
    assert layout.lane_of(4) is layout.lanes[1]


def test_a_custom_led_lane_can_run_backwards_and_skip_leds() -> None:
    layout = layout_from(TrackSettings(leds=140, lanes=("139-80,75-14",)))
    assert layout.lanes[0][0] == (139,)
    assert layout.lanes[0][60] == (75,)
    assert layout.lanes[0][121] == (14,)


def test_with_the_serpentine_setting_off_every_row_of_holes_runs_left_to_right_on_a_zigzag_strip() -> None:
    wired = TrackSettings(leds=12, lanes=("0-11",), holes=10, row_holes=5, serpentine=False)
    assert [hole[0] for hole in layout_from(wired).lanes[0]] == [0, 1, 2, 3, 4, 5, 10, 9, 8, 7, 6, 11]


@pytest.mark.parametrize("serpentine", [True, False])
def test_drawing_of_a_custom_led_track_puts_start_positions_left_of_the_first_hole_column(serpentine: bool) -> None:
    """Each row of the drawing began a hole too early: the start pocket took a place in the first one."""
    wired = TrackSettings(leds=28, lanes=("1-12", "25-14"), holes=10, row_holes=5, serpentine=serpentine, pitch_mm=1)
    layout = layout_from(wired)
    for lane, top_mm in zip(layout.lanes, (0, 8), strict=True):
        first = [layout.places_mm[led] for hole in lane[:6] for led in hole]
        second = [layout.places_mm[led] for hole in lane[6:] for led in hole]
        assert first == [(x, top_mm) for x in range(-1, 5)]
        assert second == [(x, top_mm + 4) for x in (range(4, -2, -1) if serpentine else range(6))]
    assert [layout.places_mm[led] for led in (0, 13, 26, 27)] == [(x, 16) for x in range(4)]


def test_all_problems_of_an_led_track_layout_are_reported_together() -> None:
    wrong = TrackSettings(leds=100, lanes=("0-121", "100-110"))
    with pytest.raises(SetupError) as refused:
        layout_from(wrong)
    said = "\n".join(refused.value.problems)
    assert "Lane 2 names 11 LEDs" in said
    assert "names LED 121, but the strip has 100" in said
    assert "mapped twice" in said


def test_an_unreadable_led_lane_setting_is_refused_with_an_example() -> None:
    with pytest.raises(SetupError, match="write it like '0-121'"):
        layout_from(TrackSettings(lanes=("0..121",)))


def test_an_unknown_led_track_preset_is_refused_with_a_suggestion() -> None:
    with pytest.raises(SetupError, match="did you mean 'strip122'"):
        preset("strip12")

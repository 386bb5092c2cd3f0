"""Scenes: what the board shows for a view at a time, for every scene of the gallery."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hardware.canvas import Canvas
from hardware.effects import EFFECTS, spell
from hardware.motion import shown
from hardware.palette import PLAYERS, pattern, player_colour
from hardware.pictures.gallery import SCENES, Scene
from hardware.power import Power
from hardware.scenes import SLOW_FRAME_S, compose, next_change_s
from hardware.settings import PowerSettings, TrackSettings
from hardware.track import PRESETS, Layout, layout_from, preset
from hardware.view import BoardView, Moment, Peg

STRIP = preset("strip122")
LAYOUTS = [preset(name) for name in PRESETS]
RATE_HZ = 30
PLAY = BoardView(pegs=(Peg(0, 43, 43), Peg(1, 71, 71)), to_play=0, mood="ready")

each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)


def film(view: BoardView, layout: Layout, for_s: float) -> NDArray[np.float32]:
    """Return the frames of a view over time, (frames, leds, 3) at RATE_HZ."""
    return np.stack([compose(view, layout, k / RATE_HZ) for k in range(round(for_s * RATE_HZ))])


def flashes(levels: NDArray[np.float32], swing: float) -> list[float]:
    """Return the times at which a level has risen by `swing` and fallen by it again."""
    found, low, high, rising = [], float(levels[0]), float(levels[0]), False
    for k, level in enumerate(map(float, levels)):
        low, high = min(low, level), max(high, level)
        if not rising and level - low >= swing:
            rising, high = True, level
        elif rising and high - level >= swing:
            rising, low = False, level
            found.append(k / RATE_HZ)
    return found


def busiest_second(at_s: list[float]) -> int:
    return max((sum(0 <= other - one < 1.0 - 1e-6 for other in at_s) for one in at_s), default=0)


def hue_of(led: NDArray[np.float32]) -> tuple[float, ...]:
    return tuple(np.round(led / max(1e-6, float(led.max())), 2).tolist())


def test_the_gallery_of_led_scenes_has_every_display_state_and_every_kind_of_animation() -> None:
    moods = {"idle", "ready", "settling", "read", "asking", "illegal_hold", "over"}
    assert {scene.view.mood for scene in SCENES} == moods
    kinds = {moment.kind for scene in SCENES for moment in scene.view.moments}
    assert kinds == EFFECTS.keys() | {"swap", "press", "countdown"}
    assert len({scene.name for scene in SCENES}) == len(SCENES)


@each_layout
@each_scene
def test_each_led_scene_is_lit_and_depends_on_view_and_time_alone(scene: Scene, layout: Layout) -> None:
    first = compose(scene.view, layout, scene.still_s)
    compose(scene.view, layout, scene.still_s + 5.0)
    assert np.array_equal(first, compose(scene.view, layout, scene.still_s))
    assert first.shape == (layout.leds, 3)
    assert first.any(), "every scene lights something"
    assert 0.0 <= float(first.min()) <= float(first.max()) <= 1.0


def test_the_flash_counter_counts_4_flashes_a_second_at_4_hz_and_1_at_half_a_hz() -> None:
    """The pulse takes two seconds."""
    times = np.arange(0, 4, 1 / RATE_HZ)
    assert busiest_second(flashes((np.sin(8 * np.pi * times) > 0).astype(np.float32), 0.2)) == 4
    assert busiest_second(flashes((0.5 + 0.5 * np.sin(2 * np.pi * times / 2)).astype(np.float32), 0.2)) == 1


@pytest.mark.parametrize("layout", [STRIP, preset("board3x121")], ids=lambda layout: layout.name)
@each_scene
def test_no_led_of_any_scene_flashes_more_than_three_times_in_a_second(scene: Scene, layout: Layout) -> None:
    # WCAG 2.3.1: a flash is a rise and fall of the light, not of its look, by a tenth of full.
    light = film(scene.view, layout, 10.0).max(axis=2) ** 2.6
    moving = np.flatnonzero(np.ptp(light, axis=0) >= 0.1)
    worst = max((busiest_second(flashes(light[:, led], 0.1)) for led in moving), default=0)
    assert worst <= 3


@each_layout
@each_scene
def test_no_led_scene_lights_an_led_white(scene: Scene, layout: Layout) -> None:
    frames = film(scene.view, layout, min(3.0, scene.lasts_s))
    level = frames.max(axis=2)
    whiteness = frames.min(axis=2) / np.where(level > 0, level, 1)
    assert float(whiteness[level > 0.6 * level.max()].max()) < 0.65
    assert float(whiteness.max()) < 0.85, "also a dim one, where two colours of animations meet"


@each_layout
def test_the_idle_led_scene_is_animated_and_stays_below_a_tenth_of_full_light(layout: Layout) -> None:
    power = Power(PowerSettings(brightness=1, white=(1, 1, 1)))
    frames = film(BoardView(), layout, 10.0)
    assert max(float(power.light(frame).max()) for frame in frames[::10]) < 25.5
    assert not np.array_equal(frames[0], frames[60]), "it drifts"


def test_led_scenes_are_darker_at_night_except_while_a_photo_is_taken() -> None:
    for scene in SCENES:
        day, night = (compose(replace(scene.view, night=n), STRIP, scene.still_s) for n in (False, True))
        if scene.view.capturing:
            assert np.array_equal(night, day)
        else:
            assert float(night.max()) < float(day.max())


def test_leds_between_a_pegs_banked_and_provisional_hole_are_lit_dimmer() -> None:
    frame = compose(replace(PLAY, pegs=(Peg(0, 43, 58), Peg(1, 71, 71)), mood="read"), STRIP, 0.6)
    assert hue_of(frame[43]) == hue_of(frame[58]) == hue_of(np.array(player_colour(0), np.float32))
    assert frame[43].max() > frame[50].max() > 0.2, "the way between them is lit, less than the pegs"
    assert frame[58].max() > frame[50].max()
    assert hue_of(frame[71]) == hue_of(np.array(player_colour(1), np.float32))
    assert frame[65].max() == 0


@pytest.mark.parametrize("together", [2, 3, 4])
def test_the_led_of_a_hole_with_several_pegs_shows_their_colours_in_turn(together: int) -> None:
    pegs = tuple(Peg(colour, 43, 43) for colour in range(together))
    frames = film(BoardView(pegs=pegs, mood="read"), STRIP, 0.8 * together)
    seen = {hue_of(led) for led in frames[:, 43]}
    assert {hue_of(np.array(PLAYERS[colour], np.float32)) for colour in range(together)} <= seen


def test_two_pegs_in_a_hole_of_two_leds_light_one_led_each() -> None:
    table = preset("table300")
    frame = compose(BoardView(pegs=(Peg(0, 43, 43), Peg(2, 43, 43)), mood="read"), table, 0.4)
    one, two = table.lanes[0][43]
    assert {hue_of(frame[one]), hue_of(frame[two])} == {hue_of(np.array(PLAYERS[c], np.float32)) for c in (0, 2)}


def test_each_player_colour_has_its_own_led_rhythm_and_is_never_dark() -> None:
    rhythms = [tuple(round(pattern(colour, k / 20), 2) for k in range(200)) for colour in range(len(PLAYERS))]
    assert len(set(rhythms)) == len(PLAYERS)
    assert min(min(rhythm) for rhythm in rhythms) >= 0.29, "a peg is never dark"


@each_layout
@each_scene
def test_every_led_scene_without_a_button_press_is_still_and_dim_during_a_photo(scene: Scene, layout: Layout) -> None:
    view = replace(scene.view, moments=tuple(m for m in scene.view.moments if m.kind != "press"), capturing=True)
    first = compose(view, layout, 0.3)
    assert all(np.array_equal(first, compose(view, layout, time_s)) for time_s in (0.31, 1.7, 9.9))
    assert float(first.max()) <= 0.36
    assert next_change_s(view, layout, 0.3) == math.inf


def test_a_button_press_lights_the_dark_led_strip_dimly_while_a_photo_is_taken() -> None:
    view = replace(PLAY, capturing=True, moments=(Moment("press", 1.0),))
    assert compose(view, STRIP, 0.99)[0].max() == 0
    assert 0.2 < compose(view, STRIP, 1.0)[0].max() <= 0.36, "dim, but there"
    ends_s = next_change_s(view, STRIP, 1.0)
    assert np.array_equal(compose(view, STRIP, 1.0), compose(view, STRIP, ends_s - 1e-3))
    assert compose(view, STRIP, ends_s)[0].max() == 0


SHORT = layout_from(TrackSettings(leds=32, lanes=("0-31",), holes=30))
AHEAD = [BoardView(pegs=(Peg(0, 20, 20), Peg(c, 43, 58)), to_play=p, mood="ready") for c in (0, 2) for p in (0, None)]
SHARING = BoardView(pegs=(Peg(0, 41, 41), Peg(2, 44, 44)), mood="ready")


@pytest.mark.parametrize("view", AHEAD)
def test_the_led_of_a_pegs_provisional_hole_pulses_in_the_pegs_colour(view: BoardView) -> None:
    head, colour = list(Canvas(STRIP, view.holes).hole(1, 58)), np.array(player_colour(view.pegs[1].colour))
    for time_s, level in ((1.2, 0.7), (1.8, 1.0), (2.4, 0.7)):
        assert np.allclose(compose(view, STRIP, time_s)[head], level * colour, atol=1e-3)


def test_pegs_that_share_a_hole_of_a_short_strip_take_turns_in_it() -> None:
    """Two holes of a game can be one of a short strip."""
    canvas = Canvas(SHORT, SHARING.holes)
    (led,) = canvas.hole(0, 41)
    assert canvas.hole(1, 44) == (led,)
    seen = [hue_of(compose(SHARING, SHORT, time_s)[led]) for time_s in (0.2, 1.0, 1.8)]
    first, second = (hue_of(np.array(player_colour(peg.colour), np.float32)) for peg in SHARING.pegs)
    assert seen == [first, second, first]


@pytest.mark.parametrize(
    ("view", "layout"),
    [
        *((scene.view, layout) for scene in SCENES for layout in LAYOUTS),
        *((view, STRIP) for view in AHEAD),
        (SHARING, SHORT),
    ],
)
def test_led_frames_stay_equal_until_the_scenes_announced_next_change(view: BoardView, layout: Layout) -> None:
    """Frames composed before the time that `next_change_s` returns are equal, over 6 s."""
    time_s = 0.0
    while time_s < 6.0:
        due_s = next_change_s(view, layout, time_s)
        assert due_s >= time_s
        if due_s > time_s + 1.01 * SLOW_FRAME_S:
            now = compose(view, layout, time_s)
            until_s = min(due_s, 60.0) - 1e-3
            for part in (0.01, 0.3, 0.6, 1.0):
                then_s = time_s + (until_s - time_s) * part
                assert np.array_equal(now, compose(view, layout, then_s)), f"{time_s} {then_s} {due_s}"
        time_s = min(max(due_s, time_s + 1 / 60), 6.0)


@pytest.mark.parametrize("to_play", [0, None])
def test_led_track_schedules_no_redraw_while_dice_already_read_lie_in_the_tray(to_play: int | None) -> None:
    """The fault: 30 equal frames a second while a player thought."""
    view = BoardView(pegs=(Peg(0, 3, 3),), mood="read", to_play=to_play)
    assert next_change_s(view, STRIP, 5.0) == math.inf


@pytest.mark.parametrize(("moments", "due_s"), [((), math.inf), ((Moment("press", 7.0),), 7.0)])
def test_the_next_led_change_is_at_the_coming_animation_or_never_without_one(
    moments: tuple[Moment, ...], due_s: float
) -> None:
    assert next_change_s(BoardView(pegs=(Peg(0, 3, 3),), mood="ready", moments=moments), STRIP, 5.0) == due_s


def test_a_button_press_flash_is_brightest_in_its_first_led_frame() -> None:
    view = replace(PLAY, moments=(Moment("press", 1.0),))
    assert compose(view, STRIP, 0.99)[0].max() == 0
    levels = [float(compose(view, STRIP, 1.0 + k / 60)[0].max()) for k in range(21)]
    assert levels[0] > 0.8
    assert levels == sorted(levels, reverse=True)


def test_the_led_run_animation_passes_a_hole_every_40_milliseconds() -> None:
    view = replace(PLAY, pegs=(Peg(0, 43, 53),), mood="read", moments=(Moment("run", 0.0, 0, 43, 53, holes=6),))
    heads = [int(np.flatnonzero(compose(view, STRIP, s)[43:60].max(axis=1) > 0.5)[-1]) for s in (0.05, 0.20, 0.36)]
    assert heads == [1, 5, 9]


def test_a_600_ms_led_drain_animation_is_over_after_610_ms() -> None:
    """Lights of the animation are off; only the marks of each tenth hole are left."""
    view = replace(PLAY, to_play=1, moments=(Moment("drain", 0.0, 0, 66, 43, "red", 9, 0.6),))
    assert compose(view, STRIP, 0.1)[60].max() > 0
    after = compose(view, STRIP, 0.61)
    assert after[44:66].max() <= 0.19, "no more than the embers at each tenth hole"


@pytest.mark.parametrize("kind", ["run", "fill", "drain", "slide", "swap"])
def test_an_led_animation_with_a_delay_equals_an_animation_begun_later(kind: str) -> None:
    later = Moment(kind, 1.0, 0, 10, 30, lasts_s=0.0 if kind in ("run", "fill") else 0.6)
    one, other = (replace(PLAY, moments=(moment,)) for moment in (later, replace(later, at_s=0.0, delay_s=1.0)))
    for time_s in (1.0, 1.2, 1.4, 1.7):
        assert shown(one, time_s) == shown(other, time_s)
    assert shown(other, 0.5)[0] == shown(one, 1.0)[0], "it waits where it starts"


@pytest.mark.parametrize("kind", ["run", "fill"])
def test_the_run_and_fill_animations_of_the_leds_ignore_a_duration_given_to_them(kind: str) -> None:
    plain, given = (Moment(kind, 0.0, 0, 43, 63, holes=6, lasts_s=lasts_s) for lasts_s in (0.0, 2.0))
    one, other = (compose(replace(PLAY, moments=(moment,)), STRIP, 0.3) for moment in (plain, given))
    assert np.array_equal(one, other)


def test_a_led_peg_animation_that_starts_and_ends_in_one_hole_shows_the_peg_there_during_its_delay() -> None:
    view = replace(PLAY, moments=(Moment("run", 0.0, 0, 43, 43, delay_s=1.0),))
    assert shown(view, 0.5)[0].provisional == 43


@pytest.mark.parametrize(
    ("players", "whose"), [(2, (0, 0, 1, 1)), (4, (0, 1, 2, 3)), (5, (4, 4, 4, None)), (10, (9, 9, 9, None))]
)
def test_a_status_segment_of_4_leds_shows_whose_turn_it_is(players: int, whose: tuple[int | None, ...]) -> None:
    """With more players than LEDs, only the player to play is shown. That player is bright, others are dim."""
    layout = layout_from(TrackSettings(leds=126, status="122-125"))
    view = BoardView(tuple(Peg(k, 0, 0) for k in range(players)), to_play=players - 1, mood="read")
    status = compose(view, layout, 0.0)[list(layout.status)]
    for led, player in zip(status, whose, strict=True):
        if player is None:
            assert not led.any()
        else:
            level = float(led.max()) / max(PLAYERS[player])
            assert led == pytest.approx(level * np.array(PLAYERS[player]), abs=1e-6)
            assert 0.5 < level <= 1.001 if player == players - 1 else level == pytest.approx(0.3)


@pytest.mark.parametrize(("holes", "start", "finish"), [(120, 1, 1), (40, 1, 0), (41, 0, 0)])
def test_a_join_code_lights_an_led_per_pip_even_without_start_or_finish_leds(
    holes: int, start: int, finish: int
) -> None:
    leds = holes + start + finish
    track = TrackSettings(leds=leds, lanes=(f"0-{leds - 1}",), holes=holes, start_leds=start, finish_leds=finish)
    canvas = Canvas(layout_from(track), holes)
    spell(canvas, (6, 6, 6))
    assert np.count_nonzero(canvas.look.any(axis=1)) == 18


def test_led_scenes_draw_views_with_out_of_range_values_without_error() -> None:
    for view in (
        replace(PLAY, to_play=7, winners=(9,), mood="over"),
        replace(PLAY, pegs=(), mood="asking"),
        replace(PLAY, pegs=(Peg(11, 500, 900), Peg(3, -4, -4)), mood="read"),
        replace(PLAY, moments=(Moment("flood", 0.0, 8), Moment("no such kind", 0.0, 0))),
    ):
        for layout in LAYOUTS:
            assert np.isfinite(compose(view, layout, 0.5)).all()


def test_adding_light_to_an_led_keeps_the_brighter_value_of_each_colour_channel() -> None:
    canvas = Canvas(STRIP, 120)
    canvas.add([3], (1.0, 0.0, 0.0), 0.8)
    canvas.add([3], (1.0, 0.5, 0.0), 0.2)
    assert canvas.look[3].tolist() == pytest.approx([0.8, 0.1, 0.0])

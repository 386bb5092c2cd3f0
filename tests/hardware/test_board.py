"""The board driver: when it draws, when it is silent, and how it lives with a strip that fails."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from companion.errors import DeviceError
from hardware.board import STUCK_S, Board
from hardware.power import Power
from hardware.settings import PowerSettings
from hardware.strips import FrameRGB
from hardware.strips.memory import MemoryStrip
from hardware.track import preset
from hardware.view import BoardView, Moment, Peg
from tests.waiting import PATIENCE_S, until

STILL = BoardView(pegs=(Peg(0, 10, 10), Peg(0, 40, 40)), mood="ready")
MOVING = BoardView(pegs=(Peg(1, 10, 14), Peg(3, 40, 40)), to_play=0, mood="read")


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class SickStrip(MemoryStrip):
    """A memory strip that fails on demand."""

    name = "sick"
    sick = False
    starts = 0

    def start(self) -> None:
        self.starts += 1
        self._maybe()

    def show(self, frame_rgb: FrameRGB) -> None:
        self._maybe()
        super().show(frame_rgb)

    def _maybe(self) -> None:
        if self.sick:
            raise DeviceError("The strip is gone.", "Plug it in.")


@pytest.fixture
def clock() -> Clock:
    return Clock()


def board_on(strip: MemoryStrip, clock: Clock) -> Board:
    return Board(strip, preset("strip122"), Power(PowerSettings(brightness=1)), clock)


class Bench:
    """A board over a memory strip, on a clock that a test moves."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.strip = clock, SickStrip(122)
        self.board = board_on(self.strip, clock)

    def run(self, for_s: float) -> None:
        end_s = self.clock.now_s + for_s
        while self.clock.now_s < end_s:
            # As the thread does, but the clock jumps to what is due next.
            self.clock.now_s += max(self.board.step(), 1e-4)


@pytest.fixture
def at(clock: Clock) -> Bench:
    return Bench(clock)


def test_the_led_strip_shows_join_code_pips_until_the_code_expires(at: Bench) -> None:
    """The pips of each die have a colour; an empty code ends the display too."""
    at.board.show(STILL)
    at.board.show_code((4, 1, 6), 60.0)
    at.board.step()
    assert at.board.step() > 0.5, "it stands still: nothing is drawn meanwhile"
    code = at.board.latest().leds
    lit = [led for led in code if any(led)]
    assert [lit.count(colour) for colour in dict.fromkeys(lit)] == [4, 1, 6]
    at.clock.now_s += 61
    at.board.step()
    assert at.board.latest().leds != code
    at.board.show_code((4, 1, 6), 60.0)
    at.clock.now_s += 1
    at.board.step()
    assert at.board.latest().leds == code
    at.board.show_code((), 60.0)
    at.clock.now_s += 1
    at.board.step()
    assert at.board.latest().leds != code


def test_an_unchanging_led_picture_is_sent_to_the_strip_once_a_second(at: Bench) -> None:
    at.board.show(STILL)
    at.run(10.0)
    assert 10 <= at.strip.shown <= 11


def test_the_led_driver_sends_40_to_61_frames_in_a_second_of_animation(at: Bench) -> None:
    at.board.show(replace(MOVING, moments=(Moment("slide", at.clock.now_s, 0, 30, 0, "red", 18, 1.6),)))
    at.run(1.0)
    assert 40 <= at.strip.shown <= 61


def test_an_led_driver_step_draws_a_new_board_view_and_reports_led_colours_and_current(at: Bench) -> None:
    at.board.step()
    at.clock.now_s += 1 / 60
    at.board.show(STILL)
    at.board.step()
    assert at.strip.frame_rgb[10].any()
    assert at.strip.frame_rgb[40].any()
    assert at.board.latest().leds == [tuple(led) for led in at.strip.frame_rgb.tolist()]
    assert at.board.latest().milliamps == int(np.ceil(Power(PowerSettings(brightness=1)).milliamps(at.strip.frame_rgb)))


def test_leds_flash_within_30_ms_of_a_button_press_even_if_the_game_view_changes_too(at: Bench) -> None:
    at.board.show(STILL)
    at.run(0.5)
    assert not at.strip.frame_rgb[0].any()
    felt_s = at.clock.now_s
    at.board.acknowledge()
    at.board.show(replace(STILL, to_play=1))
    while not at.strip.frame_rgb[0].any():
        at.clock.now_s += max(at.board.step(), 1e-4)
    assert at.clock.now_s - felt_s <= 0.03, "the rest of the 50 ms belongs to the debouncing"
    at.run(1.0)
    assert not at.strip.frame_rgb[0].any(), "and it fades"


def test_the_led_strip_is_dimmed_and_its_animation_paused_only_while_a_photo_is_taken(at: Bench) -> None:
    at.board.show(replace(MOVING, pegs=(Peg(0, 10, 14), Peg(0, 40, 40))))
    at.run(0.5)
    before = int(at.strip.frame_rgb.max())
    for on in (True, False):
        at.board.capture(on)
        at.board.step()
        at.clock.now_s += 1 / 60  # the watcher gives the strip 33 ms, transfer included
        at.board.step()
        photo = at.strip.frame_rgb.copy()
        assert photo.max() < before / 4 if on else photo.max() >= 0.9 * before
        at.run(0.4)
        assert np.array_equal(photo, at.strip.frame_rgb) == on, "nothing moves in the photo, and all does after it"


def test_a_failed_led_strip_is_reported_and_relit_within_5_s_of_repair(at: Bench) -> None:
    at.board.show(MOVING)
    at.run(1.0)
    assert at.board.health()[0]
    at.strip.sick = True
    at.run(10.0)
    assert at.board.health() == (False, "The strip is gone. Plug it in.")
    assert any(any(led) for led in at.board.latest().leds), "the page still has the board"
    at.strip.sick, healed_s, shown = False, at.clock.now_s, at.strip.shown
    while at.strip.shown == shown:
        at.clock.now_s += max(at.board.step(), 1e-4)
    assert at.clock.now_s - healed_s < 5.0
    at.run(2.0)
    assert at.board.health()[0]


def test_a_failing_led_strip_is_retried_about_every_two_seconds(at: Bench) -> None:
    at.strip.sick = True
    at.board.show(MOVING)
    at.run(10.0)
    assert 4 <= at.strip.starts <= 6


def test_the_board_is_drawn_for_two_seconds_between_slow_failing_attempts_to_open_its_strip(clock: Clock) -> None:
    class SlowStrip(SickStrip):
        def start(self) -> None:
            clock.now_s += 4.0
            super().start()

    strip, drawn_s = SlowStrip(122), set[float]()
    strip.sick = True
    board = board_on(strip, clock)
    board.show(MOVING)
    while strip.starts < 5:
        drawn_s.add(round(clock.now_s, 1))
        wait_s = board.step()  # may take 4 s of the clock itself
        clock.now_s += max(wait_s, 1e-4)
    assert len(drawn_s) >= 4 * 20, "a step each tenth of a second, in the two seconds between two attempts"


def test_the_led_driver_thread_lights_the_shown_board_and_stopping_it_darkens_the_strip() -> None:
    lit = threading.Event()

    class Told(MemoryStrip):
        def show(self, frame_rgb: FrameRGB) -> None:
            super().show(frame_rgb)
            if frame_rgb[40].any():
                lit.set()

    strip = Told(122)
    board = Board(strip, preset("strip122"), Power(PowerSettings(brightness=1)))
    board.start()
    board.start()
    board.show(STILL)
    assert lit.wait(60)
    board.stop()
    board.stop()
    assert not strip.frame_rgb.any()


class HangingStrip(MemoryStrip):
    """A memory strip that takes no frame until `answers` is set."""

    name = "hanging"

    def __init__(self, leds: int) -> None:
        super().__init__(leds)
        self.asked, self.answers = threading.Event(), threading.Event()

    def show(self, frame_rgb: FrameRGB) -> None:
        self.asked.set()
        assert self.answers.wait(PATIENCE_S)
        super().show(frame_rgb)


def test_an_led_strip_that_stops_answering_is_reported_but_starts_no_second_driver_thread(clock: Clock) -> None:
    strip = HangingStrip(122)
    board = board_on(strip, clock)
    before = threading.active_count()
    board.start()
    assert strip.asked.wait(PATIENCE_S)
    assert board.health()[0]
    clock.now_s += STUCK_S
    works, says = board.health()
    assert not works
    assert "The hanging strip has not answered for 10 s. Check its cable" in says
    assert board.alive(), "the thread is not started a second time"
    board.start()
    assert threading.active_count() == before + 1
    strip.answers.set()
    board.show(MOVING)
    assert until(lambda: board.health()[0]), "it works again"
    board.stop()


def test_an_led_driver_restarted_after_a_hung_stop_runs_in_one_thread(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading.Thread, "join", lambda self, timeout=None: None)  # the five seconds are over
    strip = HangingStrip(122)
    board = board_on(strip, clock)
    before = threading.active_count()
    board.start()
    assert strip.asked.wait(PATIENCE_S)
    board.stop()
    board.start()
    assert threading.active_count() == before + 1
    strip.answers.set()
    assert until(lambda: strip.frame_rgb.any())
    board.show(MOVING)
    assert board.alive()
    monkeypatch.undo()
    board.stop()
    assert not board.alive()

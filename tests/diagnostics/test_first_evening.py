"""`pegpip doctor --first-evening`: each check well and failing, what a person types, Ctrl-C, the page and the zip."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from companion.adapters.reader_setup import load_reader
from companion.diagnostics.first_evening import steps
from companion.diagnostics.first_evening.evening import Evening
from companion.diagnostics.first_evening.holding import Screen, hold
from companion.diagnostics.health import Finding
from companion.settings.load import Settings, validated
from tests.diagnostics.guided import BROKEN, STEPS, FilmCamera, QuickCamera, Someone, Table, is_ill, no_checks, told
from vision.cameras import Camera, Frame
from vision.reading.reading import Doubt, FrameBGR, Reading


def test_a_guided_first_evening_on_a_virtual_table_reports_no_fault(table: Table) -> None:
    table.person.skips = ()
    evening = table.held()
    assert evening.ill() == []
    assert told(evening, "throws").says == "2 throws: 2 read right, 0 asked about, 0 wrong, 0 not seen."
    assert told(evening, "frame rate").says.startswith("30.0 frames a second")
    assert told(evening, "temperature").says == "The processor reached 51 °C (it slows down at 80)."
    assert evening.not_done == []


def test_the_first_evening_progress_reaches_100_percent_if_every_step_is_skipped(tmp_path: Path) -> None:
    terminal = StringIO()
    settings = validated({"data": {"dir": str(tmp_path)}})
    evening = Evening(settings, Someone(skips=tuple(step.title for step in steps.STEPS)), no_checks)
    hold(evening, Screen(Console(file=terminal, force_terminal=True, color_system=None, width=100)))
    percents = re.findall(r"first evening .* (\d+) %", terminal.getvalue())
    assert percents[-1] == "100"


def test_doctor_first_evening_option_also_reports_the_normal_doctor_findings(table: Table) -> None:
    evening = table.held(checks=lambda _settings: iter([Finding("disk", False, "Full.", "Free some space.")]))
    assert is_ill(evening, "disk", "Free some space")


@pytest.mark.parametrize(
    ("camera", "words"),
    [
        (FilmCamera([at / 10 for at in range(150)]), ("10.0 frames a second", "more light")),
        (FilmCamera([at / 30 + (at > 50) for at in range(150)]), ("longest gap 1033 ms", "more light")),
        (FilmCamera([1.0]), ("fewer than two frames", "[camera] source")),
        (FilmCamera([], BROKEN), ("unplugged", "Plug it in")),
    ],
)
def test_the_first_evening_check_fails_the_frame_rate_of_a_slow_or_broken_camera(
    camera: FilmCamera, words: tuple[str, ...], table: Table
) -> None:
    assert is_ill(table.held(open_camera=lambda _settings: camera), "frame rate", *words)


def test_the_first_evening_check_reports_bands_from_a_flickering_lamp(table: Table) -> None:
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


def test_the_first_evening_check_reports_a_camera_that_fails_during_throws(table: Table) -> None:
    table.person.skips = ("Frame rate",)
    assert is_ill(table.held(open_camera=lambda _settings: FilmCamera([], BROKEN)), "throws", "Plug it in")


def test_the_first_evening_check_advises_to_light_a_tray_that_is_too_dark_for_throws(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Dark(FilmCamera):
        def frame(self) -> Frame | None:
            frame = super().frame()
            return None if frame is None else replace(frame, image_bgr=np.zeros_like(frame.image_bgr))

    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 1.0)
    table.person.skips = ("Frame rate",)
    evening = table.held(open_camera=lambda _settings: Dark([at / 30 for at in range(90)]))
    assert is_ill(evening, "throws", "not seen at rest", "Switch the lamp on")
    assert not evening.missed


def test_first_evening_check_goes_on_without_its_throws_part_if_camera_frames_run_out(table: Table) -> None:
    table.person.skips = ("Frame rate",)
    evening = table.held(open_camera=lambda _settings: FilmCamera([0.0, 0.1]))
    assert evening.not_done == ["Frame rate"], "the check goes on"
    assert not any(finding.part == "throws" for finding in evening.findings)


def test_doctor_first_evening_option_reports_misread_throws_and_keeps_their_pictures(table: Table) -> None:
    table.person = Someone(misreads=True)
    evening = table.held()
    assert is_ill(evening, "throws", "2 wrong", "pegpip calibrate")
    assert all(throw.jpeg.startswith(b"\xff\xd8") for throw in evening.throws)


class Doubting:
    """A reader whose readings have the doubt that a function returns."""

    def __init__(self, reader: Any, doubt: Callable[[], Doubt | None]) -> None:
        self._reader, self._doubt = reader, doubt

    def read(self, frame_bgr: FrameBGR, expect: int | None = None, *_: object) -> Reading:
        reading: Reading = self._reader.read(frame_bgr, expect)
        return replace(reading, doubt=self._doubt())


def doubt_readings(monkeypatch: pytest.MonkeyPatch, doubt: Callable[[], Doubt | None]) -> None:
    def load(*given: Any) -> Any:
        setup = load_reader(*given)
        reader: Any = Doubting(setup.reader, doubt)
        return replace(setup, reader=reader)

    monkeypatch.setattr(f"{STEPS}.load_reader", load)


def test_the_first_evening_check_fails_and_tells_how_many_throws_the_table_asked_about(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubt_readings(monkeypatch, lambda: Doubt.UNREAD)
    table.person.skips = ()
    assert is_ill(table.held(), "throws", "2 asked about", "diffuse bars")


def test_the_first_evening_check_reports_throws_that_the_camera_missed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 1.0)
    table.person = Someone(hands_off=True)
    assert is_ill(table.held(), "throws", "2 not seen", "whole tray")


def test_the_first_evening_progress_counts_a_throw_that_the_camera_missed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 1.0)
    table.person, reported = Someone(hands_off=True), list[tuple[int, int]]()
    evening = table.evening(throws_wanted=2)
    assert list(steps.throws(evening, lambda done, of: reported.append((done, of))))
    assert reported == [(1, 2), (2, 2)]


def test_first_evening_check_counts_dice_already_in_the_tray_as_no_throw(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(_settings: Settings) -> QuickCamera:
        camera = QuickCamera()
        for die in range(3):
            camera.tray.move(die, 50.0 + 60 * die, 100.0)
        return camera

    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 2.0)
    table.person = Someone(hands_off=True)
    evening = table.held(open_camera=opened)
    assert told(evening, "throws").says == "2 throws: 0 read right, 0 asked about, 0 wrong, 2 not seen."


class ThrowsOnce(Someone):
    """A person who throws until a reading was judged, and then leaves the dice where they lie."""

    asked: int = 0

    def throws(self, number: int, of: int, camera: Camera) -> None:
        if not self.judged:
            super().throws(number, of, camera)

    def agrees(self, question: str) -> bool:
        self.asked += "Did you throw?" in question
        return super().agrees(question)


def test_the_first_evening_check_counts_dice_left_lying_as_one_throw_only(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 5.0)
    table.person = ThrowsOnce()
    evening = table.held(throws_wanted=3)
    assert told(evening, "throws").says == "3 throws: 1 read right, 0 asked about, 0 wrong, 2 not seen."


def test_the_first_evening_check_counts_a_doubtful_throw_only_once_when_its_doubt_goes_away(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{STEPS}.UNSEEN_TIMEOUT_S", 5.0)
    person = table.person = ThrowsOnce()
    doubt_readings(monkeypatch, lambda: None if person.asked else Doubt.UNREAD)
    evening = table.held(throws_wanted=3)
    assert told(evening, "throws").says == "3 throws: 0 read right, 1 asked about, 0 wrong, 2 not seen."


def test_the_first_evening_check_reports_dice_readings_that_take_long(table: Table) -> None:
    ticks = iter(range(10_000))
    table.person.skips = ()
    assert is_ill(table.held(clock=lambda: 0.6 * next(ticks)), "reading time", "600 ms", "Pi 4")


def test_the_first_evening_check_reports_an_unknown_led_layout_and_goes_on(table: Table) -> None:
    table.settings = {"strip": {"layout": "bord3x121"}}
    evening = table.held()
    assert is_ill(evening, "leds", "board3x121")
    assert told(evening, "temperature").ok

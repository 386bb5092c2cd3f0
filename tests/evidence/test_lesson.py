"""The lesson: which throw waits for its labels, which labels are refused, and when a lesson ends."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from companion.errors import IllegalAction
from companion.evidence.lesson import IDLE_S, Teacher
from companion.evidence.taught import TaughtSets
from tests.waiting import PATIENCE_S
from vision.cameras.simulated.clock import SteppedClock
from vision.watching.watcher import Settled


def test_dice_teaching_refuses_labels_for_a_throw_of_the_previous_teaching_session(
    tmp_path: Path, settled: list[Settled]
) -> None:
    teacher = Teacher(TaughtSets(tmp_path))
    for each in settled[:2]:
        teacher.begin("clear")
        teacher.offer(each)
    with pytest.raises(IllegalAction, match="no longer there"):
        teacher.label(1, [1] * len(settled[1].reading.dice))
    assert teacher.view()["sets"] == []


def test_dice_teaching_refuses_labels_for_no_throw_or_a_wrong_dice_count(
    tmp_path: Path, settled: list[Settled]
) -> None:
    teacher = Teacher(TaughtSets(tmp_path))
    teacher.begin("clear")
    teacher.offer(settled[0])
    teacher.label(1, [1] * len(settled[0].reading.dice))
    teacher.end()
    with pytest.raises(IllegalAction, match="Throw again"):
        teacher.label(1, [1] * 7)
    teacher.begin("clear")
    teacher.offer(settled[0])
    with pytest.raises(IllegalAction, match="one value"):
        teacher.label(2, [1, 2])


def test_an_abandoned_dice_teaching_session_ends_after_its_idle_time(tmp_path: Path) -> None:
    clock = SteppedClock()
    teacher = Teacher(TaughtSets(tmp_path), clock)
    teacher.begin("clear")
    clock.sleep(IDLE_S - 1)
    assert teacher.lesson()
    well, says = teacher.health()
    assert (well, "No throw counts" in says) == (False, True)
    clock.sleep(2)
    assert not teacher.lesson()
    assert teacher.view()["set"] is None


def test_a_dice_teaching_session_accepts_a_throw_while_it_still_learns_the_last_one(
    tmp_path: Path, settled: list[Settled], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault: the camera waited for a label that waited for all sets to be computed anew after an update."""
    teacher, learning, go_on = Teacher(TaughtSets(tmp_path)), threading.Event(), threading.Event()

    def slowly(*_: Any) -> None:
        learning.set()
        assert go_on.wait(PATIENCE_S)

    monkeypatch.setattr(teacher.taught, "learn", slowly)
    teacher.begin("clear")
    teacher.offer(settled[0])
    with ThreadPoolExecutor(2) as threads:
        labelled = threads.submit(teacher.label, 1, [1] * len(settled[0].reading.dice))
        assert learning.wait(PATIENCE_S)
        try:
            threads.submit(teacher.offer, settled[1]).result(PATIENCE_S)
            assert teacher.view()["throw"]["number"] == 2
        finally:
            go_on.set()
        labelled.result()
    assert teacher.view()["throw"]["number"] == 2, "the throw offered meanwhile still waits"

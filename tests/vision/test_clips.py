"""Rendered clips: the ground truth is recorded frame by frame, and a throw with a disturbance is reported once."""

from __future__ import annotations

import pytest

from vision.cameras.simulated.tray import Pose
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.research.evaluation.clips import SCENARIOS, SETTLED_TO_REPORTED, tipped, watched
from vision.research.evaluation.stage import FPS, Stage
from vision.watching.watcher import Settled, Watcher, latest

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def lying(_now_s: float) -> Pose:
    return tipped(1, 4, 90, 90, 0.0)


def settled_in(stage: Stage) -> list[Settled]:
    events = Watcher(stage, Reader(load_networks(), stage.rig).read, stage.rig).events()
    return [event for event in events if isinstance(event, Settled)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "repeated"), [("a hand passes", 1), ("a die leaves", 0)])
def test_the_watcher_misses_or_invents_no_throw_if_a_hand_passes_or_a_die_leaves(name: str, repeated: int) -> None:
    """The tray is read again, once, after a hand has passed; `latest` tells that the dice have not moved."""
    told = watched(BY_NAME[name], 3)
    assert (told.throws, told.missed, told.repeated, told.invented) == (1, 0, repeated, 0)
    assert 0 <= told.slowest_frames <= SETTLED_TO_REPORTED


def test_the_watcher_reads_an_empty_tray_then_the_true_value_of_a_rendered_die() -> None:
    stage = Stage(1, 2, 1.0, [(0.2, lambda one: one.tray.scripts.append(lying))])
    settled = settled_in(stage)
    assert [event.reading.values for event in settled] == [(), (4,)]
    assert stage.truth[-1].values == (4,)
    assert [truth.moved for truth in stage.truth].count(True) == 1
    assert len(stage.truth) == int(FPS) + 1


def test_dice_unmoved_after_a_knock_on_the_table_are_no_new_throw() -> None:
    def knocked(stage: Stage) -> None:
        stage.faults.knock_at_s = stage.clock.now_s

    stage = Stage(1, 2, 2.2, [(0.4, lambda one: one.tray.scripts.append(lying)), (1.0, knocked)])
    empty, first, again = settled_in(stage)
    assert latest(first, empty) is first
    assert latest(again, first) is not again

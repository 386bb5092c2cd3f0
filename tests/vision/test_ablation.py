"""The ablation table: parts of the reader are replaced for a row and restored after it; groups weigh equally."""

from __future__ import annotations

import functools

from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.reading.reading import FrameBGR
from vision.research.evaluation.ablation import ROWS, WITHOUT, Job, outcomes, table
from vision.research.evaluation.conditions import CONDITIONS, picture


@functools.cache
def cut_through() -> tuple[FrameBGR, None, tuple[int, ...]]:
    """Return a photo whose left edge cuts a die, no calibration, and the values of the uncut picture."""
    shown = picture(CONDITIONS[0], 1)
    x, _, width, _ = shown.dice[0].box_xywh
    return shown.image_bgr[:, x + round(0.45 * width) :].copy(), None, shown.values


def test_the_last_row_of_an_ablation_run_equals_the_complete_dice_readers_result() -> None:
    _, found = outcomes(Job("photos, count known", "one", True, cut_through))
    assert len(found) == len(ROWS) == len(WITHOUT) + 1
    frame_bgr, _, truth = cut_through()
    reading = Reader(load_networks()).read(frame_bgr, len(truth))
    assert found[-1] == (reading.values == truth, reading.doubt is None), "all parts are there again"
    assert reading.doubt is not None


def test_the_ablation_table_gives_each_group_equal_weight_whatever_its_size() -> None:
    right, doubted, wrong = (True, True), (False, False), (False, True)
    jobs = [Job("rigs", group, False, cut_through) for group in ("one", "one", "other")]
    found = [[right] * len(ROWS), [wrong] + [doubted] * (len(ROWS) - 1), [right] * len(ROWS)]
    first, second, third = table(list(zip(jobs, found, strict=True))).splitlines()[2:5]
    assert first.endswith("| 75.0, 100.0, **1** of 3 |")
    assert second.endswith("| 75.0, 75.0, 0 of 2 |")
    assert third.endswith("| the same |")

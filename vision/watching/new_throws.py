"""New throws: whether a settled reading differs from the one that was reported last."""

from __future__ import annotations

from dataclasses import replace

from vision.watching.agreement import same_dice
from vision.watching.ego_motion import ego_motion
from vision.watching.stillness import structure
from vision.watching.watcher import Settled


def is_new_throw(settled: Settled, last: Settled, *, held: bool = False) -> bool:
    """Whether a settled reading is news: other dice, values or places than those reported last.

    `held`: the camera may have moved meanwhile; the dice then lie on the same ground, not at the same pixels.
    """
    if settled.emptied or (not last.reading.trusted and settled.reading.doubt != last.reading.doubt):
        return True
    if not held:
        return not same_dice(last.reading, settled.reading)
    motion = ego_motion(structure(last.frame.image_bgr), structure(settled.frame.image_bgr))
    height, width = last.frame.image_bgr.shape[:2]
    return not same_dice(last.reading, settled.reading, lambda xy: motion.moved(xy, (width, height)))


def latest(settled: Settled, last: Settled | None, *, held: bool = False) -> Settled:
    """Choose the reading to compare the next one with: `settled` itself when it is a new throw.

    Else the dice where they are seen now, as sure as they were reported: a doubt that comes and goes is no new throw.
    """
    if last is None or is_new_throw(settled, last, held=held):
        return settled
    return replace(settled, reading=replace(settled.reading, doubt=last.reading.doubt))

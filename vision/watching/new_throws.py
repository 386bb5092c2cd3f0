"""New throws: tells whether a settled reading differs from the one that was reported last."""

from __future__ import annotations

from dataclasses import replace

from vision.watching.agreement import same_dice
from vision.watching.ego_motion import ego_motion
from vision.watching.stillness import small_picture
from vision.watching.watcher import Settled


def is_new_throw(settled: Settled, last: Settled, *, held: bool = False) -> bool:
    """Return whether a settled reading shows a new throw: other values or places of dice than the last reported one.

    Also True if the throw zone was empty in between, or if the last reading was in doubt and this one has another
    doubt or none. Under a camera that is `held` by hand, places are compared after undoing its motion.
    """
    if settled.emptied or (not last.reading.trusted and settled.reading.doubt != last.reading.doubt):
        return True
    if not held:
        return not same_dice(last.reading, settled.reading)
    motion = ego_motion(small_picture(last.frame.image_bgr), small_picture(settled.frame.image_bgr))
    height, width = last.frame.image_bgr.shape[:2]
    return not same_dice(last.reading, settled.reading, lambda xy: motion.moved(xy, (width, height)))


def latest(settled: Settled, last: Settled | None, *, held: bool = False) -> Settled:
    """Return the reading to pass as `last` to the next call of `is_new_throw` and of this function.

    A new throw is returned as it is. Otherwise `settled` is returned with the doubt of `last`, so that a doubt that
    comes and goes over the same dice makes no new throw. `last` is the result of the previous call, None at first;
    `held` tells of a camera in the hand.
    """
    if last is None or is_new_throw(settled, last, held=held):
        return settled
    return replace(settled, reading=replace(settled.reading, doubt=last.reading.doubt))

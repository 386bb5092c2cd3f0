"""New throws: tells whether a settled reading differs from the one that was reported last."""

from __future__ import annotations

from dataclasses import replace

from vision.watching.agreement import same_dice
from vision.watching.ego_motion import ego_motion
from vision.watching.stillness import small_picture
from vision.watching.watcher import Settled


def latest(settled: Settled, last: Settled | None, *, held: bool = False) -> Settled:
    """Return `settled` itself if it is a new throw, else a copy with the doubt of `last`, the previous call's result.

    It is new if `last` is None, dice have other values or places, the throw zone was empty in between, or a doubt went
    or changed. A doubt that comes over the same dice makes no new throw. If the camera is `held` by hand, places are
    compared after undoing its motion.
    """
    if last is None or settled.emptied or (not last.reading.trusted and settled.reading.doubt != last.reading.doubt):
        return settled
    if held:
        motion = ego_motion(small_picture(last.frame.image_bgr), small_picture(settled.frame.image_bgr))
        height, width = last.frame.image_bgr.shape[:2]
        same = same_dice(last.reading, settled.reading, lambda xy: motion.moved(xy, (width, height)))
    else:
        same = same_dice(last.reading, settled.reading)
    if not same:
        return settled
    return replace(settled, reading=replace(settled.reading, doubt=last.reading.doubt))

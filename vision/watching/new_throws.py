"""Whether a tray that has come to rest is news: the same dice, still lying where they were told to lie, are none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from vision.watching.agreement import Point, same_dice
from vision.watching.ego_motion import drift
from vision.watching.stillness import structure
from vision.watching.watcher import Settled


def news(settled: Settled, last: Settled | None, *, held: bool = False) -> tuple[bool, Settled]:
    """Whether a tray at rest is news after the one that was told last, and which is the last one then."""
    if last is not None and _told_before(settled, last, held=held):
        return False, _seen_again(settled, last)
    return True, settled


def _told_before(settled: Settled, last: Settled | None, *, held: bool = False) -> bool:
    """Whether the last dice told still lie there: a hand or a shadow passed, nothing was thrown.

    `held`: the camera may have moved meanwhile; the dice then lie on the same ground, not at the same pixels.
    """
    if last is None or settled.emptied:
        return False
    if not last.reading.trusted and settled.reading.doubt != last.reading.doubt:
        return False
    return same_dice(last.reading, settled.reading, _ground_moved(last, settled) if held else _not_moved)


def _seen_again(settled: Settled, last: Settled) -> Settled:
    """The dice where they are seen now, as sure as they were told: a doubt that comes and goes is no news."""
    return replace(settled, reading=replace(settled.reading, doubt=last.reading.doubt))


def _ground_moved(last: Settled, settled: Settled) -> Callable[[Point], Point]:
    """Where a point of the last picture lies in this one."""
    by = drift(structure(last.frame.image_bgr), structure(settled.frame.image_bgr))
    height, width = last.frame.image_bgr.shape[:2]
    return lambda xy: by.moved(xy, (width, height))


def _not_moved(xy: Point) -> Point:
    return xy

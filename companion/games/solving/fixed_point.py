"""Fixed points of large systems: Anderson acceleration of an iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
COMBINED_STEPS = 8
"""Number of latest points that each step of Anderson acceleration combines. Higher: fewer steps, and more memory."""


def fixed_point(step: Callable[[Floats], Floats], start: Floats, tolerance: float) -> Iterator[tuple[Floats, float]]:
    """Find the fixed point of `step` by Anderson acceleration (1965), in the form of Walker and Ni (2011).

    Each new point combines the results of the last COMBINED_STEPS steps. There is no limit to the number of steps.

    Args:
        step: Returns the next point, of the shape of its argument; at the fixed point it returns its argument.
        start: First point, of any shape.
        tolerance: The iteration ends when no element changes by more than this in a step.

    Yields:
        The result of each step, and the greatest change of an element by it. The last result is the solution.
    """
    points, changes, at = list[Floats](), list[Floats](), start
    while True:
        after = step(at)
        change = after - at
        yield after, float(np.abs(change).max())
        if np.abs(change).max() <= tolerance:
            return
        points, changes = [*points, after.ravel()][-COMBINED_STEPS:], [*changes, change.ravel()][-COMBINED_STEPS:]
        at = points[-1]
        if len(points) > 1:
            # The combination of past points whose changes cancel best, in the least-squares sense.
            turned = np.stack([changes[-1] - older for older in changes[:-1]], axis=1)
            moved = np.stack([points[-1] - older for older in points[:-1]], axis=1)
            at = at - moved @ np.linalg.lstsq(turned, changes[-1], rcond=None)[0]
        at = at.reshape(start.shape)

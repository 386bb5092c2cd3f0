"""Train the detector and write it as ONNX.

`python -m vision.research.training.train FOLDER... --out FILE.onnx --minutes 60`

Only the extra `train` is needed, and a CPU is enough. The seed is fixed; how many steps fit into the minutes is not.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from vision.research.training.augment import DICE_PX, example
from vision.research.training.centres import Exported, detector, loss, targets
from vision.research.training.exporting import write
from vision.research.training.running import Course, Sources, photo_options, seen, sets_for, trained, with_painted

BATCH_SIZE = 16
"""Number of training pictures per step of the detector. Doubled, a step takes twice the time and its gradient is less
noisy."""


def judged(
    network: nn.Module, sources: Sources, dice_px: tuple[float, float] = DICE_PX, named: bool = True
) -> dict[str, Tensor]:
    """Draw a new batch of pictures and return the detector's loss on it, as `loss`.

    Args:
        network: The detector.
        sources: Sets of photos to draw from.
        dice_px: Smallest and largest face in pixels.
        named: Whether the network learns a heat map for each value.
    """
    examples = [example(sources.sets, sources.odds, sources.rng, dice_px) for _ in range(BATCH_SIZE)]
    wanted = [np.stack(kind) for kind in zip(*(targets(dice, named) for _, dice in examples), strict=True)]
    return {"loss": loss(seen(network, [picture for picture, _ in examples]), *map(torch.from_numpy, wanted))}


COURSE = Course(
    detector,
    judged,
    rate=2e-3,
    rate_on=8e-4,
    least=0.01,
    warm_up=100,
    decay=1e-3,
    averaged=0.999,  # over about a thousand steps
    report_every=50,
)
"""How the full detector is trained; `Course` explains the fields. Larger `rate`, `rate_on` or `least`: faster, less
steady learning. Larger `warm_up` (steps): a gentler start. Larger `averaged`, below 1: an average over more steps.
Larger `decay`: smaller weights. Larger `report_every` (steps): fewer printed lines."""


def run(about: str | None, out: str, course: Course[Sources]) -> None:
    """Parse the command line, train a detector as `course` says and write it as ONNX.

    `about` is the help text, `out` the default output file.
    """
    asked = photo_options(about, out).parse_args()
    network = trained(course, with_painted(sets_for(asked), asked.seed), asked)
    axes = {"picture": {2: "height", 3: "width"}, "maps": {2: "rows", 3: "columns"}}  # any multiple of 16
    write(network, Exported(network), (1, 3, 256, 320), axes, asked.out)


if __name__ == "__main__":
    run(__doc__, "centres.onnx", COURSE)

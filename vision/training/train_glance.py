"""Trains the light detector, which says where faces may lie: `python -m vision.training.train_glance FOLDER...`."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from vision.training.augment import example
from vision.training.centres import Exported, glance, loss, targets
from vision.training.running import Course, Sources, photo_options, seen, sets_for, trained, with_painted, write

BATCH = 16
DICE_PX = (12.0, 36.0)
"""It is used on faces of 14 to 30 px."""


def judged(network: nn.Module, sources: Sources) -> dict[str, Tensor]:
    """The loss of new pictures."""
    examples = [example(sources.sets, sources.odds, sources.rng, DICE_PX) for _ in range(BATCH)]
    wanted = [np.stack(kind) for kind in zip(*(targets(dice, named=False) for _, dice in examples), strict=True)]
    return {"loss": loss(seen(network, [picture for picture, _ in examples]), *map(torch.from_numpy, wanted))}


COURSE = Course(
    glance,
    judged,
    rate=3e-3,
    rate_on=1e-3,
    least=0.01,
    warm_up=100,
    decay=1e-3,
    averaged=0.998,  # over about five hundred steps
    told_every=100,
)


def main() -> None:
    """The command line."""
    asked = photo_options(__doc__, "glance.onnx").parse_args()
    network = trained(COURSE, with_painted(sets_for(asked), asked.seed), asked)
    axes = {"picture": {2: "height", 3: "width"}, "maps": {2: "rows", 3: "columns"}}  # any multiple of 8
    write(network, Exported(network), (1, 3, 256, 320), axes, asked.out)


if __name__ == "__main__":
    main()

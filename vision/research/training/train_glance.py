"""Train the light detector, which proposes regions that may hold dice.

`python -m vision.research.training.train_glance FOLDER...`
"""

from __future__ import annotations

from functools import partial

from vision.research.training.centres import glance
from vision.research.training.running import Course
from vision.research.training.train import judged, run

DICE_PX = (12.0, 36.0)
"""Smallest and largest face, in pixels, that the light detector is trained on; it is used on faces of 14 to 30 px.
Wider: fewer examples of each size. Narrower than its use: it misses dice."""
COURSE = Course(
    glance,
    partial(judged, dice_px=DICE_PX, named=False),
    rate=3e-3,
    rate_on=1e-3,
    least=0.01,
    warm_up=100,
    decay=1e-3,
    averaged=0.998,  # over about five hundred steps
    report_every=100,
)
"""How the light detector is trained; the fields are those of `Course`. Larger learning rates (`rate`, `rate_on`, and
`least`, a share of them that stays to the end) learn faster and less steadily. A larger `averaged`, below 1, averages
the weights over more steps; a larger `decay` keeps them smaller."""

if __name__ == "__main__":
    run(__doc__, "glance.onnx", COURSE)

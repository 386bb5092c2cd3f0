"""Trains the network that reads faces in the tray: `python -m vision.training.train_tray FILE.npz --out FILE.onnx`.

Its faces are rendered (see `vision.training.rendered_set`). Each is shown a little off its place and turn, mirrored, in
other colours and light; far off its place it is no face.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.training.augment import relit
from vision.training.faces_net import Exported, named
from vision.training.rendered_set import PATCH_PX, SIDE_EDGES, Patches, load
from vision.training.running import Course, options, trained, write
from vision.training.tray_net import TrayFaces
from vision.tray_faces import FACE_PX
from vision.tray_faces import SIDE_EDGES as SEEN_EDGES

BATCH = 128
SMOOTHED = 0.02
"""Part of the labels' certainty that is given to the other classes."""
NO_FACE = 0.12
"""Part of what is shown that is too far off its place to be read."""
OFF_EDGES, NO_FACE_EDGES = 0.04, (0.22, 0.5)
"""Spread of the middle's error of a face that can be read, and how far off its place none is one."""
OFF_RAD = math.radians(5)
OTHER_COLOURS = 0.5
"""How often the colours are exchanged and weighed anew: dice and felts have more than were rendered."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """Faces to learn from, and the run's randomness."""

    faces: Patches
    rng: np.random.Generator


def example(faces: Patches, rng: np.random.Generator) -> tuple[NDArray[np.uint8], int]:
    """A (64, 64, 3) BGR picture and its class: the value, or 0 for what is no face."""
    at = int(rng.integers(len(faces.values)))
    value, off = int(faces.values[at]), rng.normal(0, OFF_EDGES, 2)
    if rng.random() < NO_FACE:
        around, far = rng.uniform(0, 2 * np.pi), rng.uniform(*NO_FACE_EDGES)
        value, off = 0, far * np.array([np.cos(around), np.sin(around)])
    angle = rng.integers(4) * np.pi / 2 + rng.normal(0, OFF_RAD)
    zoom = FACE_PX / SEEN_EDGES * SIDE_EDGES / PATCH_PX * float(np.exp(rng.normal(0, 0.03)))
    c, s = np.cos(angle) * zoom, np.sin(angle) * zoom
    turn = np.array([[c, -s], [s, c]]) @ np.diag([1.0, rng.choice([-1.0, 1.0])])
    middle = PATCH_PX / 2 + off * PATCH_PX / SIDE_EDGES
    matrix = np.hstack([turn, (FACE_PX / 2 - turn @ middle)[:, None]])
    shown = cv2.warpAffine(faces.bgr[at], matrix, (FACE_PX, FACE_PX), borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < OTHER_COLOURS:
        mixed = np.eye(3)[rng.permutation(3)] * rng.uniform(0.75, 1.1, (3, 1)) + rng.uniform(-0.1, 0.1, (3, 3))
        shown = np.clip(cv2.transform(shown.astype(np.float32), mixed), 0, 255).astype(np.uint8)
    return relit(shown, rng), value


def judged(network: nn.Module, source: Rendered) -> dict[str, Tensor]:
    """The loss of new pictures, and how many of them were read rightly."""
    return named(network, [example(source.faces, source.rng) for _ in range(BATCH)], SMOOTHED)


COURSE = Course(
    TrayFaces,
    judged,
    rate=3e-3,
    rate_on=1e-3,
    least=0.005,
    warm_up=100,
    decay=5e-3,
    averaged=0.995,  # over about two hundred steps
    told_every=100,
)


def main() -> None:
    """The command line."""
    ask = options(__doc__, "tray.onnx")
    ask.add_argument("file", type=Path, help="rendered faces: what vision.training.rendered_set wrote")
    asked = ask.parse_args()
    network = trained(COURSE, Rendered(load(asked.file), np.random.default_rng(asked.seed)), asked)
    write(network, Exported(network), (2, 3, FACE_PX, FACE_PX), {"faces": {0: "n"}, "values": {0: "n"}}, asked.out)


if __name__ == "__main__":
    main()

"""Train the verifier, which tells a die from what only looks like one, and write it as ONNX.

`python -m vision.research.training.train_verifier FOLDER... --things FOLDER --out FILE.onnx`
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.networks.classifier import CROP_FACES, Classifier, crop_face, rotation
from vision.networks.detector import Detection, Detector
from vision.networks.multiscale import passes
from vision.networks.verifier import CONTEXT_PX
from vision.reading.reading import FrameBGR
from vision.research.training.augment import relit
from vision.research.training.centres import Residual, layer
from vision.research.training.datasets import WEIGHTS, photo_sets
from vision.research.training.exporting import write
from vision.research.training.lessons import with_lessons
from vision.research.training.running import TRAY_SET, Course, photo_options, seen, trained
from vision.research.training.synthetic.no_dice import Things
from vision.research.training.synthetic.trays import tray_set

BATCH_SIZE = 64
"""Number of training crops per step. Doubled, a step takes twice the time and its gradient is less noisy."""
CONTEXT_FACES = 2 * CROP_FACES
"""Side of a crop, as a multiple of the face's width: it shows the whole die and the ground around it. Must be that of
the verifier (`vision.networks.verifier`): with a larger one here dice are smaller in training than in use."""
PATCH_PX, PATCH_FACES = 144, 4.5
"""Edge of a stored piece of a picture, in pixels and in faces: a crop of three faces fits into it at any turn. More
pixels take more memory; more faces show each face smaller; fewer leave the crop's corners without picture."""
TRAYS, TRAYS_WEIGHT = 400, 8.0
"""Number of rendered trays, and how often training draws from them, relative to the weights of the photo sets. Twice as
many take twice the time; twice the weight shows them about twice as often."""
EMPTY_PICTURES = 2_700
"""Number of pictures without dice that are searched for what looks like a die. More take more time and memory."""
MIN_FACE_PX = 12.0
"""Smallest face, in pixels, of a die that is trained on: smaller ones show no edges. Higher: fewer examples of small
dice; lower: examples in which nobody recognises a die."""
MIN_SCORE, MAX_EACH = 0.05, 12
"""Least detector score, 0 to 1, and largest number of the detections in a picture without dice that are trained on,
best first. A higher score gives fewer and harder examples; a larger number more from pictures full of pips."""
HARD, HARD_SHARE, STRAY_SHARE = 0.5, 0.6, 0.25
"""Probability of a face, by the classifier, from which a false detection is hard; then the shares, 0 to 1, of hard ones
and of those beside dice in the examples of no die, the rest being easy. A higher probability makes fewer hard; a larger
share leaves less of the others."""
MISSIZED, MISPLACED, STRETCHED = 0.13, 0.1, 0.35
"""Standard deviations of the logarithm of a detection's size and of its place in faces, and the largest logarithm of
its aspect ratio. Larger: the verifier bears worse detections, and tells less."""
SMALL, SMALL_PX = 0.35, (30, 64)
"""Probability, 0 to 1, that a crop is shrunk and enlarged again, which removes detail; and the range of its edge in
between, in pixels; 72 loses nothing. A higher probability or smaller edges train more on coarse pictures."""
GREY = 0.15
"""Probability that a crop is shown without colour. More: it learns less of colours."""
SMOOTHING = 0.01
"""Label smoothing in the verifier's training: probability, 0 to 1, that a label is taken to be wrong. Larger: the
verifier's probabilities stay farther from 0 and 1."""
MARGIN = 0.5
"""Margin, in logits, that the shipped verifier subtracts from its output, so that its threshold is 0. Larger: fewer
other things pass as dice, but more dice are rejected. Evidence: docs/lab/no-dice.md."""

Patches = list[NDArray[np.uint8]]
"""(144, 144, 3) pieces of pictures, 32 px a face, with a detection in the middle of each."""


class Surroundings(nn.Module):
    """(n, 3, 72, 72) crops, -1 to 1, to (n, 1) logits: above 0 for a die. About 21 million products."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(3, 16, 2),
            layer(16, 32, 2),
            Residual(32),
            layer(32, 64, 2),
            Residual(64),
            layer(64, 96, 2),
            Residual(96),
        )
        self.head = nn.Linear(96, 1)
        self.drop = nn.Dropout(0.2)

    def forward(self, x: Tensor) -> Tensor:
        """Compute (n, 1) logits of (n, 3, 72, 72) crops, -1 to 1: above 0 for a die."""
        return self.head(self.drop(self.body(x).mean((2, 3))))


class Shipped(nn.Module):
    """Wraps a verifier for export: its logits less MARGIN."""

    def __init__(self, surroundings: nn.Module) -> None:
        super().__init__()
        self.surroundings = surroundings

    def forward(self, x: Tensor) -> Tensor:
        """Compute (n, 1) logits of (n, 3, 72, 72) crops, -1 to 1: above 0 for what is surely a die."""
        return self.surroundings(x) - MARGIN


@dataclass(frozen=True, slots=True)
class Examples:
    """Patches with a die, by set, with the probability of each set; and hard, easy and stray patches without one."""

    dice: list[Patches]
    odds: NDArray[np.float64]
    others: tuple[Patches, Patches, Patches]
    rng: np.random.Generator


def judged(network: nn.Module, examples: Examples) -> dict[str, Tensor]:
    """Compute `loss` and `right`, the share judged right, of a new batch of crops."""
    rng, crops, labels = examples.rng, [], []
    for _ in range(BATCH_SIZE):
        label = rng.random() < 0.5
        if label:
            patches = examples.dice[int(rng.choice(len(examples.dice), p=examples.odds))]
        else:
            patches = examples.others[int(rng.choice(3, p=(HARD_SHARE, 1 - HARD_SHARE - STRAY_SHARE, STRAY_SHARE)))]
        crops.append(varied(patches[int(rng.integers(len(patches)))], rng))
        labels.append(float(label))
    wanted = torch.tensor(labels)
    logits = seen(network, crops)[:, 0]
    loss = functional.binary_cross_entropy_with_logits(logits, wanted * (1 - 2 * SMOOTHING) + SMOOTHING)
    return {"loss": loss, "right": ((logits > 0) == (wanted > 0.5)).float().mean()}


COURSE = Course(
    Surroundings,
    judged,
    rate=2e-3,
    rate_on=8e-4,
    least=0.005,
    warm_up=100,
    decay=0.02,
    averaged=0.995,  # over about two hundred steps
    report_every=100,
)
"""How the verifier is trained; the fields are those of `Course`. Larger learning rates (`rate`, `rate_on`) learn faster
and less steadily. A larger `averaged`, below 1, averages the weights over more steps; a larger `decay` keeps them
smaller."""


def varied(patch: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return a (72, 72, 3) crop of a patch, misplaced and missized as a detection may be, and varied at random.

    It is rotated, mirrored, stretched and relit. Some crops lose detail or colour.
    """
    lean, stretch = rng.uniform(0, np.pi), np.exp(rng.uniform(-STRETCHED, STRETCHED) / 2)
    about = rotation(rng.uniform(0, 2 * np.pi)) @ rotation(lean) @ np.diag([stretch, 1 / stretch]) @ rotation(-lean)
    if rng.random() < 0.5:
        about = about @ np.diag([1.0, -1.0])
    about = about * (CONTEXT_PX / CONTEXT_FACES * PATCH_FACES / PATCH_PX * np.exp(rng.normal(0, MISSIZED)))
    centre = PATCH_PX / 2 + rng.normal(0, MISPLACED * PATCH_PX / PATCH_FACES, 2)
    shift = CONTEXT_PX / 2 - about @ centre
    edges = CONTEXT_PX, CONTEXT_PX
    crop = cv2.warpAffine(patch, np.hstack([about, shift[:, None]]), edges, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < SMALL:
        edge = int(rng.integers(*SMALL_PX))
        crop = cv2.resize(cv2.resize(crop, (edge, edge), interpolation=cv2.INTER_AREA), edges)
    crop = relit(crop, rng)
    return cv2.cvtColor(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR) if rng.random() < GREY else crop


def patch_of(picture_bgr: FrameBGR, x: float, y: float, size_px: float) -> NDArray[np.uint8]:
    """Return a piece (144, 144, 3) of a picture, 4.5 faces wide, with the face at (x, y) in the middle."""
    return crop_face(picture_bgr, (x, y), PATCH_FACES / CROP_FACES * size_px, rotation(0.0), PATCH_PX)


def lookalikes(
    things: Things, detector: Detector, faces: Classifier, rng: np.random.Generator
) -> tuple[Patches, Patches]:
    """Return hard and easy patches of what the detector finds in EMPTY_PICTURES random pictures without dice.

    A patch is hard if the classifier gives its centre a probability of at least HARD of being a face.
    """
    hard, easy = Patches(), Patches()
    for _ in range(EMPTY_PICTURES):
        picture = things.picture(rng)
        found = _found(picture, detector)
        probabilities = faces.classify(picture, [each.place for each in found], ((0.0, 1.0),))
        for each, no_face in zip(found, probabilities[:, 0], strict=True):
            (easy if no_face > 1 - HARD else hard).append(patch_of(picture, *each.place))
    return hard, easy


def _found(picture: FrameBGR, detector: Detector) -> list[Detection]:
    """Return the best detections of the first two passes over a picture."""
    searched = passes(picture, detector)
    next(searched)
    return [each for each in next(searched) if each.score > MIN_SCORE][:MAX_EACH]


def examples_of(folders: list[Path], things: Path, without: str, seed: int) -> Examples:
    """Load the photo sets, render trays, draw pictures without dice, and return the patches of all.

    Prints the number of patches of each set.

    Args:
        folders: Folders that hold labelled sets.
        things: Folder of cut-out objects and photos without dice.
        without: Names of sets to leave out, with commas.
        seed: Seed of all randomness.

    Raises:
        SystemExit: There is no labelled set, or neither `things` nor the set `backgrounds` has a photo.
    """
    rng, detector, faces = np.random.default_rng(seed), Detector(), Classifier()
    sets = {name: photos for name, photos in photo_sets(folders).items() if name not in without.split(",")}
    if not sets:
        raise SystemExit("No labelled set in those folders; vision/research/training/datasets.py describes the format.")
    grounds = [photo.bgr for photo in sets.get("backgrounds", [])]
    hard, easy = lookalikes(Things(things, grounds), detector, faces, rng)
    dice, strays, weights = list[Patches](), Patches(), list[float]()
    for name, photos in {**sets, TRAY_SET: tray_set(TRAYS, seed)}.items():
        known = photos if name == TRAY_SET else with_lessons(photos, detector, faces)
        found = [patch_of(each.bgr, *die[:3]) for each in known for die in each.dice if die[2] >= MIN_FACE_PX]
        strays += [patch_of(each.bgr, *stray) for each in known for stray in each.strays]
        print(f"{name:20} {len(found):6d} dice")
        if found:
            dice.append(found)
            weights.append(TRAYS_WEIGHT if name == TRAY_SET else WEIGHTS[name])
    print(f"without a die: {len(hard)} hard, {len(easy)} easy, {len(strays)} beside dice")
    return Examples(dice, np.array(weights) / sum(weights), (hard, easy, strays), rng)


def main() -> None:
    """Parse the command line, train the verifier and write it as ONNX."""
    ask = photo_options(__doc__, "context.onnx")
    ask.add_argument("--things", type=Path, required=True, help="folder of cut-out objects and photos without dice")
    asked = ask.parse_args()
    network = trained(COURSE, examples_of(asked.folders, asked.things, asked.without, asked.seed), asked)
    write(network, Shipped(network), (2, 3, CONTEXT_PX, CONTEXT_PX), {"crops": {0: "n"}, "logits": {0: "n"}}, asked.out)


if __name__ == "__main__":
    main()

"""Train the classifier of one die face and write it as ONNX.

`python -m vision.research.training.train_faces FOLDER... --out FILE.onnx`
"""

from __future__ import annotations

from pathlib import Path

from torch import Tensor, nn

from vision.networks import classifier, detector
from vision.networks.classifier import CROP_PX
from vision.research.training.crops import example
from vision.research.training.exporting import write
from vision.research.training.faces_net import Exported, Faces, loss_and_accuracy
from vision.research.training.lessons import misread, with_lessons, with_tray_lessons
from vision.research.training.running import (
    MISREAD_SET,
    TRAY_SET,
    Course,
    Sources,
    photo_options,
    sets_for,
    trained,
    with_painted,
)

BATCH_SIZE = 128
"""Number of training crops per step of the classifier. Doubled, a step takes twice the time and its gradient is less
noisy."""
MISLABELLED = 0.01
"""Share of the labels that are assumed to be random, 0 to 1: some photos are mislabelled, some crops show too little.
With a larger one, labels that the classifier contradicts count less."""


def judged(network: nn.Module, sources: Sources) -> dict[str, Tensor]:
    """Compute `loss` and `right`, the share classified right, of a new batch of crops."""
    return loss_and_accuracy(
        network, [example(sources.sets, sources.odds, sources.rng) for _ in range(BATCH_SIZE)], MISLABELLED
    )


COURSE = Course(
    Faces,
    judged,
    rate=3e-3,
    rate_on=1.2e-3,
    least=0.005,
    warm_up=200,
    decay=5e-3,
    averaged=0.998,  # over about five hundred steps
    report_every=100,
)
"""How the classifier is trained; the fields are those of `Course`. Larger learning rates (`rate`, `rate_on`, and
`least`, a share of them that stays to the end) learn faster and less steadily. A larger `averaged`, below 1, averages
the weights over more steps; a larger `decay` keeps them smaller."""


def main() -> None:
    """Parse the command line, train the classifier and write it as ONNX."""
    ask = photo_options(__doc__, "faces.onnx")
    ask.add_argument("--detector", type=Path, default=detector.MODEL, help="whose errors are shown as what is no face")
    ask.add_argument("--reader", type=Path, default=classifier.MODEL, help="whose errors are shown most")
    asked = ask.parse_args()
    found, read = detector.Detector(asked.detector), classifier.Classifier(asked.reader)
    sets = sets_for(asked)
    trays = with_tray_lessons(sets.pop(TRAY_SET), detector.Detector(detector.LIGHT_MODEL, with_values=False), read)
    sets = {name: with_lessons(photos, found, read) for name, photos in sets.items()} | {TRAY_SET: trays}
    if hard := misread(trays):
        sets[MISREAD_SET] = hard
    network = trained(COURSE, with_painted(sets, asked.seed), asked)
    write(network, Exported(network), (2, 3, CROP_PX, CROP_PX), {"crops": {0: "n"}, "values": {0: "n"}}, asked.out)


if __name__ == "__main__":
    main()

"""Two networks name: a detector that finds faces and a classifier that is shown each alone; a light one looks ahead."""

from __future__ import annotations

from dataclasses import dataclass

from vision.networks.classifier import Classifier
from vision.networks.detector import GLANCE, Detector


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """What a reader reads with; not to be used from two threads at a time."""

    light: Detector
    detector: Detector
    classifier: Classifier


def load_networks() -> Networks:
    """The networks that are shipped. Raises SetupError where one is missing."""
    return Networks(Detector(GLANCE, names=False), Detector(), Classifier())

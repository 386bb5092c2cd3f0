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

    def load(self) -> None:
        """Load now what is else loaded at the first picture that needs it: a throw is read without waiting for that."""
        for each in (self.light, self.classifier):
            each.network.warm()
        self.detector.network.load()  # most throws need no closer look, and it would be shown the last one's size

    def release(self) -> None:
        """Give back all memory that reading took: much after a close look at a wide throw. Loading again takes 5 ms."""
        for each in (self.light, self.detector, self.classifier):
            each.network.release()


def shipped_networks() -> Networks:
    """The networks that are shipped. Raises SetupError where one is missing."""
    return Networks(Detector(GLANCE, names=False), Detector(), Classifier())


def load_networks() -> Networks:
    """The same, loaded already."""
    networks = shipped_networks()
    networks.load()
    return networks

"""The networks of the reader: a light detector, a full detector, a classifier of single faces and a verifier."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from vision.networks.classifier import Classifier
from vision.networks.detector import LIGHT_MODEL, Detector
from vision.networks.verifier import Verifier


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """The four networks of a reader.

    Attributes:
        light: Detector for the whole tray; it gives no values.
        detector: Detector for photos and for closer passes in the tray.
        classifier: Classifier of one face at a time.
        verifier: Verifier of the dice in a photo of an unknown number.
    """

    light: Detector
    detector: Detector
    classifier: Classifier
    verifier: Verifier

    def load(self) -> None:
        """Load all networks, and warm up those that every tray picture needs, for a faster next reading.

        A network that has not run before is only loaded. Raises SetupError if a file is damaged or gone.
        """
        for each in (self.light, self.classifier):
            each.network.warm_up()
        self.detector.network.load()  # not warmed up: most throws need no closer pass, and its size varies
        self.verifier.network.load()

    def load_soon(self) -> None:
        """Start loading all networks on a thread of its own, and return at once. A reading meanwhile waits for it."""
        threading.Thread(target=self.load, name="networks").start()

    def hashes(self) -> dict[str, str]:
        """Return the hash of each network's file, by the file's name without its suffix."""
        return {each.network.name: each.network.hash for each in self._all()}

    def release(self) -> None:
        """Free the memory of all networks. Loading them again takes milliseconds."""
        for each in self._all():
            each.network.release()

    def _all(self) -> tuple[Detector | Classifier | Verifier, ...]:
        return self.light, self.detector, self.classifier, self.verifier


def shipped_networks() -> Networks:
    """Return the shipped networks, loaded on first use. Raises SetupError if a file is missing."""
    return Networks(Detector(LIGHT_MODEL, with_values=False), Detector(), Classifier(), Verifier())


def load_networks() -> Networks:
    """Return the shipped networks, loaded now. Raises SetupError if a file is missing or damaged."""
    networks = shipped_networks()
    networks.load()
    return networks

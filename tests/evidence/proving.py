"""Plays thousands of virtual throws with packages, reads them again, and counts what differs: `make rescored`.

    python -m tests.evidence.proving --throws 2000 [--folder DIR] [--noise 0.4 --noisy 200]

Prints how many readings have the values and the trust of the table, the storage and the keeper's time for each throw,
and what a classifier with noise on its weights would have done with the first throws.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.evidence.rescoring import Rescored, rescored, stored_throws, summary
from tests.evidence.playing import VirtualEvening
from vision.networks import Networks, load_networks
from vision.networks.classifier import MODEL, Classifier
from vision.networks.network import Network, OpenCVRuntime


class NoisyNetwork(Network):
    """A network with Gaussian noise on the weights of its convolutions, relative to their spread."""

    def __init__(self, model: Path, noise: float) -> None:
        super().__init__(model)
        self._noise = noise

    def load(self) -> None:
        """Load the network with OpenCV, which can change weights, and spoil it."""
        if self._runtime is not None:
            return
        runtime, rng = OpenCVRuntime(self._model), np.random.default_rng(1)
        for layer in runtime._net.getLayerNames():
            if layer.endswith("/Conv"):
                weights = runtime._net.getParam(layer)
                noise = rng.standard_normal(weights.shape).astype(np.float32)
                runtime._net.setParam(layer, 0, weights + self._noise * weights.std() * noise)
        self._runtime = runtime


def noisy_classifier(networks: Networks, noise: float) -> Networks:
    """Return networks whose classifier has noise on its weights."""
    classifier = Classifier()
    classifier.network = NoisyNetwork(MODEL, noise)
    return Networks(networks.light, networks.detector, classifier, networks.verifier)


def played(folder: Path, throws: int, networks: Networks, seed: int) -> dict[str, Any]:
    """Play on in a folder until it has `throws` packages; return the keeper's CPU time for each new one, in ms."""
    clocks = list[int]()

    def note_clock() -> None:
        clocks.append(time.pthread_getcpuclockid(threading.get_ident()))

    with VirtualEvening(folder, networks, seed, give_way=note_clock) as evening:
        before = kept = len(evening.packages.files())
        while kept < throws:
            evening.throw()
            kept += evening.kept(kept + 1)
            print(f"\r{kept} of {throws} throws", end="", file=sys.stderr, flush=True)
        cpu_s = time.clock_gettime(clocks[0]) if kept > before else 0.0
    return {"keeper_cpu_ms": round(1000 * cpu_s / max(1, kept - before), 1)}


def read_again(folder: Path, networks: Networks, most: int) -> tuple[list[Rescored], list[str]]:
    """Read the first throws of a folder again; return them and what was refused."""
    refused, done = list[str](), list[Rescored]()
    for each in rescored(
        itertools.islice(stored_throws(folder, refuse=refused.append), most), networks, refused.append
    ):
        done.append(each)
        print(f"\r{len(done)} read again", end="", file=sys.stderr, flush=True)
    return done, refused


def main() -> int:
    """Exit status 1 if fewer than 99.9 % of the throws have the values and the trust of the table."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--throws", type=int, default=2000)
    words.add_argument("--folder", type=Path)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--noise", type=float, default=0.4)
    words.add_argument("--noisy", type=int, default=200)
    args = words.parse_args()
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.folder or Path(scratch) / "table"
        folder.mkdir(parents=True, exist_ok=True)
        networks = load_networks()
        found: dict[str, Any] = played(folder, args.throws, networks, args.seed)
        again, refused = read_again(folder, networks, args.throws)
        sizes = [file.stat().st_size for file in (folder / "evidence").rglob("[0-9]*.zip")]
        same = sum(not each.changed for each in again)
        found |= {
            "same": same,
            "share": round(same / len(again), 5),
            "kB_a_throw": round(sum(sizes) / len(sizes) / 1000),
        }
        found |= {"today": summary(again, refused)}
        found |= {"asked_at_the_table": sum(not each.throw.at_table.trusted for each in again)}
        worse = noisy_classifier(networks, args.noise)
        found |= {"noisy": summary(*read_again(folder, worse, args.noisy))}
    print(json.dumps(found, indent=1))
    return int(found["share"] < 0.999)


if __name__ == "__main__":
    sys.exit(main())

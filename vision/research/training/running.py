"""A training run: its command line, the photos, the steps with a falling learning rate and averaged weights.

A `Course` says how one network is trained. The seed is fixed, but the number of steps depends on the machine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from vision.research.training.begin import begin
from vision.research.training.datasets import WEIGHTS, Photo, photo_sets
from vision.research.training.synthetic.painted_set import PAINTED_PICTURES, PAINTED_WEIGHT, painted_set
from vision.research.training.synthetic.trays import RENDERED_TRAYS, TRAYS_WEIGHT, tray_set

TRAY_SET, MISREAD_SET, MISREAD_WEIGHT = "rendered_trays", "misread", 7.0
"""Names of the set of rendered trays and of the set of their misread dice, and how often the latter is drawn from,
relative to the other sets. Twice as much shows them about twice as often. The misread dice get the full weight in the
loss, unlike other hard examples."""
THREADS = 1
"""Number of processor threads of a training run. Two networks train side by side on two cores; more threads would wait
for each other."""
MAX_GRADIENT_NORM = 5.0
"""Largest norm of the gradient; a longer one is scaled down to it. So a batch with a wrong label does not ruin the
weights. A smaller one slows training."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of training examples: sets of photos, the probability of each set, and the random generator."""

    sets: list[list[Photo]]
    odds: NDArray[np.float64]
    rng: np.random.Generator


Source = TypeVar("Source")
"""Type that examples are drawn from."""


@dataclass(frozen=True, slots=True)
class Course(Generic[Source]):
    """How one network is trained.

    Attributes:
        make: Builds the untrained network.
        judged: Draws a batch and returns its `loss`, and other figures to print.
        rate: Highest learning rate; it falls as a cosine.
        rate_on: Highest learning rate for weights that were trained before.
        least: Part of the learning rate that is added throughout, so that it does not fall to 0.
        warm_up: Steps until the highest rate is reached.
        decay: Weight decay.
        averaged: Decay of the exponential moving average of the weights (Polyak); the average is shipped.
        report_every: Steps between two printed lines.
    """

    make: Callable[[], nn.Module]
    judged: Callable[[nn.Module, Source], dict[str, Tensor]]
    rate: float
    rate_on: float
    least: float
    warm_up: int
    decay: float
    averaged: float
    report_every: int


def options(about: str | None, out: str) -> argparse.ArgumentParser:
    """Return a parser with the options of every training run; `about` is its help, `out` the default output file."""
    ask = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--out", type=Path, default=Path(out))
    ask.add_argument("--minutes", type=float, default=60.0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--begin", type=Path, help="weights to go on from: a shipped .onnx, or the .pt beside an --out")
    return ask


def photo_options(about: str | None, out: str) -> argparse.ArgumentParser:
    """Return the parser of `options` with two more: the folders of labelled sets, and sets to leave out.

    `about` is its help, `out` the default output file.
    """
    ask = options(about, out)
    ask.add_argument("folders", nargs="+", type=Path, help="folders that hold labelled sets")
    ask.add_argument("--without", default="", help="sets to leave out, as a,b: to measure on them")
    return ask


def sets_for(asked: argparse.Namespace) -> dict[str, list[Photo]]:
    """Load the photos of each set that is not left out, render a set of trays, and return all by the set's name.

    Prints the number of photos and dice of each set.

    Args:
        asked: The parsed options of `photo_options`.

    Raises:
        SystemExit: There is no labelled set.
    """
    sets = {name: photos for name, photos in photo_sets(asked.folders).items() if name not in asked.without.split(",")}
    if not sets:
        raise SystemExit("No labelled set in those folders; vision/research/training/datasets.py describes the format.")
    sets[TRAY_SET] = tray_set(RENDERED_TRAYS, asked.seed)
    for name, photos in sets.items():
        print(f"{name:20} {len(photos):5d} photos {sum(len(photo.dice) for photo in photos):6d} dice")
    return sets


def with_painted(sets: dict[str, list[Photo]], seed: int) -> Sources:
    """Add a set of painted dice, made from `seed`, and return all sets with the probability of each."""
    every = [*sets.values(), painted_set(PAINTED_PICTURES, sets.get("backgrounds", []), seed)]
    odds = np.array(
        [*({**WEIGHTS, TRAY_SET: TRAYS_WEIGHT, MISREAD_SET: MISREAD_WEIGHT}[name] for name in sets), PAINTED_WEIGHT]
    )
    return Sources(every, odds / odds.sum(), np.random.default_rng(seed))


def trained(course: Course[Source], sources: Source, asked: argparse.Namespace) -> nn.Module:
    """Train a network for a number of minutes, print its figures, and return it with averaged weights.

    Args:
        course: How it is trained.
        sources: What its examples are drawn from.
        asked: The parsed options: minutes, seed and initial weights.
    """
    torch.manual_seed(asked.seed)
    torch.set_num_threads(THREADS)
    cv2.setNumThreads(1)
    network = course.make().to(memory_format=torch.channels_last)
    if asked.begin is not None:
        begin(network, asked.begin, lambda: course.judged(network, sources))
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(course.averaged), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), course.rate, weight_decay=course.decay)
    rate = course.rate if asked.begin is None else course.rate_on
    began, step, recent = time.monotonic(), 0, dict[str, float]()
    while (part := (time.monotonic() - began) / (60 * asked.minutes)) < 1:
        for group in optimiser.param_groups:
            warm = min(1.0, (step + 1) / course.warm_up)
            group["lr"] = rate * warm * (0.5 + 0.5 * np.cos(np.pi * part) + course.least)
        figures = course.judged(network, sources)
        optimiser.zero_grad()
        figures["loss"].backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT_NORM)
        optimiser.step()
        averaged.update_parameters(network)
        step += 1
        recent = {name: recent.get(name, 0.0) + float(figure.detach()) for name, figure in figures.items()}
        if step % course.report_every == 0:
            means = "  ".join(f"{name} {total / course.report_every:.3f}" for name, total in recent.items())
            print(f"{100 * part:5.1f} %  step {step:6d}  {means}", flush=True)
            recent = {}
    return averaged.module


def as_input(pictures: list[NDArray[np.uint8]]) -> Tensor:
    """Stack (h, w, 3) uint8 pictures to a (n, 3, h, w) tensor from -1 to 1."""
    stacked = np.stack(pictures).transpose(0, 3, 1, 2).astype(np.float32) / 127.5 - 1
    return torch.from_numpy(stacked).contiguous(memory_format=torch.channels_last)


def seen(network: nn.Module, pictures: list[NDArray[np.uint8]]) -> Tensor:
    """Run the network on a batch of pictures in bfloat16, which is faster; the output is float32."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        made = network(as_input(pictures))
    return made.float()

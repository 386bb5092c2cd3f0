"""A training run: its command line, the photos, the steps with a falling rate and averaged weights.

What is learned, from what and by which loss, is a `Course`; each network has one. The seed is fixed; how many
steps fit into the minutes is not.
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
from vision.research.training.synthetic.painted_set import PAINTED, PAINTED_WEIGHT, painted_set
from vision.research.training.synthetic.trays import TRAYS, TRAYS_WEIGHT, tray_set

TRAY_SET, MISREAD_SET, MISREAD_WEIGHT = "rendered_trays", "misread", 7.0
"""What the set of them is called, that of their dice which are misread, and how often these are drawn from: six in a
hundred crops. They count fully: what is shown more often counts as less elsewhere, and bare pips were not learned."""
THREADS = 1
"""Two networks are trained side by side on two cores: more threads would wait for each other."""
LONGEST_GRADIENT = 5.0
"""Gradients are cut to this length: a batch with a wrong label must not throw the weights away."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Sources of training examples: sets of photos, the probability of each set, and the random generator."""

    sets: list[list[Photo]]
    odds: NDArray[np.float64]
    rng: np.random.Generator


Source = TypeVar("Source")
"""What examples are drawn from."""


@dataclass(frozen=True, slots=True)
class Course(Generic[Source]):
    """How one network is trained.

    Attributes:
        make: A network without any training.
        judged: What to lower, by the name `loss`, for a new batch; further figures are told beside it.
        rate: Of learning at its highest; it falls as a cosine.
        rate_on: The same for weights that have been trained before.
        least: What is left of the rate at the end.
        warm_up: Steps until the rate is reached.
        decay: Of the weights.
        averaged: Part of the moving average that each step keeps (Polyak); the average is shipped.
        report_every: Steps from one printed line to the next.
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
    """The options that every training run has."""
    ask = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--out", type=Path, default=Path(out))
    ask.add_argument("--minutes", type=float, default=60.0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--begin", type=Path, help="weights to go on from: a shipped .onnx, or the .pt beside an --out")
    return ask


def photo_options(about: str | None, out: str) -> argparse.ArgumentParser:
    """The options of a run on sets of photos."""
    ask = options(about, out)
    ask.add_argument("folders", nargs="+", type=Path, help="folders that hold labelled sets")
    ask.add_argument("--without", default="", help="sets to leave out, as a,b: to measure on them")
    return ask


def sets_for(asked: argparse.Namespace) -> dict[str, list[Photo]]:
    """The photos to learn from, by set, and rendered trays; told how many there are."""
    sets = {name: photos for name, photos in photo_sets(asked.folders).items() if name not in asked.without.split(",")}
    if not sets:
        raise SystemExit("No labelled set in those folders; vision/research/training/datasets.py describes the format.")
    sets[TRAY_SET] = tray_set(TRAYS, asked.seed)
    for name, photos in sets.items():
        print(f"{name:20} {len(photos):5d} photos {sum(len(photo.dice) for photo in photos):6d} dice")
    return sets


def with_painted(sets: dict[str, list[Photo]], seed: int) -> Sources:
    """Return the sets plus one of painted dice, with the probability of each."""
    every = [*sets.values(), painted_set(PAINTED, sets.get("backgrounds", []), seed)]
    odds = np.array(
        [*({**WEIGHTS, TRAY_SET: TRAYS_WEIGHT, MISREAD_SET: MISREAD_WEIGHT}[name] for name in sets), PAINTED_WEIGHT]
    )
    return Sources(every, odds / odds.sum(), np.random.default_rng(seed))


def trained(course: Course[Source], sources: Source, asked: argparse.Namespace) -> nn.Module:
    """A network trained for the minutes asked; its figures are printed as they go."""
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
        torch.nn.utils.clip_grad_norm_(network.parameters(), LONGEST_GRADIENT)
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

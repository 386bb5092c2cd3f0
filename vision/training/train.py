"""Trains the network and writes it as ONNX: `python -m vision.training.train FOLDER... --out FILE.onnx --minutes 60`.

Only the extra `train` is needed, and a CPU is enough. The seed is fixed; how many steps fit into the minutes is not.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch

from vision.training.augment import example
from vision.training.centres import Centres, Exported, loss, targets
from vision.training.datasets import WEIGHTS, Photo, photo_sets
from vision.training.painted_set import PAINTED, PAINTED_WEIGHT, painted_set

BATCH = 16
RATE = 2e-3
RATE_ON = 8e-4
"""For weights that have been trained before."""
AVERAGED = 0.999
"""The shipped weights are a moving average over about a thousand steps (Polyak)."""
TOLD_EVERY = 50


def batch(sets: list[list[Photo]], odds: np.ndarray, rng: np.random.Generator) -> list[torch.Tensor]:
    """Pictures and targets of one step."""
    examples = [example(sets, odds, rng) for _ in range(BATCH)]
    pictures = np.stack([picture for picture, _ in examples]).transpose(0, 3, 1, 2).astype(np.float32) / 127.5 - 1
    maps = [np.stack(kind) for kind in zip(*(targets(dice) for _, dice in examples), strict=True)]
    return [torch.from_numpy(pictures).contiguous(memory_format=torch.channels_last), *map(torch.from_numpy, maps)]


def train(sets: dict[str, list[Photo]], minutes: float, seed: int = 1, begin: Path | None = None) -> Centres:
    """A network trained for that long, from those weights if any; the loss is printed as it falls."""
    torch.manual_seed(seed)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    every = [*sets.values(), painted_set(PAINTED, sets.get("backgrounds", []), seed)]
    odds = np.array([*(WEIGHTS[name] for name in sets), PAINTED_WEIGHT])
    network = Centres().to(memory_format=torch.channels_last)
    if begin is not None:
        network.load_state_dict(torch.load(begin, weights_only=True))
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGED), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=1e-3)
    rate = RATE if begin is None else RATE_ON
    began, step, recent = time.monotonic(), 0, 0.0
    while (part := (time.monotonic() - began) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, step / 100) * (0.5 + 0.5 * np.cos(np.pi * part) + 0.01)
        pictures, *wanted = batch(every, odds / odds.sum(), rng)
        # bfloat16 is two and a half times as fast where the processor has it, and no worse here.
        with torch.autocast("cpu", dtype=torch.bfloat16):
            maps = network(pictures)
        error = loss(maps.float(), *wanted)
        optimiser.zero_grad()
        error.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        averaged.update_parameters(network)
        step, recent = step + 1, recent + float(error.detach())
        if step % TOLD_EVERY == 0:
            print(f"{100 * part:5.1f} %  step {step:6d}  loss {recent / TOLD_EVERY:.3f}", flush=True)
            recent = 0.0
    return averaged.module


def export(network: Centres, file: Path) -> None:
    """Write the network as ONNX, for pictures of any size that is a multiple of 8."""
    shape = {"picture": {2: "height", 3: "width"}, "maps": {2: "rows", 3: "columns"}}
    torch.onnx.export(
        Exported(network).eval(),
        (torch.zeros(1, 3, 256, 320),),
        str(file),
        opset_version=13,
        input_names=["picture"],
        output_names=["maps"],
        dynamic_axes=shape,
        dynamo=False,
    )


def main() -> None:
    """The command line."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folders", nargs="+", type=Path, help="folders that hold labelled sets")
    ask.add_argument("--out", type=Path, default=Path("centres.onnx"))
    ask.add_argument("--minutes", type=float, default=60.0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--begin", type=Path, help="weights to go on from: the .pt file that lies beside an earlier --out")
    ask.add_argument("--without", default="", help="sets to leave out, as a,b: to measure on them")
    asked = ask.parse_args()
    sets = {name: photos for name, photos in photo_sets(asked.folders).items() if name not in asked.without.split(",")}
    for name, photos in sets.items():
        print(f"{name:20} {len(photos):5d} photos {sum(len(photo.dice) for photo in photos):6d} dice")
    if not sets:
        raise SystemExit("No labelled set lies in those folders; see vision/training/datasets.py for their form.")
    network = train(sets, asked.minutes, asked.seed, asked.begin)
    export(network, asked.out)
    torch.save(network.state_dict(), asked.out.with_suffix(".pt"))
    print(f"wrote {asked.out}")


if __name__ == "__main__":
    main()

"""Trains the network that reads a single face: `python -m vision.training.train_faces FOLDER... --out FILE.onnx`."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import cv2
import numpy as np
import torch
from torch.nn import functional

from vision.faces import CROP_PX
from vision.network import MODEL, Network
from vision.training.crops import example
from vision.training.datasets import WEIGHTS, Photo, photo_sets
from vision.training.faces_net import ExportedFaces, Faces
from vision.training.painted_set import PAINTED, PAINTED_WEIGHT, painted_set
from vision.training.strays import with_strays

BATCH = 128
RATE = 3e-3
RATE_ON = 1.2e-3
"""For weights that have been trained before."""
AVERAGED = 0.998
"""The shipped weights are a moving average over about five hundred steps (Polyak)."""
SMOOTHED = 0.04
"""Part of the labels' certainty that is given to the other classes: some labels are wrong."""
TOLD_EVERY = 100


def train(sets: dict[str, list[Photo]], minutes: float, seed: int = 1, begin: Path | None = None) -> Faces:
    """A network trained for that long on those sets and on painted dice, from those weights if any."""
    torch.manual_seed(seed)
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    every = [*sets.values(), painted_set(PAINTED, sets.get("backgrounds", []), seed)]
    odds = np.array([*(WEIGHTS[name] for name in sets), PAINTED_WEIGHT])
    odds /= odds.sum()
    network = Faces().to(memory_format=torch.channels_last)
    if begin is not None:
        network.load_state_dict(torch.load(begin, weights_only=True))
    rate = RATE if begin is None else RATE_ON
    averaged = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(AVERAGED), use_buffers=True
    )
    optimiser = torch.optim.AdamW(network.parameters(), RATE, weight_decay=5e-3)
    began, step, recent = time.monotonic(), 0, np.zeros(2)
    while (part := (time.monotonic() - began) / (60 * minutes)) < 1:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * part) + 0.005)
        examples = [example(every, odds, rng) for _ in range(BATCH)]
        crops = np.stack([crop for crop, _ in examples]).transpose(0, 3, 1, 2).astype(np.float32) / 127.5 - 1
        wanted = torch.tensor([value for _, value in examples])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = network(torch.from_numpy(crops).contiguous(memory_format=torch.channels_last))
        error = functional.cross_entropy(logits.float(), wanted, label_smoothing=SMOOTHED)
        optimiser.zero_grad()
        error.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        averaged.update_parameters(network)
        step += 1
        recent += (float(error.detach()), float((logits.argmax(1) == wanted).float().mean()))
        if step % TOLD_EVERY == 0:
            loss, right = recent / TOLD_EVERY
            print(f"{100 * part:5.1f} %  step {step:6d}  loss {loss:.3f}  right {right:.1%}", flush=True)
            recent[:] = 0
    return averaged.module


def export(network: Faces, file: Path) -> None:
    """Write the network as ONNX, for any number of crops."""
    torch.onnx.export(
        ExportedFaces(network).eval(),
        (torch.zeros(2, 3, CROP_PX, CROP_PX),),
        str(file),
        opset_version=13,
        input_names=["crops"],
        output_names=["values"],
        dynamic_axes={"crops": {0: "n"}, "values": {0: "n"}},
        dynamo=False,
    )


def main() -> None:
    """The command line."""
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("folders", nargs="+", type=Path, help="folders that hold labelled sets")
    ask.add_argument("--out", type=Path, default=Path("faces.onnx"))
    ask.add_argument("--minutes", type=float, default=60.0)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--begin", type=Path, help="weights to go on from: the .pt file that lies beside an earlier --out")
    ask.add_argument("--without", default="", help="sets to leave out, as a,b: to measure on them")
    ask.add_argument("--detector", type=Path, default=MODEL, help="whose errors are shown as what is no face")
    asked = ask.parse_args()
    sets = {name: photos for name, photos in photo_sets(asked.folders).items() if name not in asked.without.split(",")}
    detector = Network(asked.detector)
    sets = {name: with_strays(photos, detector) for name, photos in sets.items()}
    network = train(sets, asked.minutes, asked.seed, asked.begin)
    export(network, asked.out)
    torch.save(network.state_dict(), asked.out.with_suffix(".pt"))
    print(f"wrote {asked.out}")


if __name__ == "__main__":
    main()

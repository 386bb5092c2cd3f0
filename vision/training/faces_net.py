"""The second network: which value a crop of one face shows, or that it shows no face; and how such are judged."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.training.centres import Residual, layer
from vision.training.running import seen

SHARPER = 1.15
"""Temperature of what is shipped (Guo et al., On calibration of modern neural networks, 2017): smoothed labels leave a
network less sure than it is right. Of 465 photos it trusts 413, without it 405, none wrong; 1.3 trusts wrong ones."""


class Faces(nn.Module):
    """(n, 3, 48, 48) crops, -1 to 1, to (n, 7) logits: no face, then the values 1 to 6. About 70 million products."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(3, 24),
            layer(24, 40, 2),
            Residual(40),
            layer(40, 80, 2),
            Residual(80),
            Residual(80),
            layer(80, 128, 2),
            Residual(128),
        )
        self.head = nn.Linear(128, 7)
        self.drop = nn.Dropout(0.1)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return self.head(self.drop(self.body(x).mean((2, 3))))


class Exported(nn.Module):
    """A network that names values, as it is shipped: with probabilities instead of logits."""

    def __init__(self, faces: nn.Module) -> None:
        super().__init__()
        self.faces = faces

    def forward(self, x: Tensor) -> Tensor:
        """(n, 7)."""
        return torch.softmax(SHARPER * self.faces(x), 1)


def named(network: nn.Module, examples: list[tuple[NDArray[np.uint8], int]], smoothed: float) -> dict[str, Tensor]:
    """The loss of pictures with their classes, and how many were named rightly.

    Args:
        network: From pictures to logits.
        examples: Each (h, w, 3) BGR, and what it should be called.
        smoothed: Part of the labels' certainty that is given to the other classes.
    """
    wanted = torch.tensor([value for _, value in examples])
    logits = seen(network, [shown for shown, _ in examples])
    error = functional.cross_entropy(logits, wanted, label_smoothing=smoothed)
    return {"loss": error, "right": (logits.argmax(1) == wanted).float().mean()}

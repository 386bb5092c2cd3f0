"""The classifier: which value a crop of one face shows, or that it shows no face; and its loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.research.training.centres import Residual, layer
from vision.research.training.crops import Example
from vision.research.training.running import seen

WIDTHS = (0.5, 0.25, 0.12, 0.12)
"""Clipping width of each Huber step in the estimate of the die's colour; colour levels run from -1 to 1. A pixel that
differs more counts as differing by the width. The last one is also the difference at which a pixel gets full contrast.
Larger: pips disturb the colour more, and faint pips get less contrast."""


def departures(x: Tensor) -> Tensor:
    """Return how far each pixel is from the die's colour, -1 to 1, in the shape (n, 3, h, w) of `x`.

    The colour is a robust mean of the crop's middle (Huber, Robust estimation of a location parameter, 1964). Even a
    weak difference saturates, so that pips without paint stand out.
    """
    edge = x.shape[-1]
    middle = x[:, :, edge // 3 : edge - edge // 3, edge // 3 : edge - edge // 3]
    colour = middle.mean((2, 3), keepdim=True)
    for width in WIDTHS:
        colour = colour + width * ((middle - colour) / width).clamp(-1, 1).mean((2, 3), keepdim=True)
    return ((x - colour) / WIDTHS[-1]).clamp(-1, 1)


class Faces(nn.Module):
    """(n, 3, 96, 96) crops, -1 to 1, to (n, 7) logits: no face, then the values 1 to 6. About 71 million products."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(6, 8, 2),
            layer(8, 24),
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
        """Compute (n, 7) logits of (n, 3, 96, 96) crops, -1 to 1: no face, then the values 1 to 6."""
        return self.head(self.drop(self.body(torch.cat([x, departures(x)], 1)).mean((2, 3))))


class Exported(nn.Module):
    """Wraps a classifier for export: probabilities instead of logits."""

    def __init__(self, faces: nn.Module) -> None:
        super().__init__()
        self.faces = faces

    def forward(self, x: Tensor) -> Tensor:
        """Compute (n, 7) probabilities of (n, 3, 96, 96) crops: no face, then the values 1 to 6."""
        return torch.softmax(self.faces(x), 1)


def loss_and_accuracy(network: nn.Module, examples: list[Example], mislabelled: float) -> dict[str, Tensor]:
    """Compute the loss of a batch (`loss`) and the share that was classified right (`right`).

    The loss allows for wrong labels by forward correction (Patrini et al., Making deep neural networks robust to label
    noise, 2017). Label smoothing would make confidence less telling (Xia et al., Towards understanding why label
    smoothing degrades selective classification, 2025).

    Args:
        network: The classifier, from pictures to logits.
        examples: Crops with their class and their weight.
        mislabelled: Share of the labels that are assumed to be random.
    """
    pictures, values, counts = zip(*examples, strict=True)
    wanted, counting = torch.tensor(values), torch.tensor(counts)
    logits = seen(network, list(pictures))
    of_class = functional.softmax(logits, 1).gather(1, wanted[:, None])
    error = -torch.log((1 - mislabelled) * of_class[:, 0] + mislabelled / logits.shape[1])
    return {"loss": (counting * error).sum() / counting.sum(), "right": (logits.argmax(1) == wanted).float().mean()}

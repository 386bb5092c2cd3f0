"""The second network: which value a crop of one face shows, or that it shows no face; and how such are judged."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from vision.research.training.centres import Residual, layer
from vision.research.training.crops import Example
from vision.research.training.running import seen

WIDTHS = (0.5, 0.25, 0.12, 0.12)
"""What lies farther than this from a die's colour, of levels from -1 to 1, moves that no more than what lies so far: in
turn, so that it begins with the mean. The last, 15 of 255 levels, is what a departure needs to be as plain as any."""


def departures(x: Tensor) -> Tensor:
    """(n, 3, h, w), -1 to 1: how far each pixel is from the die's colour; a pip without paint is as plain as any.

    The colour is that of most of what is in the middle (Huber, Robust estimation of a location parameter, 1964).
    """
    edge = x.shape[-1]
    middle = x[:, :, edge // 3 : edge - edge // 3, edge // 3 : edge - edge // 3]
    colour = middle.mean((2, 3), keepdim=True)
    for width in WIDTHS:
        colour = colour + width * ((middle - colour) / width).clamp(-1, 1).mean((2, 3), keepdim=True)
    return ((x - colour) / WIDTHS[-1]).clamp(-1, 1)


class Faces(nn.Module):
    """(n, 3, 96, 96) crops, -1 to 1, to (n, 7) logits: no face, then the values 1 to 6. About 76 million products."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(6, 16, 2),
            layer(16, 24),
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
        return self.head(self.drop(self.body(torch.cat([x, departures(x)], 1)).mean((2, 3))))


class Exported(nn.Module):
    """A network that names values, as it is shipped: with probabilities instead of logits."""

    def __init__(self, faces: nn.Module) -> None:
        super().__init__()
        self.faces = faces

    def forward(self, x: Tensor) -> Tensor:
        """(n, 7)."""
        return torch.softmax(self.faces(x), 1)


def named(network: nn.Module, examples: list[Example], mislabelled: float) -> dict[str, Tensor]:
    """The loss of pictures with their classes, and how many were named rightly.

    Some labels are wrong, so that the likelihood of a label is not that of its class (Patrini et al., Making deep
    neural networks robust to label noise, 2017: forward correction). Smoothed labels, which would bear with them as
    well, leave what is clear no surer than what is not (Xia et al., Towards understanding why label smoothing degrades
    selective classification, 2025).

    Args:
        network: From pictures to logits.
        examples: Crops, what they should be called, and how much each counts.
        mislabelled: Part of the labels that may as well be any other.
    """
    pictures, values, counts = zip(*examples, strict=True)
    wanted, counting = torch.tensor(values), torch.tensor(counts)
    logits = seen(network, list(pictures))
    of_class = functional.softmax(logits, 1).gather(1, wanted[:, None])
    error = -torch.log((1 - mislabelled) * of_class[:, 0] + mislabelled / logits.shape[1])
    return {"loss": (counting * error).sum() / counting.sum(), "right": (logits.argmax(1) == wanted).float().mean()}

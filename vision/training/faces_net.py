"""The second network: which value a crop of one face shows, or that it shows no face."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from vision.training.centres import Residual, layer


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
        return torch.softmax(self.faces(x), 1)

"""The network that reads faces in the calibrated tray: upright, so it may know places, not only patterns."""

from __future__ import annotations

from torch import Tensor, nn

from vision.training.centres import Residual, layer


class TrayFaces(nn.Module):
    """(n, 3, 64, 64) upright faces, -1 to 1, to (n, 7) logits: no face, then the values 1 to 6. 28 million products."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            layer(3, 16),
            layer(16, 24, 2),
            Residual(24),
            layer(24, 40, 2),
            Residual(40),
            layer(40, 56, 2),
            layer(56, 24),
            nn.Flatten(),
        )
        self.drop = nn.Dropout(0.2)
        self.head = nn.Sequential(nn.Linear(24 * 8 * 8, 64), nn.ReLU(), nn.Linear(64, 7))

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return self.head(self.drop(self.body(x)))

"""The network and what it is taught: maps of the middles of faces by value, of their size, of their place in a cell."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.research.training.augment import CROP_PX, Dice

STRIDE = 8
DICE_PX = 40.0
CELLS = CROP_PX // STRIDE
SIZES_PX = (11.0, 100.0)
"""Faces smaller or larger are not judged: they may be marked or not."""
MIDDLE = 1 / 6
"""Spread of the mark of a middle, in sizes of the die."""


def layer(inputs: int, outputs: int, stride: int = 1, reach: int = 1) -> nn.Sequential:
    """A convolution of 3 x 3, normalised, and what is below zero cut off."""
    convolution = nn.Conv2d(inputs, outputs, 3, stride, reach, dilation=reach, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Two layers and a way round them; `reach` widens what the first one sees."""

    def __init__(self, width: int, reach: int = 1) -> None:
        super().__init__()
        self.a = layer(width, width, reach=reach)
        self.b = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """(n, width, h, w) in and out."""
        return torch.relu(x + self.b(self.a(x)))


class Centres(nn.Module):
    """(n, 3, h, w) picture, -1 to 1, to (n, 9, h/8, w/8): six logits by value, log size / 40 px, place in the cell."""

    def __init__(self, stem: nn.Sequential, width: int, neck: int) -> None:
        """`stem` makes (n, width, h/8, w/8) of a picture; `neck` channels are left before the nine maps."""
        super().__init__()
        self.stem = stem
        self.head = nn.Sequential(layer(width, neck), nn.Conv2d(neck, 9, 1))
        # Middles are rare: begin by expecting none (Lin et al., Focal loss, 2017).
        nn.init.constant_(self.head[-1].bias[:6], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        """See the class."""
        return self.head(self.stem(x))


def detector() -> Centres:
    """The detector: it names what it marks."""
    stem = (layer(3, 16, 2), layer(16, 32), layer(32, 32, 2), Residual(32), layer(32, 80, 2))
    return Centres(nn.Sequential(*stem, Residual(80), Residual(80, 2), Residual(80), Residual(80, 2)), 80, 64)


def glance() -> Centres:
    """The light one, at a fifth of the cost: it only says where faces may lie."""
    stem = (layer(3, 8, 2), layer(8, 16, 2), Residual(16), layer(16, 32, 2))
    return Centres(nn.Sequential(*stem, Residual(32), Residual(32, 2), Residual(32, 2)), 32, 32)


class Exported(nn.Module):
    """The network as it is shipped: scores instead of logits."""

    def __init__(self, centres: Centres) -> None:
        super().__init__()
        self.centres = centres

    def forward(self, x: Tensor) -> Tensor:
        """(n, 9, h/8, w/8)."""
        maps = self.centres(x)
        return torch.cat([torch.sigmoid(maps[:, :6]), maps[:, 6:]], 1)


def targets(dice: Dice, named: bool = True) -> tuple[NDArray[np.float32], ...]:
    """What the maps should be: marks (6), size and place (3), where those count (1), what is not to be judged (1).

    Where they are not `named`, the marks of all values are the same: a face lies there, whatever it shows.
    """
    marks = np.zeros((6, CELLS, CELLS), np.float32)
    place = np.zeros((3, CELLS, CELLS), np.float32)
    counts = np.zeros((1, CELLS, CELLS), np.float32)
    judged = np.ones((1, CELLS, CELLS), np.float32)
    rows, columns = np.mgrid[:CELLS, :CELLS]
    for x, y, size_px, value in dice:
        column, row = x / STRIDE - 0.5, y / STRIDE - 0.5
        away = (columns - column) ** 2 + (rows - row) ** 2
        whole = all(0.3 * size_px < side < CROP_PX - 0.3 * size_px for side in (x, y))
        if not whole or not SIZES_PX[0] <= size_px <= SIZES_PX[1]:
            judged[0][away < (0.7 * size_px / STRIDE) ** 2] = 0
            continue
        mark = np.exp(-away / (2 * max(size_px / STRIDE * MIDDLE, 0.55) ** 2)).astype(np.float32)
        at = (int(np.clip(round(row), 0, CELLS - 1)), int(np.clip(round(column), 0, CELLS - 1)))
        mark[at] = 1
        shown = slice(value - 1, value) if named else slice(None)
        marks[shown] = np.maximum(marks[shown], mark)
        near = np.maximum(np.abs(rows - at[0]), np.abs(columns - at[1])) <= 1
        counts[0][near] = 1
        place[0][near] = np.log(size_px / DICE_PX)
        place[1][near], place[2][near] = (column - columns)[near], (row - rows)[near]
    return marks, place, counts, judged


def loss(maps: Tensor, marks: Tensor, place: Tensor, counts: Tensor, judged: Tensor) -> Tensor:
    """Focal loss of the marks (Law & Deng, CornerNet, 2018, eq. 1) and smooth L1 of size and place."""
    scores = torch.sigmoid(maps[:, :6]).clamp(1e-4, 1 - 1e-4)
    middles = (marks == 1).float()
    missed = torch.log(scores) * (1 - scores) ** 2 * middles
    invented = torch.log(1 - scores) * scores**2 * (1 - marks) ** 4 * (1 - middles) * judged
    off = functional.smooth_l1_loss(maps[:, 6:], place, reduction="none") * counts
    return -(missed.sum() + invented.sum()) / middles.sum().clamp(min=1) + off.sum() / counts.sum().clamp(min=1)

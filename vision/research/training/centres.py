"""Centre-point network and its training targets: heat maps of face centres by value, size and offset."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from vision.research.training.augment import CROP_PX, Dice

STRIDE = 8
"""Pixels of the input per cell of the output maps. It must equal the network's reduction and the detector's STRIDE."""
REFERENCE_FACE_PX = 40.0
"""Face size, in pixels, for which the trained size map is 0. The detector must use the same value, else all sizes are
wrong."""
CELLS = CROP_PX // STRIDE
"""Edge of the maps of a training crop, in cells. It follows from CROP_PX and STRIDE."""
SIZES_PX = (11.0, 100.0)
"""Smallest and largest face, in pixels of the training crop, that the detector is trained to find. The area around any
other does not count in the loss. Wider: it must learn more sizes; narrower: more faces are found or missed by
chance."""
MIDDLE = 1 / 6
"""Standard deviation of the Gaussian mark at a face's centre in the heat maps, in face sizes. For faces under about
26 px it is 0.55 cells instead. A larger one punishes detections beside the centre less."""


def layer(inputs: int, outputs: int, stride: int = 1, reach: int = 1) -> nn.Sequential:
    """Return a 3 x 3 convolution with batch normalisation and ReLU.

    Args:
        inputs: Input channels.
        outputs: Output channels.
        stride: Stride of the convolution.
        reach: Dilation of the convolution.
    """
    convolution = nn.Conv2d(inputs, outputs, 3, stride, reach, dilation=reach, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU(inplace=True))


class Residual(nn.Module):
    """Residual block of two 3 x 3 convolutions; `reach` is the dilation of the first."""

    def __init__(self, width: int, reach: int = 1) -> None:
        super().__init__()
        self.a = layer(width, width, reach=reach)
        self.b = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: Tensor) -> Tensor:
        """Compute the block; input and output are (n, width, h, w)."""
        return torch.relu(x + self.b(self.a(x)))


class Centres(nn.Module):
    """Detector of face centres: (n, 3, h, w) pictures, -1 to 1, to (n, 9, h/8, w/8) maps.

    The maps are six logits by value, log(size / 40 px), and two for the offset within the cell.
    """

    def __init__(self, stem: nn.Sequential, width: int, neck: int) -> None:
        """Build the network.

        Args:
            stem: Turns (n, 3, h, w) pictures into (n, width, h/8, w/8) features.
            width: Channels of the features.
            neck: Channels before the nine output maps.
        """
        super().__init__()
        self.stem = stem
        self.head = nn.Sequential(layer(width, neck), nn.Conv2d(neck, 9, 1))
        # Middles are rare: begin by expecting none (Lin et al., Focal loss, 2017).
        nn.init.constant_(self.head[-1].bias[:6], -4.0)

    def forward(self, x: Tensor) -> Tensor:
        """Compute (n, 9, h/8, w/8) maps of (n, 3, h, w) pictures, -1 to 1.

        They are six logits by value, log(size / 40 px), and the x and y offset in cells.
        """
        return self.head(self.stem(x))


def detector() -> Centres:
    """Build the full detector of die faces, untrained, which tells the values apart."""
    stem = (layer(3, 16, 2), layer(16, 32), layer(32, 32, 2), Residual(32), layer(32, 80, 2))
    return Centres(nn.Sequential(*stem, Residual(80), Residual(80, 2), Residual(80), Residual(80, 2)), 80, 64)


def glance() -> Centres:
    """Build the light detector, untrained, which locates die faces without their values at a fifth of the cost."""
    stem = (layer(3, 8, 2), layer(8, 16, 2), Residual(16), layer(16, 32, 2))
    return Centres(nn.Sequential(*stem, Residual(32), Residual(32, 2), Residual(32, 2)), 32, 32)


class Exported(nn.Module):
    """Wraps a network for export: scores instead of logits."""

    def __init__(self, centres: nn.Module) -> None:
        super().__init__()
        self.centres = centres

    def forward(self, x: Tensor) -> Tensor:
        """Compute (n, 9, h/8, w/8) maps of (n, 3, h, w) pictures, -1 to 1.

        The maps are six scores by value, 0 to 1, log(size / 40 px), and the x and y offset in cells.
        """
        maps = self.centres(x)
        return torch.cat([torch.sigmoid(maps[:, :6]), maps[:, 6:]], 1)


def targets(dice: Dice, named: bool = True) -> tuple[NDArray[np.float32], ...]:
    """Make the training targets of a picture of CROP_PX x CROP_PX pixels.

    A die gets a spot in its value's heat map, with 1 at its centre, also if the picture's edge cuts a little off. A die
    whose centre is within 0.3 of its size of the edge, or whose size is outside SIZES_PX, gets none: around it the heat
    maps do not count.

    Args:
        dice: Centre x and y, size in pixels and value of each die.
        named: Whether each value has a heat map of its own. If not, all six are equal.

    Returns:
        Heat maps by value (6, 32, 32); log(size / 40 px) and the x and y offset in cells (3, 32, 32); mask of the cells
        where size and offset count: 3 x 3 around each die's centre (1, 32, 32); mask of the cells where the heat maps
        count (1, 32, 32).
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
        place[0][near] = np.log(size_px / REFERENCE_FACE_PX)
        place[1][near], place[2][near] = (column - columns)[near], (row - rows)[near]
    return marks, place, counts, judged


def loss(maps: Tensor, marks: Tensor, place: Tensor, counts: Tensor, judged: Tensor) -> Tensor:
    """Compute the scalar loss: focal loss of the heat maps (Law & Deng, CornerNet, 2018, eq. 1), smooth L1 of the rest.

    Args:
        maps: (n, 9, h, w) output of the network, with logits by value, not scores.
        marks: (n, 6, h, w) wanted heat maps.
        place: (n, 3, h, w) wanted size and offset.
        counts: (n, 1, h, w) 1 where size and offset count.
        judged: (n, 1, h, w) 1 where the heat maps count.
    """
    scores = torch.sigmoid(maps[:, :6]).clamp(1e-4, 1 - 1e-4)
    middles = (marks == 1).float()
    missed = torch.log(scores) * (1 - scores) ** 2 * middles
    invented = torch.log(1 - scores) * scores**2 * (1 - marks) ** 4 * (1 - middles) * judged
    off = functional.smooth_l1_loss(maps[:, 6:], place, reduction="none") * counts
    return -(missed.sum() + invented.sum()) / middles.sum().clamp(min=1) + off.sum() / counts.sum().clamp(min=1)

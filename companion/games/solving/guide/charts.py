"""Charts of the strategy guide as SVG files; the same numbers give the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

mpl.use("svg")
INK, PAPER, QUIET = "#2a1d12", "#fbf4e4", "#8a7a62"
"""Colours of the strategy guide's charts: text and contours, background, and axes and grid. They are readable on dark
and on light pages."""
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Colours of the lines of a chart, distinct for the colour-blind (Okabe and Ito 2008).

Lines beyond the last colour are not drawn."""
STYLE: Mapping[Any, Any] = {
    "svg.hashsalt": "peg-and-pip",  # else each file would have random names inside
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 11,
    "figure.facecolor": PAPER,
    "axes.facecolor": PAPER,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "image.composite_image": False,
}
"""Matplotlib settings of every chart of the strategy guide."""
SIZE_IN = (6.4, 4.4)
"""Width and height of a chart in inches."""


def lines(
    file: Path,
    x: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    labels: tuple[str, str],
    *,
    fill: bool = False,
) -> None:
    """Draw curves over a common horizontal axis and write them to an SVG file.

    Args:
        file: The SVG file to write.
        x: Values of the horizontal axis.
        curves: Values of each curve, one for each of `x`, by the curve's name; NaN leaves a gap. Two or more get a
            legend. Only as many as SERIES has colours are drawn.
        labels: Names of the horizontal and of the vertical axis.
        fill: Whether the area under a curve is filled, as for a distribution.
    """

    def draw(axes: Axes) -> None:
        for (name, values), colour in zip(curves.items(), SERIES, strict=False):
            axes.plot(x, values, color=colour, linewidth=2, label=name)
            if fill:
                axes.fill_between(x, values, color=colour, alpha=0.25)
        axes.grid(color=QUIET, alpha=0.3)
        if len(curves) > 1:
            axes.legend(frameon=False)

    _drawn(file, labels, draw)


def heat_map(
    file: Path,
    values: npt.NDArray[np.float64],
    labels: tuple[str, str],
    meaning: str,
    span: tuple[float, float],
    levels: Sequence[float] = (),
) -> None:
    """Draw a table of numbers as colours, with its first row at the bottom, and write it to an SVG file.

    Args:
        file: The SVG file to write.
        values: (rows, columns) numbers; NaN stays blank.
        labels: Names of the horizontal and of the vertical axis, whose values count from 0.
        meaning: Name of the colour scale.
        span: Values at the two ends of the colour scale.
        levels: Values at which a contour line is drawn and labelled.
    """

    def draw(axes: Axes) -> None:
        shown = axes.imshow(values, origin="lower", cmap="RdYlBu", vmin=span[0], vmax=span[1], interpolation="none")
        if levels:
            contour = axes.contour(values, levels=levels, colors=INK, linewidths=0.8)
            axes.clabel(contour, fmt="%g", fontsize=8)
        axes.figure.colorbar(shown, ax=axes, label=meaning)

    _drawn(file, labels, draw)


def _drawn(file: Path, labels: tuple[str, str], draw: Callable[[Axes], None]) -> None:
    """Draw one chart in the guide's style and write it to an SVG file; the same chart gives the same bytes.

    Args:
        file: The SVG file to write.
        labels: Names of the horizontal and of the vertical axis.
        draw: Draws the content of the chart on its axes.
    """
    with plt.rc_context(dict(STYLE)):
        figure, axes = plt.subplots(figsize=SIZE_IN, layout="constrained")
        draw(axes)
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        figure.savefig(file, metadata={"Date": None, "Creator": None})
        plt.close(figure)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows of cells as a table in Markdown, with `head` as its first row."""
    written = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in row)} |" for row in written)

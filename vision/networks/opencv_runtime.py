"""Runs an ONNX network with OpenCV, which every table has."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading.reading import FrameBGR


class OpenCVRuntime:
    """OpenCV's network module, on OpenCV's threads.

    Args:
        model: The ONNX file.

    Raises:
        ValueError: The file is damaged or gone.
    """

    def __init__(self, model: Path) -> None:
        try:
            self._net: Any = cv2.dnn.readNetFromONNX(str(model))
        except cv2.error as error:
            raise ValueError(str(error)) from error

    def run(self, pictures_bgr: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        """Return the output for a batch of pictures, or the input of the last fully connected layer."""
        # As uint8 the input takes a quarter of the memory; the network's first layer scales it.
        batch = cv2.dnn.blobFromImages(pictures_bgr, ddepth=cv2.CV_8U)
        self._net.setInput(batch, "", 1 / 127.5, (127.5, 127.5, 127.5))
        if not features:
            output: NDArray[np.float32] = self._net.forward()
            return output
        names: list[str] = list(self._net.getLayerNames())
        last = max(at for at, name in enumerate(names) if name.endswith("Gemm"))
        rows: NDArray[np.float32] = self._net.forward(names[last - 1])
        return rows.reshape(len(pictures_bgr), -1)

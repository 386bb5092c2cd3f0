"""A network in its ONNX file, loaded when it is needed: a table at which nothing moves holds none."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import SetupError
from vision.reading.reading import FrameBGR


class Network:
    """One network; not to be used from two threads at a time. Raises SetupError where its file is missing."""

    def __init__(self, model: Path) -> None:
        if not model.exists():
            card = f"vision/models/{model.stem}.md"
            says = f"The network {model.name} is missing; install Peg & Pip again, or train it anew: see {card}."
            raise SetupError([says])
        self._model = model
        self._net: Any = None
        self._shown: tuple[int, ...] | None = None

    def load(self) -> None:
        """Load it now rather than at its first picture. Raises SetupError where its file is damaged."""
        if self._net is None:
            try:
                self._net = cv2.dnn.readNetFromONNX(str(self._model))
            except cv2.error:
                raise SetupError([f"The network {self._model.name} is damaged; install Peg & Pip again."]) from None

    def warm(self) -> None:
        """Load it, and show it a blank of the last picture's size: what OpenCV lays out at a first picture is there."""
        if self._net is None and self._shown is not None:
            self.forward(list(np.zeros(self._shown, np.uint8)))
        self.load()

    def release(self) -> None:
        """Let go of it and of the buffers of the largest picture that it was shown, until it is needed again."""
        self._net = None
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # glibc keeps for itself what is freed

    def forward(self, pictures_bgr: Sequence[FrameBGR]) -> NDArray[np.float32]:
        """What it says of n pictures of one size, (h, w, 3) uint8; it is shown levels from -1 to 1."""
        self.load()
        self._shown = (len(pictures_bgr), *pictures_bgr[0].shape)
        self._net.setInput(cv2.dnn.blobFromImages(pictures_bgr, 1 / 127.5, mean=(127.5, 127.5, 127.5)))
        said: NDArray[np.float32] = self._net.forward()
        return said

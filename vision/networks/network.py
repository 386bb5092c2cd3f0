"""One ONNX network run by OpenCV: loaded when it is needed, released while the table is idle."""

from __future__ import annotations

import ctypes
import hashlib
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import SetupError
from vision.reading.reading import FrameBGR


class Network:
    """One network, loaded when it is first used. A second thread that uses it waits for the first.

    Args:
        model: Its ONNX file.

    Raises:
        SetupError: The file is missing.
    """

    def __init__(self, model: Path) -> None:
        if not model.exists():
            card = f"vision/models/{model.stem}.md"
            cure = f"The network {model.name} is missing. Reinstall Peg & Pip, or train it again: see {card}."
            raise SetupError([cure])
        self._model = model
        self._net: Any = None
        self._last_shape: tuple[int, ...] | None = None
        self._turn = threading.RLock()

    @property
    def name(self) -> str:
        """Name of the network's file without its suffix."""
        return self._model.stem

    @cached_property
    def hash(self) -> str:
        """BLAKE2 hash of the network's file as 16 hex digits."""
        return hashlib.blake2b(self._model.read_bytes(), digest_size=8).hexdigest()

    def load(self) -> None:
        """Load the network unless it is loaded. Raises SetupError if its file is damaged or gone."""
        with self._turn:
            if self._net is None:
                try:
                    self._net = cv2.dnn.readNetFromONNX(str(self._model))
                except cv2.error:
                    raise SetupError([f"The network {self._model.name} is damaged; reinstall Peg & Pip."]) from None

    def warm_up(self) -> None:
        """Load the network, if it is not loaded, ahead of the next picture.

        If it ran before it was released, it is also run on a blank input of the last shape, so that OpenCV allocates
        its buffers. A loaded network is left alone. Raises SetupError if the file is damaged.
        """
        with self._turn:
            if self._net is None and self._last_shape is not None:
                self.forward(list(np.zeros(self._last_shape, np.uint8)))
            self.load()

    def release(self) -> None:
        """Free the network and its buffers until it is needed again."""
        with self._turn:
            self._net = None
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # glibc keeps freed memory otherwise

    def features(self, pictures_bgr: Sequence[FrameBGR]) -> NDArray[np.float32]:
        """Return the (n, d) input of the last fully connected layer, for a batch of pictures as in `forward`."""
        self.load()
        names: list[str] = list(self._net.getLayerNames())
        last = max(at for at, name in enumerate(names) if name.endswith("Gemm"))
        return self.forward(pictures_bgr, names[last - 1]).reshape(len(pictures_bgr), -1)

    def forward(self, pictures_bgr: Sequence[FrameBGR], layer: str = "") -> NDArray[np.float32]:
        """Run the network on a batch of pictures of one size and return its output; load it first if needed.

        Args:
            pictures_bgr: (h, w, 3) uint8 each; levels are scaled to -1..1 for the network.
            layer: Name of the layer whose output is returned; empty for the last layer.

        Returns:
            Output array whose first axis is the batch.
        """
        # As uint8 the input takes a quarter of the memory; the network's first layer scales it.
        batch = cv2.dnn.blobFromImages(pictures_bgr, ddepth=cv2.CV_8U)
        with self._turn:
            self.load()
            self._last_shape = (len(pictures_bgr), *pictures_bgr[0].shape)
            self._net.setInput(batch, "", 1 / 127.5, (127.5, 127.5, 127.5))
            output: NDArray[np.float32] = self._net.forward(*([layer] if layer else []))
        return output

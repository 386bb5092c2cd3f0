"""One ONNX network: loaded when it is needed, released while the table is idle.

ONNX Runtime runs networks of small crops where it is installed; OpenCV runs all others. Both give equal outputs but for
rounding.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import SetupError
from vision.reading.reading import FrameBGR


class Runtime(Protocol):
    """Library that runs one network. Its constructor takes the ONNX file and raises ValueError if that is damaged."""

    def run(self, pictures_bgr: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        """Return the network's output for a batch of pictures of one size.

        Args:
            pictures_bgr: (h, w, 3) uint8 each; levels are scaled to -1..1 for the network.
            features: Return the (n, d) input of the last fully connected layer instead.

        Returns:
            Output array whose first axis is the batch.
        """


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
        """Return the network's output for a batch of pictures (h, w, 3) of one size; its first axis is the batch.

        With `features` it is the (n, d) input of the last fully connected layer instead.
        """
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


def open_runtime(model: Path, *, whole_pictures: bool = False) -> Runtime:
    """Open an ONNX file: with OpenCV if `whole_pictures` is set, else with ONNX Runtime.

    OpenCV is also the fallback if ONNX Runtime is missing, or if PEGPIP_RUNTIME is "opencv". On the large maps of whole
    pictures OpenCV is about as fast, or faster. Raises ValueError if the file is gone or can't be parsed; damaged
    weights are not noticed.
    """
    if not whole_pictures and os.environ.get("PEGPIP_RUNTIME") != "opencv":
        with contextlib.suppress(ImportError):
            from vision.networks.onnx_runtime import OnnxRuntime

            return OnnxRuntime(model)
    return OpenCVRuntime(model)


class Network:
    """One network, loaded when it is first used. A second thread that uses it waits for the first.

    Args:
        model: Its ONNX file.
        whole_pictures: Whether its inputs are whole pictures, not small crops.

    Raises:
        SetupError: The file is missing.
    """

    def __init__(self, model: Path, *, whole_pictures: bool = False) -> None:
        if not model.exists():
            card = f"vision/models/{model.stem}.md"
            cure = f"The network {model.name} is missing. Reinstall Peg & Pip, or train it again: see {card}."
            raise SetupError([cure])
        self._model, self._whole_pictures = model, whole_pictures
        self._runtime: Runtime | None = None
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
            if self._runtime is None:
                try:
                    self._runtime = open_runtime(self._model, whole_pictures=self._whole_pictures)
                except ValueError:
                    raise SetupError([f"The network {self._model.name} is damaged; reinstall Peg & Pip."]) from None

    def warm_up(self) -> None:
        """Load the network now if it is not loaded, so that the next picture need not wait for it.

        After `release`, a network that had run before is also run on a blank input of the last shape. This allocates
        its buffers. A loaded network is left alone. Raises SetupError if the file is damaged or gone.
        """
        with self._turn:
            if self._runtime is None and self._last_shape is not None:
                self.forward(list(np.zeros(self._last_shape, np.uint8)))
            self.load()

    def release(self) -> None:
        """Free the network and its buffers until it is needed again."""
        with self._turn:
            self._runtime = None
        getattr(ctypes.CDLL(None), "malloc_trim", int)(0)  # glibc keeps freed memory otherwise

    def forward(self, pictures_bgr: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        """Load the network if needed, run it on one or more pictures (h, w, 3) of one size, and return its output.

        The output's first axis is the batch. With `features` it is the (n, d) input of the last fully connected layer.
        Raises SetupError if the network's file is damaged or gone.
        """
        with self._turn:
            self.load()
            assert self._runtime is not None
            self._last_shape = (len(pictures_bgr), *pictures_bgr[0].shape)
            return self._runtime.run(pictures_bgr, features=features)

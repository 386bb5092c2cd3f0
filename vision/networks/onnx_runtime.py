"""Runs an ONNX network with ONNX Runtime, which is faster than OpenCV on x86-64 (docs/lab/reading-time.md)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # read when it is imported; else it reports its use to Microsoft
import onnxruntime
from onnxruntime.capi import onnxruntime_pybind11_state as errors

from vision.reading.reading import FrameBGR

FEATURES = b"/faces/ReduceMean_5_output_0"
"""Input tensor of the classifier's last layer, named by the export of `training.faces_net`. It is made a second output
of the network: teaching compares faces by it. With another name, reading features fails."""
DAMAGE = (errors.Fail, errors.InvalidArgument, errors.InvalidGraph, errors.InvalidProtobuf)
"""Errors of ONNX Runtime for a damaged file."""


class OnnxRuntime:
    """A session of ONNX Runtime, with as many threads as OpenCV has now.

    Args:
        model: The ONNX file.

    Raises:
        ValueError: The file is damaged or gone.
    """

    def __init__(self, model: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only
        options.enable_cpu_mem_arena = False  # 9 MB less, in the same time
        options.intra_op_num_threads = cv2.getNumThreads()
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # waiting threads leave the core
        try:
            content = model.read_bytes()
            if FEATURES in content:
                content += _message(7, _message(12, _message(1, FEATURES)))  # model.graph.output.name
            self._session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except (OSError, *DAMAGE) as error:
            raise ValueError(str(error)) from error
        self._input = self._session.get_inputs()[0].name
        self._outputs = [one.name for one in self._session.get_outputs()]

    def run(self, pictures_bgr: Sequence[FrameBGR], *, features: bool = False) -> NDArray[np.float32]:
        """Return the output for a batch of pictures, or the input of the last fully connected layer."""
        batch = cv2.dnn.blobFromImages(pictures_bgr, 1 / 127.5, mean=(127.5, 127.5, 127.5))
        output: NDArray[np.float32] = self._session.run([self._outputs[features]], {self._input: batch})[0]
        return output.reshape(len(pictures_bgr), -1) if features else output


def _message(number: int, content: bytes) -> bytes:
    """Return a length-delimited protobuf field of less than 128 bytes.

    Appended to a stored message, it is merged into that message: repeated fields get one more entry.
    """
    return bytes([number << 3 | 2, len(content)]) + content

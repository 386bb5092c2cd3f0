"""The kernel below picamera2's own allocator: buffers of the DMA heap are memory files."""

from __future__ import annotations

import fcntl
import importlib
import os
import types
from typing import Any

FREE_OF_FAULT = 0


def put_below_picamera2() -> None:
    """Import picamera2 and let its allocator ask this kernel for buffers."""
    importlib.import_module("picamera2")
    heap = importlib.import_module("picamera2.dma_heap")
    allocator: Any = importlib.import_module("picamera2.allocators.dmaallocator")
    heap.heapNames = [os.devnull]  # type: ignore[attr-defined]

    def ioctl(fd: int, request: int, argument: Any) -> int:
        if request == heap.DMA_HEAP_IOCTL_ALLOC:
            argument.fd = os.memfd_create("dma-buf")
            os.ftruncate(argument.fd, argument.len)
        elif request not in (heap.DMA_BUF_IOCTL_SYNC, heap.DMA_BUF_SET_NAME):
            return fcntl.ioctl(fd, request, argument)
        return FREE_OF_FAULT

    heap.fcntl = allocator.fcntl = types.SimpleNamespace(ioctl=ioctl)  # type: ignore[attr-defined]

"""Detection of the Raspberry Pi model from the device tree: some libraries crash on the wrong one."""

from __future__ import annotations

from pathlib import Path

MODEL = Path("/proc/device-tree/model")
"""File in which the kernel names the machine's model."""


def model() -> str:
    """Return the machine's model, as `Raspberry Pi 5 Model B Rev 1.0`; empty on a machine without a device tree."""
    try:
        return MODEL.read_text(errors="replace").strip("\0\n ")
    except OSError:
        return ""


def is_pi(text: str) -> bool:
    """Return whether the text names a Raspberry Pi, as `model` returns it."""
    return text.startswith("Raspberry Pi")


def is_pi_5(text: str) -> bool:
    """Return whether the text names a Pi with the RP1 chip, on which the older LED libraries crash."""
    return text.startswith(("Raspberry Pi 5", "Raspberry Pi Compute Module 5"))

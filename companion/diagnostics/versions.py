"""Versions of OpenCV, NumPy and picamera2, and the check that they are compatible."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import Mapping

from companion.appliance.releases import numbers
from companion.diagnostics.health import Finding

APT_CURE = "sudo apt install python3-opencv python3-numpy, or pip install '.[vision]'."
"""Advice when OpenCV or NumPy is missing."""
PICAMERA_CURE = "sudo apt install python3-picamera2, and make the venv with --system-site-packages."
"""Advice when the library of a Pi's camera is missing."""
NUMPY_CURE = "picamera2 here was built for NumPy 1: use apt's python3-opencv, or pip install -U simplejpeg."
"""Advice when picamera2 can't work with the installed NumPy."""


def check_versions(camera: str, installed: Mapping[str, str | None] | None = None) -> Finding:
    """Check that OpenCV, NumPy and picamera2 are installed in versions that work together; return the finding.

    picamera2 is needed only if `camera` is `picamera2`. With NumPy 2, picamera2 also needs simplejpeg 1.8 or later.
    `installed` maps each library to its version, or None if missing; by default the result of `versions`.
    """
    found = versions() if installed is None else installed
    numpy, simplejpeg = found["NumPy"], found["simplejpeg"]
    cure = ""
    if found["OpenCV"] is None or numpy is None:
        cure = APT_CURE
    elif camera == "picamera2" and found["picamera2"] is None:
        cure = PICAMERA_CURE
    elif camera == "picamera2" and numbers(numpy) >= (2,) and (not simplejpeg or () < numbers(simplejpeg) < (1, 8)):
        cure = NUMPY_CURE  # a simplejpeg "of the system", whose number is not known, fits
    says = ", ".join(f"{name} {version or 'missing'}" for name, version in found.items()) + "."
    return Finding("versions", not cure, says, cure)


def versions() -> dict[str, str | None]:
    """Return the installed versions of OpenCV, NumPy, picamera2 and simplejpeg by name; None for a missing one.

    OpenCV and NumPy are imported to read their versions; if the import fails, they count as missing. The other two are
    not imported; if one is installed with an unknown version, the value is "of the system".
    """
    return {
        "OpenCV": _loaded("cv2"),
        "NumPy": _loaded("numpy"),
        "picamera2": _installed("picamera2"),
        "simplejpeg": _installed("simplejpeg"),
    }


def _loaded(module: str) -> str | None:
    """Import a module and return its version; None if that fails."""
    try:
        return str(importlib.import_module(module).__version__)
    except ImportError:
        return None


def _installed(package: str) -> str | None:
    """Return a package's version without importing it; "of the system" if unknown, None if it is missing."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "of the system" if importlib.util.find_spec(package) else None

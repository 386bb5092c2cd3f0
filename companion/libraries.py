"""Explains an import that failed: which library is missing, and the command that installs it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_SHARED = re.compile(r"(lib[\w.+-]+\.so[.\d]*): cannot open shared object file")
"""Pattern of the dynamic linker's message about a missing shared library. Its group is the file name, which the
explanation of a failed import names."""
_ROOMS = frozenset({"companion", "vision", "hardware", "web"})
"""Names of the project's own Python packages: a missing module of these is a bug, not a missing library."""
_OF_EXTRA = {
    "cv2": "vision",
    "cryptography": "league",
    "psycopg": "league",
    "psycopg_pool": "league",
    "alembic": "league",
    "openskill": "league",
    "paho": "mqtt",
}
"""Python module -> the extra of this package that installs it, for the message about a failed import.
Drivers' libraries (extra `pi`) are not listed: `load_library` explains them."""


def missing_library(error: ImportError) -> str | None:
    """Return two sentences that explain a failed import: what is missing, and a command that helps.

    The command installs a missing Python library, or searches for the package of a missing system library. For OpenCV
    it installs the build that needs no desktop libraries. Returns None when a module of this project is missing, or the
    cause is not a missing library: such a bug keeps its traceback.
    """
    pip = f"{Path(sys.executable)} -m pip"
    shared = _SHARED.search(str(error))
    if shared:
        wanted = f"A library of the system is missing: {shared[1]}."
        if "cv2" in (error.name or "") or "cv2" in (error.path or ""):
            return (
                f"{wanted} This OpenCV is the build for desktops; take the one that needs none: "
                f"`{pip} uninstall -y opencv-python opencv-python-headless && {pip} install opencv-python-headless`."
            )
        return f"{wanted} `{error.name}` needs it; `apt-file search {shared[1]}` names the package that brings it."
    module = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or not module or module in _ROOMS:
        return None
    extra = f"[{_OF_EXTRA[module]}]" if module in _OF_EXTRA else ""
    return f"The library `{module}` is not installed. `{pip} install 'peg-and-pip{extra}'` brings it."

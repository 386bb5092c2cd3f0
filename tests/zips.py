"""Changes the parts of a zip file in place: throw packages, calibrations, taught sets of dice."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

Parts = dict[str, bytes]
"""Name to content of each part."""


def rewrite(file: Path, change: Callable[[Parts], Parts], compression: int = zipfile.ZIP_STORED) -> None:
    """Replace the parts of a zip file by those that `change` makes of them."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in change(parts).items():
            archive.writestr(name, content)


def rewrite_json(file: Path, part: str, **values: object) -> None:
    """Set values of the JSON object that is a part of a zip file."""
    rewrite(file, lambda parts: {**parts, part: json.dumps({**json.loads(parts[part]), **values}).encode()})

"""The settings of the last start that succeeded, kept in the data folder. They replace settings that do not work."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from companion.settings.load import Settings, converted
from companion.table.atomic import write_file

FILE_NAME = "last-good-settings.json"
"""File in the data folder with the settings of the last start that succeeded."""


def read(folder: Path) -> Settings | None:
    """Return the settings of a folder's last good start; None if their file is missing or can't be read.

    Wrong values are replaced by the defaults.
    """
    try:
        tree = msgspec.json.decode((folder / FILE_NAME).read_bytes(), type=dict[str, dict[str, Any]])
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return converted(tree, Settings(), {})[0]


def keep(folder: Path, settings: Settings) -> None:
    """Store the settings of a start that succeeded, if they differ from the stored ones; disk errors are ignored.

    Only the file's owner can read it, because it holds passwords.
    """
    if read(folder) != settings:
        with contextlib.suppress(OSError):
            write_file(folder / FILE_NAME, (msgspec.json.encode(settings),), mode=0o600)

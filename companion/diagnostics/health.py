"""How the parts are: one sentence each for the page, with what to do where something is wrong."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from companion.table.journal.recovery import reports
from web.local_paths import without_paths

log = logging.getLogger(__name__)

Check = Callable[[], tuple[bool, str]]

FREE_MB_NEEDED = 50
"""Less free space than this, and the journal may soon not be written."""


def report(checks: Mapping[str, Check], folder: Path | None = None) -> dict[str, Any]:
    """The answer of `/healthz` (docs/reference/commands-and-http.md): whether each part works, and a sentence about it.

    Args:
        checks: A check for each part.
        folder: The data folder, where guests ask: they are shown no path of this machine.
    """
    parts = {name: dict(zip(("ok", "says"), _checked(check), strict=True)) for name, check in list(checks.items())}
    if folder is not None:
        parts = {name: {**part, "says": without_paths(str(part["says"]), folder)} for name, part in parts.items()}
    return {"status": "ok" if all(part["ok"] for part in parts.values()) else "degraded", "parts": parts}


def _checked(check: Check) -> tuple[bool, str]:
    try:
        return check()
    except Exception as fault:  # whoever asks how the parts are must hear of the others
        log.exception("a check failed")
        return False, f"How it is can't be told ({type(fault).__name__}: {fault}). Start again."


def disk_check(folder: Path) -> Check:
    """Whether the data folder's disk has room."""

    def check() -> tuple[bool, str]:
        try:
            free_mb = shutil.disk_usage(folder).free // 2**20
            read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
        except OSError as gone:
            return False, f"The data folder {folder} can't be reached ({gone.strerror}). Check the disk."
        if read_only:
            return False, f"The disk of {folder} can't be written any more: a card that wears out does that. Copy it."
        if free_mb < FREE_MB_NEEDED:
            return False, f"Only {free_mb} MB are free in {folder}. Free some space."
        return True, f"{free_mb} MB free"

    return check


def journal_check(folder: Path, health: Callable[[], tuple[bool, str]]) -> Check:
    """Make the check of the journal. Damage counts until somebody has moved the folder away that was set aside for it.

    Args:
        folder: The data folder.
        health: The journal's own word: whether it is well, what was verified, and when.
    """

    def check() -> tuple[bool, str]:
        well, says = health()
        if not well:
            return False, says
        for aside, explanation in reports(folder).items():
            return False, f"{explanation} {look_over(aside)}"
        return True, says

    return check


def look_over(aside: Path) -> str:
    """Return what to do about a folder that was set aside."""
    return f"The folder as it was is in {aside}: look over the scores, then move that folder away."

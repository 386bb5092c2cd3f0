"""The one kind of health check: what `/healthz`, the page and `pegpip doctor` show."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import DeviceError, cause
from web.local_paths import without_paths

log = logging.getLogger(__name__)

Health = Callable[[], tuple[bool, str]]
"""A running part's own check: whether it works, and a sentence about it, with the cure where it does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a health check of a part: what was found, and what to do; `cure` is empty when the part works.

    `simulated`: whether the part is simulated or absent, so that nothing real was checked.
    """

    part: str
    ok: bool
    says: str
    cure: str = ""
    simulated: bool = False

    @classmethod
    def ill(cls, part: str, error: DeviceError) -> Finding:
        """Make the finding that a part does not work, from the error's sentence and cure."""
        return cls(part, False, error.what, error.cure)

    def as_health(self) -> tuple[bool, str]:
        """Return the finding as a `Health` check does: whether the part works, and one text with sentence and cure."""
        return self.ok, f"{self.says} {self.cure}".rstrip()


def report(checks: Mapping[str, Health], folder: Path | None = None) -> dict[str, Any]:
    """Run all health checks and return the answer of `/healthz`. A check that raises an error counts as failed.

    The answer has `status`, "ok" or "degraded", and `parts`: for each part `ok` and a sentence, `says`. With `folder`,
    the data folder, the sentences are for guests: paths of this machine are removed.
    """
    told = {}
    for part, check in list(checks.items()):
        try:
            ok, says = check()
        except Exception as fault:  # the other parts must still be reported
            log.exception("the check of %s failed", part)
            ok, says = False, f"Its check failed ({cause(fault)}). Restart the table."
        told[part] = {"ok": ok, "says": says if folder is None else without_paths(says, folder)}
    return {"status": "ok" if all(each["ok"] for each in told.values()) else "degraded", "parts": told}

"""The settings that a host may change on the page, each with its kind, its bounds, and whether it waits for a start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import flask
import msgspec

from companion.errors import SetupError
from web.pairing.phones import Pairing
from web.responses import answer, refusal
from web.routes import Routes


class SettingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/settings`: a key of a section, and what it shall be."""

    section: str
    key: str
    value: bool | int | float | str


class SettingsFile(Protocol):
    """The settings file of the running table."""

    @property
    def path(self) -> Path:
        """Where it lies."""

    def shown(self) -> Sequence[Any]:
        """Each setting that may be changed here: `section`, `key`, `kind`, `value` and the rest. Raises SetupError."""

    def change(self, section: str, key: str, value: Any) -> None:
        """Write it, and take it at once where that can be. Raises SetupError with the reason."""


def routes(file: SettingsFile, pairing: Pairing) -> Routes:
    """The routes of the settings, for paired phones."""
    made = Routes("settings", SettingBody, pairing=pairing)

    @made.get("/api/settings", "The settings that can be changed here", refused=(401, 422), paired=True)
    def shown(act: Callable[[], None] = lambda: None) -> flask.Response:
        try:
            act()
            return answer({"file": str(file.path), "settings": list(file.shown())})
        except SetupError as wrong:
            return refusal(422, "settings", " ".join(wrong.problems))

    @made.post("/api/settings", "Change a setting", SettingBody, refused=(401, 422), paired=True)
    def change(sent: SettingBody) -> flask.Response:
        return shown(lambda: file.change(sent.section, sent.key, sent.value))

    return made

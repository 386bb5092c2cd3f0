"""`/api/settings`: the settings that the owner may change on the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

import flask
import msgspec

from companion.errors import PinNeeded, SetupError
from web.api.pair import pairing_refusal
from web.pairing.phones import Pairing
from web.pairing.roles import OWNERS
from web.routes import Json, Refusals, Routes


class SettingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`POST /api/settings`: changes one setting.

    Attributes:
        section: Section of the settings file.
        key: Name of the setting in that section.
        value: New value.
        pin: The table's PIN as typed, needed to change an electrical limit; "" if it was not typed.
    """

    section: str
    key: str
    value: bool | int | float | str
    pin: Annotated[str, msgspec.Meta(max_length=12)] = ""


class SettingsFile(Protocol):
    """The settings file of the running table."""

    @property
    def path(self) -> Path:
        """Path of the settings file."""

    def shown(self) -> Sequence[Any]:
        """Return each setting that the page may change, with `section`, `key`, `kind`, `value` and its bounds."""

    def change(self, section: str, key: str, value: Any, *, pin_typed: bool = False) -> None:
        """Write a setting to the file, and apply it to the running table unless it needs a restart.

        Args:
            section: Section of the file.
            key: Name of the setting in that section.
            value: New value.
            pin_typed: Whether the request carried the right PIN.

        Raises:
            PinNeeded: No PIN was typed for an electrical limit. Lowering the strip's current limit needs no PIN.
            SetupError: The page may not change this setting, the command line sets it, its value does not work, or the
                file can't be written. After either error nothing has changed.
        """


def routes(file: SettingsFile, pairing: Pairing) -> Routes:
    """Make the group of routes that list and change settings. Only the owner may use them.

    A change that is refused, or that needs the PIN, is answered 422. A wrong PIN is answered 401, or 429 after too
    many.

    Args:
        file: The settings file of the running table.
        pairing: Checks the PIN that is typed to change an electrical limit.
    """
    refusals: Refusals = {PinNeeded: (422, "pin_needed"), SetupError: (422, "settings")}
    made = Routes("settings", SettingBody, refusals=refusals)

    def shown() -> Json:
        return {"file": str(file.path), "settings": file.shown()}

    made.get("/api/settings", "The settings that can be changed here", roles=OWNERS)(shown)

    @made.post("/api/settings", "Change a setting", SettingBody, roles=OWNERS, refused=(422, 429))
    def change(sent: SettingBody) -> Json | flask.Response:
        wrong = pairing.check_pin(sent.pin, flask.request.remote_addr or "") if sent.pin else None
        if wrong is not None:
            return pairing_refusal(wrong)
        file.change(sent.section, sent.key, sent.value, pin_typed=bool(sent.pin))
        return shown()

    return made

"""The settings file of a table that runs: what of it may be changed from a page, changed key by key, comments kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, get_type_hints

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError

from companion.errors import SetupError
from companion.settings import load as config
from companion.settings.load import Origin, Settings
from companion.table.atomic import write_file
from hardware.track import OWN, PRESETS

LIVE = {
    "table": ("name", "language"),
    "sound": ("effects", "speech", "volume"),
    "strip": ("layout", "brightness", "night", "kind", "order", "limit_ma", "channel_ma", "idle_ma", "gamma"),
    "data": ("photos_mb",),
}
"""What a running table takes at once."""
LATER = {
    "camera": ("source",),
    "web": ("port", "wifi", "wifi_password"),
}
"""What it takes when it starts anew."""
CHOICES = {("strip", "layout"): (*PRESETS, OWN), ("strip", "order"): ("GRB", "RGB", "BRG", "RBG", "GBR", "BGR")}


class ShownSetting(msgspec.Struct, frozen=True):
    """A setting as a page shows it.

    Attributes:
        section: Its section in the file.
        key: Its key.
        kind: `switch`, `number`, `text` or `choice`.
        value: What the file says, or the default.
        default: What holds without it.
        live: Whether a running table takes it at once.
        waits: Whether the file says something else than what runs: a new start is needed.
        fixed: Whether the command line decides it, so that the file does not count.
        choices: Of a `choice`.
        least: Of a number, where there is one.
        most: The same.
    """

    section: str
    key: str
    kind: str
    value: Any
    default: Any
    live: bool
    waits: bool
    fixed: bool
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


class SettingsFile:
    """Reads and changes one table's settings; any thread may.

    Args:
        origin: The file, made with the first change where there is none, and what the command line says over it.
        running: What the table was started with.
        check: What is wrong with settings as a whole, a sentence each, such as two parts on one pin.
        apply: Makes the running table take what it can take at once.
    """

    def __init__(
        self,
        origin: Origin,
        running: Settings,
        check: Callable[[Settings], list[str]],
        apply: Callable[[Settings], None],
    ) -> None:
        self.path, self._overrides = origin.file, origin.overrides
        self._running, self._check, self._apply = running, check, apply
        self._lock = threading.Lock()

    @property
    def running(self) -> Settings:
        """What the table runs with now."""
        return self._running

    def shown(self) -> list[ShownSetting]:
        """All settings that a page may change, in the order of the sections. Raises SetupError for a broken file."""
        now = config.load(self.path if self.path.exists() else None, {})
        return [
            self._one(now, section, key, live=live)
            for group, live in ((LIVE, True), (LATER, False))
            for section, keys in group.items()
            for key in keys
        ]

    def change(self, section: str, key: str, value: Any) -> None:
        """Write one setting, and have the table take it where it can.

        Raises:
            SetupError: The value can't be, or the file can't be written; nothing has changed then.
        """
        live = key in LIVE.get(section, ())
        if not live and key not in LATER.get(section, ()):
            raise SetupError([f"[{section}] `{key}` is not changed here: edit {self.path}."])
        if key in self._overrides.get(section, {}):
            raise SetupError([f"[{section}] `{key}` was given on the command line, which wins over the file."])
        with self._lock:
            text = self._with(section, key, value)
            settings = config.validated(tomlkit.parse(text).unwrap())
            problems = self._check(settings)
            if problems:
                raise SetupError(problems)
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                write_file(self.path, (text.encode(),), mode=0o640)
            except OSError as refused:
                raise SetupError([f"{self.path} can't be written ({refused.strerror})."]) from None
            if live:
                self._running = _with(self._running, section, key, getattr(getattr(settings, section), key))
                self._apply(self._running)

    def _with(self, section: str, key: str, value: Any) -> str:
        try:
            tree = tomlkit.parse(self.path.read_text(encoding="utf-8")) if self.path.exists() else tomlkit.document()
            if section not in tree:
                tree[section] = tomlkit.table()
            there = tree[section]
            assert isinstance(there, dict)
            there[key] = value
            return tomlkit.dumps(tree)
        except (OSError, UnicodeDecodeError, TOMLKitError, AssertionError) as wrong:
            raise SetupError([f"Settings file {self.path} can't be changed: {wrong}. Correct it by hand."]) from None
        except (TypeError, ValueError):
            raise SetupError([f"[{section}] `{key}` = {value!r}: that is no value for a settings file."]) from None

    def _one(self, now: Settings, section: str, key: str, *, live: bool) -> ShownSetting:
        kind, least, most, choices = _bounds(section, key)
        value = getattr(getattr(now, section), key)
        return ShownSetting(
            section=section,
            key=key,
            kind="choice" if choices else kind,
            value=value,
            default=getattr(getattr(Settings(), section), key),
            live=live,
            waits=value != getattr(getattr(self._running, section), key),
            fixed=key in self._overrides.get(section, {}),
            choices=choices,
            least=least,
            most=most,
        )


def _with(settings: Settings, section: str, key: str, value: Any) -> Settings:
    part = msgspec.structs.replace(getattr(settings, section), **{key: value})
    return msgspec.structs.replace(settings, **{section: part})


def _bounds(section: str, key: str) -> tuple[str, float | None, float | None, tuple[str, ...]]:
    """What kind of value a key has, from where to where it goes, and what it can be where that is a choice."""
    hints = get_type_hints(get_type_hints(Settings)[section], include_extras=True)
    about = msgspec.inspect.type_info(hints[key])
    kind = {"BoolType": "switch", "IntType": "number", "FloatType": "number"}.get(type(about).__name__, "text")
    least = getattr(about, "ge", None)
    least = getattr(about, "gt", None) if least is None else least
    choices = CHOICES.get((section, key)) or tuple(getattr(about, "values", ()))
    return kind, least, getattr(about, "le", None), choices

"""The settings that a page may change: their bounds, writing one into the TOML file, and applying it."""

from __future__ import annotations

import errno
import functools
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import tomlkit
from tomlkit.exceptions import ConvertError, TOMLKitError

from companion.errors import PinNeeded, SetupError
from companion.settings.load import LeftOut, Origin, Settings, load_what_works, marks, value_of
from companion.table.atomic import write_file
from hardware.track import OWN, PRESETS

LAYOUTS = (*PRESETS, OWN)
"""Values that the settings page offers for `layout` in the section [strip]. The setting's declaration can't name
them: it stands in `hardware.settings`, which `hardware.track`, the module of the layouts, imports."""


KINDS = {"BoolType": "switch", "IntType": "number", "FloatType": "number"}
"""Name of a class of `msgspec.inspect` -> how the settings page edits a value of that type; a text otherwise."""


class Declared(msgspec.Struct, frozen=True):
    """A setting that a page may change, as its section declares it.

    Attributes:
        section: Its section in the file.
        key: Its key.
        page: `live` and `pin` take effect at once, `start` at the next start; `pin` needs the PIN typed again.
        kind: `switch`, `number`, `text` or `choice`.
        default: Value of a setting that the file does not name.
        choices: Values of a `choice`.
        least: Least value of a number, if there is one.
        most: Largest value of a number, if there is one.
    """

    section: str
    key: str
    page: str
    kind: str
    default: Any
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None


class ShownSetting(Declared, frozen=True, kw_only=True):
    """A setting as a page shows it.

    Attributes:
        value: Value in the file, or the default.
        live: Whether a change takes effect in the running table.
        waits: Whether the file's value differs from that of the running table, which takes it at the next start.
        fixed: Whether the command line sets it, so that the file does not count.
        pin: Whether it is changed only with the PIN typed again.
        left_out: Why the table does not use it; empty when it does.
    """

    value: Any
    live: bool
    waits: bool
    fixed: bool
    pin: bool
    left_out: str


class SettingsFile:
    """Reads and changes one table's settings. Safe to use from any thread.

    Args:
        origin: The settings file, which the first change creates if needed, and the command line's values.
        running: Settings that the table was started with.
        check: Returns what is wrong with settings, one sentence each. May try devices; changes nothing.
        apply: Makes the running table use the settings as far as it can.
        left_out: Settings of the file that this start does not use.
    """

    def __init__(
        self,
        origin: Origin,
        running: Settings,
        check: Callable[[Settings], list[str]],
        apply: Callable[[Settings], None],
        left_out: Sequence[LeftOut] = (),
    ) -> None:
        self._origin, self._running, self._check, self._apply = origin, running, check, apply
        self._left_out = tuple(left_out)
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """Return the settings file that changes are written to."""
        return self._origin.file

    @property
    def running(self) -> Settings:
        """Return the settings that the table runs with."""
        return self._running

    def health(self) -> tuple[bool, str]:
        """Return whether all settings of the file are used, and a sentence for the page that names those left out."""
        if self._left_out:
            return False, " ".join(each.why for each in self._left_out)
        return True, "all settings are used"

    def shown(self) -> list[ShownSetting]:
        """Return all settings that a page may change, each with its value in the file, in the order of declaration.

        For a wrong value in the file the table's running value is returned; the file is not changed.
        """
        now, _ = load_what_works(Origin(self.path), self._running)
        shown = []
        for one in declared():
            value, runs = (getattr(getattr(each, one.section), one.key) for each in (now, self._running))
            why = [each.why for each in self._left_out if (each.section, each.key) == (one.section, one.key)]
            setting = ShownSetting(
                **msgspec.structs.asdict(one),
                value=value,
                live=one.page != "start",
                waits=value != runs,
                fixed=one.key in self._origin.overrides.get(one.section, {}),
                pin=one.page == "pin",
                left_out=" ".join(why),
            )
            shown.append(setting)
        return shown

    def change(self, section: str, key: str, value: Any, *, pin_typed: bool = False) -> None:
        """Check one setting, write it to the file, and apply it to the running table unless it needs a restart.

        `pin_typed` says whether the PIN was typed again for this change.

        Raises:
            PinNeeded: The PIN was not typed for an electrical limit. Lowering `limit_ma` needs no PIN.
            SetupError: A page may not change the setting, the command line set it, the value does not work, or the
                file can't be written. After either error nothing has changed.
        """
        one = next((one for one in declared() if (one.section, one.key) == (section, key)), None)
        if one is None:
            raise SetupError([f"[{section}] `{key}` is not changed here: edit {self.path}."])
        if key in self._origin.overrides.get(section, {}):
            raise SetupError([f"[{section}] `{key}` was given on the command line, which wins over the file."])
        good = value_of(section, key, value)
        with self._lock:
            now = getattr(self._running, section)
            lowered = "lower_without_pin" in marks(section, key) and good <= getattr(now, key)
            if one.page == "pin" and not pin_typed and not lowered:
                raise PinNeeded([f"[{section}] `{key}` = {good!r} is an electrical limit. Type the table's PIN again."])
            part = msgspec.structs.replace(now, **{key: good})
            wanted = msgspec.structs.replace(self._running, **{section: part})
            problems = self._check(wanted)
            if problems:
                raise SetupError(problems)
            self._write(self._with(section, key, value))
            self._left_out = tuple(each for each in self._left_out if (each.section, each.key) != (section, key))
            if one.page != "start":
                self._running = wanted
                self._apply(wanted)

    def _write(self, text: str) -> None:
        """Replace the settings file's text; create the file, and its folder, if missing.

        The new file keeps the old one's permissions, but at most 0640: only the owner writes, others do not read.
        Raises SetupError if it can't be written.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            mode = self.path.stat().st_mode if self.path.exists() else 0o640
            write_file(self.path, (text.encode(),), mode=mode & 0o640)
        except OSError as refused:
            full = refused.errno == errno.ENOSPC
            cure = "Free some space on the disk." if full else f"Let the user {os.geteuid()} write its folder."
            raise SetupError([f"{self.path} can't be written ({refused.strerror}). {cure}"]) from None

    def _with(self, section: str, key: str, value: Any) -> str:
        """Return the settings file's text with `key` of [section] set to `value`; comments are kept.

        The file is not written. A missing section or key is added; a missing file counts as empty. Raises SetupError if
        the file can't be read or is not TOML, [section] is not a table, or TOML has no form for the value.
        """
        try:
            text = self.path.read_text(encoding="utf-8-sig") if self.path.exists() else ""
            tree = tomlkit.parse(text)
            if section not in tree:
                tree[section] = tomlkit.table()
            there = tree[section]
            assert isinstance(there, dict), f"[{section}] is a section with keys of its own, not a value"
            there[key] = value
            return tomlkit.dumps(tree)
        except ConvertError:
            raise SetupError([f"[{section}] `{key}` = {value!r}: that is no value for a settings file."]) from None
        except (OSError, UnicodeDecodeError, TOMLKitError, AssertionError) as wrong:
            raise SetupError([f"Settings file {self.path} can't be changed: {wrong}. Correct it by hand."]) from None


@functools.cache
def declared() -> tuple[Declared, ...]:
    """Return the declaration of every setting that a page may change, in the order of the class `Settings`; cached."""
    found = []
    for section, kind in get_type_hints(Settings).items():
        for key, hint in get_type_hints(kind, include_extras=True).items():
            extra, about = marks(section, key), msgspec.inspect.type_info(hint)
            if isinstance(about, msgspec.inspect.Metadata) and "page" in extra:
                bounds = about.type
                choices = LAYOUTS if (section, key) == ("strip", "layout") else extra.get("choices", ())
                choices = choices or tuple(getattr(bounds, "values", ()))
                least = getattr(bounds, "ge", None)
                declaration = Declared(
                    section=section,
                    key=key,
                    page=extra["page"],
                    kind="choice" if choices else KINDS.get(type(bounds).__name__, "text"),
                    default=getattr(getattr(Settings(), section), key),
                    choices=choices,
                    least=getattr(bounds, "gt", None) if least is None else least,
                    most=getattr(bounds, "le", None),
                )
                found.append(declaration)
    return tuple(found)

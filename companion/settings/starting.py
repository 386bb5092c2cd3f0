"""Choose the settings to start with: those of the file, and the last good ones where those do not work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from companion.errors import SetupError
from companion.settings import last_good
from companion.settings.load import LeftOut, Origin, Settings, default_file, is_secret, load_what_works, marks

T = TypeVar("T")
Keys = Mapping[str, Collection[str]]
"""Name of a section -> names of its settings."""


class Starting:
    """The settings of one start, while its parts are opened one after the other.

    A start is forgiving when a table must not stay dark because of a setting: it is a service, or it has run before.
    Then a wrong setting is replaced and reported in `left_out`. Otherwise all problems are collected in `problems`.
    What was typed on the command line is never replaced, except in a service.

    Attributes:
        origin: The settings file and the command line.
        settings: The settings to use, as far as is known.
        left_out: Settings of the file that are not used, and why.
        problems: What must be corrected before the table can start, one sentence each.
        forgiving: Whether wrong settings are replaced.
    """

    def __init__(
        self,
        settings: Settings,
        origin: Origin,
        spare: Settings | None = None,
        left_out: Sequence[LeftOut] = (),
        *,
        forgiving: bool = False,
        typed: Keys | None = None,
    ) -> None:
        self.settings, self.origin, self.left_out, self.forgiving = settings, origin, tuple(left_out), forgiving
        self.problems: list[str] = []
        self._spares, self._typed = (() if spare is None else (spare,)), typed or {}

    def choose(
        self,
        keys: Keys,
        make: Callable[[Settings], T],
        *others: Settings,
        instead: Callable[[Settings], T] | None = None,
    ) -> T | None:
        """Open a part with the settings and return it; in a forgiving start, replace settings that don't work.

        `make` opens the part, or raises SetupError when the settings do not work.

        - Strict start: no other values are tried.
        - Forgiving start: the values of `keys` are tried from the last good settings, then from each of `others`.
          Outside a service, values typed on the command line are kept. The first values that work replace those in
          `settings`, and `left_out` reports each change.
        - Nothing worked in a forgiving start, and none of `keys` was typed: `instead`, if given, makes a stand-in.
          `left_out` then names all of `keys`.

        Returns:
            What `make` or `instead` returned. None if nothing worked and no stand-in was made: see `problems`.
        """
        why: SetupError | None = None
        for spare in (self.settings, *self._spares, *others):
            tried = self._with(spare, keys)
            try:
                made = make(tried)
            except SetupError as wrong:
                why = why or wrong
                if not self.forgiving:
                    break
            else:
                if why is not None:
                    self._replace(tried, str(why))
                return made
        assert why is not None
        typed = any(name in self._typed.get(section, ()) for section, names in keys.items() for name in names)
        if instead is None or typed or not self.forgiving:
            self.problems += why.problems
            return None
        for section, names in keys.items():
            for name in names:
                value = getattr(getattr(self.settings, section), name)
                self.left_out += (LeftOut(section, name, f"[{section}] {name} = {value!r} does not work. {why}"),)
        return instead(self.settings)

    def report(self, section: str, key: str, why: str) -> None:
        """Record that a setting does not work: in `left_out` if the start is forgiving, else in `problems`.

        Outside a service, a setting typed on the command line always goes to `problems`.
        """
        if self.forgiving and key not in self._typed.get(section, ()):
            self.left_out += (LeftOut(section, key, why),)
        else:
            self.problems.append(why)

    def go_back(self, why: str) -> bool:
        """Replace the settings by those of the last good start, after failed ones; return whether any changed.

        The data folder and the limits of the strip's current are kept: an older limit may be too high now. Outside a
        service, values typed on the command line are kept, too. `left_out` gets each setting that changed, with the
        reason `why`. The settings file is not written. If no good start is stored, nothing changes.
        """
        before = self.settings
        everything = {
            name: [key for key in fields_of(name) if "stays" not in marks(name, key)]
            for name in before.__struct_fields__
        }
        for spare in self._spares:
            self._replace(self._with(spare, everything), f"The table did not start: {why}")
        return self.settings != before

    def _with(self, spare: Settings, keys: Keys) -> Settings:
        """Return `self.settings` with the values of `keys` replaced by those of `spare`.

        Values typed on the command line (`_typed`) are kept.
        """
        changed: dict[str, Any] = {}
        for section, names in keys.items():
            typed = self._typed.get(section, ())
            values = {name: getattr(getattr(spare, section), name) for name in names if name not in typed}
            changed[section] = msgspec.structs.replace(getattr(self.settings, section), **values)
        return msgspec.structs.replace(self.settings, **changed)

    def _replace(self, by: Settings, why: str) -> None:
        """Use the settings `by` from now on, and add each value that changed to `left_out` with the reason `why`."""
        for section in by.__struct_fields__:
            before, now = getattr(self.settings, section), getattr(by, section)
            for key in fields_of(section):
                old, new = getattr(before, key), getattr(now, key)
                if old != new:
                    shown = ("", "") if is_secret(section, key) else (f" = {old!r}", f"; {new!r} is used")
                    told = f"[{section}] {key}{shown[0]} is left out{shown[1]}. {why}"
                    self.left_out += (LeftOut(section, key, told),)
        self.settings = by


def begin(origin: Origin, *, service: bool) -> Starting:
    """Return the settings for a start; a forgiving start replaces wrong ones instead of failing.

    A wrong setting gets its value from the last good start, else its default. A start is forgiving for a service, where
    nobody reads an error, or if settings of an earlier good start are stored. Raises SetupError for wrong settings in a
    start that is not forgiving. Outside a service, a wrong setting typed on the command line always raises it.
    """
    folder = load_what_works(origin, Settings())[0].data.folder
    spare = last_good.read(folder)
    settings, left_out = load_what_works(origin, spare or Settings())
    forgiving = service or spare is not None
    typed = {} if service else origin.overrides
    fatal = [each.why for each in left_out if not forgiving or each.key in typed.get(each.section, {})]
    if fatal:
        raise SetupError(fatal)
    return Starting(settings, origin, spare, left_out, forgiving=forgiving, typed=typed)


def in_use(file: Path | None, overrides: dict[str, dict[str, Any]] | None = None) -> Starting:
    """Return the settings that a start of the table would use, for a command that only reads about the table.

    A wrong value in the file is replaced by that of the last good start, and `left_out` names it. `file` None means the
    default file, if there is one. `overrides` are section -> key -> value of the command line.

    Raises:
        SetupError: The named file does not exist or can't be reached, or a value of the command line is wrong. Also
            if a value in the file is wrong and no good start is stored.
    """
    try:
        missing = file is not None and not file.exists()
    except OSError as refused:  # its folder may not be entered
        raise SetupError([f"Settings file {file}: {refused.strerror}. Name another with --config FILE."]) from None
    if missing:
        raise SetupError([f"Settings file {file} does not exist. Name another with --config FILE."])
    return begin(Origin(file or default_file(), overrides or {}), service=False)


def fields_of(section: str) -> tuple[str, ...]:
    """Return the names of all settings in a section, in the order of their declaration."""
    fields: tuple[str, ...] = getattr(Settings(), section).__struct_fields__
    return fields

"""Load the settings from one TOML file. Every problem is reported at once, with the nearest known key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import platformdirs

from companion.errors import SetupError, nearest
from companion.settings.beyond import LeagueSettings, MqttSettings, WebhookSettings
from companion.table.settings import DataSettings, TableSettings
from hardware.settings import ButtonSettings, SoundSettings, StripSettings, TrackSettings
from vision.settings import CameraSettings
from web.names import flaw
from web.serving.settings import WebSettings

MAX_TEXT = 4096
"""Most characters of a text setting; a longer one would fill memory and pages, and is refused. Linux paths fit."""
MAX_SHOWN = 60
"""Most characters of a wrong value that an error message quotes; the rest is cut off. More: unreadable messages."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All settings, one section for each part of the table. The defaults need no hardware."""

    table: TableSettings = TableSettings()
    camera: CameraSettings = CameraSettings()
    strip: StripSettings = StripSettings()
    track: TrackSettings = TrackSettings()
    buttons: ButtonSettings = ButtonSettings()
    sound: SoundSettings = SoundSettings()
    web: WebSettings = WebSettings()
    data: DataSettings = DataSettings()
    league: LeagueSettings = LeagueSettings()
    mqtt: MqttSettings = MqttSettings()
    webhook: WebhookSettings = WebhookSettings()


class Origin(msgspec.Struct, frozen=True):
    """Where a table's settings came from.

    Attributes:
        file: The settings file, which may be missing.
        overrides: Values of the command line, which win over the file: section -> key -> value.
    """

    file: Path
    overrides: dict[str, dict[str, Any]] = {}


class LeftOut(msgspec.Struct, frozen=True):
    """A setting that the table does not use.

    Attributes:
        section: The setting's section; empty when the whole file is unreadable.
        key: The setting's key; empty when the whole section is wrong.
        why: One sentence: the value, what is wrong with it, and what to do.
    """

    section: str
    key: str
    why: str


def default_file() -> Path:
    """Return the path of the settings file that is used when none is named. It may not exist."""
    return platformdirs.user_config_path("pegpip") / "pegpip.toml"


def load(file: Path | None, overrides: dict[str, dict[str, Any]]) -> Settings:
    """Return the settings: each from the command line's `overrides`, else from the file, else its default.

    `file` None means the default file, if there is one. `overrides` are section -> key -> value. Raises SetupError with
    all problems if a named file is missing, the file is unreadable, or settings are wrong.
    """
    return validated(_read(file), overrides)


def load_what_works(origin: Origin, spare: Settings) -> tuple[Settings, tuple[LeftOut, ...]]:
    """Return the settings, each from `origin`'s overrides, else its file, else its default. Wrong values are replaced.

    The value of `spare` replaces a wrong one, even of an override. A missing file counts as an empty one, an unreadable
    one as a file with the values of `spare`. Also returns each wrong or unknown setting with the reason, and one entry
    without names for an unreadable file.
    """
    unreadable: tuple[LeftOut, ...] = ()
    try:
        tree = _read(origin.file, optional=True)
    except SetupError as wrong:
        tree, unreadable = msgspec.to_builtins(spare), (LeftOut("", "", str(wrong)),)
    settings, wrong_values = converted(tree, spare, origin.overrides)
    return settings, (*unreadable, *wrong_values)


def validated(tree: dict[str, Any], overrides: dict[str, dict[str, Any]] | None = None) -> Settings:
    """Return parsed TOML, section -> key -> value, as settings; `overrides` win. Raises SetupError with every problem.

    >>> validated({"web": {"port": 8080}}).web.port
    8080
    >>> validated({"web": {"prot": 8080}})
    Traceback (most recent call last):
    companion.errors.SetupError: [web] has no key `prot`; did you mean 'port'?
    """
    settings, wrong = converted(tree, Settings(), overrides or {})
    if wrong:
        raise SetupError([each.why for each in wrong])
    return settings


def converted(
    tree: dict[str, Any], spare: Settings, overrides: dict[str, dict[str, Any]]
) -> tuple[Settings, tuple[LeftOut, ...]]:
    """Return parsed TOML, section -> key -> value, as settings, and each wrong or unknown setting or section.

    `overrides`, of the same form, win over the tree. A wrong value is replaced by that of `spare`, as are all values of
    a section that is not a table in the tree. Missing settings get their defaults.
    """
    sections, wrong, built = get_type_hints(Settings), list[LeftOut](), dict[str, Any]()
    for name in {**tree, **overrides}:
        if name not in sections:
            wrong.append(LeftOut(name, "", f"There is no section [{name}]{nearest(name, sections)}"))
            continue
        known, good, values = sections[name].__struct_fields__, dict[str, Any](), tree.get(name, {})
        if not isinstance(values, dict):
            wrong.append(LeftOut(name, "", f"[{name}] is a section with keys of its own, not a value."))
            good, values = {key: getattr(getattr(spare, name), key) for key in known}, {}
        for key, value in {**values, **overrides.get(name, {})}.items():
            try:
                if key not in known:
                    raise SetupError([f"[{name}] has no key `{key}`{nearest(key, known)}"])
                good[key] = value_of(name, key, value)
            except SetupError as why:
                wrong.append(LeftOut(name, key, str(why)))
                if key in known:
                    good[key] = getattr(getattr(spare, name), key)
        built[name] = sections[name](**good)
    return Settings(**built), tuple(wrong)


def value_of(section: str, key: str, value: object) -> Any:
    """Check the value of one setting, and return it as its declared type; text is not read as a number.

    `section` and `key` must exist: check that before. Raises SetupError if the value does not fit its type or bounds,
    or if a text is too long or has characters that are not allowed. A secret is not quoted in the message.
    """
    quoted = ascii(value)
    shown = "" if is_secret(section, key) else f" = {quoted[:MAX_SHOWN]}{'...' * (len(quoted) > MAX_SHOWN)}"
    try:
        good = msgspec.convert(value, get_type_hints(get_type_hints(Settings)[section], include_extras=True)[key])
    except msgspec.ValidationError as wrong:
        raise SetupError([f"[{section}] `{key}`{shown}: {str(wrong).rstrip('.')}."]) from None
    for text in _texts(good):
        if len(text) > MAX_TEXT:
            raise SetupError([f"[{section}] `{key}`{shown}: it is longer than {MAX_TEXT} characters. Shorten it."])
        if what := flaw(text):
            raise SetupError([f"[{section}] `{key}`{shown}: it {what}. Write it without."])
    return good


def is_secret(section: str, key: str) -> bool:
    """Return whether a setting's value is kept out of messages: a password, or a setting that may hold one.

    The webhook's URL and the shutdown command, whose arguments may hold a password, count too.

    >>> is_secret("mqtt", "password"), is_secret("mqtt", "host")
    (True, False)
    """
    return key.endswith("password") or (section, key) in {("webhook", "url"), ("buttons", "shutdown_command")}


def marks(section: str, key: str) -> dict[str, Any]:
    """Return the extra metadata of a setting's declaration, such as `page` (docs/how-to/add-a-setting.md)."""
    kinds = get_type_hints(get_type_hints(Settings)[section], include_extras=True)
    about = msgspec.inspect.type_info(kinds[key])
    return about.extra or {} if isinstance(about, msgspec.inspect.Metadata) else {}


def _texts(value: object) -> Iterator[str]:
    """Yield each string in a value: the value itself, or the strings in a tuple and in tuples nested in it.

    Other values yield nothing.
    """
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from _texts(each)


def _read(file: Path | None, *, optional: bool = False) -> dict[str, Any]:
    """Return the parsed TOML of a settings file; empty if the default file (None) or an optional one is missing.

    Raises SetupError if any other file is missing, or if the file can't be read or is not TOML.
    """
    path = file or default_file()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))  # Windows may put a byte order mark first
    except OSError as wrong:
        if isinstance(wrong, FileNotFoundError | NotADirectoryError) and (optional or file is None):
            return {}
        raise SetupError([f"Settings file {path}: {wrong.strerror}. Name another with --config FILE."]) from None
    except (ValueError, RecursionError) as wrong:  # no TOML or UTF-8, a huge number, or deep nesting
        raise SetupError([f"Settings file {path}: not TOML: {wrong}."]) from None

"""Settings: one TOML file, validated whole. Everything that is wrong is told at once, with the nearest known key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import platformdirs

from companion.errors import SetupError, nearest
from companion.table.settings import DataSettings, TableSettings
from hardware.settings import ButtonSettings, SoundSettings, StripSettings, TrackSettings
from vision.settings import CameraSettings
from web.serving.settings import WebSettings


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that can be set, a section for each part, which declares it; each default works without hardware."""

    table: TableSettings = TableSettings()
    camera: CameraSettings = CameraSettings()
    strip: StripSettings = StripSettings()
    track: TrackSettings = TrackSettings()
    buttons: ButtonSettings = ButtonSettings()
    sound: SoundSettings = SoundSettings()
    web: WebSettings = WebSettings()
    data: DataSettings = DataSettings()


class Origin(msgspec.Struct, frozen=True):
    """Where a table's settings came from.

    Attributes:
        file: The settings file; it need not be there.
        overrides: What the command line said over it: section -> key -> value.
    """

    file: Path
    overrides: dict[str, dict[str, Any]] = {}


def default_file() -> Path:
    """Where settings are looked for when no file is named."""
    return platformdirs.user_config_path("pegpip") / "pegpip.toml"


def load(file: Path | None, overrides: dict[str, dict[str, Any]]) -> Settings:
    """Settings from a file (or the default file, where there is one), with the command line's values over them.

    Args:
        file: The file that was named, or None.
        overrides: section -> key -> value; they win over the file.

    Raises:
        SetupError: With every problem there is.
    """
    tree = _read(file)
    for section, values in overrides.items():
        known = tree.setdefault(section, {})
        if isinstance(known, dict):
            known.update(values)
    return validated(tree)


def _read(file: Path | None) -> dict[str, Any]:
    path = file or default_file()
    if file is None and not path.exists():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise SetupError([f"Settings file {path}: {wrong.strerror}. Name another with --config FILE."]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as wrong:
        raise SetupError([f"Settings file {path}: not TOML: {wrong}."]) from None


def validated(tree: dict[str, Any]) -> Settings:
    """Settings from sections of keys and values. Raises SetupError with every problem there is.

    >>> validated({"web": {"port": 8080}}).web.port
    8080
    >>> validated({"web": {"prot": 8080}})
    Traceback (most recent call last):
    companion.errors.SetupError: [web] has no key `prot`; did you mean 'port'?
    """
    problems: list[str] = []
    sections = get_type_hints(Settings)
    built: dict[str, Any] = {}
    for name, values in tree.items():
        if name not in sections:
            problems.append(f"There is no section [{name}]{nearest(name, sections)}")
        elif not isinstance(values, dict):
            problems.append(f"[{name}] is a section with keys of its own, not a value.")
        else:
            built[name] = _section(name, sections[name], values, problems)
    if problems:
        raise SetupError(problems)
    return Settings(**built)


def _section(name: str, kind: type, values: dict[str, Any], problems: list[str]) -> Any:
    hints = get_type_hints(kind, include_extras=True)
    good: dict[str, Any] = {}
    for key, value in values.items():
        if key not in hints:
            problems.append(f"[{name}] has no key `{key}`{nearest(key, hints)}")
            continue
        try:
            good[key] = msgspec.convert(value, hints[key])
        except msgspec.ValidationError as wrong:
            shown = "" if key.endswith("password") else f" = {value!r}"
            problems.append(f"[{name}] `{key}`{shown}: {str(wrong).rstrip('.')}.")
    return kind(**good)

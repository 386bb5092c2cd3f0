"""Write docs/reference/settings.md from the declarations of the settings: `make settings-page`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import tomlkit

from companion.settings.load import Settings
from hardware.strips.opening import STRIPS
from vision.cameras.opening import CAMERAS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "settings.md"
HEAD = """\
# Settings

One TOML file holds all settings: `/var/lib/pegpip/pegpip.toml` of an installed table, else the file that `--config`
names, else `~/.config/pegpip/pegpip.toml` (on Linux). Every key has a default. This page is written from the
declarations by `make settings-page`.

*Changed* says how a setting is changed:

- **page, live**: on the settings page; a running table takes it.
- **page, PIN**: on the settings page, with the PIN typed again; a running table takes it.
- **page, next start**: on the settings page; it counts from the next start.
- **file**: in the file alone; it counts from the next start.

See also [how to add a setting](../how-to/add-a-setting.md).
"""
CHANGED = {"live": "page, live", "start": "page, next start", "pin": "page, PIN", None: "file"}
BOUNDS = {"ge": "at least {:,}", "gt": "above {:,}", "le": "at most {:,}"}
LENGTHS = {"min_length": "at least {} characters", "max_length": "at most {} characters"}


def page() -> str:
    """Return the whole page as Markdown."""
    return "\n".join([HEAD, *(section(name, kind) for name, kind in get_type_hints(Settings).items())])


def section(name: str, kind: type[msgspec.Struct]) -> str:
    """Return one section of the settings: a heading, its purpose, and a table with a row for each key."""
    told = meanings(kind)
    purpose = (kind.__doc__ or "").partition("\n")[0]
    rows = [row(field, told[field.name]) for field in msgspec.structs.fields(kind)]
    head = "| key | default | allowed | changed | meaning |\n|---|---|---|---|---|"
    return f"## [{name}]\n\n{purpose}\n\n{head}\n" + "\n".join(rows) + "\n" + backends(name)


def backends(name: str) -> str:
    """Return the table of the cameras or strips that a section chooses from; empty for other sections."""
    match name:
        case "camera":
            key, found = "source", [(each, kind.argument, kind.summary) for each, kind in CAMERAS.items()]
        case "strip":
            key, found = "kind", [(each, kind.argument, kind.summary) for each, kind in STRIPS.items()]
        case _:
            return ""
    lines = [
        f"| `{each}:{argument}` | {what} |" if argument else f"| `{each}` | {what} |" for each, argument, what in found
    ]
    return f"\n| `{key}` | what it is |\n|---|---|\n" + "\n".join(lines) + "\n"


def meanings(kind: type) -> dict[str, str]:
    """Return the sentence about each key, from the docstrings of the struct and of those it is derived from."""
    told: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        attributes = (each.__doc__ or "").partition("Attributes:\n")[2]
        found = re.findall(r"^ +(\w+): (.+(?:\n {12,}.+)*)", attributes, re.MULTILINE)
        told |= {key: re.sub(r"\s+", " ", text) for key, text in found}
    return told


def row(field: msgspec.structs.FieldInfo, meaning: str) -> str:
    """Return the table row of one key."""
    kind, limits, extra = unwrapped(field.type)
    default, changed = as_toml(field.default), CHANGED[extra.get("page")]
    words = ", ".join(f"`{as_toml(each)}`" for each in extra.get("choices", ())) or allowed(kind, limits)
    return f"| `{field.name}` | `{default}` | {words} | {changed} | {meaning} |"


def unwrapped(kind: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return a declared type without its annotations, their bounds, and what says how it is changed."""
    limits: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    while getattr(kind, "__metadata__", None):
        for meta in kind.__metadata__:
            limits |= {name: value for name in BOUNDS | LENGTHS if (value := getattr(meta, name)) is not None}
            extra |= meta.extra or {}
        kind = kind.__origin__
    return kind, limits, extra


def allowed(kind: Any, limits: dict[str, Any]) -> str:
    """Return what a value may be, in words."""
    if get_origin(kind) is Literal:
        return ", ".join(f"`{as_toml(value)}`" for value in get_args(kind))
    if get_origin(kind) is tuple:
        inner, inner_limits, _ = unwrapped(get_args(kind)[0])
        count = "" if Ellipsis in get_args(kind) else f" {len(get_args(kind))}"
        return f"list of{count}: {allowed(inner, inner_limits)}"
    if type(None) in get_args(kind):
        inner, inner_limits, _ = unwrapped(next(each for each in get_args(kind) if each is not type(None)))
        return f"{allowed(inner, inner_limits)}; or left out"
    name = {int: "whole number", float: "number", str: "text", bool: "`true` or `false`"}[kind]
    if limits.keys() == {"ge", "le"}:
        return f"{name}, {as_number(limits['ge'])} to {as_number(limits['le'])}"
    if limits.keys() == {"min_length", "max_length"}:
        return f"{name}, {limits['min_length']} to {limits['max_length']} characters"
    return ", ".join([name, *(text.format(limits[key]) for key, text in (BOUNDS | LENGTHS).items() if key in limits)])


def as_number(bound: float) -> str:
    """Return a bound with its thousands set off."""
    return f"{int(bound):,}" if bound == int(bound) else f"{bound:g}"


def as_toml(value: object) -> str:
    """Return a value as the file writes it; a number is rounded to six digits."""
    if value is None:
        return "(left out)"
    if isinstance(value, float):
        return f"{value:g}"
    return str(tomlkit.item(list(value) if isinstance(value, tuple) else value).as_string())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

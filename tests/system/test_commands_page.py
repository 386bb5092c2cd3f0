"""The page of commands (docs/reference/commands-and-http.md) lists every command of `pegpip` with all its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from companion.cli import pegpip

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "commands-and-http.md"


def leaves(command: click.Command, name: str = "") -> Iterator[tuple[str, list[click.Option]]]:
    """Yield name and options of each command below one."""
    if not isinstance(command, click.Group):
        yield name, [each for each in command.params if isinstance(each, click.Option)]
        return
    context = click.Context(command)
    for each in command.list_commands(context):
        found = command.get_command(context, each)
        assert found is not None
        yield from leaves(found, f"{name} {each}".strip())


def test_the_command_reference_lists_every_command_with_all_its_options() -> None:
    rows = re.findall(r"^\| `([a-z -]+)` \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    told = {name: set(re.findall(r"`(--[\w-]+)`", options)) for name, options in rows}
    assert told == {name: {each.opts[-1] for each in options} for name, options in leaves(pegpip)}


def test_every_option_of_every_command_has_a_help_text() -> None:
    assert [(name, each.opts) for name, options in leaves(pegpip) for each in options if not each.help] == []


def test_every_option_in_a_usage_line_of_the_command_reference_exists() -> None:
    known = {name: {each.opts[-1] for each in options} for name, options in leaves(pegpip)}
    usages = re.findall(r"`pegpip ([^`]+)`", PAGE.read_text(encoding="utf-8"))
    assert usages
    for usage in usages:
        (name,) = [each for each in known if re.match(rf"{each}\b(?!-)", usage)] or [""]
        assert set(re.findall(r"(--[\w-]+)", usage)) <= known.get(name, set()), usage

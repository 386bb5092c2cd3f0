"""`pegpip export`: a whole table as one file."""

from __future__ import annotations

import importlib.metadata
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from companion.commands import CONFIG
from companion.errors import DeviceError, counted
from companion.settings.load import default_file
from companion.settings.starting import in_use


@click.command()
@click.option("--data", "data_folder", metavar="DIR", help="The table's data folder.")
@CONFIG
@click.option("--replace", is_flag=True, help="Replace FILE if it exists.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
def command(file: Path, data_folder: str | None, settings_file: Path | None, replace: bool, as_json: bool) -> int:
    """Export a table's journal, photos, calibration and settings to FILE, a zip that only its owner can read.

    The table may be playing. An existing FILE is refused without --replace. `pegpip import FILE` restores the table,
    here or on another machine. Paired phones are left out and have to pair again. With wrong settings FILE is still
    written if the table once started with good ones; an import refuses the wrong ones, and the exit status is 1.
    """
    from companion.backup.export import write_archive

    starting = in_use(settings_file, {"data": {"dir": data_folder}} if data_folder else {})
    if file.exists() and not (replace and file.is_file()):  # a device would be replaced, too
        raise DeviceError(f"{file} exists.", f"Name another file{'' if replace else ', or add --replace'}.")
    if not file.absolute().parent.is_dir():
        raise DeviceError(f"There is no folder {file.absolute().parent}.", "Make it, or name another place.")
    used = settings_file or default_file()
    made = f"{datetime.now().astimezone():%Y-%m-%d %H:%M %z}"
    version = importlib.metadata.version("peg-and-pip")
    kept = used if used.exists() else None  # the folder's owner may not look into root's home
    manifest = write_archive(starting.settings.data.folder, kept, file.absolute(), version=version, made=made)
    click.echo(json.dumps(manifest) if as_json else f"{file}: {in_words(manifest)}.")
    if manifest["foreign"] and not as_json:
        click.echo(f"Left out, no files of a table: {', '.join(map(ascii, manifest['foreign']))}.")
    for each in starting.left_out:
        click.echo(f"pegpip: correct this, or an import will refuse it: {each.why}", err=True)
    return int(bool(starting.left_out))


def in_words(manifest: dict[str, Any]) -> str:
    """Return an archive's content as text without a full stop: entries, photos, settings, unpacked size in MB."""
    names = [one["name"] for one in manifest["files"]]
    photos = sum(name.startswith("data/photos/") for name in names)
    size_mb = sum(one["bytes"] for one in manifest["files"]) / 1_000_000
    with_settings = "settings" if "settings.toml" in names else "no settings file"
    entries = counted(manifest["entries"], "entry", "entries")
    return f"{entries} of the journal, {counted(photos, 'photo')}, {with_settings}; {size_mb:.1f} MB"

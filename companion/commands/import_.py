"""`pegpip import`: restores an exported table."""

from __future__ import annotations

import json
from pathlib import Path

import click

from companion.commands import FILE
from companion.commands.export import in_words
from companion.errors import SetupError
from companion.settings import load as config
from companion.table.settings import DataSettings


@click.command()
@click.option("--data", "data_folder", metavar="DIR", help="The table's data folder.")
@click.option("--config", "settings_file", type=FILE, metavar="FILE", help="The settings file to write.")
@click.option("--replace", is_flag=True, help="Put older data aside; nothing is deleted.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
@click.argument("file", type=FILE, metavar="FILE")
def command(file: Path, data_folder: str | None, settings_file: Path | None, replace: bool, as_json: bool) -> int:
    """Restore the table that `pegpip export` wrote to FILE. Stop a running table first.

    Everything is checked before anything changes. An import over older data or settings is an error without
    --replace. With it, older data goes to a folder `replaced-N`, and an older settings file is renamed. Imported
    settings that run a program are commented out. If root imports, the files still belong to the data folder's
    owner.
    """
    from companion.backup.restore import read_archive

    settings_to = settings_file or config.default_file()
    before, wrong = config.load_what_works(config.Origin(settings_to), config.Settings())
    unclear = [each.why for each in wrong if each.section in ("", "data")]
    if unclear and not data_folder:
        raise SetupError([f"{settings_to}: {' '.join(unclear)} Name the data folder with --data."])
    folder = DataSettings(data_folder).folder if data_folder else before.data.folder
    manifest = read_archive(file, folder, settings_to, replace=replace)
    aside = manifest["aside"]
    if as_json:
        click.echo(json.dumps({**manifest, "aside": str(aside) if aside else None}))
        return 0
    click.echo(f"{folder}: {in_words(manifest)}.")
    if manifest["left_out"]:
        keys = ", ".join(f"[buttons] {key}" for key in manifest["left_out"])
        click.echo(f"Commented out, because they run a program: {keys}. See {settings_to}.")
    if aside is not None:
        click.echo(f"Older data is in {aside}.")
    if manifest["earlier"]:
        click.echo(f"The import before was cut off: look for older data in {', '.join(manifest['earlier'])}, too.")
    used, _ = config.load_what_works(config.Origin(settings_to), config.Settings())
    if settings_to.exists() and used.data.folder.resolve() != folder.resolve():
        click.echo(f"The settings name another data folder: play with --data {folder}, or correct {settings_to}.")
    return 0

"""`pegpip update`: a new release from a file, and back by itself when it isn't well."""

from __future__ import annotations

import os
from pathlib import Path

import click

from companion.appliance.machine import Machine
from companion.appliance.releases import Releases
from companion.appliance.trial import SETTINGS, page_of
from companion.appliance.update import Systemd, Updater, opened
from companion.errors import DeviceError


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--config", "settings", type=click.Path(path_type=Path), metavar="TOML", help=f"Default: {SETTINGS}.")
def command(file: Path, settings: Path | None) -> None:
    """Let the table's service run the release in FILE: a .deb or a wheel, as from a USB stick.

    The new release is made beside the running one, without the Internet; then the service starts anew. If the table is
    not well with it in two minutes, the release before it runs again, with the same game; a plug that is pulled in the
    meantime changes nothing of that.
    """
    machine = Machine()
    releases = Releases(machine)
    if releases.current() is None:
        raise DeviceError("No table is installed here.", "`sudo ./install.sh` or the .deb does that.")
    if os.geteuid() != 0:
        raise DeviceError("Only root may replace the release.", f"Run `sudo pegpip update {file}`.")
    updater = Updater(releases, Systemd(machine, page_of(settings or Path(SETTINGS))), click.echo)
    with opened(file) as source:
        name = updater.update(source)
    click.echo(f"The table runs the release {name}.")

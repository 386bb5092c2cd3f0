"""`pegpip update`: installs a signed release from a file; the table goes back by itself when it is not well."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

import click

from companion.appliance.machine import Machine
from companion.appliance.releases import Releases
from companion.appliance.trial import SETTINGS, entry_of, page_of
from companion.appliance.update import Updater, opened, restart_service
from companion.commands import FILE
from companion.errors import DeviceError


@click.command()
@click.argument("file", type=FILE)
@click.option("--config", "settings_file", type=FILE, metavar="TOML", help=f"Default: {SETTINGS}.")
@click.option("--unsigned", is_flag=True, help="Take a file without a signature; only on a terminal, after a question.")
def command(file: Path, settings_file: Path | None, unsigned: bool) -> None:
    """Make the table's service run the release in FILE: a .deb or a wheel, for instance on a USB stick.

    An installed table and root's rights are needed. The signature, FILE.sig, must lie beside FILE. It is checked before
    anything is unpacked. --unsigned skips the check, but a person at a terminal must agree. A release older than the
    running one is refused. The new release is made beside the running one, without the Internet; then the service
    restarts. If the table is not healthy after two minutes, the previous release runs again and the game goes on. This
    fallback also works after a power cut.
    """
    machine = Machine()
    releases = Releases(machine)
    if releases.current() is None:
        raise DeviceError("No table is installed here.", "Install one with `sudo ./install.sh` or the .deb.")
    if os.geteuid() != 0:
        raise DeviceError("Only root may replace the release.", f"Run `sudo pegpip update {file}`.")
    if unsigned:
        if not sys.stdin.isatty():
            raise DeviceError("--unsigned needs a person at a terminal.", "Run it there, or use a signed release.")
        click.confirm(f"{file.name} is not signed: its maker would get control of this table. Go on?", abort=True)
    os.umask(0o022)  # the service must be able to read the release, whatever root's own umask is
    settings = settings_file or machine.at(SETTINGS)
    updater = Updater(releases, partial(restart_service, machine), lambda: entry_of(page_of(settings)), click.echo)
    with opened(file, releases, unsigned=unsigned) as source:
        name = updater.update(source)
    click.echo(f"The table runs the release {name}.")

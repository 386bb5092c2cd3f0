"""`pegpip join`: the QR codes that lead phones to the table, on this terminal."""

from __future__ import annotations

from pathlib import Path

import click
import segno

from companion.settings import load as config
from web.pages import Addresses


@click.command()
@click.option("--config", "file", type=click.Path(path_type=Path), metavar="FILE", help="Settings (TOML).")
def command(file: Path | None) -> None:
    """Draw the QR codes that lead phones to this machine's table: its Wi-Fi, if there is one to join, and the page."""
    from companion.service.site import addresses_of

    settings = config.load(file, {}).web
    addresses = addresses_of(settings, settings.port)
    draw(addresses, addresses.page)
    if addresses.wifi:
        click.echo(f"Wi-Fi: {settings.wifi}, password: {settings.wifi_password or 'none'}")
    click.echo(f"page: {addresses.page}")


def draw(addresses: Addresses, page: str) -> None:
    """Draw the code of the Wi-Fi, where there is one to join, and then that of a page."""
    if addresses.wifi:
        click.echo("1. Scan it to join the table's Wi-Fi:")
        segno.make(addresses.wifi).terminal(compact=True)
        click.echo("2. Then scan this one:")
    segno.make(page).terminal(compact=True)

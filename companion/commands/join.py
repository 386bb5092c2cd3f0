"""`pegpip join`: draws the QR codes for phones on this terminal."""

from __future__ import annotations

import contextlib
from http.client import HTTPException
from pathlib import Path
from typing import Any

import click
import segno

from companion.commands import CONFIG
from companion.service.addresses import json_here, local_page, served_port
from companion.settings.starting import in_use
from web.pages import Addresses, owner_url


@click.command()
@CONFIG
def command(settings_file: Path | None) -> None:
    """Draw QR codes on this terminal: one joins the table's Wi-Fi, if it has one; one opens the table's page.

    The Wi-Fi's password, the page's address and a running table's PIN are printed, too. While a running table has no
    host, scanning the page's code makes a phone the host. If no phone can open the page, no codes are drawn.
    """
    from companion.service.site import addresses_of

    used = in_use(settings_file).settings
    settings = used.web
    port = served_port(used.data.folder) or settings.port
    addresses = addresses_of(settings, port)
    codes = codes_of(local_page(settings.host, port))
    draw(addresses, codes.get("first"))
    if addresses.wifi:
        click.echo(f"Wi-Fi: {settings.wifi}, password: {settings.wifi_password or 'none'}")
    click.echo(f"page: {addresses.page}")
    if codes:
        click.echo(f"PIN: {codes['pin']}")
    else:
        click.echo(f"No table tells its PIN on port {port} of this machine. Start it with `pegpip play`.")


def codes_of(page: str) -> dict[str, Any]:
    """Return a dict with the pairing codes of the table on this machine: `pin` and `first`.

    A phone pairs with `pin`; `first` is the code that makes a phone the owner. `first` is None if the table has an
    owner, or its file of paired phones is damaged. The dict is empty if no table answers in time (`json_here`). `page`
    is the URL of the table's page, with a slash at the end.
    """
    with contextlib.suppress(OSError, ValueError, HTTPException):  # nothing listens, or something else does
        codes = json_here(f"{page}api/pair/codes")
        if isinstance(codes, dict) and "pin" in codes:
            return codes
    return {}


def draw(addresses: Addresses, owner_code: str | None) -> None:
    """Print the QR code of the table's Wi-Fi, if it has one, then the QR code of the table's page.

    With `owner_code` the page's QR code makes the phone that scans it the host. If only this machine can open the page,
    print only what to change.
    """
    if addresses.only_here:
        click.echo('No phone can open this page. Set [web] host = "0.0.0.0", and connect the table to a network.')
        return
    host = owner_url(addresses.page, owner_code)
    if addresses.wifi:
        click.echo("1. Scan it to join the table's Wi-Fi:")
        segno.make(addresses.wifi).terminal(compact=True)
        click.echo("2. Then scan this one:")
    segno.make(host or addresses.page).terminal(compact=True)
    if host:
        click.echo("Scan it to host the table with your phone. Everyone else opens the page.")

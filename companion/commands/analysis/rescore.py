"""`pegpip rescore`: reads stored throws again with today's reader."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands import FILE, tracked
from companion.errors import DeviceError, counted
from companion.settings import load as config

if TYPE_CHECKING:
    from companion.evidence.rescoring import Rescored

MONTH = click.DateTime(["%Y-%m"])
"""Form of a month on the command line."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object a throw, then one with the sums.")
@click.option("--data", metavar="DIR", type=click.Path(exists=True, file_okay=False), help="The data folder.")
@click.option("--since", metavar="MONTH", type=MONTH, help="Only games from that month on, as 2026-11.")
@click.option("--set", "dice", metavar="NAME", help="Only games with that set of dice; '' for the usual one.")
@click.option("--html", "html_folder", metavar="DIR", type=FILE, help="Folder for a page of what differs.")
@click.option("--export", "export_file", metavar="FILE", type=FILE, help="Write the throws to a zip instead.")
def command(
    as_json: bool,
    data: str | None,
    since: datetime | None,
    dice: str | None,
    html_folder: Path | None,
    export_file: Path | None,
) -> int:
    """Read stored throws again; compare the result with the table's reading and the values that count in the game.

    --since (month) and --set (set of dice) choose the games, --html writes a page of what differs. A false accept
    is a trusted reading whose values are not those that count. The upper bound of the false accept rate holds with
    95 % confidence, if people corrected every wrong reading.

    --export reads nothing again, but writes the throws to an anonymous zip: no names, no times, only the tray.
    Throws without a calibration, or with a set-aside die of unknown value, are left out. It can't be combined with
    --html.

    Exit status 1 if there is no throw to read or export. A throw whose stored pictures and reading can't be used is
    reported, and the exit status is 1, too.
    """
    from companion.evidence import contact_sheet, rescoring, sharing  # OpenCV takes a third of a second
    from companion.evidence.folder import PackageFolder
    from companion.history.export import PastGames
    from vision.networks import load_networks

    if export_file is not None and html_folder is not None:
        raise click.UsageError("--export writes the throws without reading them again: leave --html out.")
    folder = config.load(None, {"data": {"dir": data}} if data else {}).data.folder
    refused = list[str]()
    packages = len(PackageFolder(folder, 0).files())
    if not packages:
        raise DeviceError(f"No throw in {folder} has a package.", "Name a table's folder with --data, or play first.")
    PastGames(folder).check_set(dice)
    throws = rescoring.stored_throws(folder, f"{since:%Y-%m}" if since else None, dice, refused.append)
    with tracked(throws, packages, "reading again") as stored:
        if export_file is not None:
            try:
                count = sharing.write_export(stored, export_file)
            except DeviceError:
                _report(refused)
                raise
            said = {"export": str(export_file), "throws": count, "refused": refused}
            click.echo(json.dumps(said) if as_json else f"{counted(count, 'throw is', 'throws are')} in {export_file}.")
            return _report(refused)
        done = list[rescoring.Rescored]()
        for each in rescoring.rescored(stored, load_networks(), refused.append):
            done.append(each)
            if as_json:
                click.echo(json.dumps(each.record()))
    found = rescoring.summary(done, refused)
    if not done and not refused:
        raise DeviceError(f"None of the {packages} throws kept in {folder} is wanted.", "Change --since or --set.")
    click.echo(json.dumps(found) if as_json else in_words(found, done))
    if html_folder is not None:
        page = contact_sheet.write_sheet(html_folder, done, found)
        click.echo(f"{page}", err=True)
    return _report(refused)


def in_words(found: dict[str, Any], throws: Iterable[Rescored]) -> str:
    """Return the counts of `rescoring.summary` as text, and a line for each throw that is now read differently.

    A line has the values and the doubt at the table and now, and the values that count in the game.
    """
    doubts = ", ".join(f"{count} {code}" for code, count in found["doubts"].items()) or "none"
    most = f"With 95 % confidence at most {found['false_accepts_at_most']:.2%} of the trusted ones are."
    rows = [
        f"{counted(found['throws'], 'throw')}: {found['exact']} as they stand, {found['trusted']} trusted.",
        f"Wrong while trusted: {found['false_accepts']}. {most}",
        f"Trusted with an impossible number of dice, so the table asked: {found['caught']}.",
        f"In doubt: {doubts}. Read otherwise than at the table: {found['changed']}.",
    ]
    for each in throws:
        if each.changed:
            was, now = each.throw.at_table, each.now
            rows.append(
                f"  throw {each.throw.camera_throw.throw}: was {list(was.values)}, {was.doubt or 'trusted'}; "
                f"is {list(now.values)}, {now.doubt or 'trusted'}; stands as {list(each.throw.camera_throw.values)}"
            )
    return "\n".join(rows)


def _report(refused: list[str]) -> int:
    """Print why each refused package can't be used, on standard error; return exit status 1 if there is any, else 0."""
    for reason in refused:
        click.echo(f"pegpip: {reason}", err=True)
    return int(bool(refused))

"""`pegpip doctor`: checks every part, and says what is wrong and what to do."""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from companion.commands import CONFIG, CTRL_C, FILE
from companion.errors import explained
from companion.settings.starting import Starting, in_use

if TYPE_CHECKING:
    from companion.diagnostics.health import Finding


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each check.")
@click.option(
    "--bundle",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="ZIP",
    help="Also write a zip for a bug report.",
)
@click.option("--photos", is_flag=True, help="With --bundle: add the newest photos of throws.")
@click.option("--first-evening", is_flag=True, help="Guide a person through a new table; ends in a page and a zip.")
@click.option(
    "--throws",
    type=click.IntRange(1, 10_000),
    help="With --first-evening: number of throws. [default: 100]",
)
@click.option("--yes", is_flag=True, help="With --first-evening: answer yes to everything, as a demonstration.")
@click.option("--out", type=FILE, metavar="DIR", help="With --first-evening: folder of the report.")
@click.option("--camera", help="Check this camera instead of the settings' one.")
@click.option("--strip", help="Check this strip instead of the settings' one.")
@CONFIG
def command(
    settings_file: Path | None, as_json: bool, bundle: Path | None, photos: bool, first_evening: bool,
    throws: int | None, yes: bool, out: Path | None, camera: str | None, strip: str | None,
) -> int:  # fmt: skip
    """Check every part of the table, and say what is wrong and what to do.

    Stop a running table first: its camera, strip and buttons are opened. Exit status 1 when something is wrong.

    `pegpip doctor --bundle report.zip` also writes a zip for a bug report: settings without passwords, the last game,
    the log; with --photos also the newest photos of throws.

    `pegpip doctor --first-evening` guides a person through a new table for about twenty minutes, part by part. At the
    end, also after Ctrl-C, it writes a page and a zip into the folder --out, by default `first-evening` in the data
    folder. --throws is the number of throws; --yes answers yes to everything, as a demonstration.
    """
    from companion.diagnostics.bundle import write
    from companion.diagnostics.doctor import checks

    if first_evening and (as_json or bundle or photos):
        raise click.UsageError(
            "--first-evening writes its own zip, into --out: leave --bundle, --photos and --json out."
        )
    if (photos and bundle is None) or ((throws or yes or out is not None) and not first_evening):
        raise click.UsageError("--photos goes with --bundle; --throws, --yes and --out go with --first-evening.")
    given = {"camera": {"source": camera} if camera else {}, "strip": {"kind": strip} if strip else {}}
    starting = in_use(settings_file, given)
    settings = starting.settings
    if first_evening:
        return _hold(starting, throws or 100, yes=yes, out=out or settings.data.folder / "first-evening")
    found = []
    for check in checks(settings, starting.left_out):
        found.append(check)
        click.echo(json.dumps(asdict(check)) if as_json else _line(check))
    ill = sum(not check.ok for check in found)
    if not as_json:
        click.echo("All is well." if not ill else f"{ill} to see to.")
    if bundle is not None:
        with explained(f"{bundle} can't be written", "Name another file."):
            names = write(bundle, settings, found, photos=photos)
        click.echo(f"{bundle}: {', '.join(names)}. Read it before you send it.", err=True)
    return 1 if ill else 0


def _hold(starting: Starting, throws: int, *, yes: bool, out: Path) -> int:
    """Guide a person through the first-evening check, and write the report to the folder `out`.

    The report, a page and a zip, is also written after an error. `throws` is the number of throws to make. With `yes` a
    stand-in answers yes to every question.

    Return the exit status: 0, 1 if a finding failed, or 130 after Ctrl-C. Raises DeviceError if `out` can't be written,
    which is tested before the first step, too.
    """
    from rich.console import Console

    from companion.diagnostics.doctor import checks
    from companion.diagnostics.first_evening.evening import Evening
    from companion.diagnostics.first_evening.holding import Screen, hold, phones_joined, prepare, write
    from companion.diagnostics.first_evening.people import Agreeable, TerminalPerson

    prepare(out)
    screen = Screen(Console())
    person = Agreeable() if yes else TerminalPerson(screen.quiet)
    made = partial(checks, left_out=starting.left_out)
    evening = Evening(starting.settings, person, made, throws, clients=phones_joined, pause=time.sleep)
    try:
        hold(evening, screen)
    finally:  # a fault of ours must not lose what twenty minutes have found
        page, packed = write(evening, out, datetime.now().astimezone())
    ill = len(evening.ill())
    ended = "Stopped early. " if evening.stopped else ""
    well = "Everything that was checked is well." if evening.findings else "Nothing was checked."
    click.echo(ended + (f"{ill} to see to." if ill else well))
    click.echo(f"Look at {page}. If you need help, send {packed}.")
    return CTRL_C if evening.stopped else 1 if ill else 0


def _line(check: Finding) -> str:
    """Format a finding as text for people: part, mark, sentence, and the cure on a line of its own."""
    mark = "ill" if not check.ok else "simulated" if check.simulated else "ok"
    cure = f"\n{'':24}-> {check.cure}" if check.cure else ""
    return f"{check.part:12}{mark:12}{check.says}{cure}"

"""`pegpip bench`: measure speed and accuracy on this machine."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import click

from companion.commands import FILE
from companion.errors import SetupError, counted

PARTS = ("rules", "advice", "vision", "leds")
"""Modules of `companion.bench`, in the order of measuring."""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--only", "only_part", type=click.Choice(PARTS), help="Measure one part only.")
@click.option("--image", type=FILE, metavar="FILE", help="Time the reading of this picture.")
@click.option(
    "--calibration", type=FILE, metavar="FILE", help="Calibration of that picture's tray: the file, or its data folder."
)
def command(as_json: bool, only_part: str | None, image: Path | None, calibration: Path | None) -> None:
    """Measure speed and accuracy on this machine and print the results; takes about a minute.

    The times of reading pictures are medians, with OpenCV on one thread. `virtual_exact` counts the simulated throws
    that were read right through the whole camera path, `virtual_wrong_trusted` those that were read wrong and trusted.
    --only measures one part. With --image and --calibration only the reading of that picture is timed.
    """
    if (image is None) != (calibration is None):
        raise SetupError(["--image and --calibration go together: a picture of a tray, and the tray's calibration."])
    if only_part is not None and image is not None:
        raise click.UsageError("--image times the reading of one picture and no part: leave out --only.")
    measured: dict[str, Any] = {}
    if image is not None:
        from companion.bench.vision import one_thread, times
        from companion.commands.read import open_reader
        from vision.images.loading import picture_in

        with one_thread():  # the readers' networks take as many as OpenCV has when they are loaded
            measured |= times([picture_in(image)], open_reader(calibration), open_reader(None), None)
    else:
        for part in PARTS if only_part is None else (only_part,):
            click.echo(f"measuring {part} ...", err=True)
            measure = importlib.import_module(f"companion.bench.{part}").measure
            measured |= measure(_progress) if part == "vision" else measure()
    system = f"{platform.system()} {platform.machine()}"
    measured["machine"] = f"{system}, {counted(os.cpu_count() or 1, 'core')}, Python {platform.python_version()}"
    width = max(map(len, measured)) + 2
    rows = [f"{name:{width}}{value}" for name, value in measured.items()]
    click.echo(json.dumps(measured) if as_json else "\n".join(rows))


def _progress(done: int, of: int) -> None:
    """Show on a terminal how many virtual throws are done."""
    if sys.stderr.isatty():
        click.echo(f"\rvirtual throws {done}/{of}" + ("\n" if done == of else ""), err=True, nl=False)

"""`pegpip bench`: measure speed and accuracy on this machine."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sys
from typing import Any

import click

PARTS = ("rules", "vision", "leds")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")
@click.option("--only", type=click.Choice(PARTS), help="Measure one part only.")
def command(as_json: bool, only: str | None) -> int:
    """Measure speed and accuracy on this machine; takes about a minute.

    Milliseconds are medians on one thread. `virtual_exact` of `virtual_throws` simulated throws were read right through
    the whole camera path; `virtual_wrong_trusted` of them were wrong and trusted all the same.
    """
    measured: dict[str, Any] = {}
    for part in PARTS if only is None else (only,):
        click.echo(f"measuring {part} ...", err=True)
        measure = importlib.import_module(f"companion.bench.{part}").measure
        measured |= measure(_progress) if part == "vision" else measure()
    measured["machine"] = _machine()
    if as_json:
        click.echo(json.dumps(measured))
        return 0
    for name, value in measured.items():
        click.echo(f"{name:24}{value}")
    return 0


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        click.echo(f"\rvirtual throws {done}/{of}" + ("\n" if done == of else ""), err=True, nl=False)


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"

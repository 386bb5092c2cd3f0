"""`pegpip watch`: prints each settled throw of a video or a camera."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands import FILE, Number, refuse_virtual
from companion.commands.read import reading_json
from companion.errors import PictureError
from companion.settings import load as config

if TYPE_CHECKING:
    from vision.cameras import Camera
    from vision.geometry.rig import LocatedDie
    from vision.watching.watcher import Settled


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each throw.")
@click.option("--expect", type=click.IntRange(min=0, max=99), metavar="N", help="Number of dice in the tray.")
@click.option("--limit-s", type=Number(min=0, min_open=True), metavar="S", help="Stop after S seconds.")
@click.option("--data", "data_folder", type=FILE, metavar="DIR", help="Folder of the camera's calibration.")
@click.argument("source", metavar="SOURCE")
def command(source: str, as_json: bool, expect: int | None, limit_s: float | None, data_folder: Path | None) -> int:
    """Follow a camera or a video and print each throw once it has settled.

    SOURCE is a video file, or a camera as in the settings (`pegpip play --help` lists them) but not `virtual`. For
    instance, `pegpip watch --limit-s 60 opencv:0` stops after a minute. With --expect, a reading of another number of
    dice is doubtful. Without --data, the calibration comes from the data folder of the settings.

    Exit status 1 when a recording (a video or a folder of photos) fails, or a camera was failing at the end. A camera
    that fails is tried again.
    """
    from companion.adapters.reader_setup import load_reader
    from vision.cameras.limited import LimitedCamera
    from vision.cameras.opening import is_simulated_camera
    from vision.networks import load_networks
    from vision.watching.watcher import Ill, Settled, Watcher, latest

    settings = config.load(None, {})
    refuse_virtual(source, "name a camera or a video, or run `pegpip play` and open its page /tray")
    source, camera = _opened(source, settings.camera.mains_hz)
    setup = load_reader(source, camera, data_folder or settings.data.folder, load_networks())
    lasts_s = math.inf if limit_s is None else limit_s
    ends_s = time.monotonic() + lasts_s

    def pause(seconds: float) -> bool:
        left_s = max(0.0, ends_s - time.monotonic())
        time.sleep(min(seconds, left_s))
        return seconds >= left_s

    last: Settled | None = None
    ill = False
    watcher = Watcher(LimitedCamera(camera, lasts_s), setup.reader.read, setup.rig, lambda: expect, pause=pause)
    for event in watcher.events():
        if isinstance(event, Ill):
            click.echo(f"pegpip: {camera.name}: {event.error}", err=True)
            ill = True
            if is_simulated_camera(source):  # a recording does not get well by waiting
                return 1
        elif isinstance(event, Settled):
            last = latest(event, last, held=setup.rig is None)
            if last is event and event.reading.dice:  # else the tray came to rest without a die in it
                record = {
                    "at_s": round(event.at_s, 3),
                    **reading_json(event.reading),
                    "thrown": _values(event.thrown),
                    "kept": _values(event.kept),
                }
                print(json.dumps(record) if as_json else in_a_row(record), flush=True)  # noqa: T201
            ill = False
    return 1 if ill else 0


def in_a_row(record: dict[str, Any]) -> str:
    """Return a settled throw as one line for people: time, values in throw zone and keep zone, and doubt."""
    thrown = " ".join(str(value) for value in record["thrown"]) or "none"
    kept = f"  kept {' '.join(str(value) for value in record['kept'])}" if record["kept"] else ""
    doubt = "" if record["trusted"] else f"  in doubt: {record['doubt']}"
    return f"{record['at_s']:8.2f} s  {thrown}{kept}{doubt}"


def _values(placed: Iterable[LocatedDie]) -> list[int]:
    """Return the sorted values of dice; a die without one is left out."""
    return sorted(one.die.value for one in placed if one.die.value is not None)


def _opened(source: str, mains_hz: int) -> tuple[str, Camera]:
    """Return `source` in the form of the setting [camera] source, and its camera, not started.

    The path of a file becomes `video:PATH`. Raises PictureError for a folder's path, and SetupError for an unknown
    source or a missing file.
    """
    from vision.cameras.opening import CAMERAS, open_camera

    if source.partition(":")[0] not in CAMERAS and (Path(source).suffix or Path(source).exists()):
        if Path(source).is_dir():
            raise PictureError(f"{source!r} is a folder: to see its photos one by one, write 'files:{source}'.")
        source = f"video:{source}"
    return source, open_camera(source, mains_hz=mains_hz)

"""`pegpip watch`: prints each settled throw of a video or a camera."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands.read import reading_record
from companion.errors import PictureError
from companion.settings import load as config

if TYPE_CHECKING:
    from vision.cameras import Camera, Frame
    from vision.geometry.rig import LocatedDie
    from vision.watching.watcher import Settled


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each throw.")
@click.option("--expect", type=click.IntRange(min=0, max=99), metavar="N", help="Number of dice in the tray.")
@click.option("--limit-s", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Stop after S seconds.")
@click.option("--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder of the camera's calibration.")
@click.argument("source", metavar="SOURCE")
def command(source: str, as_json: bool, expect: int | None, limit_s: float | None, data: Path | None) -> int:
    """Follow a camera or a video and print each throw once it has settled.

    SOURCE is a video file, or a camera: virtual, picamera2, opencv:INDEX, files:DIR, video:FILE. For instance
    `pegpip watch --limit-s 60 opencv:0`. Exit status 1 when the camera failed at the end.
    """
    from companion.adapters.reader_setup import load_reader
    from vision.networks import load_networks
    from vision.watching.new_throws import latest
    from vision.watching.watcher import Ill, Settled, Watcher

    source, camera = _opened(source)
    setup = load_reader(source, camera, data or config.load(None, {}).data.folder, load_networks())
    limited = _Limited(camera, limit_s)
    last: Settled | None = None
    ill = False
    for event in Watcher(limited, setup.reader, setup.rig, lambda: expect, pause=limited.pause).events():
        if isinstance(event, Ill):
            click.echo(f"pegpip: {camera.name}: {event.error}", err=True)
            ill = True
            if camera.name in ("video", "files"):  # a file does not get well by waiting
                return 1
        elif isinstance(event, Settled):
            last = latest(event, last, held=setup.rig is None)
            if last is event and event.reading.dice:  # else the tray came to rest without a die in it
                record = _throw_record(event)
                print(json.dumps(record) if as_json else in_a_row(record), flush=True)  # noqa: T201
            ill = False
    return 1 if ill else 0


def in_a_row(record: dict[str, Any]) -> str:
    """Format a settled throw as one line for people."""
    thrown = " ".join(str(value) for value in record["thrown"]) or "none"
    kept = f"  kept {' '.join(str(value) for value in record['kept'])}" if record["kept"] else ""
    doubt = "" if record["trusted"] else f"  in doubt: {record['doubt']}"
    return f"{record['at_s']:8.2f} s  {thrown}{kept}{doubt}"


def _throw_record(settled: Settled) -> dict[str, Any]:
    """Return a settled throw as JSON: the time, the reading, and the values in throw zone and keep zone."""
    return {
        "at_s": round(settled.at_s, 3),
        **reading_record(settled.reading),
        "thrown": _values(settled.thrown),
        "kept": _values(settled.kept),
    }


def _values(placed: Iterable[LocatedDie]) -> list[int]:
    """Return the sorted values of dice; a die without one is left out."""
    return sorted(one.die.value for one in placed if one.die.value is not None)


def _opened(source: str) -> tuple[str, Camera]:
    """Return the camera that SOURCE names, and the [camera] source for it. Raises PictureError for a folder."""
    from vision.cameras.opening import KINDS, open_camera

    if source.partition(":")[0] not in KINDS and Path(source).exists():
        if Path(source).is_dir():
            raise PictureError(f"{source!r} is a folder: to see its photos one by one, write 'files:{source}'.")
        source = f"video:{source}"
    return source, open_camera(source)


class _Limited:
    """Camera whose frames end after `limit_s` seconds of its own clock; None for no limit."""

    def __init__(self, camera: Camera, limit_s: float | None) -> None:
        self.name = camera.name
        self._camera, self._limit_s = camera, limit_s
        self._first_s: float | None = None
        self._ends_s = math.inf if limit_s is None else time.monotonic() + limit_s

    def pause(self, seconds: float) -> bool:
        """Wait before a failed camera is opened again; return whether the time limit has passed."""
        left_s = max(0.0, self._ends_s - time.monotonic())
        time.sleep(min(seconds, left_s))
        return seconds >= left_s

    def start(self) -> None:
        """Open the camera."""
        self._camera.start()

    def frame(self) -> Frame | None:
        """Return the next frame, or None after the time limit."""
        frame = self._camera.frame()
        if frame is None or self._limit_s is None:
            return frame
        self._first_s = frame.at_s if self._first_s is None else self._first_s
        return frame if frame.at_s - self._first_s < self._limit_s else None

    def stop(self) -> None:
        """Close the camera."""
        self._camera.stop()

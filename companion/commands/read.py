"""`pegpip read`: reads the dice in pictures."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from companion.commands import FILE, tracked
from companion.errors import DeviceError, PictureError, SetupError

if TYPE_CHECKING:
    from vision.reading.reader import Reader
    from vision.reading.reading import FrameBGR, Reading


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each picture.")
@click.option("--expect", type=click.IntRange(min=0, max=99), metavar="N", help="Number of dice in each picture.")
@click.option("--calibration", type=FILE, metavar="FILE", help="Read as this tray: calibration file or data folder.")
@click.option("--annotate", type=FILE, metavar="DIR", help="Folder for copies with boxes drawn in.")
@click.argument("images", nargs=-1, required=True, metavar="IMAGE...")
def command(
    images: tuple[str, ...], as_json: bool, expect: int | None, calibration: Path | None, annotate: Path | None
) -> int:
    """Read the dice in pictures and print their values; `pegpip read --expect 6 throw.jpg` expects six dice.

    With --calibration a picture is read as a frame of that tray; one of another size is read as a photo, with a note.
    Throws in a zip of `pegpip rescore --export` are read with the calibrations in it. With --annotate a copy of each
    picture with boxes drawn in is written to that folder. Copies from a zip go to a subfolder named after it. A file
    that is no picture is reported, the others are still read, and the exit status is 1. A doubtful reading leaves it 0.
    """
    copies: Sequence[Path | None] = [None] * len(images) if annotate is None else _copy_paths(annotate, images)
    reader = open_reader(calibration)
    status = 0
    with tracked(images, len(images), "reading") as names:
        for name, copy_to in zip(names, copies, strict=True):
            in_zip = _is_zip(name)
            for record in _exported(name, expect, copy_to) if in_zip else _pictured(name, reader, expect, copy_to):
                status = max(status, int("error" in record))
                if as_json:
                    print(json.dumps(record), flush=True)  # noqa: T201
                elif "error" in record:
                    click.echo(f"pegpip: {record['error']}", err=True)
                else:
                    print(in_a_row(record), flush=True)  # noqa: T201
    return status


def open_reader(calibration: Path | None) -> Reader:
    """Return a reader for the tray of a calibration, or for photos if `calibration` is None.

    `calibration` is the file or the data folder that holds it. Raises SetupError if it is missing, or if networks are
    missing or damaged. Raises DeviceError for a damaged calibration.
    """
    from vision.calibration.store import load_calibration  # OpenCV takes a third of a second: not for `--help`
    from vision.networks import load_networks
    from vision.reading.reader import Reader

    if calibration is None:
        return Reader(load_networks())
    stored = load_calibration(calibration)
    if stored is None:
        wrong = f"--calibration: there is no calibration at {str(calibration)!r}: name the file or the data folder."
        raise SetupError([wrong])
    return Reader(load_networks(), stored.rig)


def in_a_row(record: dict[str, Any]) -> str:
    """Return the record of a picture as one line for people: file, values, doubt and milliseconds."""
    values = " ".join(str(value) for value in record["values"]) or "no dice"
    doubt = "" if record["trusted"] else f"  in doubt: {record['doubt']}"
    return f"{record['image']}: {values}{doubt}  ({record['ms']:.0f} ms)"


def reading_json(reading: Reading) -> dict[str, Any]:
    """Return a reading as JSON values.

    - `values`: values of the dice, ascending, without unread dice.
    - `dice`: for each die, left to right, `value` (None if unread), `box` (x, y, width, height in pixels) and
      `confidence` (0 to 1).
    - `trusted`: whether the values may count without asking.
    - `doubt`: why they may not; None if `trusted`.
    """
    return {
        "values": list(reading.values),
        "dice": [
            {"value": die.value, "box": list(die.box_xywh), "confidence": round(die.confidence, 3)}
            for die in reading.dice
        ],
        "trusted": reading.trusted,
        "doubt": reading.doubt,
    }


def _pictured(name: str, reader: Reader, expect: int | None, copy_to: Path | None) -> Iterator[dict[str, Any]]:
    """Read the dice in one picture, save an annotated copy to the path `copy_to`, if any, and yield one JSON object.

    The object is that of `_record`. If the picture can't be read or the copy can't be written, the object has only
    `image`, the name, and `error`. `expect` is the number of dice in the picture; None if unknown.
    """
    from vision.images.loading import picture_in

    try:
        yield _record(name, picture_in(Path(name)), reader, expect, copy_to)
    except PictureError as unreadable:
        yield {"image": name, "error": str(unreadable)}


def _exported(name: str, expect: int | None, copy_to: Path | None) -> Iterator[dict[str, Any]]:
    """Read the dice in each throw of a zip made by `pegpip rescore --export`; yield a JSON object for each.

    `name` is the zip's path. `expect` is the number of dice in a throw, or None if unknown. If the folder `copy_to` is
    given, an annotated copy of each throw is saved there under the throw's name. If the zip is damaged or a copy can't
    be saved, reading ends: the last object then has only `image` and `error`.
    """
    from companion.evidence.sharing import read_export
    from vision.networks import load_networks
    from vision.reading.reader import Reader

    networks, readers = load_networks(), dict[int, Reader]()
    try:
        for throw in read_export(Path(name)):
            if id(throw.rig) not in readers:
                readers[id(throw.rig)] = Reader(networks, throw.rig)
            copy = copy_to and copy_to / f"{Path(throw.name).stem}.jpg"
            yield _record(f"{name}:{throw.name}", throw.picture_bgr, readers[id(throw.rig)], expect, copy)
    except (DeviceError, PictureError) as damaged:
        yield {"image": name, "error": str(damaged)}


def _record(
    name: str, picture_bgr: FrameBGR, reader: Reader, expect: int | None, copy_to: Path | None
) -> dict[str, Any]:
    """Read the dice in a picture, and return the JSON object that `--json` prints for it.

    The object has `image` (the name), the fields of `reading_json`, and `ms`, the milliseconds that the reading took.
    `expect` is the number of dice, or None. A copy with boxes is saved to `copy_to`, if any; raises PictureError if the
    copy can't be saved. A picture of another size than the calibration's is read without the calibration; stderr says
    so.
    """
    from vision.images.annotating import annotated
    from vision.images.loading import save_jpeg

    begun_s = time.perf_counter()
    reading = reader.read(picture_bgr, expect)
    ms = 1000 * (time.perf_counter() - begun_s)
    if reader.misfit_wh is not None:
        wide, high = reader.misfit_wh
        click.echo(f"pegpip: {name}: {wide} x {high} is not the calibration's size; it is read as a photo.", err=True)
    if copy_to is not None:
        save_jpeg(annotated(picture_bgr, reading), copy_to)
    return {"image": name, **reading_json(reading), "ms": round(ms, 1)}


def _copy_paths(folder: Path, images: Sequence[str]) -> list[Path]:
    """Return a path in `folder` for the annotated copies of each file in `images`, in their order; all paths differ.

    A picture has one copy, `NAME.jpg`. A zip of throws has one for each throw, in the folder `NAME`. NAME is the file's
    name without its ending; if an earlier file of `images` has it, NAME-2 and so on. Copies of earlier runs will be
    replaced.

    `folder` and the folders for zips are created. Raises SetupError if one can't be created, or if a path is that of
    one of `images` or of a folder that holds one.
    """
    originals = {Path(name).resolve() for name in images}
    taken = originals | {original.parent for original in originals}
    paths = dict[Path, None]()
    for name in images:
        stem, suffix = Path(name).stem or "picture", "" if _is_zip(name) else ".jpg"
        names = (f"{stem}{f'-{number}' if number > 1 else ''}{suffix}" for number in itertools.count(1))
        path = next(path for each in names if (path := folder / each) not in paths)
        if path.resolve() in taken:
            wrong = f"--annotate: the copy {str(path)!r} would replace one of the pictures: name another folder."
            raise SetupError([wrong])
        paths[path] = None
    for made in (folder, *(path for path, name in zip(paths, images, strict=True) if _is_zip(name))):
        try:
            made.mkdir(parents=True, exist_ok=True)
        except OSError as refused:
            wrong = f"--annotate: the folder {str(made)!r} can't be made ({refused.strerror}): name another one."
            raise SetupError([wrong]) from None
    return list(paths)


def _is_zip(name: str) -> bool:
    """Return whether a file is an export of throws, by its name."""
    return Path(name).suffix.lower() == ".zip"

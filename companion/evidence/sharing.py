"""Anonymous exports of throws: a zip of labelled sets, to send as a bug report, to measure with or to train on.

Each calibration is a folder: `calibration.zip`, `images/N.jpg` cut to the tray, and `labels.jsonl`, as the evaluation
and the training read it. Throws without a calibration are left out: their pictures may show people. So are those beside
dice that were set aside on a tray without a keep zone: the values of these are unknown.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec.structs import replace

from companion.errors import DeviceError, PictureError, explained
from companion.evidence.folder import folder_name
from companion.evidence.rescoring import StoredThrow
from companion.history.review import matched_values
from companion.table.atomic import replacing
from vision.calibration.store import DAMAGE, Stored, bytes_of_calibration, calibration_of_bytes
from vision.calibration.store import FILE_NAME as CALIBRATION
from vision.geometry.rig import Rig, has_keep_zone, place
from vision.images.loading import picture_of_bytes
from vision.reading.reading import FrameBGR

LABELS = "labels.jsonl"
"""File name of the labels in each folder of an anonymous export: a line of JSON for each throw."""
MAX_PART_BYTES = 60_000_000
"""Largest unpacked file of an export in bytes; a larger one is refused. Higher: a forged zip may fill the memory.
Lower: a sound picture is refused."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedThrow:
    """A throw of an export: its name in the zip, its picture and the calibration that the picture is a frame of."""

    name: str
    picture_bgr: FrameBGR
    rig: Rig


def write_export(throws: Iterable[StoredThrow], to: Path) -> int:
    """Write throws as an anonymous export to a zip file, and return how many it holds.

    Left out are throws without a calibration, and throws whose picture shows a set-aside die of unknown value. An older
    file is replaced once the new one is complete. Raises DeviceError if no throw is left, or the file can't be written.
    """
    labels, count = dict[str, list[bytes]](), 0
    unwritten = explained(f"{to} can't be written", "Free some space or name another.")
    with unwritten, replacing(to) as file, zipfile.ZipFile(file, "w") as archive:
        for throw in throws:
            if throw.rig is None or _has_unknown(throw):
                continue
            folder, count = folder_name(throw.package.record), count + 1
            if folder not in labels:
                rig = bytes_of_calibration(Stored(throw.package.record.camera, "", throw.rig))
                archive.writestr(zipfile.ZipInfo(f"{folder}/{CALIBRATION}"), rig)
            for number, jpeg in enumerate(reversed(throw.package.jpegs)):
                name = f"{throw.camera_throw.throw}-{number}.jpg" if number else f"{throw.camera_throw.throw}.jpg"
                archive.writestr(zipfile.ZipInfo(f"{folder}/images/{name}"), jpeg)
            labels.setdefault(folder, []).append(msgspec.json.encode(_label(throw)) + b"\n")
        for folder, lines in labels.items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/{LABELS}"), b"".join(lines))
        if not count:
            raise DeviceError("There is no throw to export.", "Choose others, of a calibrated camera.")
    return count


def read_export(file: Path) -> Iterator[SharedThrow]:
    """Yield the throws in the zip file of an anonymous export, each with its labelled picture and its rig.

    Raises DeviceError, possibly after some throws, if the file can't be read, is damaged or is not a zip. It is also
    raised if the file has no throws, lacks a picture or a calibration, or has a part over MAX_PART_BYTES.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            if any(part.file_size > MAX_PART_BYTES for part in archive.infolist()):
                raise DeviceError(f"{file}: a part of it is too large.", "Export it again.")
            labelled = [name for name in archive.namelist() if name.endswith(f"/{LABELS}")]
            if not labelled:
                raise DeviceError(f"{file} is no export of throws, or has none.", "Play, then export again.")
            for labels in labelled:
                folder = labels.removesuffix(f"/{LABELS}")
                rig = calibration_of_bytes(archive.read(f"{folder}/{CALIBRATION}"), f"{file}:{folder}").rig
                for line in archive.read(labels).splitlines():
                    name = f"{folder}/images/{msgspec.json.decode(line, type=dict)['image']}"
                    yield SharedThrow(name, picture_of_bytes(archive.read(name), name), rig)
    except OSError as refused:
        raise DeviceError(f"{file} can't be read ({refused.strerror or refused}).", "Check its name.") from None
    except (*DAMAGE, PictureError) as wrong:
        raise DeviceError(f"{file} is damaged, or no export of throws ({wrong}).", "Export it again.") from None


def _has_unknown(throw: StoredThrow) -> bool:
    """Return whether a die that was set aside has no known value: in the keep zone, or among the thrown dice."""
    if has_keep_zone(throw.rig):
        return any(each.die.value is None for each in place(throw.at_table, throw.rig)[1])
    return len(throw.at_table.dice) > len(throw.camera_throw.values)


def _label(throw: StoredThrow) -> dict[str, object]:
    """Return a throw's line in `labels.jsonl` as a JSON object.

    Returns:
        `image`: file name of the picture. `values`: values of all dice, sorted. A thrown die has its journaled value,
            a die in the keep zone the value that the camera read. A die in the keep zone that could not be read is
            left out, here and in `boxes`. `boxes`: [x, y, width, height, value] of each die, in pixels of the picture;
            None unless each thrown value is known to belong to one box. `tags`: source of the thrown values, then the
            doubt if any. `package`: record of the throw, with the thrown dice's values but without the photo's hash.
    """
    stands = throw.camera_throw
    record = replace(throw.package.record, stands=stands.values, source=stands.source, photo="")
    thrown, kept = place(throw.at_table, throw.rig)
    read = [(each.die.box_xywh, each.die.value) for each in thrown if each.die.value is not None]
    stay = [(each.die.box_xywh, each.die.value) for each in kept if each.die.value is not None]
    apart = matched_values([value for _, value in read], stands.values)
    boxes = [[*box, value] for (box, _), value in zip(read, apart, strict=True) if value]
    known = None not in apart and len(boxes) == len(stands.values)
    boxes += [[*box, value] for box, value in stay]
    return {
        "image": f"{stands.throw}.jpg",
        "values": sorted([*stands.values, *(value for _, value in stay)]),
        "boxes": boxes if known else None,
        "tags": [stands.source, *([record.doubt] if record.doubt else [])],
        "package": record,
    }

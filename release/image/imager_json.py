"""The entry that Raspberry Pi Imager reads to offer the image: sizes, checksums, and that it may be customised.

`release/image/imager_json.py IMAGE.img.xz --url https://.../IMAGE.img.xz > pegpip.json`, then in Imager: App options,
content repository, custom file or URL.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import IO

DEVICES = ("pi5-64bit", "pi4-64bit", "pi3-64bit")
"""Imager's tags of the Pis that the image starts on; a Zero 2 W counts as a Pi 3."""
ICON = "https://downloads.raspberrypi.com/raspios_armhf/Raspberry_Pi_OS_(32-bit).png"
"""Address of the picture that Imager shows beside the image's name."""
_CHUNK = 1 << 20
"""Bytes per read, 1 MiB, while an image file's SHA-256 is computed. More takes more memory; less takes more calls."""


def os_list(image: Path, url: str, released: date) -> dict[str, list[dict[str, object]]]:
    """Return the list that offers a compressed image (`.img.xz`) in Raspberry Pi Imager, in its `os_list` format.

    It has one entry, with sizes and SHA-256 of the image both compressed and unpacked. Reads the whole image.

    Args:
        image: The compressed image on this machine.
        url: Where Imager downloads it from.
        released: Day of the release.
    """
    with image.open("rb") as packed:
        packed_sha256, packed_size = _summed(packed)
    with lzma.open(image) as unpacked:
        sha256, size = _summed(unpacked)
    entry: dict[str, object] = {
        "name": "Peg & Pip",
        "description": "A tabletop dice companion: camera, LED track and a page for every phone",
        "icon": ICON,
        "url": url,
        "release_date": released.isoformat(),
        "extract_size": size,
        "extract_sha256": sha256,
        "image_download_size": packed_size,
        "image_download_sha256": packed_sha256,
        "devices": list(DEVICES),
        "init_format": "cloudinit-rpi",
        "architecture": "armv8",
    }
    return {"os_list": [entry]}


def _summed(file: IO[bytes]) -> tuple[str, int]:
    """Read a file to its end; return its SHA-256 in hexadecimal and its size in bytes."""
    digest, size = hashlib.sha256(), 0
    for chunk in _chunks(file):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest(), size


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's content, a MB at a time."""
    while chunk := file.read(_CHUNK):
        yield chunk


def main() -> None:
    """Print the JSON with which Raspberry Pi Imager offers an image, with today (UTC) as the day of release.

    The command line has the image, an .img.xz that is read in full, and `--url`, from which Imager downloads it. Raises
    OSError if the image can't be read, LZMAError or EOFError if it is damaged.
    """
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("image", type=Path, help="the .img.xz that pi-gen has left in deploy/")
    parser.add_argument("--url", required=True, help="where Imager downloads it from")
    given = parser.parse_args()
    print(json.dumps(os_list(given.image, given.url, datetime.now(UTC).date()), indent=2))  # noqa: T201


if __name__ == "__main__":
    main()

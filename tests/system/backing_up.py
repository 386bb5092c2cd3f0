"""A data folder to export, and archives as a forger would change them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from companion.commands.export import command as export
from companion.commands.import_ import command as import_
from companion.table.journal import Entry, Journal
from companion.table.journal.anchor import RESTORED
from companion.table.photos import Photos

SETTINGS = "[table]\nname = 'The Anchor'\n"


HEADER = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}


def entry(number: int) -> Entry:
    """Of a game in which nobody ever scores."""
    if number == 1:
        body = {"header": HEADER, "sitting": 1, "horizon": 1, "colours": {}}
        return Entry(number=1, kind="game", body=body, wall_s=1.0)
    body = {"line": {"throw": [2, 2, 3, 3, 4, 6]}, "source": "hand"}
    return Entry(number=number, kind="line", body=body, wall_s=1.0, throw=number - 1)


def kept_in(tmp_path: Path) -> Path:
    """A data folder with five entries, two photos, a review, a paired phone; settings beside it."""
    folder = tmp_path / "old"
    journal, photos = Journal(folder), Photos(folder)
    journal.open()
    photos.start(0)
    for number in range(1, 6):
        journal.append(entry(number))
    journal.close()
    for number in (1, 2):
        photos.keep(number, b"\xff\xd8" + bytes([number]) * 2000)
    (folder / "review.json").write_text("{}")
    (folder / "paired.json").write_text('["secret"]')
    (tmp_path / "old.toml").write_text(SETTINGS)
    return folder


def exported(table: Path, *words: str) -> tuple[Path, Result]:
    file = table.parent / "all.zip"
    given_ = ["--data", str(table), "--config", str(table.parent / "old.toml"), *words, str(file)]
    return file, CliRunner().invoke(export, given_, standalone_mode=False)


def imported(file: Path, folder: Path, *words: str) -> Result:
    words = ("--data", str(folder), "--config", str(folder.parent / f"{folder.name}.toml"), *words)
    return CliRunner().invoke(import_, [*words, str(file)], standalone_mode=False)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".jsonl") and path.name != RESTORED
    }


def repacked(file: Path, change: Callable[[dict[str, bytes], dict[str, Any]], object]) -> Path:
    """The archive with its files and manifest changed as a forger would: hashes and sizes are made to fit."""
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(held.pop("manifest.json"))
    change(held, manifest)
    if "files" in manifest:
        manifest["files"] = [
            {"name": name, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
            for name, body in held.items()
        ]
    forged = file.with_name("forged.zip")
    with zipfile.ZipFile(forged, "w") as archive:
        for name, body in held.items():
            archive.writestr(name, body)
        archive.writestr("manifest.json", json.dumps(manifest))
    return forged


def files_beside(table: Path) -> dict[Path, bytes]:
    files = (path for path in table.parent.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path: path.read_bytes() for path in files}

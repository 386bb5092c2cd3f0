"""Mutilated backups: an import refuses each with an error, or restores the same state; the folder loses nothing."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
import zipfile
from collections import Counter
from pathlib import Path

from companion.backup.export import write_archive
from companion.backup.restore import read_archive
from companion.errors import CompanionError
from companion.table.journal import read_entries

JOURNAL = "data/journal.jsonl"


def run(folder: Path, played: Path, count: int, seed: int = 1) -> Counter[str]:
    """Import `count` mutilated backups of a played folder over an existing table; count the outcomes."""
    chance, found = random.Random(seed), Counter[str]()
    whole = folder / "whole.zip"
    write_archive(played, None, whole, version="0", made="today")
    there, spoilt = folder / "there", folder / "spoilt.zip"
    shutil.copytree(played, there)
    meant, before = read_entries(played), _tree(there)
    for number in range(count):
        did = _mutilate(whole, spoilt, chance)
        try:
            read_archive(spoilt, there, folder / "settings.toml", replace=True)
        except CompanionError:
            came = "refused" if _tree(there) == before else "REFUSED, AND SOMETHING LOST"
        else:
            aside = there / "replaced-1"
            kept = {name: body for name, body in _tree(aside).items() if name != "journal-copy.jsonl"}
            older = {name: body for name, body in before.items() if name != "journal-copy.jsonl"}
            came = "the same" if read_entries(there) == meant and kept == older else "ANOTHER STATE"
            shutil.rmtree(there)
            shutil.copytree(played, there)
        found[came] += 1
        if came.isupper():
            print(f"backup {number}: {came}; {did}")
    return found


def _tree(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _mutilate(whole: Path, spoilt: Path, chance: random.Random) -> str:
    """Damage the zip, or a file in it with sizes and hashes corrected, as a forger would."""
    if chance.random() < 0.5:
        content = _harmed(whole.read_bytes(), chance)
        spoilt.write_bytes(content)
        return "the zip"
    with zipfile.ZipFile(whole) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    name = chance.choice(sorted(held)) if chance.random() < 0.4 else JOURNAL
    held[name] = _harmed(held[name], chance)
    if name != "manifest.json":
        manifest = json.loads(held["manifest.json"])
        manifest["files"] = [
            {"name": one, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
            for one, body in held.items()
            if one != "manifest.json"
        ]
        held["manifest.json"] = json.dumps(manifest).encode()
    with zipfile.ZipFile(spoilt, "w") as archive:
        for one, body in held.items():
            archive.writestr(one, body)
    return name


def _harmed(content: bytes, chance: random.Random) -> bytes:
    spoilt = bytearray(content)
    at = chance.randrange(max(1, len(spoilt)))
    match chance.randrange(5):
        case 0:
            del spoilt[at:]
        case 1:
            spoilt[at : at + 512] = bytes(len(spoilt[at : at + 512]))
        case 2:
            spoilt[at:at] = chance.randbytes(chance.randint(1, 40))
        case 3:
            for _ in range(8):
                spoilt[chance.randrange(len(spoilt))] ^= 1 << chance.randrange(8)
        case _:
            spoilt[at] ^= 1 << chance.randrange(8)
    return bytes(spoilt)

"""The zip for a bug report: settings without secrets, the last game, the doctor's findings, versions, the log."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import re
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import msgspec

from companion.diagnostics.health import Finding
from companion.diagnostics.versions import versions
from companion.errors import DeviceError
from companion.history.export import PastGames
from companion.settings.load import Settings, is_secret
from companion.table.atomic import write_file
from companion.table.photos import Photos

SECRET = "(kept back)"  # noqa: S105 - a placeholder
"""Text that replaces each password, PIN and other secret in the zip for a bug report."""
LOG_LINES = 400
"""How many of the newest lines of the service's log go into the zip for a bug report. More: a larger zip to send."""
_PIN = re.compile(rb"(PIN: )\d+")
"""Pattern of the PIN in the log, as `pegpip play` prints it. SECRET replaces its digits in the zip, because the PIN is
valid until the next start."""
PHOTOS = 5
"""How many of the newest photos go into the zip for a bug report, if they are wanted. More: a larger zip to send."""
README = """Written by `pegpip doctor --bundle` of Peg & Pip. Read it before you send it: the names of the players are
in game.jsonl, names and addresses of phones may be in log.txt, and what the camera saw in photos (with --photos).
Passwords, the webhook's address, the PIN and the list of paired phones are not in it.
"""
"""Text of README.txt in the zip."""


def write(
    file: Path,
    settings: Settings,
    findings: Iterable[Finding],
    *,
    photos: bool,
    more: Mapping[str, bytes] | None = None,
) -> list[str]:
    """Write the zip for a bug report with mode 0600, whole or not at all, and return the names of the files in it.

    The zip holds a README, the settings without secrets, the doctor's `findings`, the system and its versions, the
    newest game and the log. With `photos` it also holds the newest PHOTOS photos of throws. `more` has further files,
    by name in the zip. What can't be read is left out. An older file is replaced. Raises OSError if the zip can't be
    written.
    """
    folder = settings.data.folder
    there = os.path.isdir(folder)  # Path.is_dir raises where the folder may not be entered
    game = None
    with contextlib.suppress(DeviceError):  # a damaged journal: the findings tell it
        game = PastGames(folder).newest() if there else None
    kept = Photos(folder)
    newest = list[int]()
    with contextlib.suppress(OSError):  # a folder that this user may not read: the findings tell it
        newest = sorted(kept.numbers())[-PHOTOS:] if photos and there else []
    system = {"system": platform.platform(), "processor": platform.machine(), "python": platform.python_version()}
    tree: dict[str, dict[str, object]] = msgspec.to_builtins(settings)
    content = {
        "README.txt": README.encode(),
        "settings.json": msgspec.json.format(msgspec.json.encode(without_secrets(settings))),
        "doctor.jsonl": b"".join(msgspec.json.encode(asdict(one)) + b"\n" for one in findings),
        "machine.json": msgspec.json.format(msgspec.json.encode({**system, **versions()})),
        **({"game.jsonl": game} if game else {}),
        **_log(str(value) for section, key in _secret_keys(tree) if (value := tree[section][key])),
        **{f"photos/{number}.jpg": jpeg for number in newest if (jpeg := kept.jpeg(number)) is not None},
        **(more or {}),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in content.items():
            archive.writestr(name, body)
    write_file(file, (packed.getvalue(),), mode=0o600)
    return list(content)


def without_secrets(settings: Settings) -> dict[str, object]:
    """Return the settings as JSON values, section -> key -> value, with each secret replaced by `SECRET`.

    Secrets are all passwords and the webhook's URL. An empty secret stays empty. Of the shutdown command only the
    program is kept, without its arguments.
    """
    found: dict[str, dict[str, object]] = msgspec.to_builtins(settings)
    for section, key in _secret_keys(found):
        found[section][key] = SECRET if found[section][key] else ""
    found["buttons"]["shutdown_command"] = settings.buttons.shutdown_command[:1]
    return {**found}


def _secret_keys(tree: Mapping[str, Mapping[str, object]]) -> list[tuple[str, str]]:
    """Return section and key of each setting that is a secret; `tree` is section -> key -> value."""
    return [(section, key) for section, values in tree.items() for key in values if is_secret(section, key)]


def _log(secrets: Iterable[str]) -> dict[str, bytes]:
    """Return the service's newest log lines from journald as the file `log.txt`, name -> content.

    The dict is empty if there are none, or if journalctl is missing or takes over 20 s. The PIN and each of the
    (non-empty) `secrets` are replaced by `SECRET`.
    """
    words = ("journalctl", "--quiet", "--unit=pegpip", f"--lines={LOG_LINES}", "--no-pager", "--output=short-iso")
    try:
        said = subprocess.run(words, capture_output=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    said = _PIN.sub(rb"\1" + SECRET.encode(), said)
    for secret in sorted(secrets, key=len, reverse=True):  # a secret may be part of a longer one
        said = said.replace(secret.encode(), SECRET.encode())
    return {"log.txt": said} if said else {}

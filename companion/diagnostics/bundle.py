"""What a bug report needs, in one zip: settings without secrets, the last game, what the doctor finds, versions."""

from __future__ import annotations

import io
import platform
import re
import subprocess
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from types import MappingProxyType

import msgspec

from companion.diagnostics.health import Finding
from companion.diagnostics.versions import versions
from companion.history.export import PastGames
from companion.settings.load import Settings
from companion.table.atomic import write_file
from companion.table.photos import Photos

SECRET = "(kept back)"  # noqa: S105 - what stands in its place
LOG_LINES = 400
_PIN = re.compile(rb"(PIN: )\d+")
"""As `pegpip play` tells it: it is good until the table is started again."""
PHOTOS = 5
README = """What Peg & Pip's `pegpip doctor --bundle` has put together. Read it before you send it: the names of the
players are in game.jsonl. The Wi-Fi's password and the PIN are not in it, nor the phones that may control the table.
"""


def write(
    file: Path,
    settings: Settings,
    findings: Iterable[Finding],
    *,
    photos: bool,
    more: Mapping[str, bytes] = MappingProxyType({}),
) -> list[str]:
    """Write the zip, whole or not at all; the names in it.

    Args:
        file: Where to.
        settings: The table's.
        findings: Of the doctor.
        photos: Whether the newest photos of throws go in too.
        more: Further files, name -> content.

    Raises OSError.
    """
    content = {
        "README.txt": README.encode(),
        "settings.json": msgspec.json.format(msgspec.json.encode(without_secrets(settings))),
        "doctor.jsonl": b"".join(msgspec.json.encode(asdict(one)) + b"\n" for one in findings),
        "machine.json": msgspec.json.format(msgspec.json.encode(_machine())),
        **_last_game(settings.data.folder),
        **_log(settings.web.wifi_password),
        **(_photos(settings.data.folder) if photos else {}),
        **more,
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in content.items():
            archive.writestr(name, body)
    write_file(file, (packed.getvalue(),), mode=0o600)
    return list(content)


def without_secrets(settings: Settings) -> dict[str, object]:
    """The settings as they are used, all but passwords; commands that are run are told by their first word."""
    found: dict[str, object] = msgspec.to_builtins(settings)
    web, buttons = found["web"], found["buttons"]
    assert isinstance(web, dict)
    assert isinstance(buttons, dict)
    web["wifi_password"] = SECRET if web["wifi_password"] else ""
    buttons["shutdown_command"] = list(buttons["shutdown_command"])[:1]
    return found


def _machine() -> dict[str, object]:
    system, python = platform.platform(), platform.python_version()
    return {"system": system, "processor": platform.machine(), "python": python, **versions()}


def _last_game(folder: Path) -> dict[str, bytes]:
    text = PastGames(folder).newest() if folder.is_dir() else None
    return {"game.jsonl": text} if text else {}


def _log(password: str) -> dict[str, bytes]:
    """The service's last lines, where there is one and we may read them; without that password and the PIN."""
    words = ("journalctl", "--unit=pegpip", f"--lines={LOG_LINES}", "--no-pager", "--output=short-iso")
    try:
        said = subprocess.run(words, capture_output=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    if password:
        said = said.replace(password.encode(), SECRET.encode())
    return {"log.txt": _PIN.sub(rb"\1" + SECRET.encode(), said)} if said else {}


def _photos(folder: Path) -> dict[str, bytes]:
    kept = Photos(folder)
    newest = {number: kept.jpeg(number) for number in sorted(kept.numbers())[-PHOTOS:]}
    return {f"photos/{number}.jpg": jpeg for number, jpeg in newest.items() if jpeg is not None}

"""The doctor's checks of the machine: disk, clock, network, port, power and the versions of libraries."""

from __future__ import annotations

import errno
import importlib
import importlib.metadata
import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from companion.diagnostics.health import disk_check, look_over
from companion.diagnostics.machine_health import clock_illness
from companion.errors import DeviceError
from companion.service.addresses import bound, own_addresses
from companion.table.journal import examined
from companion.table.journal.recovery import reports

_POWER_BITS = {
    0: "The supply's voltage is too low now",
    1: "The processor is slowed down now",
    2: "The processor is throttled now",
    3: "The processor is too hot now",
    16: "The supply's voltage has been too low",
    18: "The processor has been throttled",
    19: "The processor has been too hot",
}
"""`vcgencmd get_throttled`, Raspberry Pi documentation, "vcgencmd"."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What the doctor found of a part, and what to do: nothing when all is well."""

    part: str
    ok: bool
    says: str
    cure: str = ""
    simulated: bool = False


def check_disk(folder: Path) -> Finding:
    """Room in the data folder, and that it can be written."""
    place = next(path for path in (folder, *folder.parents) if path.exists())
    ok, says = disk_check(place)()
    if not ok:
        return Finding("disk", False, says, "Free some space, or set [data] dir to another disk.")
    try:
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"pegpip")
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as refused:
        cure = "Give the table's user the folder, or set [data] dir."
        return Finding("disk", False, f"{place} can't be written ({refused.strerror}).", cure)
    return Finding("disk", True, f"{says} in {place}.")


def check_journal(folder: Path) -> Finding:
    """Whether both copies of the journal are whole, and what was found missing before."""
    try:
        entries, wrong = examined(folder)
    except DeviceError as ill:
        return Finding("journal", False, ill.what, ill.cure)
    if wrong is not None:
        cure = "Start the table once: it mends what can be read and tells what is missing."
        return Finding("journal", False, f"The journal in {folder} is damaged after entry {entries}: {wrong}.", cure)
    for aside, explanation in reports(folder).items():
        return Finding("journal", False, explanation, look_over(aside))
    return Finding("journal", True, f"{entries} entries, each proven by the one before.")


def check_clock(now: datetime, written_s: float = 0.0) -> Finding:
    """Whether the date can be right, the journal's last entry being of that second since 1970."""
    wrong = clock_illness(now, written_s)
    if wrong is not None:
        cure = "Join a network, or `sudo date -s '2030-01-31 20:00'`. Games stay in order without it."
        return Finding("clock", False, wrong, cure)
    return Finding("clock", True, f"The clock says {now:%Y-%m-%d %H:%M}.")


def check_network(addresses: Callable[[], tuple[str, ...]] = own_addresses) -> Finding:
    """The addresses that phones can reach."""
    found = addresses()
    if not found:
        return Finding("network", False, "There is no network: no phone can reach the table.", "Join a Wi-Fi: nmtui.")
    return Finding("network", True, f"Phones reach the table at {', '.join(found)}.")


def check_port(host: str, port: int) -> Finding:
    """Whether the page's port can be served."""
    try:
        bound(host, port).close()
    except OSError as refused:
        return _port_refused(host, port, refused)
    return Finding("port", True, f"Port {port} is free.")


def _port_refused(host: str, port: int, refused: OSError) -> Finding:
    if refused.errno == errno.EADDRINUSE:
        cure = "If that is the table, all is well: stop it for a full check. Else set [web] port."
        return Finding("port", False, f"Port {port} is taken.", cure)
    if refused.errno == errno.EACCES:
        return Finding("port", False, f"Port {port} needs an administrator's rights.", "Set [web] port above 1023.")
    return Finding("port", False, f"{host}:{port} can't be served ({refused.strerror}).", "Correct [web] host.")


def check_power(ask: Callable[[], str | None] | None = None) -> Finding:
    """What the Pi's own watch on its supply has seen since it started."""
    answer = (ask or _throttled)()
    if answer is None:
        return Finding("power", True, "Not a Raspberry Pi: its supply can't be asked.", simulated=True)
    try:
        bits = int(answer.rpartition("=")[2], 16)
    except ValueError:
        return Finding("power", False, f"vcgencmd says {answer!r}.", "Add the user to the group video.")
    seen = [text for bit, text in _POWER_BITS.items() if bits >> bit & 1]
    if seen:
        cure = "Use the Pi's own supply, and feed the strip from one of its own; keep the case open to air."
        return Finding("power", False, "; ".join(seen) + ".", cure)
    return Finding("power", True, "Voltage and temperature have been good since the start.")


def _throttled() -> str | None:
    try:
        asked = subprocess.run(["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (asked.stdout or asked.stderr).strip()


def check_versions(camera: str, installed: Mapping[str, str | None] | None = None) -> Finding:
    """Whether OpenCV, NumPy and picamera2 go together."""
    found = versions() if installed is None else installed
    says = ", ".join(f"{name} {version or 'missing'}" for name, version in found.items()) + "."
    if found["OpenCV"] is None or found["NumPy"] is None:
        return Finding(
            "versions", False, says, "sudo apt install python3-opencv python3-numpy, or pip install '.[vision]'."
        )
    if camera != "picamera2":
        return Finding("versions", True, says)
    if found["picamera2"] is None:
        cure = "sudo apt install python3-picamera2, and make the venv with --system-site-packages."
        return Finding("versions", False, says, cure)
    if _number(found["NumPy"]) >= (2, 0) and (found["simplejpeg"] is None or _number(found["simplejpeg"]) < (1, 8)):
        cure = "picamera2 here was built for NumPy 1: use apt's python3-opencv, or pip install -U simplejpeg."
        return Finding("versions", False, says, cure)
    return Finding("versions", True, says)


def versions() -> dict[str, str | None]:
    """What is installed, without loading a camera's library; None for what is not there."""
    return {
        "OpenCV": _version("cv2"),
        "NumPy": _version("numpy"),
        "picamera2": _installed("picamera2"),
        "simplejpeg": _installed("simplejpeg"),
    }


def _version(module: str) -> str | None:
    try:
        return str(importlib.import_module(module).__version__)
    except ImportError:
        return None


def _installed(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "of the system" if importlib.util.find_spec(package) else None


def _number(version: str) -> tuple[int, ...]:
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else (99, 0)

"""Checks of disk, journal, clock and power supply, shared by the running table and the doctor."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from companion.backup.export import ASIDE, INCOMING
from companion.diagnostics.health import Finding, Health
from companion.errors import DeviceError, counted
from companion.table.atomic import write_file
from companion.table.evening.archive import Archive
from companion.table.evolve import Record, Unplayable, replayed
from companion.table.journal import entries, examined, last_written_s
from companion.table.journal.chain import MAX_WALL_S
from companion.table.journal.recovery import reports
from companion.table.writer import REPLAY_ELSEWHERE

ROOT = Path("/")
"""Folder with the system's files; tests use another one in its place."""
FREE_MB_NEEDED = 50
"""Least free space for the data folder, in MiB; with less the disk check fails. Lower: it warns too late to free some
before the journal can't be written."""
EARLIEST_YEAR = 2025
"""First year that a right clock can show; an earlier one fails the check. A Pi without a network starts in the past."""
MAX_CLOCK_LAG_S = 300.0
"""Seconds that a clock not set by the network may be behind the journal's newest entry. Beyond, the check reports it as
wrong. Lower: small corrections are reported; higher: wrong clocks pass."""
THROTTLED_FROM_C = 80.0
"""Degrees Celsius at which a Pi slows its processor down (Raspberry Pi documentation, "Frequency management").
Higher: such a Pi is not reported."""
NEWEST_FILE = "newest-time.txt"
"""File in the data folder: the latest known time of a journal entry, in seconds since 1970. A start with a wrong clock
writes it; one with a right clock deletes it. By it the next start detects a clock that lags."""
SYNCHRONISED = "run/systemd/timesync/synchronized"
"""File that systemd-timesyncd makes once it has set the clock since the machine booted."""
FIRMWARE_BITS = {
    1: "The processor is slowed down now.",
    2: "The processor is throttled now.",
    16: "The supply's voltage has been too low.",
    18: "The processor has been throttled.",
    19: "The processor has been too hot.",
}
"""Meaning of bits of `vcgencmd get_throttled`, by bit number (Raspberry Pi documentation). Bits 0 and 3, present low
voltage and overheating, are left out: the kernel reports both. Bit 17, an earlier slowdown, is not reported."""
POWER_CURE = "Use the Pi's own supply, feed the strip from another, and let air to the processor."
"""Advice against low voltage and heat."""


def checks_of_any_table(folder: Path, journal_health: Health) -> dict[str, Health]:
    """Return the checks of disk, clock, power, journal and recovery for `/healthz`, as functions by name.

    Call this before anything is written to the journal: it reads the time of the newest entry for the clock check. If
    the clock is wrong at this time (`check_clock`), the entry's time is stored in NEWEST_FILE. If the clock is right,
    that file is deleted. A check runs only when its function is called. `journal_health` is the function for the
    journal.
    """
    newest_entry_s = newest_s(folder)
    remember_newest(folder, newest_entry_s, datetime.now().astimezone())
    return {
        "disk": lambda: check_disk(folder).as_health(),
        "clock": lambda: check_clock(datetime.now().astimezone(), newest_entry_s).as_health(),
        "power": lambda: check_power().as_health(),
        "journal": journal_health,
        "recovery": lambda: check_recovery(folder).as_health(),
    }


def check_disk(folder: Path) -> Finding:
    """Return the finding on the data folder's disk: failed if it is out of reach, mounted read-only, or almost full.

    Almost full means that less than FREE_MB_NEEDED megabytes are free. Nothing is written, so file permissions are not
    tested.
    """
    try:
        free_mb = shutil.disk_usage(folder).free // 2**20
        read_only = os.statvfs(folder).f_flag & os.ST_RDONLY
    except OSError as gone:
        return Finding(
            "disk", False, f"The data folder {folder} can't be reached ({gone.strerror}).", "Check the disk."
        )
    if read_only:
        says = f"The disk of {folder} can't be written any more: a card that wears out does that."
        return Finding("disk", False, says, "Copy it to a new one.")
    if free_mb < FREE_MB_NEEDED:
        cure = "Free some space, or set [data] dir to another disk."
        return Finding("disk", False, f"Only {free_mb} MB are free in {folder}.", cure)
    return Finding("disk", True, f"{free_mb} MB are free in {folder}.")


def check_writable(folder: Path) -> Finding:
    """Check free space and write access of the data folder, or of its nearest existing parent; return the finding."""
    place = next(path for path in (folder, *folder.parents) if os.path.exists(path))  # where Path.exists may raise
    found = check_disk(place)
    if not found.ok:
        return found
    try:
        with tempfile.TemporaryFile(dir=place) as probe:
            probe.write(b"pegpip")
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as refused:
        cure = "Give the table's user the folder, or set [data] dir."
        return Finding("disk", False, f"{place} can't be written ({refused.strerror}).", cure)
    return found


def check_playable(folder: Path) -> Finding:
    """Return the finding of `check_journal`, or a failed finding if the journal is sound but can't be replayed."""
    found = check_journal(folder)
    try:
        if found.ok:
            first, games = Archive(folder).load()
            replayed(entries(folder, first), Record(first - 1, games=games))
    except Unplayable as refused:
        return Finding("journal", False, f"No table starts from the journal in {folder}: {refused}.", REPLAY_ELSEWHERE)
    return found


def check_journal(folder: Path) -> Finding:
    """Check both copies of a data folder's journal; the finding fails if one is damaged or can't be read.

    It also fails after an interrupted import, or while a recovery's copy `damaged-N` is still there. A data folder
    without a journal passes. Nothing is changed, and a table may be writing meanwhile.
    """
    left_over = check_import(folder)
    if not left_over.ok:
        return left_over
    try:
        number, wrong = examined(folder)
    except DeviceError as ill:
        return Finding.ill("journal", ill)
    if wrong is not None:
        cure = "Start the table once: it mends what can be read and says what is missing."
        return Finding("journal", False, f"The journal in {folder} is damaged after entry {number}: {wrong}.", cure)
    recovery = check_recovery(folder)
    says = f"{counted(number, 'entry', 'entries')}, each proven by the one before."
    return replace(recovery, says=says) if recovery.ok else recovery


def check_import(folder: Path) -> Finding:
    """Check that no interrupted import left unpacked files in the data folder; the finding fails if one did."""
    if not os.path.lexists(folder / INCOMING):
        return Finding("journal", True, "no import was cut off")
    aside = ", ".join(sorted(path.name for path in folder.glob(f"{ASIDE}*")))
    older = f" Data that imports put aside is in {aside}." if aside else ""
    says = f"An import into {folder} was cut off: {INCOMING} in it holds what was not yet moved in.{older}"
    cure = f"Import again with --replace, which deletes {INCOMING} alone; or delete {INCOMING} if nothing is missing."
    return Finding("journal", False, says, cure)


def check_recovery(folder: Path) -> Finding:
    """Return the finding on earlier damage to a data folder.

    The check fails while a recovery's copy `damaged-N` or the rest of a cut-off import is in the folder.
    """
    left_over = check_import(folder)
    if not left_over.ok:
        return left_over
    for aside, explanation in reports(folder).items():
        cure = f"The folder as it was is in {aside}: look over the scores, then move that folder away."
        return Finding("journal", False, explanation, cure)
    return Finding("journal", True, "no damage to look over")


def check_clock(now: datetime, newest_entry_s: float = 0.0, root: Path = ROOT) -> Finding:
    """Return the finding on whether the machine's clock can be right.

    The check fails in a year before EARLIEST_YEAR. It also fails if the clock is more than MAX_CLOCK_LAG_S behind
    `newest_entry_s`, the time of the journal's newest entry (seconds since 1970; 0 without one). Such a lag is accepted
    if the file SYNCHRONISED under `root` shows that the network has set the clock. `root` stands for `/`.
    """
    newest = datetime.fromtimestamp(newest_entry_s, now.tzinfo)
    if now.year < EARLIEST_YEAR:
        wrong = f"The clock says {now:%Y-%m-%d}, which is long past."
    elif now.timestamp() < newest_entry_s - MAX_CLOCK_LAG_S and not (root / SYNCHRONISED).exists():
        wrong = f"The clock says {now:%Y-%m-%d %H:%M}, but the newest entry is of {newest:%Y-%m-%d %H:%M}."
    else:
        return Finding("clock", True, f"The clock says {now:%Y-%m-%d %H:%M}.")
    cure = "Join a network once, or `sudo date -s '2030-01-31 20:00'`. Games stay in order without it."
    return Finding("clock", False, wrong, cure)


def newest_s(folder: Path, root: Path = ROOT) -> float:
    """Return the latest time at which a journal entry is known to have been written, in seconds since 1970.

    The result is the later of two times: that of the last entry, and that stored in NEWEST_FILE. The last entry's time
    is too early if the clock was behind when it was written. Returns 0 if neither time is known. Also returns 0 if the
    network has set the clock, because it is then right. `root` stands for `/`.
    """
    if (root / SYNCHRONISED).exists():
        return 0.0
    remembered_s = 0.0
    with contextlib.suppress(OSError, ValueError):
        remembered_s = min(float((folder / NEWEST_FILE).read_text()), MAX_WALL_S)
    return max(last_written_s(folder), remembered_s)


def remember_newest(folder: Path, newest_entry_s: float, now: datetime, root: Path = ROOT) -> None:
    """Write the time of the newest entry to NEWEST_FILE in the data folder if `check_clock` finds the clock wrong.

    If the clock is right, the file is deleted. If it is wrong and there is no entry (0), an existing file stays. Disk
    errors are ignored.
    """
    file = folder / NEWEST_FILE
    with contextlib.suppress(OSError):
        if check_clock(now, newest_entry_s, root).ok:
            file.unlink(missing_ok=True)
        elif newest_entry_s > 0:
            write_file(file, (str(newest_entry_s).encode(),))


def check_power(root: Path = ROOT, firmware: str | None = None) -> Finding:
    """Return the finding on the supply's voltage and the processor's heat, from the kernel and the Pi's firmware.

    The check fails if the voltage is low, if the processor is at THROTTLED_FROM_C or hotter, or if a bit of
    FIRMWARE_BITS is set. `firmware` is the answer of `vcgencmd get_throttled`, which includes faults since the boot;
    None without one. An answer that can't be parsed fails the check. With neither an answer nor a heat sensor, the
    machine passes as simulated. `root` stands for `/`.
    """
    now_c = degrees(root)
    ill = [] if now_c is None or now_c < THROTTLED_FROM_C else [f"The processor is at {now_c:.0f} °C and slows down."]
    if _voltage_is_low(root):
        ill.insert(0, "The supply's voltage is too low now.")
    cure = POWER_CURE
    if firmware is not None:
        try:
            bits = int(firmware.rpartition("=")[2], 16)
            ill += [text for bit, text in FIRMWARE_BITS.items() if bits >> bit & 1]
        except ValueError:
            cure = POWER_CURE if ill else "Add the user to the group video."
            ill.append(f"vcgencmd says {firmware!r}.")
    if ill:
        return Finding("power", False, " ".join(ill), cure)
    if now_c is None and firmware is None:
        return Finding("power", True, "Not a Raspberry Pi: it has no sensors to ask.", simulated=True)
    return Finding("power", True, "Voltage and heat are good" + (f", {now_c:.0f} °C." if now_c is not None else "."))


def _voltage_is_low(root: Path) -> bool:
    """Return whether the kernel reports that the Pi's supply is below 4.63 V now; False without such a sensor."""
    for sensor in (root / "sys/class/hwmon").glob("hwmon*"):
        with contextlib.suppress(OSError):
            if [(sensor / file).read_text().strip() for file in ("name", "in0_lcrit_alarm")] == ["rpi_volt", "1"]:
                return True
    return False


def degrees(root: Path = ROOT) -> float | None:
    """Return the processor's temperature in degrees Celsius; None without a sensor. `root` stands for `/`."""
    try:
        return int((root / "sys/class/thermal/thermal_zone0/temp").read_text()) / 1000
    except (OSError, ValueError):
        return None


def throttled() -> str | None:
    """Return what `vcgencmd get_throttled` prints, such as `throttled=0x0`; None if missing or slower than 5 s.

    If nothing is on standard output, the result is the text on standard error, which may be empty.
    """
    try:
        asked = subprocess.run(["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return (asked.stdout or asked.stderr).strip()

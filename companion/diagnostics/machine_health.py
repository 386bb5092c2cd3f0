"""How the machine itself is: voltage, heat and clock of a Pi, read from the kernel's files at each asking."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from companion.diagnostics.health import Check, disk_check, journal_check
from companion.table.atomic import write_file
from companion.table.journal import last_written_s

EARLIEST_YEAR = 2025
"""First year that the clock can show. A Pi has no clock of its own: without a network it starts in its past."""
SLACK_S = 300.0
"""Seconds that the clock may be behind the newest entry without being called wrong."""
SLOWED_C = 80.0
"""Degrees at which a Pi slows its processor down (Raspberry Pi documentation, "Frequency management")."""
NEWEST_FILE = "newest-time.txt"
"""Time of the newest entry, kept in the data folder while the clock is behind it."""
SYNCHRONISED = "run/systemd/timesync/synchronized"
"""File that systemd-timesyncd makes once it has set the clock since the start."""


def checks_of_any_table(folder: Path, journal_health: Callable[[], tuple[bool, str]]) -> dict[str, Check]:
    """Make the checks of disk, machine and journal. Call it before anything is written: it reads the last entry's time.

    Args:
        folder: The data folder.
        journal_health: Whether the journal is well, what was verified, and when.
    """
    newest_entry_s = newest_s(folder)
    remember_newest(folder, newest_entry_s, datetime.now().astimezone())
    return {
        "disk": disk_check(folder),
        "machine": machine_check(lambda: datetime.now().astimezone(), newest_entry_s),
        "journal": journal_check(folder, journal_health),
    }


def newest_s(folder: Path, root: Path = Path("/")) -> float:
    """Return when the newest entry was written by a right clock, in seconds since 1970; 0 when nothing is known.

    The last entry does not tell: after a move with a wrong clock it is of that clock. A clock that the network has set
    is right whatever the entries say: then the answer is 0.
    """
    if _synchronised(root):
        return 0.0
    remembered_s = 0.0
    with contextlib.suppress(OSError, ValueError):
        remembered_s = float((folder / NEWEST_FILE).read_text())
    return max(last_written_s(folder), remembered_s)


def remember_newest(folder: Path, newest_entry_s: float, now: datetime) -> None:
    """Keep the time of the newest entry while the clock is behind it, and forget it when the clock is right."""
    file = folder / NEWEST_FILE
    with contextlib.suppress(OSError):
        if clock_illness(now, newest_entry_s) is None:
            file.unlink(missing_ok=True)
        elif newest_entry_s > 0:
            write_file(file, (str(newest_entry_s).encode(),))


def machine_check(now: Callable[[], datetime], written_s: float = 0.0, root: Path = Path("/")) -> Check:
    """Make the check of the supply's voltage, the processor's heat and the clock.

    Args:
        now: The date and time, by this machine's clock.
        written_s: When the newest entry before this start was written, in seconds since 1970; 0 without one.
        root: Folder that holds the kernel's files.
    """

    def check() -> tuple[bool, str]:
        entry_s = 0.0 if _synchronised(root) else written_s
        wrong = [text for text in (_voltage(root), _heat(root), _clock(now(), entry_s)) if text]
        if wrong:
            return False, " ".join(wrong)
        now_c = degrees(root)
        return True, "no sensors to ask" if now_c is None else f"voltage and clock are good, {now_c:.0f} °C"

    return check


def _synchronised(root: Path) -> bool:
    return (root / SYNCHRONISED).exists()


def _voltage(root: Path) -> str | None:
    """The kernel's driver `raspberrypi-hwmon` raises an alarm under 4.63 V."""
    for sensor in (root / "sys/class/hwmon").glob("hwmon*"):
        with contextlib.suppress(OSError):
            if [(sensor / file).read_text().strip() for file in ("name", "in0_lcrit_alarm")] == ["rpi_volt", "1"]:
                return "The supply's voltage is too low: use the Pi's own, and feed the strip from another."
    return None


def _heat(root: Path) -> str | None:
    now_c = degrees(root)
    if now_c is None or now_c < SLOWED_C:
        return None
    return f"The processor is at {now_c:.0f} °C and slows down: let air to it."


def degrees(root: Path = Path("/")) -> float | None:
    """Return the processor's temperature in degrees Celsius; None without a sensor. `root` holds the kernel's files."""
    try:
        return int((root / "sys/class/thermal/thermal_zone0/temp").read_text()) / 1000
    except (OSError, ValueError):
        return None


def _clock(now: datetime, written_s: float) -> str | None:
    wrong = clock_illness(now, written_s)
    return wrong and f"{wrong} Join a network once. Games stay in order without it."


def clock_illness(now: datetime, written_s: float) -> str | None:
    """Why that can't be the time, a sentence, or None: it is long past, or before the journal's last entry."""
    if now.year < EARLIEST_YEAR:
        return f"The clock says {now:%Y-%m-%d}, which is long past."
    if now.timestamp() < written_s - SLACK_S:
        before = datetime.fromtimestamp(written_s, now.tzinfo)
        return f"The clock says {now:%Y-%m-%d %H:%M}, but the newest entry is of {before:%Y-%m-%d %H:%M}."
    return None

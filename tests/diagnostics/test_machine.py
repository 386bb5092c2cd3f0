"""Checks of disk, clock, journal and power supply."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from companion.diagnostics.machine import (
    FREE_MB_NEEDED,
    NEWEST_FILE,
    SYNCHRONISED,
    check_clock,
    check_disk,
    check_power,
    check_writable,
    newest_s,
    remember_newest,
)
from companion.table.journal import Entry, Journal, last_written_s

NOW = datetime(2030, 5, 1, tzinfo=UTC)


def pi(root: Path, *, alarm: str = "0", millidegrees: int = 51_000) -> Path:
    """Write the kernel's files of a Raspberry Pi with those readings, and return `root`."""
    for name, chip in (("hwmon0", "cpu_thermal"), ("hwmon1", "rpi_volt")):
        sensor = root / "sys/class/hwmon" / name
        sensor.mkdir(parents=True)
        (sensor / "name").write_text(f"{chip}\n")
        (sensor / "in0_lcrit_alarm").write_text(f"{alarm if chip == 'rpi_volt' else 1}\n")
    zone = root / "sys/class/thermal/thermal_zone0"
    zone.mkdir(parents=True)
    (zone / "temp").write_text(f"{millidegrees}\n")
    return root


@pytest.mark.parametrize(
    ("alarm", "millidegrees", "firmware", "ok", "says"),
    [
        ("0", 51_000, None, True, "51 °C"),
        ("0", 51_000, "throttled=0x0", True, "51 °C"),
        ("1", 51_000, None, False, "voltage is too low now"),
        ("0", 83_500, None, False, "at 84 °C and slows down"),
        ("0", 51_000, "throttled=0x50000", False, "voltage has been too low. The processor has been throttled"),
        ("0", 51_000, "throttled=0x4", False, "throttled now"),
        ("1", 90_000, "throttled=0x80000", False, "90 °C and slows down. The processor has been too hot"),
        ("0", 51_000, "VCHI initialization failed", False, "VCHI initialization failed"),
        ("1", 51_000, "VCHI initialization failed", False, "too low now. vcgencmd says 'VCHI initialization failed'"),
    ],
)
def test_the_doctor_reports_low_voltage_and_heat_now_and_since_boot(
    tmp_path: Path, alarm: str, millidegrees: int, firmware: str | None, ok: bool, says: str
) -> None:
    found = check_power(pi(tmp_path, alarm=alarm, millidegrees=millidegrees), firmware)
    assert (found.ok, says in found.says, bool(found.cure)) == (ok, True, not ok), found


def test_the_doctors_power_check_without_sensors_passes_as_simulated(tmp_path: Path) -> None:
    assert (check_power(tmp_path).ok, check_power(tmp_path).simulated) == (True, True)


@pytest.mark.parametrize(("written_s", "ok"), [(0.0, True), (-3600, True), (60, True), (7200, False)])
def test_the_doctor_reports_a_clock_hours_behind_the_newest_journal_entry(
    tmp_path: Path, written_s: float, ok: bool
) -> None:
    """A Pi has no battery-backed clock, so only entries written before tell that the time is wrong."""
    last_s = written_s and NOW.timestamp() + written_s
    found = check_clock(NOW, last_s, tmp_path)
    assert (found.ok, "2030-05-01 02:00" in found.says, bool(found.cure)) == (ok, not ok, not ok), found


def test_the_doctor_reports_a_wrong_clock_across_restarts_until_corrected(tmp_path: Path) -> None:
    data, machine = tmp_path / "data", pi(tmp_path / "pi")
    data.mkdir()
    journal = Journal(data)
    journal.open()
    journal.append(Entry(number=1, kind="end", body={}, wall_s=NOW.timestamp()))
    past = NOW.replace(month=1)
    for number in (2, 3):
        newest_entry_s = newest_s(data, machine)
        remember_newest(data, newest_entry_s, past, machine)
        assert not check_clock(past, newest_entry_s, machine).ok
        journal.append(Entry(number=number, kind="end", body={}, wall_s=past.timestamp()))
    journal.close()
    newest_entry_s = newest_s(data, machine)
    remember_newest(data, newest_entry_s, NOW, machine)
    assert check_clock(NOW, newest_entry_s, machine).ok
    assert not (data / NEWEST_FILE).exists()


def test_the_doctor_accepts_a_network_synchronised_clock_earlier_than_the_last_journal_entry(tmp_path: Path) -> None:
    machine = pi(tmp_path)
    (machine / SYNCHRONISED).parent.mkdir(parents=True)
    (machine / SYNCHRONISED).touch()
    assert check_clock(NOW, NOW.timestamp() + 7200, machine).ok


def test_newest_entry_time_comes_from_the_journal_and_is_0_if_none_is_readable(tmp_path: Path) -> None:
    assert last_written_s(tmp_path) == 0.0
    assert list(tmp_path.iterdir()) == []
    journal = Journal(tmp_path)
    journal.open()
    for number, wall_s in ((1, 9e8), (2, 1e9)):
        journal.append(Entry(number=number, kind="end", body={}, wall_s=wall_s))
    assert last_written_s(tmp_path) == 1e9
    journal.close()
    (tmp_path / "journal.jsonl").write_bytes(b"no database")
    assert last_written_s(tmp_path) == 0.0


def test_the_doctor_reports_a_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = os.statvfs(tmp_path)
    fields = list(now)
    fields[8] |= os.ST_RDONLY
    monkeypatch.setattr(os, "statvfs", lambda folder: os.statvfs_result((*fields[:10], now.f_fsid)))
    found = check_disk(tmp_path)
    assert (found.ok, "can't be written any more" in found.says) == (False, True)


@pytest.mark.parametrize(("free_mb", "ok"), [(FREE_MB_NEEDED - 1, False), (FREE_MB_NEEDED, True)])
def test_the_doctor_reports_a_nearly_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, ok: bool
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=free_mb * 2**20))
    found = check_disk(tmp_path)
    assert (found.ok, "Free some space" in found.cure) == (ok, not ok)


def test_the_doctor_accepts_a_data_folder_only_if_it_can_be_written(tmp_path: Path) -> None:
    assert check_writable(tmp_path / "to" / "be" / "made").ok
    refused = check_writable(Path("/proc"))
    assert (refused.ok, "data" in refused.cure) == (False, True)


def test_the_doctor_reports_a_data_folder_whose_parent_denies_access(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path | str, **_: object) -> os.stat_result:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "stat", refused)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda dir: refused(dir))  # noqa: A006 - its own name
    found = check_writable(tmp_path / "data")
    assert (found.ok, "can't be written (Permission denied)" in found.says) == (False, True)


@pytest.mark.parametrize(("year", "ok"), [(1970, False), (2024, False), (2025, True)])
def test_the_doctor_reports_a_clock_before_2025(year: int, ok: bool) -> None:
    assert check_clock(datetime(year, 1, 31).astimezone()).ok is ok


def test_the_clock_check_reports_a_fault_and_does_not_raise_if_the_newest_stored_time_is_absurd(tmp_path: Path) -> None:
    """The newest time is read from a file of the data folder, which an import may have brought."""
    (tmp_path / NEWEST_FILE).write_text("1e300")
    assert not check_clock(datetime.now().astimezone(), newest_s(tmp_path, tmp_path), tmp_path).ok

"""What is told of a table that is ill: to people, to programs, and in a bug report."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.doctor import command as doctor
from companion.diagnostics import bundle, health, logs
from companion.diagnostics.doctor import check_clock
from companion.diagnostics.hotspot_health import check_hotspot
from companion.diagnostics.machine_health import NEWEST_FILE, SYNCHRONISED, machine_check, newest_s, remember_newest
from companion.table.journal import Entry, Journal, last_written_s
from web.pairing.roles import Role
from web.pairing.tokens import FileTokens, Paired

NOW = datetime(2030, 5, 1, tzinfo=UTC)


def pi(root: Path, *, alarm: str = "0", millidegrees: int = 51_000) -> Path:
    """The kernel's files of a Raspberry Pi."""
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
    ("alarm", "millidegrees", "year", "ok", "says"),
    [
        ("0", 51_000, 2030, True, "51 °C"),
        ("1", 51_000, 2030, False, "voltage is too low"),
        ("0", 83_500, 2030, False, "at 84 °C and slows down"),
        ("0", 51_000, 1970, False, "The clock says 1970"),
    ],
)
def test_a_pi_that_suffers_says_so(
    tmp_path: Path, alarm: str, millidegrees: int, year: int, ok: bool, says: str
) -> None:
    check = machine_check(lambda: NOW.replace(year=year), 0.0, pi(tmp_path, alarm=alarm, millidegrees=millidegrees))
    found, words = check()
    assert (found, says in words) == (ok, True), words


@pytest.mark.parametrize(("written_s", "ok"), [(0.0, True), (-3600, True), (60, True), (7200, False)])
def test_a_clock_that_lies_behind_the_last_entry_is_told(tmp_path: Path, written_s: float, ok: bool) -> None:
    """It was well in the last evening, and the Pi has no clock of its own."""
    last_s = written_s and NOW.timestamp() + written_s
    found, words = machine_check(lambda: NOW, last_s, pi(tmp_path))()
    assert (found, "2030-05-01 02:00" in words) == (ok, not ok), words
    assert check_clock(NOW, last_s).ok == ok


def test_a_wrong_clock_is_told_over_moves_and_restarts_until_it_is_right(tmp_path: Path) -> None:
    data, machine = tmp_path / "data", pi(tmp_path / "pi")
    data.mkdir()
    journal = Journal(data)
    journal.open()
    journal.append(Entry(number=1, kind="end", body={}, wall_s=NOW.timestamp()))
    past = NOW.replace(month=1)
    for number in (2, 3):
        newest_entry_s = newest_s(data, machine)
        remember_newest(data, newest_entry_s, past)
        assert not machine_check(lambda: past, newest_entry_s, machine)()[0]
        journal.append(Entry(number=number, kind="end", body={}, wall_s=past.timestamp()))
    journal.close()
    newest_entry_s = newest_s(data, machine)
    remember_newest(data, newest_entry_s, NOW)
    assert machine_check(lambda: NOW, newest_entry_s, machine)()[0]
    assert not (data / NEWEST_FILE).exists()


def test_a_clock_that_the_network_has_set_is_right_whatever_the_entries_say(tmp_path: Path) -> None:
    machine = pi(tmp_path)
    (machine / SYNCHRONISED).parent.mkdir(parents=True)
    (machine / SYNCHRONISED).touch()
    assert machine_check(lambda: NOW, NOW.timestamp() + 7200, machine)()[0]


def test_when_the_last_entry_was_written_is_read_from_the_journal_as_it_lies(tmp_path: Path) -> None:
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


def test_all_that_is_wrong_is_told_together(tmp_path: Path) -> None:
    _, words = machine_check(lambda: NOW.replace(year=1980), 0.0, pi(tmp_path, alarm="1", millidegrees=90_000))()
    assert all(word in words for word in ("voltage", "90 °C", "1980"))


def test_a_machine_without_sensors_is_well(tmp_path: Path) -> None:
    assert machine_check(lambda: NOW, 0.0, tmp_path)() == (True, "no sensors to ask")


def test_a_card_that_became_read_only_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = os.statvfs(tmp_path)
    fields = list(now)
    fields[8] |= os.ST_RDONLY
    monkeypatch.setattr(os, "statvfs", lambda folder: os.statvfs_result((*fields[:10], now.f_fsid)))
    ok, says = health.disk_check(tmp_path)()
    assert (ok, "can't be written any more" in says) == (False, True)


@pytest.mark.parametrize(("free_mb", "ok"), [(health.FREE_MB_NEEDED - 1, False), (health.FREE_MB_NEEDED, True)])
def test_a_disk_that_is_nearly_full_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, ok: bool
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=free_mb * 2**20))
    found, says = health.disk_check(tmp_path)()
    assert (found, "Free some space" in says) == (ok, not ok)


class Logged:
    """A log of its own, on a clock that is set."""

    def __init__(self, *, structured: bool = False, **environment: str) -> None:
        self.now = 0.0
        self.stream = io.StringIO()
        root = logging.getLogger()
        self.before = root.handlers[:], root.level
        logs.begin(lambda: self.now, verbose=False, structured=structured, stream=self.stream, environment=environment)

    def close(self) -> list[str]:
        """What was written; the log is as it was."""
        root = logging.getLogger()
        root.handlers[:], level = self.before
        root.setLevel(level)
        return self.stream.getvalue().splitlines()


def test_a_message_without_end_is_cut_and_counted() -> None:
    log = Logged()
    for number in range(100):
        logging.getLogger("camera").warning("no frame %d", number)
        logging.getLogger("strip").warning("another part") if number == 50 else None
    log.now = 61.0
    logging.getLogger("camera").warning("elsewhere")
    lines_of_loop(log)
    lines = log.close()
    assert lines[:10] == [f"WARNING camera: no frame {number}" for number in range(10)]
    assert "WARNING strip: another part" in lines
    assert len(lines) == 13


def lines_of_loop(log: Logged) -> None:
    """One line from one place, after a silence."""
    for _ in range(1):
        logging.getLogger("camera").warning("again")


def test_what_was_left_out_is_told_with_the_next() -> None:
    log = Logged()
    for number in range(26):
        log.now = 61.0 if number == 25 else 0.0
        logging.getLogger("camera").warning("no frame %d", number)
    assert log.close()[-1] == "WARNING camera: no frame 25 (and 15 more like it, not written)"


def test_journald_is_told_how_grave_each_line_is() -> None:
    log = Logged(JOURNAL_STREAM="8:1")
    try:
        raise OSError("gone")
    except OSError:
        logging.getLogger("strip").exception("it fell")
    lines = log.close()
    assert lines[0] == "<3>strip: it fell"
    assert all(line.startswith("<3>") for line in lines)
    assert "OSError: gone" in lines[-1]


def test_programs_get_an_object_a_line() -> None:
    log = Logged(structured=True)
    logging.getLogger("camera").error("no\nframe %s", "é")
    (line,) = log.close()
    told = json.loads(line)
    assert (told["level"], told["part"], told["says"]) == ("error", "camera", "no\nframe é")


WIFI_SWITCH = "sys/class/rfkill/rfkill0"


def a_machine_with_wifi(root: Path, *, soft: str = "0", hard: str = "0", country: str = "GB") -> Path:
    for file, text in {
        "sys/class/ieee80211/phy0/index": "0",
        f"{WIFI_SWITCH}/type": "wlan",
        f"{WIFI_SWITCH}/soft": soft,
        f"{WIFI_SWITCH}/hard": hard,
        "sys/class/rfkill/rfkill1/type": "bluetooth",
        "sys/class/rfkill/rfkill1/soft": "1",
        "sys/module/cfg80211/parameters/ieee80211_regdom": country,
    }.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(f"{text}\n")
    return root


@pytest.mark.parametrize(
    ("kernel", "nmcli", "ok", "says"),
    [
        ({}, "/usr/bin/nmcli", True, "the country is GB"),
        ({"country": "00"}, "/usr/bin/nmcli", True, "no country is set"),
        ({"soft": "1"}, "/usr/bin/nmcli", False, "blocked"),
        ({"hard": "1"}, "/usr/bin/nmcli", False, "switch on the machine"),
        ({}, None, False, "no NetworkManager"),
    ],
)
def test_the_doctor_tells_whether_the_hotspot_can_open(
    tmp_path: Path, kernel: dict[str, str], nmcli: str | None, ok: bool, says: str
) -> None:
    found = check_hotspot("Pub", a_machine_with_wifi(tmp_path, **kernel), lambda _: nmcli)
    assert (found.ok, says in found.says, bool(found.cure)) == (ok, True, not ok), found


@pytest.mark.parametrize(("firmware", "phones", "offers"), [("standard", 7, True), ("minimal", 19, False)])
def test_the_doctor_tells_how_many_phones_the_hotspot_holds(
    tmp_path: Path, firmware: str, phones: int, offers: bool
) -> None:
    root = a_machine_with_wifi(tmp_path)
    assert "phones" not in check_hotspot("Pub", root, lambda _: "nmcli").says  # a PC's limit is unknown
    link = root / "etc/alternatives/cyfmac43455-sdio.bin"
    link.parent.mkdir(parents=True)
    link.symlink_to(f"/lib/firmware/cypress/cyfmac43455-sdio-{firmware}.bin")
    says = check_hotspot("Pub", root, lambda _: "nmcli").says
    assert f"about {phones} phones" in says
    assert "router" in says
    assert ("update-alternatives --set" in says) is offers


def test_a_machine_without_wifi_needs_no_hotspot(tmp_path: Path) -> None:
    assert check_hotspot("Pub", tmp_path, lambda _: None).ok


def test_a_bug_report_holds_the_game_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings, zipped, data = tmp_path / "pegpip.toml", tmp_path / "report.zip", tmp_path / "data"
    settings.write_text(
        f"[data]\ndir = '{data}'\n[web]\nport = 0\nhost = '127.0.0.1'\nwifi = 'Pub'\nwifi_password = 'hushhush'\n"
        "[buttons]\nshutdown_command = ['true', 'token-of-a-program']\n"
    )
    token = played_by_a_phone(data)
    service_says(tmp_path, monkeypatch, "PIN: 123456", "joined Pub with hushhush")
    done = CliRunner().invoke(doctor, ["--config", str(settings), "--bundle", str(zipped)], standalone_mode=False)
    assert done.exception is None
    with zipfile.ZipFile(zipped) as archive:
        names = archive.namelist()
        everything = b"".join(archive.read(name) for name in names)
        kept = json.loads(archive.read("settings.json"))
    assert set(names) == {"README.txt", "settings.json", "doctor.jsonl", "machine.json", "game.jsonl", "log.txt"}
    assert b"Zoe" in everything
    for secret in ("hushhush", "123456", "token-of-a-program", token, "phone-of-zoe"):
        assert secret.encode() not in everything, secret
    assert (kept["web"]["wifi"], kept["web"]["wifi_password"]) == ("Pub", "(kept back)")


def played_by_a_phone(folder: Path) -> str:
    """A data folder with a game that a paired phone runs; what is kept of the phone's token."""
    journal = Journal(folder)
    journal.open()
    header = {"transcript": 1, "game": "crib_dice", "players": ["Zoe", "Ben"]}
    body = {"header": header, "sitting": 1, "horizon": 1, "colours": {}}
    journal.append(Entry(number=1, kind="game", body=body, wall_s=1e9))
    journal.close()
    token = "5e" * 32
    FileTokens(folder / "paired.json").save((Paired(1, "phone-of-zoe", token, Role.OWNER),))
    return token


def service_says(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    journalctl = folder / "journalctl"
    told = "".join(f"echo '2030-05-01T20:00:00 pi env[7]: {line}'\n" for line in lines)
    journalctl.write_text(f"#!/bin/sh\n{told}")
    journalctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_bug_report_keeps_back_the_pin_that_the_service_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service_says(tmp_path, monkeypatch, "PIN: 123456")
    assert bundle._log("") == {"log.txt": b"2030-05-01T20:00:00 pi env[7]: PIN: (kept back)\n"}


def test_a_bug_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    settings = tmp_path / "pegpip.toml"
    settings.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nport = 0\nhost = '127.0.0.1'\n")
    nowhere = tmp_path / "no" / "such" / "folder.zip"
    done = CliRunner().invoke(doctor, ["--config", str(settings), "--bundle", str(nowhere)], standalone_mode=False)
    assert "can't be written" in str(done.exception)

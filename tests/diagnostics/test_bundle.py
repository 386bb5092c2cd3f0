"""The zip for a bug report: everything that helps, and no secret."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from companion.commands.doctor import command as doctor
from companion.diagnostics import bundle
from companion.diagnostics.doctor import checks
from companion.diagnostics.machine import check_journal, check_playable
from companion.settings import last_good
from companion.settings.load import Settings
from companion.settings.starting import in_use
from companion.table.journal import FIRST, SECOND, Entry, Journal
from web.pairing.roles import Role
from web.pairing.tokens import FileTokens, Paired


def test_the_doctors_bug_report_zip_holds_the_game_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, zipped, data = tmp_path / "pegpip.toml", tmp_path / "report.zip", tmp_path / "data"
    settings.write_text(
        f"[data]\ndir = '{data}'\n[web]\nport = 0\nhost = '127.0.0.1'\nwifi = 'Pub'\nwifi_password = 'hushhush'\n"
        "[buttons]\nshutdown_command = ['true', 'token-of-a-program']\n"
        "[mqtt]\nhost = '127.0.0.1'\npassword = 'brokerword'\n"
        "[webhook]\nurl = 'https://chat.example/hooks/secretpath'\nsecret_password = 'c2lnbmluZw=='\n"
    )
    token = played_by_a_phone(data)
    service_says(tmp_path, monkeypatch, "PIN: 123456", "joined Pub with hushhush", "mqtt brokerword")
    done = CliRunner().invoke(doctor, ["--config", str(settings), "--bundle", str(zipped)], standalone_mode=False)
    assert done.exception is None
    with zipfile.ZipFile(zipped) as archive:
        names = archive.namelist()
        everything = b"".join(archive.read(name) for name in names)
        kept = json.loads(archive.read("settings.json"))
    assert set(names) == {"README.txt", "settings.json", "doctor.jsonl", "machine.json", "game.jsonl", "log.txt"}
    assert b"names and addresses of phones may be in log.txt" in everything
    assert b"Zoe" in everything
    secrets = ("hushhush", "brokerword", "secretpath", "c2lnbmluZw==", "123456", "token-of-a-program")
    for secret in (*secrets, token, "phone-of-zoe"):
        assert secret.encode() not in everything, secret
    assert (kept["web"]["wifi"], kept["web"]["wifi_password"]) == ("Pub", "(kept back)")


def test_the_doctors_bug_report_leaves_out_an_invalid_webhook_url(tmp_path: Path) -> None:
    settings, zipped, wrong = tmp_path / "pegpip.toml", tmp_path / "report.zip", "https://chat.example/secretpath\u200b"
    settings.write_text(f"[data]\ndir = '{tmp_path}'\n[webhook]\nurl = '{wrong}'\n", encoding="utf-8")
    last_good.keep(tmp_path, msgspec.convert({"data": {"dir": str(tmp_path)}}, Settings))
    starting = in_use(settings)
    findings = [one for one in checks(starting.settings, starting.left_out) if one.part == "settings"]
    assert "[webhook] `url`: it has a character that can't be seen" in findings[0].says
    bundle.write(zipped, starting.settings, findings, photos=False)
    with zipfile.ZipFile(zipped) as archive:
        assert b"can't be seen" in archive.read("doctor.jsonl")
        assert not any(b"secretpath" in archive.read(name) for name in archive.namelist())


def test_the_doctor_names_an_unplayable_journal_entry_and_its_zip_report_holds_a_game_file(tmp_path: Path) -> None:
    """A newer version may have written it; the table starts in safe mode then."""
    played_by_a_phone(tmp_path)
    journal = Journal(tmp_path)
    journal.open()
    journal.append(Entry(number=2, kind="line", body={"lime": 1}, wall_s=0.0))
    journal.close()
    finding = check_playable(tmp_path)
    assert (finding.ok, "entry 2" in finding.says) == (False, True)
    settings = msgspec.convert({"data": {"dir": str(tmp_path)}}, Settings)
    bundle.write(tmp_path / "report.zip", settings, [finding], photos=False)
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert b'"crib_dice"' in archive.read("game.jsonl")


def test_the_doctor_refuses_a_folder_as_the_bug_report_path_before_any_check(tmp_path: Path) -> None:
    settings = tmp_path / "pegpip.toml"
    settings.touch()
    done = CliRunner().invoke(doctor, ["--config", str(settings), "--bundle", "."])
    assert (done.exit_code, "is a directory" in done.output, "camera" in done.output) == (2, True, False)


def test_the_doctors_bug_report_is_written_if_the_data_folder_cannot_be_read(tmp_path: Path) -> None:
    settings = msgspec.convert({"data": {"dir": str(tmp_path / ("x" * 300))}}, Settings)
    names = bundle.write(tmp_path / "report.zip", settings, [], photos=True)
    assert "settings.json" in names
    assert "game.jsonl" not in names


def test_the_doctors_bug_report_is_written_even_if_the_photos_folder_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "photos").symlink_to("x" * 300)  # as a folder that this user may not enter
    settings = msgspec.convert({"data": {"dir": str(tmp_path)}}, Settings)
    assert "settings.json" in bundle.write(tmp_path / "report.zip", settings, [], photos=True)


def test_the_bug_report_of_a_damaged_journal_tells_the_damage_and_holds_no_game(tmp_path: Path) -> None:
    played_by_a_phone(tmp_path)
    for copy in (FIRST, SECOND):
        text = (tmp_path / copy).read_bytes()
        (tmp_path / copy).write_bytes(text.replace(b"Zoe", b"Zia"))
    settings, findings = msgspec.convert({"data": {"dir": str(tmp_path)}}, Settings), [check_journal(tmp_path)]
    names = bundle.write(tmp_path / "report.zip", settings, findings, photos=False)
    assert not findings[0].ok
    assert "game.jsonl" not in names
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert "is damaged after entry" in json.loads(archive.read("doctor.jsonl"))["says"]


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


def test_the_doctors_bug_report_masks_the_pin_in_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    service_says(tmp_path, monkeypatch, "PIN: 123456")
    assert bundle._log(()) == {"log.txt": b"2030-05-01T20:00:00 pi env[7]: PIN: (kept back)\n"}


def test_bug_report_log_hides_all_of_a_secret_that_begins_with_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service_says(tmp_path, monkeypatch, "mqtt hushhush", "PIN: 123456")
    log = bundle._log(("hush", "hushhush", "12"))["log.txt"].decode()
    assert [line.split(": ", 1)[1] for line in log.splitlines()] == ["mqtt (kept back)", "PIN: (kept back)"]


def test_the_doctors_bug_report_has_no_log_where_the_service_wrote_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service_says(tmp_path, monkeypatch)
    (tmp_path / "journalctl").write_text("#!/bin/sh\ncase \"$*\" in *--quiet*) ;; *) echo '-- No entries --' ;; esac\n")
    assert bundle._log(()) == {}


def test_a_doctors_bug_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    settings = tmp_path / "pegpip.toml"
    settings.write_text(f"[data]\ndir = '{tmp_path}'\n[web]\nport = 0\nhost = '127.0.0.1'\n")
    nowhere = tmp_path / "no" / "such" / "folder.zip"
    done = CliRunner().invoke(doctor, ["--config", str(settings), "--bundle", str(nowhere)], standalone_mode=False)
    assert "can't be written" in str(done.exception)

"""`pegpip import` and the settings: which are taken over, refused, or commented out."""

from __future__ import annotations

import tomllib
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.commands.import_ import command as import_table
from companion.errors import DeviceError, SetupError
from companion.settings import last_good
from companion.settings.last_good import FILE_NAME as LAST_GOOD
from companion.settings.load import Settings
from companion.table.journal import read_entries
from tests.system.backing_up import SETTINGS, exported, files_beside, imported, kept_in, repacked


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return kept_in(tmp_path)


def test_an_import_takes_the_data_folder_from_a_settings_file_with_an_error_elsewhere(table: Path) -> None:
    file, _ = exported(table)
    settings, folder = table.parent / "s.toml", table.parent / "new"
    words = [str(file), "--config", str(settings), "--replace"]
    settings.write_text(f"[data]\ndirr = '{folder}'\n")
    with pytest.raises(SetupError, match=r"s\.toml: .*`dirr`.* Name the data folder with --data"):
        CliRunner().invoke(import_table, words, standalone_mode=False, catch_exceptions=False)
    settings.write_text(f"[data]\ndir = '{folder}'\n[web]\nprot = 80\n")
    done = CliRunner().invoke(import_table, words, standalone_mode=False)
    assert (done.return_value, len(read_entries(folder))) == (0, 5)


def test_export_warns_if_wrong_settings_will_make_importing_its_backup_fail(table: Path) -> None:
    """A table that runs with the last good settings gave a backup that could not be restored."""
    last_good.keep(table, Settings())
    (table.parent / "old.toml").write_text("[web]\nprot = 80\n")
    file, done = exported(table)
    assert (done.return_value, "will refuse it" in done.stderr, "prot" in done.stderr) == (1, True, True)
    assert isinstance(imported(file, table.parent / "new").exception, SetupError)
    (table.parent / "old.toml").write_text(SETTINGS)
    assert exported(table, "--replace")[1].return_value == 0


def test_an_import_that_cannot_write_the_settings_changes_nothing(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(path))

    file, _ = exported(table)
    monkeypatch.setattr("companion.backup.restore.write_file", full)
    before = files_beside(table)
    for folder in (table, table.parent / "new"):
        assert isinstance(imported(file, folder, "--replace").exception, DeviceError)
        assert files_beside(table) == before
    assert not (table.parent / "new").exists()
    assert not (table / "replaced-1").exists()


def test_an_import_without_the_replace_option_is_refused_if_a_settings_file_exists(table: Path) -> None:
    file, _ = exported(table)
    (table.parent / "new.toml").write_text("[web]\nport = 80\n")
    assert "settings file" in str(imported(file, table.parent / "new").exception)
    assert (table.parent / "new.toml").read_text() == "[web]\nport = 80\n"
    assert not (table.parent / "new").exists()


def test_an_import_warns_if_the_archived_settings_name_another_data_folder(table: Path) -> None:
    (table.parent / "old.toml").write_text("[data]\ndir = '/somewhere/else'\n")
    done = imported(exported(table)[0], table.parent / "new")
    assert f"another data folder: play with --data {table.parent / 'new'}, or correct" in done.output


def test_import_to_a_relative_path_of_the_configured_data_folder_prints_no_warning(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (table.parent / "old.toml").write_text(f"[data]\ndir = '{table.parent / 'new'}'\n")
    file, _ = exported(table)
    monkeypatch.chdir(table.parent)
    done = imported(file, Path("new"))
    assert (done.exception, len(read_entries(Path("new")))) == (None, 5)
    assert "another data folder" not in done.output


def test_an_archive_without_settings_imports_although_the_existing_settings_file_is_wrong(table: Path) -> None:
    file = repacked(exported(table)[0], lambda held, _: held.pop("settings.toml"))
    fresh = table.parent / "new"
    wrong = f"[data]\ndir = '{fresh}'\n[web]\nport = 'one'\n"
    fresh.with_suffix(".toml").write_text(wrong)
    done = imported(file, fresh)
    assert (done.exception, done.return_value) == (None, 0)
    assert "no settings file" in done.output
    assert fresh.with_suffix(".toml").read_text() == wrong
    assert len(read_entries(fresh)) == 5


@pytest.mark.parametrize(
    "runs",
    [
        '[buttons]\nshutdown = 3\nshutdown_command = [\n  "systemctl",\n  "poweroff",\n]\nkind = "gpio"\n',
        '[buttons]\nshutdown = 3\nshutdown_command = [\n  "sh", # ]\n  "[a] ]",\n """\n poweroff"""]\nkind = "gpio"\n',
        'buttons = { shutdown = 3, kind = "gpio", shutdown_command = ["sh", "-c", "poweroff"] }\n',
        'buttons.shutdown = 3\nbuttons.kind = "gpio"\nbuttons."shutdown_command" = ["poweroff"]\n',
    ],
    ids=["lines", "brackets", "inline", "dotted"],
)
def test_imported_settings_that_run_a_program_are_commented_out(table: Path, runs: str) -> None:
    (table.parent / "old.toml").write_text(runs + SETTINGS if runs.startswith("b") else SETTINGS + runs)
    done = imported(exported(table)[0], table.parent / "new")
    assert "[buttons] shutdown_command, [buttons] shutdown" in done.output
    found = tomllib.loads((table.parent / "new.toml").read_text())
    assert found == {"table": {"name": "The Anchor"}, "buttons": {"kind": "gpio"}}
    assert "poweroff" in (table.parent / "new.toml").read_text(), "as a comment, to be looked at"


def test_the_last_good_settings_file_is_not_exported_and_survives_an_import(table: Path) -> None:
    """The last good settings hold passwords and commands, which an import would bring along unchecked."""
    (table / LAST_GOOD).write_text("{}")
    file, _ = exported(table)
    with zipfile.ZipFile(file) as archive:
        assert not [name for name in archive.namelist() if LAST_GOOD in name]
    before = (table / LAST_GOOD).read_bytes()
    assert imported(file, table, "--replace").exception is None
    assert (table / LAST_GOOD).read_bytes() == before

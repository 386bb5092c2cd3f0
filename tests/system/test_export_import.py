"""What `pegpip export` writes `pegpip import` reads back; what is damaged or hostile is refused, nothing touched."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from companion.commands.export import command as export
from companion.commands.import_ import command as import_
from companion.errors import CompanionError, DeviceError, SetupError
from companion.session.journal import Entry, Journal, read_entries
from companion.session.photos import Photos
from vision.calibration.store import FILE_NAME as CALIBRATION
from vision.calibration.store import Stored, save_rig
from vision.cameras.simulated.camera import VirtualCamera

SETTINGS = "[table]\nname = 'The Anchor'\n"


HEADER = {"transcript": 1, "game": "crapola", "players": ["Ann", "Ben"]}


def entry(number: int) -> Entry:
    """Of a game in which nobody ever scores."""
    if number == 1:
        body = {"header": HEADER, "sitting": 1, "horizon": 1, "colours": {}}
        return Entry(number=1, kind="game", body=body, wall_s=1.0)
    body = {"line": {"throw": [2, 2, 3, 3, 4, 6]}, "source": "hand"}
    return Entry(number=number, kind="line", body=body, wall_s=1.0, throw=number - 1)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A data folder with five entries, two photos, a review, a paired phone; settings beside it."""
    folder = tmp_path / "old"
    journal, photos = Journal(folder), Photos(folder)
    journal.open()
    photos.start(0)
    for number in range(1, 6):
        journal.append(entry(number))
    journal.close()
    for number in (1, 2):
        photos.store(number, b"\xff\xd8" + bytes([number]) * 2000)
    (folder / "review.json").write_text("{}")
    (folder / "paired.json").write_text('["secret"]')
    (tmp_path / "old.toml").write_text(SETTINGS)
    return folder


def exported(table: Path, *words: str) -> tuple[Path, Result]:
    file = table.parent / "all.zip"
    given_ = ["--data", str(table), "--config", str(table.parent / "old.toml"), *words, str(file)]
    return file, CliRunner().invoke(export, given_, standalone_mode=False)


def imported(file: Path, folder: Path, *words: str) -> Result:
    words = ("--data", str(folder), "--config", str(folder.parent / f"{folder.name}.toml"), *words)
    return CliRunner().invoke(import_, [*words, str(file)], standalone_mode=False)


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".lock", ".jsonl", ".sqlite3-journal")
    }


def repacked(file: Path, change: Callable[[dict[str, bytes], dict[str, Any]], None]) -> Path:
    """The archive with its files and manifest changed as a forger would: hashes and sizes are made to fit."""
    with zipfile.ZipFile(file) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(held.pop("manifest.json"))
    change(held, manifest)
    if "files" in manifest:
        manifest["files"] = [
            {"name": name, "bytes": len(body), "sha256": hashlib.sha256(body).hexdigest()}
            for name, body in held.items()
        ]
    forged = file.with_name("forged.zip")
    with zipfile.ZipFile(forged, "w") as archive:
        for name, body in held.items():
            archive.writestr(name, body)
        archive.writestr("manifest.json", json.dumps(manifest))
    return forged


def test_everything_comes_back_on_another_machine(table: Path) -> None:
    file, done = exported(table)
    assert done.return_value == 0, done
    assert "5 entries" in done.output
    assert "2 photos" in done.output
    fresh = table.parent / "new"
    assert imported(file, fresh).return_value == 0
    assert read_entries(fresh) == read_entries(table)
    kept = {name: body for name, body in tree(table).items() if name not in ("paired.json", "journal.sqlite3")}
    assert {name: body for name, body in tree(fresh).items() if name != "journal.sqlite3"} == kept
    assert (table.parent / "new.toml").read_text() == SETTINGS
    assert not (fresh / "import.part").exists()


def test_the_journal_goes_on_where_it_ended(table: Path) -> None:
    fresh = table.parent / "new"
    imported(exported(table)[0], fresh)
    journal = Journal(fresh)
    journal.open()
    journal.append(entry(6))
    journal.close()
    assert len(read_entries(fresh)) == 6


def test_a_table_may_play_while_it_is_exported(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(entry(6))
    file, done = exported(table)
    journal.append(entry(7))
    journal.close()
    assert done.return_value == 0
    fresh = table.parent / "new"
    assert imported(file, fresh).return_value == 0
    assert len(read_entries(fresh)) == 6


def test_a_table_that_plays_is_not_written_over(table: Path) -> None:
    file, _ = exported(table)
    journal = Journal(table)
    journal.open()
    done = imported(file, table, "--replace")
    journal.close()
    assert "Stop it" in str(done.exception)
    assert len(read_entries(table)) == 5


def test_the_calibration_comes_along(table: Path) -> None:
    save_rig(table, Stored("opencv:0", "today", VirtualCamera(1).rig()))
    fresh = table.parent / "new"
    assert imported(exported(table)[0], fresh).return_value == 0
    assert (fresh / CALIBRATION).read_bytes() == (table / CALIBRATION).read_bytes()


def test_a_file_that_is_there_is_written_over_only_when_told(table: Path) -> None:
    file = table.parent / "all.zip"
    file.write_text("mine")
    assert "--replace" in str(exported(table)[1].exception)
    assert file.read_text() == "mine"
    assert exported(table, "--replace")[1].return_value == 0
    assert zipfile.is_zipfile(file)


def test_an_export_leaves_nothing_but_its_file(table: Path) -> None:
    before = set(table.parent.iterdir())
    exported(table)
    assert set(table.parent.iterdir()) - before == {table.parent / "all.zip"}


def test_there_must_be_something_to_export(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old.toml").write_text("")
    _, done = exported(tmp_path / "old")
    assert "nothing to export" in str(done.exception)


def test_older_data_is_put_aside_only_when_told_and_never_deleted(table: Path) -> None:
    file, _ = exported(table)
    other = table.parent / "other"
    Photos(other).start(0)
    Photos(other).store(9, b"\xff\xd8older")
    (other / "paired.json").write_text("[]")
    (table.parent / "other.toml").write_text("[web]\nport = 80\n")
    before = tree(other)
    assert "--replace" in str(imported(file, other).exception)
    assert tree(other) == before
    done = imported(file, other, "--replace")
    assert done.return_value == 0, done
    assert (other / "replaced-1" / "photos" / "9.jpg").read_bytes() == b"\xff\xd8older"
    assert "replaced-1" in done.output
    assert (other / "paired.json").exists(), "phones stay paired"
    assert len(read_entries(other)) == 5
    assert (table.parent / "other.toml.replaced-1").read_text().startswith("[web]")
    assert imported(file, other, "--replace").return_value == 0
    assert (other / "replaced-2" / "journal.sqlite3").exists()


def test_settings_that_are_there_are_put_aside_only_when_told(table: Path) -> None:
    file, _ = exported(table)
    (table.parent / "new.toml").write_text("[web]\nport = 80\n")
    assert "settings file" in str(imported(file, table.parent / "new").exception)
    assert (table.parent / "new.toml").read_text() == "[web]\nport = 80\n"
    assert not (table.parent / "new").exists()


def test_settings_that_name_another_folder_are_told(table: Path) -> None:
    (table.parent / "old.toml").write_text("[data]\ndir = '/somewhere/else'\n")
    done = imported(exported(table)[0], table.parent / "new")
    assert "--data" in done.output


def _outside(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/../../evil"] = b"x"


def _absolute(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["/tmp/evil"] = b"x"


def _paired(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/paired.json"] = b'["a stranger"]'


def _hidden(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/.bashrc"] = b"x"


def _both(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/review.json/x"] = b"x"


def _other_program(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["program"] = "paint"


def _newer(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["format"] = 2


def _no_list(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    del manifest["files"]


def _fewer_entries(_held: dict[str, bytes], manifest: dict[str, Any]) -> None:
    manifest["entries"] = 4


def _no_journal(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/journal.sqlite3"] = b"no database at all" * 100


def _bad_settings(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["settings.toml"] = b"[tabel]\nname = 3\n"


def _bad_calibration(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
    held["data/" + CALIBRATION] = b"PK nothing"


FORGERIES = (
    _outside, _absolute, _paired, _hidden, _both, _other_program, _newer, _no_list, _fewer_entries, _no_journal,
    _bad_settings, _bad_calibration,
)  # fmt: skip


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda each: each.__name__.strip("_"))
@pytest.mark.parametrize("there", [False, True], ids=["fresh", "over-a-table"])
def test_what_no_export_wrote_is_refused_and_nothing_is_touched(table: Path, forgery: Any, there: bool) -> None:
    forged = repacked(exported(table)[0], forgery)
    folder = table if there else table.parent / "new"
    before = tree(table.parent)
    done = imported(forged, folder, "--replace")
    assert isinstance(done.exception, DeviceError | SetupError), done
    assert tree(table.parent) == before
    assert there or not folder.exists()


def test_a_journal_with_a_gap_is_refused(table: Path) -> None:
    with sqlite3.connect(table / "journal.sqlite3") as gap:
        gap.execute("INSERT INTO entries VALUES (9, 'line', '{}', 1.0, NULL, '')")
    gap.close()
    done = imported(exported(table)[0], table.parent / "new")
    assert "journal" in str(done.exception)


def test_a_journal_whose_entry_is_no_json_is_refused(table: Path) -> None:
    file, _ = exported(table)
    with sqlite3.connect(table / "journal.sqlite3") as spoilt:
        spoilt.execute("INSERT INTO entries VALUES (6, 'line', '{', 1.0, NULL, '')")
    spoilt.close()
    body = (table / "journal.sqlite3").read_bytes()

    def spoil(held: dict[str, bytes], manifest: dict[str, Any]) -> None:
        held["data/journal.sqlite3"] = body
        manifest["entries"] = 6

    assert isinstance(imported(repacked(file, spoil), table.parent / "new").exception, DeviceError)


def test_a_missing_file_a_folder_and_a_text_are_told(table: Path) -> None:
    (table.parent / "notes.zip").write_text("a five and a six")
    for name in ("missing.zip", "old", "notes.zip"):
        assert isinstance(imported(table.parent / name, table.parent / "new").exception, DeviceError)
    assert not (table.parent / "new").exists()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keep=st.floats(0, 1), flips=st.lists(st.tuples(st.floats(0, 0.999), st.integers(1, 255)), max_size=4))
def test_a_damaged_archive_is_refused_or_is_whole(table: Path, keep: float, flips: list[tuple[float, int]]) -> None:
    file = table.parent / "all.zip"
    if not file.exists():
        exported(table)
    content = bytearray(file.read_bytes()[: max(1, int(keep * 1.3 * file.stat().st_size))])
    for where, by in flips:
        content[int(where * len(content))] ^= by
    harmed = table.parent / "harmed.zip"
    harmed.write_bytes(content)
    before = tree(table)
    done = imported(harmed, table, "--replace")
    if done.return_value == 0:  # a flip that the zip does not care about, or none
        assert len(read_entries(table)) == 5
    else:
        assert isinstance(done.exception, CompanionError), done.exception
        assert tree(table) == before


def with_journal(file: Path, change: Callable[[sqlite3.Connection], object]) -> Path:
    """The archive with its journal changed as a forger would."""

    def forge(held: dict[str, bytes], _manifest: dict[str, Any]) -> None:
        spot = file.with_name("forged.sqlite3")
        spot.write_bytes(held["data/journal.sqlite3"])
        journal = sqlite3.connect(spot)
        change(journal)
        journal.commit()
        journal.close()
        held["data/journal.sqlite3"] = spot.read_bytes()

    return repacked(file, forge)


ENDLESS = """CREATE VIEW entries AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
    SELECT x AS number, 'line' AS kind, '{}' AS body, 1.0 AS wall_s, NULL AS throw, '' AS link FROM n"""


def _endless_view(journal: sqlite3.Connection) -> None:
    for name in ("entries_stay", "entries_hold"):
        journal.execute(f"DROP TRIGGER {name}")
    journal.execute("DROP TABLE entries")
    journal.execute(ENDLESS)


def _swallowing_trigger(journal: sqlite3.Connection) -> None:
    journal.execute("CREATE TRIGGER swallow BEFORE INSERT ON entries BEGIN SELECT RAISE(IGNORE); END")


def _another_table(journal: sqlite3.Connection) -> None:
    journal.execute("CREATE TABLE more (x)")


def _another_die(journal: sqlite3.Connection) -> None:
    journal.execute("DROP TRIGGER entries_hold")
    journal.execute("UPDATE entries SET body = replace(body, '[2,2,3', '[2,1,3') WHERE number = 3")
    journal.execute(
        "CREATE TRIGGER entries_hold BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END"
    )


@pytest.mark.parametrize(
    "change", [_endless_view, _swallowing_trigger, _another_table, _another_die], ids=lambda each: each.__name__[1:]
)
def test_a_journal_that_is_not_ours_to_the_letter_is_refused_and_nothing_is_touched(table: Path, change: Any) -> None:
    forged = with_journal(exported(table)[0], change)
    (table.parent / "forged.sqlite3").unlink()
    before = tree(table.parent)
    assert isinstance(imported(forged, table, "--replace").exception, DeviceError)
    assert tree(table.parent) == before


def test_a_journal_that_cannot_be_played_is_refused(table: Path) -> None:
    journal = Journal(table)
    journal.open()
    journal.append(Entry(number=6, kind="line", body={"line": {"do": "bomb"}, "source": "hand"}, wall_s=1.0))
    journal.close()
    done = imported(exported(table)[0], table.parent / "new")
    assert "entry 6" in str(done.exception)


def test_a_photo_taken_after_the_journal_was_copied_stays_behind(table: Path) -> None:
    Photos(table).store(5, b"\xff\xd8thrown since")
    with zipfile.ZipFile(exported(table)[0]) as archive:
        assert [name for name in archive.namelist() if name.endswith(".jpg")] == [
            "data/photos/1.jpg",
            "data/photos/2.jpg",
        ]


def test_an_import_starts_without_a_word_of_damage(table: Path) -> None:
    fresh = table.parent / "new"
    imported(exported(table)[0], fresh)
    journal = Journal(fresh)
    assert journal.open(Photos(fresh).numbers()) is None
    journal.close()


RUNS = 'shutdown = 3\nshutdown_command = [\n  "systemctl",\n  "poweroff",\n]\nkind = "gpio"\n'


def test_settings_that_have_a_program_run_are_left_out_and_told(table: Path) -> None:
    (table.parent / "old.toml").write_text(SETTINGS + "[buttons]\n" + RUNS)
    done = imported(exported(table)[0], table.parent / "new")
    assert "[buttons] shutdown_command, [buttons] shutdown" in done.output
    found = tomllib.loads((table.parent / "new.toml").read_text())
    assert found == {"table": {"name": "The Anchor"}, "buttons": {"kind": "gpio"}}
    assert "poweroff" in (table.parent / "new.toml").read_text(), "as a comment, to be looked at"


def test_settings_that_hide_a_program_in_one_line_are_refused(table: Path) -> None:
    (table.parent / "old.toml").write_text('buttons = { kind = "none", shutdown_command = ["sh", "-c", "evil"] }\n')
    done = imported(exported(table)[0], table.parent / "new")
    assert isinstance(done.exception, SetupError)
    assert not (table.parent / "new").exists()

"""Root writes nothing outside for a service that laid links, and leaves nothing that the service can't read."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from companion.appliance.machine import Machine
from companion.appliance.signature import KEY
from companion.appliance.steps import File
from companion.appliance.trial import PORT, SETTINGS, page_of
from companion.backup.export import write_archive
from companion.backup.restore import read_archive
from companion.diagnostics import bundle
from companion.errors import DeviceError
from companion.league.commands import command as league
from companion.service.addresses import PORT_FILE
from companion.settings.load import Settings
from tests.system.backing_up import SETTINGS as SAVED
from tests.system.backing_up import kept_in

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act for another user")
SECRET = "for root alone"
SERVICE = "nobody"


class Home:
    """A machine with a service's data folder, and root's own folder beside it that nothing may change."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.machine = folder, Machine(folder / "machine")
        self.data, self.settings = self.machine.at("/var/lib/pegpip"), self.machine.at(SETTINGS)
        self.data.mkdir(parents=True, mode=0o750)
        self.service = pwd.getpwnam(SERVICE)
        self.outside = folder / "outside"
        self.outside.mkdir(mode=0o700)
        (self.outside / "secret").write_text(SECRET)
        (self.outside / "secret").chmod(0o600)
        self.archive = folder / "backup.zip"
        played = folder / "played"
        played.mkdir()
        write_archive(kept_in(played), played / "old.toml", self.archive, version="0", made="today")

    def handed_over(self) -> None:
        """Give the data folder and all in it to the service, links themselves included."""
        for place in (self.data, *self.data.rglob("*")):
            os.chown(place, self.service.pw_uid, self.service.pw_gid, follow_symlinks=False)

    def imported(self) -> None:
        read_archive(self.archive, self.data, self.settings, replace=True)

    def exported(self, to: Path) -> set[str]:
        write_archive(self.data, self.settings, to, version="0", made="today")
        with zipfile.ZipFile(to) as archive:
            assert not any(SECRET.encode() in archive.read(name) for name in archive.namelist())
            return set(archive.namelist())

    def unchanged_outside(self) -> bool:
        names = [path.name for path in self.outside.iterdir()]
        return names == ["secret"] and (self.outside / "secret").read_text() == SECRET

    def as_service(self, *words: str) -> bool:
        """Whether a program ends well for the service's user."""
        done = subprocess.run(
            words, user=SERVICE, group=self.service.pw_gid, extra_groups=(), capture_output=True, check=False
        )
        return done.returncode == 0

    def is_the_services(self) -> bool:
        """Whether all of the data folder is the service's, to read and write, and nobody else's to write."""
        for place in self.data.rglob("*"):
            about = place.lstat()
            wanted = 0o750 if stat.S_ISDIR(about.st_mode) else 0o640
            if (about.st_uid, about.st_gid) != (self.service.pw_uid, self.service.pw_gid):
                return False
            if not stat.S_ISLNK(about.st_mode) and stat.S_IMODE(about.st_mode) & ~wanted:
                return False
        return self.as_service(
            "sh", "-c", f"cat $(find {self.data} -type f) >/dev/null && touch {self.data}/a && rm {self.data}/a"
        )


@pytest.fixture(scope="module")
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what Python loads late: this Python itself may be in a folder of root's, as a real table's is not."""
    folder = tmp_path_factory.mktemp("loaded")
    archive = folder / "all.zip"
    write_archive(kept_in(folder), folder / "old.toml", archive, version="0", made="today")
    read_archive(archive, folder / "new", folder / "new.toml", replace=True)


@pytest.fixture
def home(_loaded: None) -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="home-") as folder:
        Path(folder).chmod(0o755)
        yield Home(Path(folder))


def settings_step() -> File:
    return File(SETTINGS, lambda: "[web]\n", 0o640, SERVICE, once=True, keep=True)


def test_the_installer_as_root_follows_no_symlink_at_a_temporary_file_name(home: Home) -> None:
    for name in (".pegpip.toml.part", "pegpip.part", "pegpip.toml.part"):
        (home.data / name).symlink_to(home.outside / "secret")
    home.handed_over()
    settings_step().do(home.machine)
    assert home.unchanged_outside()
    assert home.as_service("cat", str(home.settings))


@pytest.mark.parametrize("to", ["secret", "nowhere"])
def test_the_installer_as_root_follows_no_symlink_at_the_settings_file(home: Home, to: str) -> None:
    home.settings.symlink_to(home.outside / to)
    home.handed_over()
    assert settings_step().missing(home.machine) == []  # something is there, and is the service's affair
    settings_step().do(home.machine)
    assert home.unchanged_outside()
    assert home.is_the_services()


def test_a_league_key_that_root_makes_belongs_to_the_service(home: Home) -> None:
    home.handed_over()
    done = CliRunner().invoke(league, ["key", "--data", str(home.data)], standalone_mode=False)
    assert done.exception is None
    assert home.is_the_services()


def test_the_service_user_can_read_but_not_change_the_release_key(home: Home) -> None:
    before = os.umask(0o022)
    File(KEY, lambda: "a key\n").do(home.machine)
    os.umask(before)
    key = home.machine.at(KEY)
    assert home.as_service("cat", str(key))
    assert not home.as_service("touch", str(key.parent / "x"))
    assert not home.as_service("rm", "-f", str(key))
    assert not home.as_service("sh", "-c", f"echo x >>{key}")


def test_the_import_command_as_root_gives_files_to_the_service_user(home: Home) -> None:
    home.handed_over()
    home.imported()
    assert home.settings.read_text() == SAVED
    assert home.is_the_services()
    home.imported()  # a second time: the first import's data is moved aside
    assert home.is_the_services()


def test_the_import_command_as_root_under_umask_0_limits_files_to_mode_640(home: Home) -> None:
    home.handed_over()
    before = os.umask(0)
    try:
        home.imported()
    finally:
        os.umask(before)
    assert home.is_the_services()


@pytest.mark.parametrize(
    "name", ["import.part", "journal.lock", "pegpip.toml", "pegpip.toml.part", "pegpip.part", "photos", "replaced-1"]
)
@pytest.mark.parametrize("to", ["", "secret", "new"])
def test_the_import_command_as_root_writes_through_no_symlink(home: Home, name: str, to: str) -> None:
    (home.data / name).symlink_to(home.outside / to)
    home.handed_over()
    refused = name == "journal.lock"  # an import can't replace the lock
    with pytest.raises(DeviceError) if refused else contextlib.nullcontext():
        home.imported()
    assert (home.data / "journal.jsonl").exists() != refused
    assert home.unchanged_outside()
    assert home.is_the_services()


def test_root_imports_a_backup_that_only_root_can_read_into_files_of_the_service(home: Home) -> None:
    home.handed_over()
    home.archive.chmod(0o600)
    home.imported()
    assert home.is_the_services()


def test_import_with_the_settings_path_in_roots_folder_fails_and_writes_nothing(home: Home) -> None:
    home.handed_over()
    with pytest.raises(DeviceError, match="--config"):
        read_archive(home.archive, home.data, home.outside / "pegpip.toml", replace=True)
    assert home.unchanged_outside()
    assert not (home.data / "journal.jsonl").exists()


def test_an_import_refuses_a_target_reached_through_a_symlink_that_the_service_user_owns(home: Home) -> None:
    """The service could turn its link between two of root's elsewhere, and root would write there."""
    (home.data / "link").symlink_to(home.outside)
    way = home.folder / "way"
    way.symlink_to(home.data / "link")
    home.handed_over()
    with pytest.raises(DeviceError):
        read_archive(home.archive, way, home.folder / "new.toml", replace=True)
    assert home.unchanged_outside()


def test_an_export_of_a_data_folder_in_a_loop_of_links_is_refused(home: Home) -> None:
    (home.folder / "loop").symlink_to("loop")
    with pytest.raises(DeviceError, match="can't be read"):
        write_archive(home.folder / "loop" / "data", None, home.folder / "new.zip", version="0", made="today")


def test_importing_into_a_symlink_that_leads_out_of_the_data_folder_is_refused(home: Home) -> None:
    (home.data / "more").symlink_to(home.outside)
    home.handed_over()
    with pytest.raises(DeviceError):
        read_archive(home.archive, home.data / "more", home.settings, replace=True)
    assert home.unchanged_outside()


@pytest.mark.parametrize("name", ["pegpip.toml", "photos/1.jpg", "review.json", "photos"])
def test_an_export_run_by_root_reads_no_file_through_symlinks_in_the_data_folder(home: Home, name: str) -> None:
    home.handed_over()
    home.imported()
    place = home.data / name
    (shutil.rmtree if place.is_dir() else os.unlink)(place)
    place.symlink_to(home.outside / ("" if name == "photos" else "secret"))
    home.handed_over()
    to = home.folder / "new.zip"
    if name == "pegpip.toml":  # it names the settings, so it can't be left out silently
        with pytest.raises(DeviceError, match=r"pegpip\.toml"):
            home.exported(to)
        assert not to.exists()
    else:
        assert f"data/{name}" not in home.exported(to)


def test_an_export_over_a_symlink_writes_a_mode_600_file_with_one_settings_file(home: Home) -> None:
    home.handed_over()
    home.imported()
    to = home.folder / "new.zip"
    to.symlink_to(home.outside / "secret")  # --replace
    names = home.exported(to)
    assert "settings.toml" in names
    assert not [name for name in names if name.startswith("data/") and "toml" in name]
    assert (to.is_symlink(), stat.S_IMODE(to.stat().st_mode)) == (False, 0o600)
    assert home.unchanged_outside()
    assert home.is_the_services()


def test_an_export_by_root_into_the_data_folder_belongs_to_the_service(home: Home) -> None:
    home.handed_over()
    home.imported()
    home.exported(home.data / "evening.zip")
    assert home.is_the_services()


def test_the_doctors_bug_report_zip_has_mode_600(home: Home) -> None:
    file, before = home.folder / "bundle.zip", os.umask(0)
    try:
        bundle.write(file, Settings(), [], photos=False)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_update_uses_the_default_port_if_the_settings_or_port_file_is_a_link_or_a_pipe(home: Home) -> None:
    """A link or pipe in place of the file with the running port is not followed either."""
    (home.outside / "secret").write_text("[web]\nport = 81\n")
    for link in (True, False):
        home.settings.unlink(missing_ok=True)
        home.settings.symlink_to(home.outside / "secret") if link else os.mkfifo(home.settings)
        assert page_of(home.settings) == f"http://127.0.0.1:{PORT}"
    (home.outside / "port").write_text("81")
    port_file = home.settings.parent / PORT_FILE
    for link in (True, False):
        port_file.unlink(missing_ok=True)
        port_file.symlink_to(home.outside / "port") if link else os.mkfifo(port_file)
        assert page_of(home.settings) == f"http://127.0.0.1:{PORT}"

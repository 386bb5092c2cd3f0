"""An update ends with the new release or the one before running, and no journal entry is lost."""

from __future__ import annotations

import errno
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from companion.appliance import trial
from companion.appliance.install import Release
from companion.appliance.releases import MAX_KEPT, PINS, TREE, Releases, Source, keep_extras
from companion.appliance.trial import HEALTHY_TIMEOUT_S
from companion.appliance.update import Updater, opened
from companion.errors import DeviceError
from tests.appliance.machines import Noted, wheel, wheels

GAME = 41
"""The newest entry of the table that is updated."""


@dataclass
class Table:
    """A service whose releases of these names are ill."""

    releases: Releases
    ill: set[str] = field(default_factory=set)
    entries: int = GAME
    starts: list[str] = field(default_factory=list)

    def restart(self) -> None:
        current = self.releases.current()
        assert current is not None
        self.starts.append(current)
        if "won't start" in self.ill and current != self.starts[0]:
            raise DeviceError("The service failed.", "Look.")

    def entry(self) -> int | None:
        return None if self.releases.current() in self.ill else self.entries


@dataclass
class Time:
    """A clock that goes on when somebody waits."""

    now: float = 0.0

    def clock(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def releases(tmp_path: Path) -> Releases:
    made = Releases(Noted(tmp_path / "root"), "/opt/pegpip")
    made.switch(made.make(wheels(tmp_path / "first", "first")))
    return made


def updater(releases: Releases, table: Table) -> tuple[Updater, list[str], Time]:
    said: list[str] = []
    time = Time()
    return Updater(releases, table.restart, table.entry, said.append, time.pause, time.clock), said, time


def test_a_healthy_update_keeps_only_the_new_and_the_previous_release(releases: Releases, tmp_path: Path) -> None:
    first = releases.current()
    table = Table(releases)
    update, said, _ = updater(releases, table)
    name = update.update(wheels(tmp_path / "second", "second"))
    assert releases.current() == name != first
    assert set(releases.names()) == {first, name}
    third = update.update(wheels(tmp_path / "third", "third"))
    assert set(releases.names()) == {name, third}
    assert said[0].startswith("making")


def test_an_update_not_healthy_by_the_timeout_restores_the_old_release(releases: Releases, tmp_path: Path) -> None:
    first, source = releases.current(), wheels(tmp_path / "ill", "ill")
    table = Table(releases, {source.name()})
    update, said, time = updater(releases, table)
    with pytest.raises(DeviceError, match="the one before runs again, with the same game"):
        update.update(source)
    assert releases.current() == first
    assert table.starts == [source.name(), first]
    assert time.now >= HEALTHY_TIMEOUT_S
    assert "going back" in said[-1]


def test_repeated_failed_updates_leave_at_most_two_releases_on_the_card(releases: Releases, tmp_path: Path) -> None:
    table = Table(releases)
    update, _, _ = updater(releases, table)
    for name in ("ill", "worse", "worst"):
        source = wheels(tmp_path / name, name)
        table.ill.add(source.name())
        with pytest.raises(DeviceError, match="the one before runs again"):
            update.update(source)
        assert len(releases.names()) <= MAX_KEPT


def test_going_back_to_the_last_good_release_waits_until_it_is_healthy(releases: Releases, tmp_path: Path) -> None:
    first = str(releases.current())
    trial.begin(releases, releases.make(wheels(tmp_path / "second", "second")), GAME)
    table = Table(releases, {first})
    update, _, time = updater(releases, table)
    with pytest.raises(DeviceError, match="not well"):
        update.update(Source(tmp_path / "first"))
    assert time.now >= HEALTHY_TIMEOUT_S
    table.ill.clear()
    trial.begin(releases, releases.make(wheels(tmp_path / "second", "second")), GAME)
    assert update.update(Source(tmp_path / "first")) == first
    assert (releases.current(), releases.proven(), trial.on_trial(releases)) == (first, first, None)


class Forgetful(Table):
    """A table whose newest release has lost the journal."""

    def entry(self) -> int | None:
        return self.entries if self.releases.current() == self.releases.proven() else 0


class Full(Table):
    """A table on a card that is full, or read-only: it refuses to keep that the newest release is proven."""

    def entry(self) -> int | None:
        if self.releases.current() != self.releases.proven():
            (self.releases.place / "proven.part").mkdir(exist_ok=True)  # the new link can't be made
        return self.entries


@pytest.mark.parametrize("kind", [Forgetful, Full])
def test_an_update_to_a_release_that_loses_journal_entries_or_fills_the_disk_is_reverted(
    releases: Releases, tmp_path: Path, kind: type[Table]
) -> None:
    first = releases.current()
    update, _, _ = updater(releases, kind(releases))
    with pytest.raises(DeviceError, match="the one before runs again"):
        update.update(wheels(tmp_path / "new", "new"))
    assert releases.current() == first


def test_an_update_that_cannot_start_is_reverted_before_the_health_timeout(releases: Releases, tmp_path: Path) -> None:
    first, table = releases.current(), Table(releases, {"won't start"})
    assert first is not None
    table.starts.append(first)
    update, _, time = updater(releases, table)
    with pytest.raises(DeviceError, match="the one before runs again"):
        update.update(wheels(tmp_path / "new", "new"))
    assert releases.current() == first
    assert time.now < HEALTHY_TIMEOUT_S


def test_the_update_error_names_the_disk_fault_that_prevents_a_rollback(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_releases: Releases) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(trial, "back", refuse)
    source = wheels(tmp_path / "ill", "ill")
    update, _, _ = updater(releases, Table(releases, {source.name()}))
    with pytest.raises(DeviceError, match=r"does not start either.*Read-only file system"):
        update.update(source)


@pytest.mark.parametrize("text", ["[project\n", "[tool]\n", "project = 1\n"])
def test_reading_the_release_age_raises_a_device_error_if_pyproject_is_damaged(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(DeviceError, match=r"pyproject\.toml is damaged"):
        Source(tmp_path).age()


def test_reading_the_release_age_raises_a_device_error_if_pyproject_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").symlink_to("/proc/self/mem")  # whose first page even root can't read
    with pytest.raises(DeviceError, match=r"pyproject\.toml is damaged"):
        Source(tmp_path).age()


def test_pruning_without_a_current_release_keeps_the_two_newest_releases(releases: Releases, tmp_path: Path) -> None:
    made = [releases.make(wheels(tmp_path / name, name)) for name in ("second", "third")]
    for link in ("current", "proven"):
        (releases.place / link).unlink(missing_ok=True)
    releases.prune()
    assert releases.names() == made


def test_the_update_error_tells_if_the_old_release_does_not_start_either(releases: Releases, tmp_path: Path) -> None:
    source = wheels(tmp_path / "ill", "ill")
    table = Table(releases, {source.name(), str(releases.current())})
    update, _, _ = updater(releases, table)
    with pytest.raises(DeviceError, match="does not start either"):
        update.update(source)


def test_an_update_to_the_running_release_says_so_and_restarts_nothing(releases: Releases, tmp_path: Path) -> None:
    table = Table(releases)
    update, said, _ = updater(releases, table)
    update.update(Source(tmp_path / "first"))
    assert "runs already" in said[-1]
    assert table.starts == []


def test_a_project_with_other_pinned_packages_has_another_release_name(tmp_path: Path) -> None:
    for name in TREE:
        (tmp_path / name).touch()
    pins = tmp_path / PINS
    names = {Source(tmp_path).name() for version in ("3.0", "3.1") if pins.write_text(f"flask=={version}\n")}
    assert len(names) == 2


def test_an_update_that_fails_to_build_leaves_no_release_folder(releases: Releases, tmp_path: Path) -> None:
    assert isinstance(releases.machine, Noted)
    releases.machine.broken.add("--version")
    before = releases.current()
    update, _, _ = updater(releases, Table(releases))
    with pytest.raises(DeviceError):
        update.update(wheels(tmp_path / "new", "new"))
    assert [path.name for path in releases.folder.iterdir()] == [before]
    assert releases.current() == before


@pytest.mark.parametrize(
    ("step", "refused"),
    [
        ("shutil.copytree", shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'")])),
        ("companion.appliance.releases.write_file", OSError(errno.ENOSPC, "No space left on device")),
        ("companion.appliance.releases.write_file", OSError("No space left on device")),  # without a number
    ],
)
def test_an_update_on_a_full_disk_says_so_and_leaves_no_release_folder(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, refused: OSError
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise refused

    before = sorted(releases.folder.iterdir())
    update, _, _ = updater(releases, Table(releases))
    monkeypatch.setattr(step, refuse)
    with pytest.raises(DeviceError, match=r"No space left on device.*Free some space"):
        update.update(Source(wheel(tmp_path / "second")))
    assert sorted(releases.folder.iterdir()) == before


def test_an_update_from_a_single_wheel_copies_the_previous_libraries(releases: Releases, tmp_path: Path) -> None:
    first = releases.folder / str(releases.current())
    (first / "lib").mkdir()
    (first / "lib" / "flask.py").write_text("as it was")
    wheel = next((wheels(tmp_path / "one", "one").path).glob("*.whl"))
    name = releases.make(Source(wheel))
    assert (releases.folder / name / "lib" / "flask.py").read_text() == "as it was"


def test_an_update_from_a_deb_keeps_libraries_that_were_added_by_hand(releases: Releases, tmp_path: Path) -> None:
    """The fault: a table in a league had to install the extra again after each .deb."""

    def installed(release: str, *names: str) -> Path:
        site = releases.folder / release / "lib/python3.11/site-packages"
        for name in names:
            (site / name).mkdir(parents=True)
            (site / name / "__init__.py").write_text(f"of {release}")
            (site / f"{name}-2.0.dist-info").mkdir()
            (site / f"{name}-2.0.dist-info/METADATA").write_text(f"Name: {name}\n")
            record = f"{name}/__init__.py,,\n{name}-2.0.dist-info/METADATA,,\n{name}/gone.py,,\n../../../bin/tool,,\n"
            (site / f"{name}-2.0.dist-info/RECORD").write_text(record)
        return site

    first = str(releases.current())
    installed(first, "paho_mqtt", "flask")
    (releases.folder / first / "bin/tool").write_text("of the old release")
    site = installed("new", "flask")
    keep_extras(releases.folder / first, releases.folder / "new")
    assert {path.name for path in site.iterdir()} == {
        "flask", "flask-2.0.dist-info", "paho_mqtt", "paho_mqtt-2.0.dist-info",
    }  # fmt: skip
    assert (site / "flask/__init__.py").read_text() == "of new"
    assert (site / "paho_mqtt/__init__.py").read_text() == f"of {first}"
    assert not (releases.folder / "new/bin").exists()


@pytest.mark.parametrize("metadata", [None, b"", bytes(64)], ids=["missing", "empty", "zeros"])
def test_an_update_keeps_a_hand_added_library_with_bad_or_no_metadata(tmp_path: Path, metadata: bytes | None) -> None:
    """The fault: without a name the library ended each update by a .deb with an error."""
    old, new = (tmp_path / name / "lib/python3.11/site-packages" for name in ("old", "new"))
    info = old / "paho_mqtt-2.0.dist-info"
    info.mkdir(parents=True)
    new.mkdir(parents=True)
    (old / "paho.py").touch()
    (info / "RECORD").write_text("paho.py,,\n")
    if metadata is not None:
        (info / "METADATA").write_bytes(metadata)
    keep_extras(tmp_path / "old", tmp_path / "new")
    assert (new / "paho.py").exists()


def test_an_update_from_a_deb_on_a_machine_without_dpkg_asks_for_the_wheel(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "pegpip.deb"
    package.write_bytes(b"!<arch>\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(DeviceError, match=r"dpkg-deb is missing.*Use the wheel"),
        opened(package, releases, unsigned=True),
    ):
        pass


@pytest.mark.parametrize(("free", "told"), [(0, r"disk is full.*Free some space"), (1 << 30, r"is damaged.*stick")])
def test_an_update_tells_a_full_disk_from_a_deb_that_is_damaged(
    releases: Releases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, told: str
) -> None:
    """The fault: on a full disk the owner was asked to copy the file to the stick again."""
    package, program = tmp_path / "pegpip.deb", tmp_path / "bin/dpkg-deb"
    package.write_bytes(b"!<arch>\n")
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=free))
    with pytest.raises(DeviceError, match=told), opened(package, releases, unsigned=True):
        pass


def test_a_second_update_or_installation_is_refused_while_an_update_runs(releases: Releases, tmp_path: Path) -> None:
    """The fault: it deleted the first one's file and half-made release."""
    file, other = wheel(tmp_path / "second"), wheels(tmp_path / "third", "third")
    with opened(file, releases, unsigned=True) as source:
        with pytest.raises(DeviceError, match="running already"), opened(file, releases, unsigned=True):
            pass
        with pytest.raises(DeviceError, match="running already"):
            Release(other, releases).do(releases.machine)
        assert source.path.exists()
    assert not source.path.exists()
    with opened(file, releases, unsigned=True) as source:
        assert source.path.exists(), "the first one has ended"

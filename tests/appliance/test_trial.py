"""Power cuts at any step of an update: at the next start a table runs and no journal entry is lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from companion.appliance import trial
from companion.appliance.releases import WHOLE, Releases, Source
from companion.appliance.trial import MAX_TRIES, back, begin, count_start, on_trial, prove
from companion.appliance.update import Updater
from companion.errors import DeviceError
from tests.appliance.machines import Noted, wheels
from tests.appliance.test_update import GAME, Table, Time

UNIT = Path(__file__).resolve().parents[2] / "systemd" / "pegpip.service"
NAMES = ("replace", "symlink", "unlink", "rmdir", "mkdir", "utime")
"""Calls that change names on the disk; before each the power may go."""
SYNCS = ("fsync", "sync")
LIBRARIES = ("click", "flask", "msgspec", "numpy", "pillow", "segno")


Tree = dict[Path, bytes | Path | None]


class Pulled(BaseException):
    """The power went."""


@dataclass
class Disk:
    """A disk under one folder that loses its power before change number `at`.

    Attributes: `lazy`: what was not synced is lost; `changes`: made so far; `off`: the power has gone.
    """

    folder: Path
    at: int
    lazy: bool
    changes: int = 0
    off: bool = False
    _safe: Tree = field(default_factory=dict)

    @contextmanager
    def powered(self) -> Iterator[None]:
        """The body runs till the power goes, if it does."""
        self._safe = tree_of(self.folder)
        with pytest.MonkeyPatch.context() as patch:
            for name in NAMES:
                patch.setattr(os, name, partial(self._changed, getattr(os, name)))
            for name in SYNCS:
                patch.setattr(os, name, self._synced)
            with suppress(Pulled):
                yield
        if self.lazy:
            put_back(self.folder, self._safe)

    def _changed(self, call: Callable[..., Any], *given: Any, **more: Any) -> Any:
        self._pass()
        return call(*given, **more)

    def _synced(self, *_: object) -> None:
        self._pass()
        self._safe = tree_of(self.folder)

    def _pass(self) -> None:
        self.off = self.off or self.changes == self.at
        if self.off:
            raise Pulled  # no clean-up is in time: what comes after changes nothing either
        self.changes += 1


def tree_of(folder: Path) -> Tree:
    """What lies there: links as where they lead, folders as nothing."""
    found: Tree = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        found[name] = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


def put_back(folder: Path, tree: Tree) -> None:
    """Have just that there."""
    shutil.rmtree(folder)
    folder.mkdir()
    for name, content in tree.items():
        if content is None:
            (folder / name).mkdir()
        elif isinstance(content, Path):
            (folder / name).symlink_to(content)
        else:
            (folder / name).write_bytes(content)


@dataclass(frozen=True, slots=True)
class Filled(Noted):
    """A machine on which pip installs: some files, one after the other."""

    def run(self, *words: str, user: str = "") -> str:
        if "install" in words:
            place = Path(words[0]).parents[1]
            for name in LIBRARIES:
                (place / name).touch()
        return Noted.run(self, *words, user=user)


@dataclass
class Careful(Table):
    """A table that is well only with a release that has everything."""

    def entry(self) -> int | None:
        place = self.releases.folder / str(self.releases.current())
        return Table.entry(self) if all((place / name).exists() for name in LIBRARIES) else None


def booted(table: Table) -> None:
    """What the unit has done at a start, till one is well."""
    for _ in range(MAX_TRIES + 1):
        count_start(table.releases)
        time = Time()
        try:
            prove(table.releases, table.entry, time.pause, time.clock)
        except DeviceError:
            continue
        break
    assert table.entry() == GAME
    assert on_trial(table.releases) is None
    assert all((table.releases.folder / each / file).exists() for each in table.releases.names() for file in LIBRARIES)
    assert not (table.releases.folder.parent / "trial.json").exists()


def updater(table: Table) -> Updater:
    time = Time()
    return Updater(table.releases, table.restart, table.entry, lambda line: None, time.pause, time.clock)


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Releases:
    for name in SYNCS:
        monkeypatch.setattr(os, name, lambda *_: None)  # hundreds of updates wear a real disk
    made = Releases(Filled(tmp_path / "root"), "/opt/pegpip")
    made.make(wheels(tmp_path / "older", "older"))
    made.switch(made.make(wheels(tmp_path / "first", "first")))
    return made


@pytest.mark.parametrize(("kind", "lazy"), [("good", False), ("ill", True), ("one-wheel", True)])
def test_a_power_cut_at_any_step_of_an_update_leaves_a_release_that_runs(
    releases: Releases, tmp_path: Path, kind: str, lazy: bool
) -> None:
    source = wheels(tmp_path / "second", "second")
    if kind == "one-wheel":
        source = Source(next(source.path.glob("*.whl")))
    first, second = str(releases.current()), source.name()
    fresh = tree_of(tmp_path / "root")
    ran, at = set[str](), 0
    while True:
        table = Careful(releases, {second} if kind == "ill" else set())
        disk = Disk(tmp_path / "root", at, lazy)
        with disk.powered(), suppress(DeviceError):
            updater(table).update(source)
        booted(table)
        ran.add(str(releases.current()))
        if kind == "ill":
            assert releases.current() == first
            table.ill.clear()
        updater(table).update(source)  # what was left does not stand in the way
        assert (releases.current(), releases.proven()) == (second, second)
        assert {path.name for path in releases.folder.iterdir()} == set(releases.names())
        assert len(releases.names()) == 2
        put_back(tmp_path / "root", fresh)
        if not disk.off:
            break
        at += 1
    assert at > 15
    assert ran == ({first} if kind == "ill" else {first, second})


@pytest.mark.parametrize("lazy", [False, True])
def test_a_power_cut_in_an_update_rollback_leaves_the_old_release_running(
    releases: Releases, tmp_path: Path, *, lazy: bool
) -> None:
    source = wheels(tmp_path / "ill", "ill")
    begin(releases, releases.make(source), GAME)
    fresh = tree_of(tmp_path / "root")
    at = 0
    while True:
        table = Careful(releases, {source.name()})
        disk = Disk(tmp_path / "root", at, lazy)
        with disk.powered():
            booted(table)
        booted(table)
        assert releases.current() != source.name()
        put_back(tmp_path / "root", fresh)
        if not disk.off:
            break
        at += 1
    assert at > 5


def test_an_unconfirmed_update_is_rolled_back_after_the_most_starts_allowed(releases: Releases, tmp_path: Path) -> None:
    """Power is cut during every start of the new release, so `prove` never sees it run."""
    first = releases.current()
    begin(releases, releases.make(wheels(tmp_path / "new", "new")), GAME)
    for _ in range(MAX_TRIES):
        count_start(releases)
        assert releases.current() != first
    count_start(releases)
    assert (releases.current(), on_trial(releases)) == (first, None)


def test_an_update_failing_while_another_is_on_trial_restores_the_proven_release(
    releases: Releases, tmp_path: Path
) -> None:
    first, ill = releases.current(), wheels(tmp_path / "ill", "ill")
    begin(releases, releases.make(wheels(tmp_path / "unproven", "unproven")), GAME)
    with pytest.raises(DeviceError, match="the one before runs again"):
        updater(Careful(releases, {ill.name()})).update(ill)
    assert (releases.current(), on_trial(releases)) == (first, None)


def test_an_update_interrupted_by_ctrl_c_restores_the_previous_release(releases: Releases, tmp_path: Path) -> None:
    first, source = releases.current(), wheels(tmp_path / "new", "new")

    class Waiting(Careful):
        def entry(self) -> int | None:
            if self.releases.current() == source.name():
                raise KeyboardInterrupt
            return GAME

    with pytest.raises(DeviceError, match="interrupted"):
        updater(Waiting(releases)).update(source)
    assert releases.current() == first


def test_the_error_after_a_second_ctrl_c_in_a_rollback_names_the_restart_command(
    releases: Releases, tmp_path: Path
) -> None:
    first, source = releases.current(), wheels(tmp_path / "new", "new")

    class Hasty(Careful):
        def entry(self) -> int | None:
            if self.releases.current() == source.name() or self.interrupted:
                self.interrupted = True
                raise KeyboardInterrupt
            return GAME

        interrupted = False

    with pytest.raises(DeviceError, match="return to the one before was interrupted") as told:
        updater(Hasty(releases)).update(source)
    assert "systemctl restart pegpip" in str(told.value)
    assert releases.current() == first


def test_an_update_trial_raises_if_the_update_is_rolled_back_during_it(releases: Releases, tmp_path: Path) -> None:
    begin(releases, releases.make(wheels(tmp_path / "new", "new")), GAME)
    time = Time()

    def look() -> int:
        back(releases)
        return GAME

    with pytest.raises(DeviceError, match="taken back"):
        prove(releases, look, time.pause, time.clock)


def test_an_update_trial_ignores_a_trial_file_damaged_or_of_another_release(releases: Releases, tmp_path: Path) -> None:
    begin(releases, releases.make(wheels(tmp_path / "new", "new")), GAME)
    for content in ("", "[1]", '{"release": "another", "tries": 9}'):
        (releases.folder.parent / "trial.json").write_text(content)
        found = on_trial(releases)
        assert found is not None
        assert (found.entry, found.tries) == (None, 0)


def test_trying_an_update_is_refused_without_a_release_to_go_back_to(releases: Releases, tmp_path: Path) -> None:
    count_start(releases)
    assert on_trial(releases) is None
    with pytest.raises(DeviceError, match="no release to go back to"):
        begin(Releases(Noted(tmp_path / "bare")), "new", None)


def test_an_update_removes_incomplete_release_folders(releases: Releases, tmp_path: Path) -> None:
    second = updater(Careful(releases)).update(wheels(tmp_path / "second", "second"))
    (releases.folder / "half").mkdir()
    updater(Careful(releases)).update(wheels(tmp_path / "third", "third"))
    assert all((path / WHOLE).exists() for path in releases.folder.iterdir())
    assert second in releases.names()


# ---- the unit -----------------------------------------------------------------------------------------------------


def lines_of(key: str, opt: Path) -> list[str]:
    """Shell commands of that key, with another folder for /opt/pegpip."""
    found = re.findall(rf"^{key}=[-+]*(.+)$", UNIT.read_text(), re.MULTILINE)
    return [line.replace("/opt/pegpip", str(opt)).replace("$$", "$") for line in found]


@pytest.mark.parametrize(("key", "word"), [("ExecStartPre", "count"), ("ExecStartPost", "prove")])
def test_the_unit_runs_the_proven_releases_trial_commands_only_during_a_trial(
    tmp_path: Path, key: str, word: str
) -> None:
    python = tmp_path / "proven/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "$@"\n')
    python.chmod(0o755)
    (line,) = lines_of(key, tmp_path)
    assert subprocess.run(line, shell=True, capture_output=True, check=True).stdout == b""
    (tmp_path / "trial.json").touch()
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=True)
    # isolated: root runs it, in a folder that the table's user may write
    assert done.stdout.split() == ["-I", "-m", trial.__name__, word]


def test_the_systemd_unit_restarts_the_service_after_any_failure_status() -> None:
    """Wrong settings must not end the table, and a release on trial that refuses them gets its second try."""
    unit = UNIT.read_text()
    assert "Restart=on-failure" in unit
    assert "RestartPreventExitStatus" not in unit
    assert [line for line in unit.splitlines() if line.startswith("SuccessExitStatus")] == ["SuccessExitStatus=130"]


def test_the_prove_command_exits_1_if_an_update_is_not_healthy_in_time(
    releases: Releases, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "HEALTHY_TIMEOUT_S", 0.0)
    begin(releases, releases.make(wheels(tmp_path / "new", "new")), GAME)
    assert trial.main("count", releases.machine) == 0
    assert trial.main("prove", releases.machine) == 1
    assert "not well within" in capsys.readouterr().err
    back(releases)
    assert trial.main("prove", releases.machine) == 0

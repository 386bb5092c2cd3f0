"""The command `pegpip` of an installed table: a link to the current release's program."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.appliance.install import Release, install, uninstall
from companion.appliance.releases import Releases
from tests.appliance.machines import Noted, wheels


@pytest.fixture
def machine(tmp_path: Path) -> Noted:
    (tmp_path / "usr/local/bin").mkdir(parents=True)
    return Noted(tmp_path)


@pytest.fixture
def step(machine: Noted, tmp_path: Path) -> Release:
    return Release(wheels(tmp_path / "new", "new"), Releases(machine))


def test_the_installer_replaces_a_command_made_by_pip_with_a_link_to_the_release(machine: Noted, step: Release) -> None:
    """The fault: linking failed after the release was proven, and pip's older program stayed the command."""
    command, said = machine.at(step.command), list[str]()
    command.write_text("of pip")
    install([step], machine, said.append)
    assert said[1:] == [f"make {step.command} a link to it"]
    assert str(command.readlink()) == "/opt/pegpip/current/bin/pegpip"
    assert step.missing(machine) == []
    command.unlink()
    assert install([step], machine, said.append) == 1
    assert command.is_symlink()


def test_uninstalling_keeps_a_pegpip_command_that_pip_installed(machine: Noted, step: Release) -> None:
    install([step], machine, lambda line: None)
    command = machine.at(step.command)
    command.unlink()
    command.write_text("of pip")
    uninstall([step], machine, lambda line: None)
    assert (command.read_text(), step.left(machine)) == ("of pip", [])

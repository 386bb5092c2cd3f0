"""A release is installed only with the right signature, and none of its code runs before that or as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from companion.appliance.install import PROJECT
from companion.appliance.machine import Machine
from companion.appliance.releases import Releases, Source, numbers
from companion.appliance.signature import KEY, SUFFIX, signed_at
from companion.appliance.update import INCOMING, Updater, opened
from companion.commands import update as update_command
from companion.errors import DeviceError
from tests.appliance.machines import Noted, wheel, wheels
from tests.appliance.test_update import Table, Time

USER = "nobody"
NOON_S = 1_748_779_200
"""Noon of the first of June 2025, when files are signed."""
IS_ROOT = os.geteuid() == 0
pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("gpg", "gpgv", "dpkg-deb"))), reason="needs gpg, gpgv and dpkg-deb"
)


@dataclass(frozen=True)
class Keyring:
    """A GnuPG keyring with one key."""

    home: Path

    def gpg(self, *words: str | Path) -> bytes:
        environment = {**os.environ, "GNUPGHOME": str(self.home)}
        return subprocess.run(
            ["gpg", "--batch", "--quiet", *words], env=environment, check=True, capture_output=True
        ).stdout

    def sign(self, file: Path, day: str = "20250601") -> Path:
        """Write the file's signature beside it, as if made at noon of that day."""
        time = ("--faked-system-time", f"{day}T120000!")
        self.gpg(*time, "--yes", "--output", f"{file}{SUFFIX}", "--detach-sign", file)
        return file


@pytest.fixture(scope="module")
def keyrings() -> Iterator[tuple[Keyring, Keyring]]:
    """The publisher's and a stranger's keyring; in a short path, as gpg-agent's socket needs it."""
    with tempfile.TemporaryDirectory(prefix="keys-") as folder:
        both = Keyring(Path(folder) / "ours"), Keyring(Path(folder) / "strange")
        for ring in both:
            ring.home.mkdir(mode=0o700)
            made = ("--faked-system-time", "20200101T120000!", "--passphrase", "", "--quick-generate-key")
            ring.gpg(*made, "releases", "ed25519", "sign", "never")
        yield both
        for ring in both:
            subprocess.run(["gpgconf", "--kill", "all"], env={**os.environ, "GNUPGHOME": str(ring.home)}, check=False)


class Shop:
    """A table installed in `root`, a stick, and a canary that any code of a release wakes; the last two in `folder`."""

    def __init__(self, folder: Path, root: Path, ours: Keyring, stranger: Keyring) -> None:
        self.ours, self.stranger = ours, stranger
        self.stick, self.canary = folder / "stick", folder / "nest" / "canary"
        for place in (self.stick, self.canary.parent):
            place.mkdir()
        self.canary.parent.chmod(0o777)
        self.releases = Releases(Machine(root), user=USER)
        time = Time()
        table = Table(self.releases)
        self.updater = Updater(self.releases, table.restart, table.entry, lambda line: None, time.pause, time.clock)

    @property
    def waking(self) -> str:
        """A line of Python that wakes the canary, with the number of the user that runs it."""
        return f"import os; open({str(self.canary)!r}, 'a').write(f'{{os.geteuid()}} ')"

    def wheel(self, version: str = "0.2.0") -> Path:
        """A wheel on the stick that wakes the canary when Python starts beside it, and when it is asked its version."""
        main = f"{self.waking}\ndef main():\n    {self.waking}\n"
        return wheel(self.stick, version=version, files={"a.pth": f"{self.waking}\n", "pegpip_of_a_test.py": main})

    def package(self, fill: Callable[[Path], object]) -> Path:
        """A Debian package on the stick, filled by `fill`, whose own scripts wake the canary."""
        root = self.stick.parent / "package"
        (root / "DEBIAN").mkdir(parents=True)
        control = "Package: pegpip\nVersion: 0.2\nArchitecture: all\nMaintainer: a test\nDescription: a test\n"
        (root / "DEBIAN/control").write_text(control)
        for name in ("preinst", "postinst"):
            (root / "DEBIAN" / name).write_text(f"#!/bin/sh\ntouch {self.canary}\n")
            (root / "DEBIAN" / name).chmod(0o755)
        fill(root / "usr/share/pegpip/wheels")
        place = self.stick / "pegpip_0.2_all.deb"
        subprocess.run(["dpkg-deb", "--build", root, place], check=True, capture_output=True)
        return place

    def update(self, file: Path, *, unsigned: bool = False) -> str:
        with opened(file, self.releases, unsigned=unsigned) as source:
            return self.updater.update(source)


@pytest.fixture(scope="module", autouse=True)
def python_for_all() -> Iterator[None]:
    """Let `python3` be one that other users may run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"/usr/bin:/bin:{os.environ['PATH']}")
        yield


@pytest.fixture(scope="module")
def installed(keyrings: tuple[Keyring, Keyring], python_for_all: None) -> Iterator[Path]:
    """The root folder of a machine with a first release in a real virtual environment, signed in May 2025."""
    with tempfile.TemporaryDirectory(prefix="pegpip-") as folder:
        Path(folder).chmod(0o755)  # the release's first run is as another user
        machine = Machine(Path(folder) / "root")
        key = machine.at(KEY)
        key.parent.mkdir(parents=True)
        key.write_bytes(keyrings[0].gpg("--armor", "--export"))
        releases = Releases(machine, user=USER)
        first = Source(wheel(Path(folder) / "first", version="0.1.0").parent, signed_s=1_748_000_000)
        releases.switch(releases.make(first))
        yield machine.root


@pytest.fixture
def folder() -> Iterator[Path]:
    """An empty folder that other users may enter."""
    with tempfile.TemporaryDirectory(prefix="pegpip-") as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.fixture
def shop(folder: Path, installed: Path, keyrings: tuple[Keyring, Keyring]) -> Shop:
    """A table that all refused releases are offered to."""
    return Shop(folder, installed, *keyrings)


@pytest.fixture
def own_shop(folder: Path, installed: Path, keyrings: tuple[Keyring, Keyring]) -> Shop:
    """A table for one test alone, which installs something."""
    shutil.copytree(installed, folder / "root", symlinks=True, copy_function=os.link)
    return Shop(folder, folder / "root", *keyrings)


def signature_of(file: Path) -> Path:
    return file.with_name(file.name + SUFFIX)


def signed_for_another_file(shop: Shop) -> Path:
    other = shop.ours.sign(wheel(shop.stick / "other", version="0.2.0"))
    file = shop.wheel()
    shutil.copy2(signature_of(other), signature_of(file))
    return file


def two_signatures(shop: Shop) -> Path:
    file = shop.ours.sign(shop.wheel())
    good = signature_of(file).read_bytes()
    shop.stranger.sign(file)
    signature_of(file).write_bytes(good + signature_of(file).read_bytes())
    return file


def changed_after(shop: Shop, change: Callable[[bytes], bytes]) -> Path:
    """A wheel whose content was changed after it was signed."""
    file = shop.ours.sign(shop.wheel())
    file.write_bytes(change(file.read_bytes()))
    return file


def flipped_bit(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]


def an_empty_signature(shop: Shop) -> Path:
    file = shop.wheel()
    signature_of(file).touch()
    return file


def older_under_a_newer_name(shop: Shop) -> Path:
    file = shop.wheel("0.0.9")
    return shop.ours.sign(file.rename(file.with_name("peg_and_pip-9.0.0-py3-none-any.whl")))


def a_link(shop: Shop) -> Path:
    real = shop.ours.sign(shop.wheel())
    link = shop.stick / "peg_and_pip-0.3.0-py3-none-any.whl"
    link.symlink_to(real)
    shutil.copy2(signature_of(real), signature_of(link))
    return link


def setup_script(shop: Shop, folder: Path) -> Path:
    """A source archive whose setup script wakes the canary."""
    project = shop.stick.parent / "peg_and_pip-0.3.0"
    project.mkdir()
    (project / "setup.py").write_text(f"{shop.waking}\nfrom setuptools import setup\nsetup(name='peg-and-pip')\n")
    (project / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: peg-and-pip\nVersion: 0.3.0\n")
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "peg_and_pip-0.3.0.tar.gz"
    with tarfile.open(place, "w:gz") as packed:
        packed.add(project, project.name)
    return place


REFUSED: dict[str, Callable[[Shop], Path]] = {
    "unsigned": lambda shop: shop.wheel(),
    "signed by a stranger": lambda shop: shop.stranger.sign(shop.wheel()),
    "signed for another file": signed_for_another_file,
    "two signatures": two_signatures,
    "cut off": lambda shop: changed_after(shop, lambda content: content[:-9]),
    "a flipped bit": lambda shop: changed_after(shop, flipped_bit),
    "an empty signature": an_empty_signature,
    "older": lambda shop: shop.ours.sign(shop.wheel("0.0.9")),
    "older under a newer name": older_under_a_newer_name,
    "signed before the one that runs": lambda shop: shop.ours.sign(shop.wheel("0.1.0"), day="20240601"),
    "a link": a_link,
    "an unsigned package": lambda shop: shop.package(lambda to: wheel(to, files={"a.pth": f"{shop.waking}\n"})),
    "a source archive": lambda shop: shop.ours.sign(setup_script(shop, shop.stick)),
    "a package of one": lambda shop: shop.ours.sign(shop.package(lambda to: setup_script(shop, to))),
}


@pytest.mark.parametrize("offered", REFUSED)
def test_update_refuses_an_unsigned_or_older_release_and_runs_none_of_it(shop: Shop, offered: str) -> None:
    """A wrongly signed, damaged or linked one and a source archive are refused, too; installed releases stay."""
    before, names = shop.releases.current(), shop.releases.names()
    with pytest.raises(DeviceError):
        shop.update(REFUSED[offered](shop))
    assert not shop.canary.exists()
    assert (shop.releases.current(), shop.releases.names()) == (before, names)
    assert not (shop.releases.folder / INCOMING).exists()


def test_an_update_installs_a_signed_wheel_without_running_it_as_root(
    own_shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange = own_shop.stick / "strange"
    strange.mkdir()
    for name in ("pip.py", "venv.py", "zipfile.py"):  # in the folder that the command is called from
        (strange / name).write_text(f"{own_shop.waking}\n")
    monkeypatch.chdir(strange)
    name = own_shop.update(own_shop.ours.sign(own_shop.wheel()))
    assert own_shop.releases.current() == own_shop.releases.proven() == name
    assert own_shop.releases.proven_age() == ((0, 2), NOON_S)
    users = set(own_shop.canary.read_text().split())
    assert users  # the code of the release ran
    assert not IS_ROOT or "0" not in users


def test_an_update_from_a_signed_deb_installs_its_wheel_not_its_source_archive(own_shop: Shop) -> None:
    def fill(folder: Path) -> None:
        wheel(folder, version="0.2.0")
        setup_script(own_shop, folder)  # newer, and never built

    name = own_shop.update(own_shop.ours.sign(own_shop.package(fill)))
    assert own_shop.releases.proven() == name
    assert not own_shop.canary.exists()


def test_an_update_to_a_wheel_with_a_missing_dependency_is_refused(shop: Shop) -> None:
    needs = "Metadata-Version: 2.1\nName: peg-and-pip\nVersion: 0.2.0\nRequires-Dist: no-such-thing-at-all\n"
    file = wheel(shop.stick, version="0.2.0", files={"peg_and_pip-0.2.0.dist-info/METADATA": needs})
    before = shop.releases.names()
    with pytest.raises(DeviceError, match="no-such-thing-at-all"):
        shop.update(shop.ours.sign(file))
    assert shop.releases.names() == before


def test_an_update_with_the_unsigned_option_installs_an_unsigned_release(own_shop: Shop) -> None:
    assert own_shop.update(own_shop.wheel(), unsigned=True) == own_shop.releases.proven()
    assert own_shop.update(own_shop.ours.sign(own_shop.wheel("0.2.1")))


def test_an_update_is_refused_if_the_release_key_is_missing_or_invalid(shop: Shop, tmp_path: Path) -> None:
    key = tmp_path / "release-key.asc"
    file = shop.ours.sign(shop.wheel())
    head = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
    for text in (None, "", "no key", f"{head}\n\n%%%\n", f"{head}\nmQGNBGg8\n-----END PGP PUBLIC KEY BLOCK-----\n"):
        key.unlink(missing_ok=True)
        if text is not None:
            key.write_text(text)
        with pytest.raises(DeviceError, match="no key to check" if text is None else "be read"):
            signed_at(file, signature_of(file), key)


def test_a_release_key_file_with_two_keys_accepts_a_signature_by_either(shop: Shop, tmp_path: Path) -> None:
    both, key = Keyring(shop.stick.parent / "both"), tmp_path / "release-key.asc"
    both.home.mkdir(mode=0o700)
    for ring in (shop.ours, shop.stranger):
        (tmp_path / "key").write_bytes(ring.gpg("--export"))
        both.gpg("--import", tmp_path / "key")
    key.write_bytes(both.gpg("--armor", "--export"))
    for ring in (shop.ours, shop.stranger):
        file = ring.sign(shop.wheel())
        assert signed_at(file, signature_of(file), key) == NOON_S


def test_the_release_signing_script_signs_and_refuses_to_make_a_second_key(
    shop: Shop, tmp_path: Path, keyrings: tuple[Keyring, Keyring]
) -> None:
    environment = {**os.environ, "GNUPGHOME": str(keyrings[0].home), "PYTHONPATH": str(PROJECT)}

    def release(*words: str | Path) -> int:
        command = [sys.executable, PROJECT / "release/sign.py", "--key", tmp_path / "key.asc", *words]
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode

    file = shop.wheel()
    assert release("key", "--no-passphrase") == 0
    assert release("key", "--no-passphrase") != 0
    assert release("sign", file) == 0
    assert signed_at(file, signature_of(file), tmp_path / "key.asc") > NOON_S


@pytest.mark.parametrize(("name", "why"), [("a.txt", "neither"), ("nowhere.deb", "no file"), ("a.whl", "damaged")])
def test_an_update_from_a_file_that_is_no_release_is_refused(shop: Shop, name: str, why: str) -> None:
    if "nowhere" not in name:
        (shop.stick / name).write_bytes(b"not a release")
        shop.ours.sign(shop.stick / name)
    with pytest.raises(DeviceError, match=why):
        shop.update(shop.stick / name)


def test_an_update_from_a_named_pipe_is_refused_without_blocking(shop: Shop) -> None:
    os.mkfifo(shop.stick / "pegpip.deb")
    with pytest.raises(DeviceError, match="is no file of at most"):
        shop.update(shop.stick / "pegpip.deb")


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.symlink_to("another.deb")], ids=["folder", "link"])
def test_an_update_file_that_is_a_symlink_or_a_folder_is_refused(shop: Shop, make: Callable[[Path], None]) -> None:
    make(shop.stick / "pegpip.deb")
    with pytest.raises(DeviceError, match=r"is a link or a folder\. Name a file"):
        shop.update(shop.stick / "pegpip.deb")


@pytest.mark.parametrize(("newer", "older"), [("0.10", "0.9.9"), ("1.0.1", "1"), ("2", "1.99.99")])
def test_release_versions_are_compared_number_by_number(newer: str, older: str) -> None:
    assert numbers(newer) > numbers(older)
    assert numbers(f"{newer}.0") == numbers(newer)


def test_a_good_signature_by_a_release_key_that_has_expired_is_refused_as_expired(folder: Path) -> None:
    """The fault: the owner was asked to copy the files again."""
    ring, key = Keyring(folder / "ring"), folder / "key.asc"
    ring.home.mkdir(mode=0o700)
    try:
        made = ("--faked-system-time", "20200101T120000!", "--passphrase", "", "--quick-generate-key")
        ring.gpg(*made, "releases", "ed25519", "sign", "1y")
        file = ring.sign(wheel(folder / "stick"), day="20200601")
        key.write_bytes(ring.gpg("--armor", "--export"))
    finally:
        subprocess.run(["gpgconf", "--kill", "all"], env={**os.environ, "GNUPGHOME": str(ring.home)}, check=False)
    with pytest.raises(DeviceError, match=r"key\.asc has expired.*clock.*brings a new key"):
        signed_at(file, signature_of(file), key)
    file.write_bytes(b"other content")
    with pytest.raises(DeviceError, match=r"does not fit.*Copy both files again"):
        signed_at(file, signature_of(file), key)


def test_an_unsigned_update_needs_a_terminal_and_a_confirmation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Noted(tmp_path / "root")
    releases = Releases(machine)
    releases.switch(releases.make(wheels(tmp_path / "first", "first")))
    monkeypatch.setattr(update_command, "Machine", lambda: machine)
    table = Table(releases)
    monkeypatch.setattr(update_command, "restart_service", lambda _machine: table.restart())
    monkeypatch.setattr(update_command, "entry_of", lambda _page: table.entry())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(os, "umask", lambda mask: mask)  # the command sets that of the whole process
    first = releases.current()
    words = ["--unsigned", str(wheel(tmp_path / "new"))]
    done = CliRunner().invoke(update_command.command, words, standalone_mode=False)
    assert isinstance(done.exception, DeviceError)
    assert "terminal" in str(done.exception)
    monkeypatch.setattr(update_command, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    done = CliRunner().invoke(update_command.command, words, input="n\n", standalone_mode=False)
    assert isinstance(done.exception, click.Abort)
    assert releases.names() == [releases.current()] == [first]
    done = CliRunner().invoke(update_command.command, words, input="y\n", standalone_mode=False)
    assert (done.exception, "is not signed" in done.output) == (None, True)
    assert releases.proven() == releases.current() != first

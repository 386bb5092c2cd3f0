"""`make appliance`: the whole life of an installed table in a fresh Debian: install, read, play, update, uninstall.

Needs root, debootstrap, gpg and, for arm64 on another machine, qemu-user-static. The root is made once and kept
(--fresh: made again); it shares this machine's network. Prints a line with the seconds for each check, and ends with
exit status 1 at the first that fails.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

from companion.appliance.install import PUBLIC_KEY
from companion.appliance.trial import SETTINGS
from release.chroot import CERTIFICATES, NATIVE, Root, debootstrap, register_qemu, remove
from release.deb import own_wheel
from release.sign import make_key, sign

PROJECT = Path(__file__).resolve().parents[1]
"""The project's folder."""
PORT = int(os.environ.get("PEGPIP_PORT", "18431"))
"""TCP port of the table in the Debian root under test, on this machine's network: parallel runs need different ones."""
PAGE = f"http://127.0.0.1:{PORT}"
"""URL of the table's pages in the Debian root under test."""
COMMAND_LINE = "boot/firmware/cmdline.txt"
"""Path in the root of a Pi's kernel command line. The check makes this file; the installer sets the Wi-Fi's country
in it."""
SYSTEMCTL = f"""#!/bin/sh
# Stands in for systemd, which does not run in this root: starts what the unit says, as the user it says.
# Started is what answers: a release that falls may listen before it does.
page="from http.client import *; c = HTTPConnection('127.0.0.1', {PORT}, timeout=20); c.request('GET', '/healthz')"
daemon="start-stop-daemon --pidfile /run/table.pid"
commands() {{ sed -n "s/^$1=[-+]*//p" /etc/systemd/system/pegpip.service | sh; }}
case "$1" in
start | restart)
    commands ExecStartPre
    mkdir -p /run/pegpip && chown pegpip: /run/pegpip
    command=$(sed -n 's/^ExecStart=//p' /etc/systemd/system/pegpip.service)
    export HOME=/var/lib/pegpip RUNTIME_DIRECTORY=/run/pegpip
    $daemon --start --quiet --background --make-pidfile --chuid pegpip --chdir /var/lib/pegpip \\
        --startas /bin/sh -- -c "exec $command >>/var/lib/pegpip/table.log 2>&1"
    until python3 -c "$page; c.getresponse()" 2>/dev/null; do
        kill -0 "$(cat /run/table.pid)" 2>/dev/null || exit 1
        sleep 1
    done
    commands ExecStartPost
    ;;
stop) $daemon --stop --quiet --oknodo --signal INT --retry 30 && rm -rf /run/pegpip /run/table.pid ;;
reset-failed | daemon-reload | try-restart) ;;
*) exec /usr/bin/systemctl "$@" ;;
esac
"""
"""Shell script that replaces `systemctl` in the root."""
PATIENCE_S = 300.0
"""Longest wait for a throw or a healthy table, in seconds; then this check of an installed system fails. Higher: a dead
table is noticed later. Emulation on a busy machine takes a hundred times as long as a PC."""
EXPOSURE = 2.5
"""Exposure by `systemd-analyze security`, 0 (safe) to 10, that units must stay below. Higher: weaker sandboxes pass."""
INSTALL = "./install.sh --country FI"
"""Shell command that installs the table in the Debian root under test; the Wi-Fi country is Finland."""
PACKAGES = (
    "from companion.appliance.install import NEEDED, USEFUL; from companion.appliance.machine import Machine; "
    "from companion.appliance.steps import Packages; Packages(NEEDED, USEFUL).do(Machine())"
)
"""Python program that installs the Debian packages of the first installation step."""
PUT_ON_TRIAL = (
    "from companion.appliance.trial import Machine, Releases, begin; begin(Releases(Machine()), '{name}', {number})"
)
"""Python program that puts the release {name} on trial, as a `pegpip update` does before a power cut in the trial.
{number} is the number of the journal's newest entry."""
STARTS = 5
"""Most starts of the table after a power cut in an update's trial until the previous release must run again. With more
the check fails. Higher: a slower return to that release passes."""
DOCTOR = f"runuser -u pegpip -- pegpip doctor --config {SETTINGS}"
"""Shell command that runs `pegpip doctor` as the table's user."""
BROKEN = (b"app.run(ready)", b"raise CompanionError('a release that was built badly')")
"""Code of the play command, and the code that replaces it to make a release that fails."""


def fetched(path: str) -> dict[str, object]:
    """Return the JSON object that the table in the root serves at a path. Raises OSError if the request fails."""
    with urllib.request.urlopen(PAGE + path, timeout=20) as answer:  # noqa: S310 - our own page
        found: dict[str, object] = json.load(answer)
    return found


def thrown() -> int:
    """Throw the virtual dice of the table under test over its API, and return the number of the new journal entry.

    The table runs in the chroot of this check. Raises OSError if a request fails. Ends the program with an error if
    no entry comes within `PATIENCE_S`.
    """
    before = fetched("/api/state")["number"]
    request = urllib.request.Request(f"{PAGE}/api/tray/throw", b"{}", {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60):  # noqa: S310
        pass
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        number = fetched("/api/state")["number"]
        if isinstance(number, int) and number != before:
            return number
        time.sleep(0.5)
    sys.exit("FAILED: the throw was not read")


def wheel_of(folder: Path, mark: str, *, broken: bool = False) -> Path:
    """Build the project's wheel with a line added, so that it counts as another release, and return its path.

    Args:
        folder: The wheel goes into its subfolder `mark`, which is made anew.
        mark: Text of the added line: different texts make different releases.
        broken: Whether its play command fails with an error.
    """
    out = folder / mark
    shutil.rmtree(out, ignore_errors=True)
    own_wheel(out)
    made = next(out.glob("*.whl"))
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(out / "peg_and_pip-next.zip", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "companion/commands/play.py" and broken:
                assert BROKEN[0] in content
                content = content.replace(*BROKEN)
            if name == "companion/__init__.py":
                content += f"\nRELEASE = {mark!r}\n".encode()
            new.writestr(name, content)
    made.unlink()
    return (out / "peg_and_pip-next.zip").rename(made)


class Checks:
    """Prints each check with its seconds."""

    def __init__(self) -> None:
        self.since = time.monotonic()

    def ok(self, what: str, holds: bool = True, why: Callable[[], str] = str) -> None:
        """Print a check's result and the seconds since the last check; end the program if it failed.

        Args:
            what: The claim that is checked.
            holds: Whether it holds.
            why: Called for a failed check; returns the text to end the program with.
        """
        took = time.monotonic() - self.since
        print(f"{'ok' if holds else 'FAILED':6} {took:6.1f} s  {what}", flush=True)  # noqa: T201
        if not holds:
            sys.exit(why())
        self.since = time.monotonic()


def life(root: Root, checks: Checks, spare: Path) -> None:
    """Test a table from install to uninstall: install it twice, read pictures, play, update, uninstall.

    First, a table that is already in `root` is uninstalled and its data deleted. A check that fails ends the program. A
    new key for signing releases is made in GnuPG's keyring. At the end only the table's data and the Debian packages
    that it needs remain.

    Args:
        root: Debian system in a folder, used by chroot, where the table is installed.
        checks: Prints the result of each check.
        spare: Folder for the releases that are built.
    """
    cloned(root)
    public = root.folder / "root/pegpip" / PUBLIC_KEY
    public.unlink(missing_ok=True)
    make_key(public, passphrase=False)
    shutil.copy2(CERTIFICATES, root.folder / "root/certificates.crt")
    python = "apt-get -q update && apt-get -q -y --no-install-recommends install python3"
    root.sh(f"command -v python3 >/dev/null || {{ {python}; }}")
    for left in ("usr/local/bin/systemctl", "run/table.pid"):  # of a run that was broken off
        (root.folder / left).unlink(missing_ok=True)
    root.sh("./install.sh --uninstall && rm -rf /var/lib/pegpip /root/stick")
    (root.folder / COMMAND_LINE).parent.mkdir(exist_ok=True)
    (root.folder / COMMAND_LINE).write_text("console=tty1 root=/dev/mmcblk0p2 rootwait\n")
    before = root.files()
    listed = root.sh(f"{INSTALL} --dry-run").splitlines()
    checks.ok(f"--dry-run lists {len(listed)} changes and makes none", root.files() == before and len(listed) > 10)
    root.run("env", "PYTHONPATH=/root/pegpip", "PYTHONDONTWRITEBYTECODE=1", "python3", "-c", PACKAGES)
    checks.ok("the packages of its first step, by apt")
    before = root.files()  # with the packages, which stay till `apt autoremove`
    said = root.sh(INSTALL)
    after = root.files()
    wanted = [line for line in listed if not line.startswith("install the package")]
    checks.ok("install.sh makes just those changes", said.splitlines()[: len(wanted)] == wanted, said.strip)
    said = root.sh(INSTALL)
    checks.ok("over itself it changes nothing", "Nothing to change" in said and root.files() == after, said.strip)
    said = root.sh("systemd-analyze verify /etc/systemd/system/pegpip*.service", check=False).strip()
    checks.ok("systemd-analyze verify", not said, said.strip)
    exposed = {unit: exposure(root, unit) for unit in ("pegpip.service", "pegpip-hotspot.service")}
    checks.ok(f"systemd-analyze security: {exposed}", max(exposed.values()) < EXPOSURE)
    size, doctor = root.sh("du -sm /opt/pegpip").split()[0], root.sh(DOCTOR, check=False).strip()
    checks.ok(f"{size} MB in /opt/pegpip; doctor: {doctor.splitlines()[-1]}", "versions    ok" in doctor, doctor.strip)
    read_alike(root, checks)
    number = played(root, checks)
    updated(root, checks, spare, number, public)
    root.sh("./install.sh --uninstall")
    remaining = root.files()
    data = root.sh("ls /var/lib/pegpip").split()
    wrong = {name for name in remaining.keys() | before.keys() if remaining.get(name) != before.get(name)}
    checks.ok(
        f"--uninstall leaves nothing but data: {' '.join(data)}",
        not wrong and "journal.jsonl" in data,
        lambda: str(sorted(wrong)),
    )


def exposure(root: Root, unit: str) -> float:
    """Return a unit's exposure level by `systemd-analyze security`, from 0 (safe) to 10."""
    said = root.sh(f"systemd-analyze security --offline=yes /etc/systemd/system/{unit}", check=False)
    return float(said.rpartition("exposure level")[2].split(":")[1].split()[0])


def cloned(root: Root) -> None:
    """Replace /root/pegpip in the test Debian `root` by the project's files, except those that git ignores."""
    place = root.folder / "root/pegpip"
    shutil.rmtree(place, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    for name in listed.stdout.splitlines():
        if (PROJECT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, place / name)


def read_alike(root: Root, checks: Checks) -> None:
    """Check that pegpip reads the same values in the test Debian `root` as here; end the program if not.

    Both read the first 8 fixture pictures. The result is printed by `checks`.
    """
    images = [str(path.relative_to(PROJECT)) for path in sorted((PROJECT / "fixtures/images").glob("*.jpg"))][:8]
    words = ("read", "--json", *images)
    own = subprocess.run(
        [Path(sys.executable).with_name("pegpip"), *words], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    here = [json.loads(line)["values"] for line in own.stdout.splitlines()]
    said = root.sh(f"pegpip {' '.join(words)}", check=False)
    there = [json.loads(line)["values"] for line in said.splitlines() if line.startswith("{")]  # else a warning
    checks.ok(f"{len(images)} pictures are read as on this machine", there == here != [], lambda: f"{said}\n{here}")


def played(root: Root, checks: Checks) -> int:
    """Start the table in the root and throw its virtual dice once; return the number of the throw's journal entry.

    First changes the port in the table's settings to `PORT`, and puts the script `SYSTEMCTL` in place of systemctl.
    Leaves the table running. Ends the program if the table does not become healthy or the throw is not read.
    """
    settings = root.folder / SETTINGS.lstrip("/")
    settings.write_text(settings.read_text().replace("port = 8000", f"port = {PORT}"))
    stand_in = root.folder / "usr/local/bin/systemctl"
    stand_in.write_text(SYSTEMCTL)
    stand_in.chmod(0o755)
    root.sh("systemctl restart pegpip.service")
    wait_well(root)
    checks.ok("the table is healthy")
    number = thrown()
    checks.ok(f"a throw is read: entry {number}")
    return number


def updated(root: Root, checks: Checks, spare: Path, number: int, public: Path) -> None:
    """Check updates of a running table: a newer release must run; a failing or refused one must change nothing.

    The refused releases are cut off, unsigned, older, or signed for other content. Then a power cut during a trial is
    checked (`check_power_cut`). At the end the table is stopped, and the stand-in for systemctl (`SYSTEMCTL`) is
    removed. A failed check ends the program.

    Args:
        root: Debian file system, entered by chroot, in which the table runs.
        checks: Prints the result of each check.
        spare: Folder for the releases that are built.
        number: Number of the table's newest entry, which must not be lost.
        public: File of the public keys that the table trusts. GnuPG must have the private key of the newest.
    """
    stick = root.folder / "root/stick"
    good, bad = wheel_of(spare, "good"), wheel_of(spare, "bad", broken=True)
    contents = {"older": good.read_bytes() + b"\0", "good": good.read_bytes(), "bad": bad.read_bytes()}
    for name, content in contents.items():
        (stick / name).mkdir(parents=True, exist_ok=True)
        (stick / name / good.name).write_bytes(content)
        sign([stick / name / good.name], public)
        time.sleep(1.1)  # a signature's time has whole seconds, and "older" must be older
    for name in ("cut", "unsigned"):
        shutil.copytree(stick / "good", stick / name)
    (stick / "cut" / good.name).write_bytes(good.read_bytes()[:99_000])
    (stick / "unsigned" / f"{good.name}.sig").unlink()
    shutil.copytree(stick / "bad", stick / "foreign")
    shutil.copy2(stick / "good" / f"{good.name}.sig", stick / "foreign")
    checks.ok("releases on a stick: good, bad, cut off, unsigned, another one's signature, older")
    said = root.sh(f"pegpip update /root/stick/good/{good.name}")
    checks.ok("a newer release runs", "runs the release" in said and same_game(root, number), said.strip)
    release = (root.folder / "opt/pegpip/current").readlink()
    for name in ("bad", "cut", "unsigned", "foreign", "older"):
        said = root.sh(f"pegpip update /root/stick/{name}/{good.name}", check=False).strip()
        stays = (root.folder / "opt/pegpip/current").readlink() == release and same_game(root, number)
        checks.ok(f"{name}: {said.splitlines()[-1][:100]}", stays, said.strip)
    check_power_cut(root, checks, number)
    root.sh("systemctl stop")
    (root.folder / "usr/local/bin/systemctl").unlink()
    shutil.rmtree(stick)


def check_power_cut(root: Root, checks: Checks, number: int) -> None:
    """Check that the current release runs again after a power cut in the trial of a broken release.

    The newest release other than the current one must fail to start. It is put on trial, so the service would run it
    from the next start on. The running table is then killed with `kill -9`, and the service started up to `STARTS`
    times.

    After that the earlier release must be current and run, and `number` must be the number of the newest journal entry.
    The result is printed. A failed check, or a table that does not get healthy, ends the program.
    """
    releases = root.folder / "opt/pegpip/releases"
    current = (root.folder / "opt/pegpip/current").readlink()
    bad = max((path for path in releases.iterdir() if path.name != current.name), key=lambda path: path.stat().st_mtime)
    script = PUT_ON_TRIAL.format(name=bad.name, number=number)
    root.run("/opt/pegpip/proven/bin/python", "-I", "-c", script)
    root.sh("kill -9 $(cat /run/table.pid)")
    starts = 1
    while "up" not in root.sh("systemctl start && echo up", check=False) and starts < STARTS:  # as Restart=on-failure
        starts += 1
    stays = (root.folder / "opt/pegpip/current").readlink() == current
    checks.ok(
        f"the plug pulled in its trial: the release before runs at start {starts}", stays and same_game(root, number)
    )


def same_game(root: Root, number: int) -> bool:
    """Wait until the table is healthy; return whether its newest entry is number `number`: none was lost or added."""
    wait_well(root)
    return fetched("/api/state")["number"] == number


def wait_well(root: Root) -> None:
    """Wait until the table in the Debian root under test reports that it is healthy.

    After PATIENCE_S the program ends with exit status 1 and the last lines of the table's log as message.
    """
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            if fetched("/healthz")["status"] == "ok":
                return
        except OSError:
            pass  # it does not serve yet
        time.sleep(0.5)
    sys.exit("FAILED: the table did not become healthy:\n" + root.sh("tail -20 /var/lib/pegpip/table.log"))


def main() -> None:
    """Test an installation of Peg & Pip from install to uninstall, in a Debian root folder (chroot) below `--out`.

    `--suite` and `--arch` choose Debian's release and architecture; for a foreign one qemu is registered with the
    kernel. An existing root is used again, and a table in it deleted with its data; `--fresh` makes the root anew. The
    program must run as root. Each check is printed, and the first that fails ends the program with exit status 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", choices=("amd64", "arm64"), default=NATIVE)
    parser.add_argument("--suite", choices=("bookworm", "trixie"), default="bookworm")
    parser.add_argument("--fresh", action="store_true", help="make the root anew")
    parser.add_argument("--out", type=Path, default=PROJECT / "out")
    given = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("in_a_root: chroot needs root: run it with sudo.")
    folder = given.out / f"root-{given.suite}-{given.arch}"
    checks, keyring = Checks(), tempfile.TemporaryDirectory()
    os.environ["GNUPGHOME"] = keyring.name
    if given.arch != NATIVE:
        register_qemu()
    if given.fresh:
        remove(folder)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        debootstrap(folder, given.arch, given.suite)
    checks.ok(f"{given.suite}, {given.arch}, by debootstrap")
    mounted = (folder / "proc/self").exists()
    if not mounted:
        subprocess.run(["mount", "-t", "proc", "proc", folder / "proc"], check=True)
    try:
        life(Root(folder), checks, given.out / "wheels")
    finally:
        subprocess.run(
            # Kept, the number would be another process's in the next run: the root shares this machine's processes.
            ["chroot", folder, "sh", "-c", "kill -9 $(cat /run/table.pid); rm -f /run/table.pid"],
            check=False,
            capture_output=True,
        )
        subprocess.run(["umount", folder / "proc"], check=False, capture_output=True)
        subprocess.run(["gpgconf", "--kill", "all"], check=False)
        keyring.cleanup()


if __name__ == "__main__":
    main()

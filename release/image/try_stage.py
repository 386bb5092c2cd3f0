"""Try the image's stage in a fresh Debian root as pi-gen runs it, and start two cards of it for the first time.

Needs root and debootstrap. The root is Debian's, for this machine's processor: pi-gen needs Raspberry Pi's archive.
Prints a line a check, and ends with 1 at the first that fails.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from companion.appliance.install import KEYFILE
from companion.appliance.trial import SETTINGS
from release.chroot import CERTIFICATES, NATIVE, Root, debootstrap

STAGE = Path(__file__).resolve().parent / "stage-pegpip"
"""Folder of the image's stage for pi-gen."""
FIRST_START = "/usr/local/lib/pegpip/first-start"
"""Program in the image that runs at a card's first start."""
PI_GEN = """
copy_previous() { echo "the root is here already" >&2; exit 1; }
on_chroot() { chroot "${ROOTFS_DIR}" /bin/bash -e "$@"; }
export -f copy_previous on_chroot
mount -t proc proc "${ROOTFS_DIR}/proc"
trap 'umount "${ROOTFS_DIR}/proc"' EXIT
./prerun.sh
for sub in */; do
    cd "$sub"
    for script in [0-9][0-9]-run*.sh; do
        case "$script" in *-run-chroot.sh) on_chroot <"$script" ;; *) "./$script" ;; esac
    done
    cd ..
done
"""
"""Shell script that runs a stage as pi-gen's build.sh does: scripts in order, `*-run-chroot.sh` inside the image."""


def check(claim: str, holds: bool) -> None:
    """Print a claim and whether it holds; end the program with exit status 1 when it does not."""
    print(f"{'ok' if holds else 'FAILED'}: {claim}", flush=True)  # noqa: T201
    if not holds:
        sys.exit(1)


def run_stage(root: Path) -> None:
    """Run the scripts of the image's stage (`STAGE`) on a Debian root folder, as pi-gen does.

    Raises CalledProcessError if one fails.
    """
    environment = {**os.environ, "ROOTFS_DIR": str(root), "LC_ALL": "C.UTF-8"}
    subprocess.run(["bash", "-e", "-c", PI_GEN], cwd=STAGE, env=environment, check=True)


@contextlib.contextmanager
def packed(package: Path, files: Path) -> Iterator[None]:
    """Context manager: copy a package into the stage's folder `files`, and delete the copy at the end.

    Other `pegpip_*.deb` there are deleted. A package that lies there already is used as it is, and stays.
    """
    for old in files.glob("pegpip_*.deb"):
        if not old.samefile(package):
            old.unlink()
    if package.parent.samefile(files):
        yield
        return
    copy = files / package.name
    shutil.copy2(package, copy)
    try:
        yield
    finally:
        copy.unlink()


def card(image: Path, place: Path) -> Root:
    """Copy an image's root folder, as if written to a card, run `FIRST_START` in the copy, and return the copy.

    Ends the program if the first start fails.

    Args:
        image: Folder of the image's root.
        place: Folder for the copy, which gets a Pi's config.txt; deleted first if it exists.
    """
    shutil.rmtree(place, ignore_errors=True)
    subprocess.run(["cp", "-a", image, place], check=True)
    (place / "boot/firmware").mkdir(parents=True, exist_ok=True)
    (place / "boot/firmware/config.txt").write_text("[all]\n")
    root = Root(place)
    root.run(FIRST_START)
    return root


def main() -> None:
    """Build an image's root folder with the project's pi-gen stage, and check it and the first start of two copies.

    `--package` names the .deb, `--suite` the Debian release, `--folder` the working folder. The copies stand for two SD
    cards. Folders of an earlier run are deleted, as are other `pegpip_*.deb` in the stage's `files`. Prints each check;
    the first that fails ends the program with exit status 1. Needs root.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="trixie", choices=["bookworm", "trixie"])
    parser.add_argument("--package", type=Path, required=True, help=f"the .deb of `make deb ARCH={NATIVE}`")
    parser.add_argument("--folder", type=Path, default=Path("/var/tmp/pegpip-image"))  # noqa: S108
    given = parser.parse_args()
    image = given.folder / given.suite
    shutil.rmtree(image, ignore_errors=True)
    image.mkdir(parents=True)
    debootstrap(image, NATIVE, given.suite)
    shutil.copy2("/etc/resolv.conf", image / "etc/resolv.conf")
    shutil.copy2(CERTIFICATES, image / "root/certificates.crt")
    with packed(given.package, STAGE / "00-pegpip/files"):
        run_stage(image)
    root = Root(image)
    check("the program is installed", "Usage" in root.run("pegpip", "--help"))
    check(
        "the image carries no settings and no Wi-Fi password",
        not any((image / p[1:]).exists() for p in (SETTINGS, KEYFILE)),
    )
    enabled = {path.name for path in (image / "etc/systemd/system").glob("*.wants/pegpip*")}
    check("its units start with it", enabled >= {f"pegpip{end}.service" for end in ("", "-hotspot", "-first-start")})
    check(
        "systemd finds nothing wrong with the first start",
        not root.run("systemd-analyze", "verify", "pegpip-first-start.service", check=False).count(
            "pegpip-first-start.service:"
        ),
    )
    cards = [card(image, given.folder / f"{given.suite}-card-{number}") for number in (1, 2)]
    keyfiles = [(one.folder / KEYFILE[1:]).read_text() for one in cards]
    check(
        "a first start makes settings and a Wi-Fi password", all((one.folder / SETTINGS[1:]).exists() for one in cards)
    )
    check("no two cards have the same password", keyfiles[0] != keyfiles[1])
    check("a second start changes nothing", "Nothing to change" in cards[0].run(FIRST_START))
    check("the keyfile is root's alone", (cards[0].folder / KEYFILE[1:]).stat().st_mode & 0o777 == 0o600)


if __name__ == "__main__":
    main()

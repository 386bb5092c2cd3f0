"""`make release-key` and `make sign`: the key that releases are signed with, and their detached signatures.

Needs GnuPG. The private key stays in the publisher's keyring; the public one goes into the repository.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from companion.appliance.install import PROJECT, PUBLIC_KEY
from companion.appliance.signature import SUFFIX, signed_at
from companion.errors import DeviceError

NAME = "Peg & Pip releases"
"""Name of the signing key's owner."""


def make_key(public: Path, *, passphrase: bool = True) -> None:
    """Make a signing key in GnuPG's keyring and write its public part.

    The key never expires: a table's clock may be wrong.

    Args:
        public: File to write; must not exist.
        passphrase: Whether to ask for a passphrase; without it only the keyring protects the key.

    Raises:
        SystemExit: The file exists.
        CalledProcessError: GnuPG refuses.
    """
    if public.exists():
        sys.exit(f"{public} exists: tables trust that key. Move it away first if you want another one.")
    open_key = () if passphrase else ("--batch", "--passphrase", "")
    made = subprocess.run(
        ["gpg", "--status-fd", "1", *open_key, "--quick-generate-key", NAME, "ed25519", "sign", "never"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    (line,) = (line for line in made.stdout.splitlines() if " KEY_CREATED " in line)
    armoured = subprocess.run(["gpg", "--armor", "--export", line.split()[-1]], capture_output=True, check=True).stdout
    public.write_bytes(armoured)


def sign(files: list[Path], public: Path) -> list[Path]:
    """Write a detached signature beside each file, in place of an older one, and check it as a table would.

    Args:
        files: Releases, .deb or .whl.
        public: The file of the public keys; the private part of the newest must be in GnuPG's keyring.

    Returns:
        The signatures' files.

    Raises:
        DeviceError: A signature does not verify, or `gpgv` is not installed.
        CalledProcessError: GnuPG refuses.
    """
    shown = subprocess.run(
        ["gpg", "--with-colons", "--show-keys", public], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(":") for line in shown.splitlines()]
    keys = [(int(row[5]), after[9]) for row, after in pairwise(rows) if row[0] == "pub"]  # when made, fingerprint
    fingerprint = max(keys)[1]
    signatures = []
    for file in files:
        beside = file.with_name(file.name + SUFFIX)
        subprocess.run(
            ["gpg", "--yes", "--local-user", fingerprint, "--output", beside, "--detach-sign", file], check=True
        )
        signed_at(file, beside, public)
        signatures.append(beside)
    return signatures


def main() -> None:
    """Run the command line of the release signer: `key` makes a signing key, `sign FILE...` signs releases.

    `key` puts the private part into GnuPG's keyring and the public part into the file `--key`, which must not exist.
    `sign` uses the newest key of that file, and prints the name of each signature's file. If either fails, the program
    exits with the reason and status 1.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--key", type=Path, default=PROJECT / PUBLIC_KEY, help="the public key's file")
    commands = parser.add_subparsers(dest="command", required=True)
    key = commands.add_parser("key", help="make a key once, and write its public part")
    key.add_argument("--no-passphrase", action="store_true", help="for a machine that signs without a person")
    commands.add_parser("sign", help="sign releases").add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    try:
        if given.command == "key":
            make_key(given.key, passphrase=not given.no_passphrase)
            print(f"Commit {given.key}. Keep the private key: gpg --export-secret-keys (see docs/appliance.md).")  # noqa: T201
            return
        for file in sign(given.files, given.key):
            print(file)  # noqa: T201
    except (DeviceError, OSError, subprocess.CalledProcessError) as ill:
        sys.exit(str(ill))


if __name__ == "__main__":
    main()

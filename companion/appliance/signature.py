"""Detached OpenPGP signatures of releases, checked by `gpgv` with the key that root keeps on the table."""

from __future__ import annotations

import base64
import binascii
import subprocess
import tempfile
from pathlib import Path

from companion.errors import DeviceError

KEY = "/etc/pegpip/release-key.asc"
"""Public key (ASCII armour) that a release must be signed with; root owns the file and its folder."""
SUFFIX = ".sig"
"""Ending that is added to a release's file name to name its detached signature."""


def signed_at(file: Path, signature: Path, key: Path) -> int:
    """Return when a file's detached signature was made, in seconds since 1970, after checking it with `gpgv`.

    `key` is the file of the trusted public keys, armoured. A Pi without a network may have a wrong clock, so a time
    in the future is no error. Raises DeviceError:

    - Key file missing, unreadable or not armoured, or no `gpgv`.
    - Not exactly one signature, or not a good one by a trusted key; SHA-1 does not count.
    - The key has expired by this machine's clock.
    """
    with tempfile.TemporaryDirectory() as folder:
        ring = Path(folder) / "keys.gpg"
        ring.write_bytes(_without_armour(key))
        words = ["gpgv", "--homedir", folder, "--status-fd", "1", "--ignore-time-conflict", "--weak-digest", "SHA1"]
        try:
            done = subprocess.run(
                [*words, "--keyring", str(ring), "--", str(signature), str(file)],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except FileNotFoundError:
            raise DeviceError("`gpgv` is not installed; it checks releases.", "sudo apt install gpgv") from None
    lines = [line.split()[1:] for line in done.stdout.decode("utf-8", "replace").splitlines() if " " in line]
    good = [line for line in lines if line[0] == "GOODSIG"]
    valid = [line for line in lines if line[0] == "VALIDSIG"]
    if any(line[0] == "EXPKEYSIG" for line in lines):
        raise DeviceError(
            f"The key {key} has expired, by this machine's clock.",
            "Set a wrong clock right. Else install the table again from a release that brings a new key.",
        )
    if done.returncode or len(good) != 1 or len(valid) != 1:
        reason = f"The signature {signature.name} does not fit {file.name} and the key in {key}."
        raise DeviceError(reason, "Copy both files again from where the releases are published.")
    return int(valid[0][3])


def _without_armour(key: Path) -> bytes:
    """Return the binary packets of an ASCII-armoured PGP public key file, for gpgv.

    Raises DeviceError if the file is missing, unreadable or not an armoured public key.
    """
    try:
        head, _, body = key.read_text("ascii").replace("\r", "").partition("\n\n")
        packets = base64.b64decode(body.partition("\n=")[0].partition("\n-----END")[0])
        if head.startswith("-----BEGIN PGP PUBLIC KEY BLOCK-----") and packets:
            return packets
        damaged = "not an armoured public key"
    except FileNotFoundError:
        raise DeviceError(
            f"This table has no key to check releases with ({key}).",
            "Install it from a release that brings one, or use --unsigned on a terminal.",
        ) from None
    except (OSError, UnicodeDecodeError, binascii.Error) as wrong:
        damaged = str(wrong)
    raise DeviceError(f"The key {key} can't be read ({damaged}).", "Install the table again.")

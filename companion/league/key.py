"""The table's Ed25519 key: its public half is the table's name in a league, its private half signs what is sent."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from companion.errors import DeviceError
from companion.table.atomic import sync, write_file

FILE_NAME = "league-key.pem"
"""The private key's file in the data folder, mode 0600. An export holds it: a table that moves stays the same table."""


def key_of(folder: Path) -> Ed25519PrivateKey:
    """Return the table's private key from its file in the data folder; make key and file if the file is missing.

    Raises DeviceError if the file can't be read or written, or is not an Ed25519 key.
    """
    path = folder / FILE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            new = folder / f".league-key-{secrets.token_hex(8)}.new"
            try:
                write_file(new, (made,), mode=0o600)
                try:
                    os.link(new, path)
                except OSError:  # another thread or process has made one meanwhile, or FAT has no hard links
                    if not path.exists():
                        new.replace(path)
                sync(folder)
            finally:
                new.unlink(missing_ok=True)
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as refused:
        cure = "Free some disk space, correct its rights, or name another folder."
        raise DeviceError(f"{path}: {refused.strerror}.", cure) from None
    except (ValueError, TypeError, UnsupportedAlgorithm) as spoilt:  # TypeError: it needs a password
        raise DeviceError(f"{path} is no key ({spoilt}).", "Restore it, or move it and register a new one.") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise DeviceError(f"{path} is a key of another kind.", "Restore the table's own from an export.")
    return key


def name_of(key: Ed25519PrivateKey) -> str:
    """Return a key's public half as 64 hexadecimal digits, which is the table's name in a league."""
    return key.public_key().public_bytes_raw().hex()

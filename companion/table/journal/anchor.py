"""The anchor: identity, number and hash of the journal's last entry, kept outside the data folder.

It reveals a data folder that was replaced by an older or a foreign one, which looks intact.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
from pathlib import Path

import msgspec
import platformdirs

from companion.table.atomic import write_file
from companion.table.journal.chain import Head

log = logging.getLogger(__name__)
if "JOURNAL_STREAM" in os.environ:  # journald keeps every head, beside the file that keeps the last
    log.setLevel(logging.INFO)

RESTORED = ".restored"
"""Empty file that an import leaves in the data folder. While it exists, the journal is not checked against its anchor,
which describes the replaced one. Without it the import would look like a foreign folder; the next anchor deletes it."""


def anchor_folder() -> Path:
    """Return the folder for anchors: the service's LogsDirectory of systemd if set, else the user's state folder."""
    logs = os.environ.get("LOGS_DIRECTORY", "").partition(":")[0]
    return Path(logs) if logs else platformdirs.user_state_path("pegpip")


class Anchor:
    """The anchor of the data folder `data`: a JSON file in `folder`."""

    def __init__(self, folder: Path, data: Path) -> None:
        name = hashlib.blake2b(str(data.resolve()).encode(), digest_size=8).hexdigest()
        self.file = folder / f"head-{name}.json"
        self._restored = data / RESTORED

    def read(self) -> Head | None:
        """Return the journal's end as last written; None if none can be read, or an import has replaced the journal."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None if self._restored.exists() else msgspec.json.decode(self.file.read_bytes(), type=Head)
        return None

    def write(self, head: Head) -> bool:
        """Store `head`, the journal's present end, in the anchor's file, and return whether that worked.

        Then the file RESTORED is deleted: while it exists, `read` ignores the anchor. If the disk refuses either step,
        a warning is logged and the result is False. `head` itself is logged at each call.
        """
        log.info("head of the journal: %s %d %s", head.identity, head.number, head.link)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_file(self.file, (msgspec.json.encode(head),))
            self._restored.unlink(missing_ok=True)
        except OSError as refused:
            log.warning("the journal's head can't be kept in %s (%s)", self.file, refused.strerror)
            return False
        return True

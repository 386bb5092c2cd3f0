"""The shutdown button: held for three seconds, with a countdown in light, it runs the command of the settings."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Sequence

from companion.config import ButtonSettings

log = logging.getLogger(__name__)

BUTTON = "shutdown"
PATIENCE_S = 20.0
"""`systemctl poweroff` answers at once; whatever takes longer hangs."""


def shut_down(command: Sequence[str]) -> str | None:
    """Run the command that shuts the machine down; a sentence of what went wrong and what to do, or None."""
    if not command:
        return "The shutdown button does nothing yet. Set [buttons] shutdown_command."
    told = " ".join(command)
    log.warning("the shutdown button was held: %s", told)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"`{told}` takes too long. Correct [buttons] shutdown_command."
    except OSError as refused:
        return f"`{told}` can't be run ({refused.strerror}). Correct [buttons] shutdown_command."
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        return f"`{told}` failed ({why}). See docs/build.md on the shutdown button."
    return None


def shutdown_problems(buttons: ButtonSettings) -> list[str]:
    """What is wrong with the shutdown button's settings, each with what to change."""
    command = buttons.shutdown_command
    if buttons.kind == "gpio" and buttons.shutdown is not None and not command:
        cure = 'set shutdown_command = ["systemctl", "poweroff"], or leave it out.'
        return [f"[buttons] shutdown is on pin {buttons.shutdown}, but nothing says what it does; {cure}"]
    if command and shutil.which(command[0]) is None:
        return [f"[buttons] shutdown_command: there is no program {command[0]!r}; correct it, or leave it out."]
    if buttons.kind == "gpio" and command and buttons.shutdown is None:
        return ["[buttons] shutdown_command is set, but shutdown has no pin; set shutdown = 3, or leave it out."]
    return []

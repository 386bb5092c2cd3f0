"""The table's buttons: bank, undo and next act on the table, a long press lets a phone in, one may shut down.

The shutdown button is held for three seconds, with a countdown in light; then it runs the command of the settings.
"""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.errors import CompanionError, DeviceError
from companion.table.commands import PressButton
from companion.table.writer import Table
from hardware.board import Board
from hardware.buttons import Buttons, Press, Touch
from hardware.settings import ButtonSettings
from web.pairing.phones import Pairing

log = logging.getLogger(__name__)

SHUTDOWN = "shutdown"
PATIENCE_S = 20.0
"""`systemctl poweroff` answers at once; whatever takes longer hangs."""


@dataclass(slots=True)
class ListeningButtons:
    """Buttons act on the table as it is now, and the board shows at once that they were felt.

    A long press of any lets in the phone whose code is shown, but for the shutdown button: held to the end of its
    countdown it runs the command. The table plays without them.
    """

    buttons: Buttons
    table: Table
    board: Board
    pairing: Pairing
    shutdown_command: Sequence[str] = ()
    _illness: str | None = field(default=None, init=False)
    _listening: bool = field(default=False, init=False)

    def health(self) -> tuple[bool, str]:
        """Whether they work, and a sentence for the page."""
        return self._illness is None, self._illness or f"{self.buttons.name} buttons"

    def listen(self) -> None:
        """Start listening to the buttons, also after a crash. `health` reports a button that cannot be used."""
        if not self.buttons.alive():
            self.buttons.stop()
        self._listening = False
        try:
            self.buttons.start(self._pressed, self._felt)
        except DeviceError as ill:
            self._illness = str(ill)
        self._listening = True

    def stop(self) -> None:
        """Listen no more."""
        self.buttons.stop()

    def alive(self) -> bool:
        """Whether they are listened to, as far as they can be used."""
        return self._listening and self.buttons.alive()

    def _felt(self, touch: Touch) -> None:
        if touch.button == SHUTDOWN:
            self.board.count_down(on=touch.down)
        elif touch.down:
            self.board.acknowledge()

    def _pressed(self, press: Press) -> None:
        if press.button == SHUTDOWN:
            self._illness = shut_down(self.shutdown_command) if press.long else None
        elif press.long:
            self.pairing.let_in()
        else:
            _submit(self.table, press.button)


def shut_down(command: Sequence[str]) -> str | None:
    """Run the command that shuts the machine down; a sentence of what went wrong and what to do, or None."""
    if not command:
        return "The shutdown button does nothing yet. Set [buttons] shutdown_command."
    words = " ".join(command)
    log.warning("the shutdown button was held: %s", words)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return f"`{words}` takes too long. Correct [buttons] shutdown_command."
    except OSError as refused:
        return f"`{words}` can't be run ({refused.strerror}). Correct [buttons] shutdown_command."
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        return f"`{words}` failed ({why}). See docs/build.md on the shutdown button."
    return None


def can_shut_down() -> str:
    """Whether we may run `systemctl poweroff`: logind's answer (`s "yes"`), or why it gives none."""
    login = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
    words = ("busctl", "--system", "call", *login, "CanPowerOff")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as refused:
        return f"logind can't be asked ({refused})"
    return (done.stdout or done.stderr).strip().rstrip(".")


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


def _submit(table: Table, button: str) -> None:
    try:
        table.submit(PressButton(button=button))
    except CompanionError as refused:
        log.info("button %s: %s", button, refused)

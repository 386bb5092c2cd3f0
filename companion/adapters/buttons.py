"""The buttons of the table: what a press does to the table, to a phone that asks for entry, and to the machine."""

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
"""Name of the button that shuts the machine down. `Press`, `Touch` and the settings [buttons] use it."""
COMMAND_TIMEOUT_S = 20.0
"""Longest wait in seconds for the shutdown command or logind, which answer within one second; then it counts as failed.
Longer: that is reported later."""


@dataclass(slots=True)
class ListeningButtons:
    """Connects the buttons to the table, the board, and the pairing of phones.

    A short press acts on the table. A long press lets in the phone whose code is shown. The shutdown button, held to
    the end of its countdown, runs the shutdown command. The board flashes at a touch, or counts down.

    Attributes:
        buttons: The buttons.
        table: Table that they act on.
        board: Board that shows touches and the countdown.
        pairing: Pairing of phones.
        shutdown_command: Program and arguments; empty for none.
    """

    buttons: Buttons
    table: Table
    board: Board
    pairing: Pairing
    shutdown_command: Sequence[str] = ()
    _illness: str | None = field(default=None, init=False)
    _shutdown_failure: str | None = field(default=None, init=False)
    _listening: bool = field(default=False, init=False)

    def health(self) -> tuple[bool, str]:
        """Return whether the buttons work, and a sentence for the page."""
        ill = " ".join(filter(None, (self._illness, self._shutdown_failure)))
        return not ill, ill or f"{self.buttons.name} buttons"

    def listen(self) -> None:
        """Start watching the buttons, or restart after a crash; clear faults reported earlier.

        `health` reports buttons that can't be used; no DeviceError is raised. Buttons that are already watched stay so,
        and only the others are tried again.
        """
        if not self.buttons.alive():
            self.buttons.stop()
        self._listening, self._illness, self._shutdown_failure = False, None, None
        try:
            self.buttons.start(self._pressed, self._felt)
        except DeviceError as ill:
            self._illness = str(ill)
        self._listening = True

    def stop(self) -> None:
        """Stop watching the table's buttons."""
        self.buttons.stop()

    def alive(self) -> bool:
        """Whether `listen` was called and the buttons that can be used are still watched."""
        return self._listening and self.buttons.alive()

    def _felt(self, touch: Touch) -> None:
        """Show a button's touch on the board: a countdown while the shutdown button is down, a flash for any other."""
        if touch.button == SHUTDOWN:
            self.board.count_down(on=touch.down)
        elif touch.down:
            self.board.acknowledge()

    def _pressed(self, press: Press) -> None:
        """Act on a button press: shut the machine down, pair a phone, or submit the press to the table.

        - Shutdown button, long: run the shutdown command; `health` reports a failure.
        - Shutdown button, short: only clear an earlier failure.
        - Another button, long: pair the phone whose join code is shown; nothing happens if none is.
        - Another button, short: submit the press; the table's refusal is only logged.
        """
        if press.button == SHUTDOWN:
            self._shutdown_failure = shut_down(self.shutdown_command) if press.long else None
        elif press.long:
            self.pairing.let_in()
        else:
            try:
                self.table.submit(PressButton(button=press.button))
            except CompanionError as refused:
                log.info("button %s: %s", press.button, refused)


def shut_down(command: Sequence[str]) -> str | None:
    """Run the command that shuts the machine down. Return None, or a sentence with what went wrong and the cure.

    Waits for the command to end; after COMMAND_TIMEOUT_S it is killed, which is an error. An empty command is an error,
    too. The sentence and the log leave out the arguments, which may hold a secret: anyone may read both. The sentence
    quotes the first line of the error output of a program that failed.
    """
    if not command:
        return "The shutdown button does nothing yet. Set [buttons] shutdown_command."
    program = command[0]
    log.warning("the shutdown button was held: %s", program)
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=COMMAND_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return f"`{program}` takes too long. Correct [buttons] shutdown_command."
    except OSError as refused:
        return f"`{program}` can't be run ({refused.strerror}). Correct [buttons] shutdown_command."
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        return f"`{program}` failed ({why}). See docs/build.md on the shutdown button."
    return None


def can_shut_down() -> str:
    """Ask logind whether this process may power off the machine; return its answer, or why there is none.

    The answer is `s "yes"` if so, otherwise for example `s "no"` or `s "challenge"`.
    """
    login = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
    words = ("busctl", "--system", "call", *login, "CanPowerOff")
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as refused:
        return f"logind does not answer ({refused})"
    return (done.stdout or done.stderr).strip().rstrip(".")


def shutdown_problems(buttons: ButtonSettings) -> list[str]:
    """Check the shutdown button's settings; return a list with one sentence on the first fault, or an empty list.

    The sentence also says how to correct the fault. Faults, in the order in which they are checked:

    - GPIO buttons: a pin without a command.
    - Any buttons: a command whose program is not installed.
    - GPIO buttons: a command without a pin.
    """
    command = buttons.shutdown_command
    if buttons.kind == "gpio" and buttons.shutdown is not None and not command:
        cure = 'set shutdown_command = ["systemctl", "poweroff"], or leave it out.'
        return [f"[buttons] shutdown is on pin {buttons.shutdown}, but nothing says what it does; {cure}"]
    if command and shutil.which(command[0]) is None:
        return [f"[buttons] shutdown_command: there is no program {command[0]!r}; correct it, or leave it out."]
    if buttons.kind == "gpio" and command and buttons.shutdown is None:
        return ["[buttons] shutdown_command is set, but shutdown has no pin; set shutdown = 3, or leave it out."]
    return []

"""Answers during a first evening: from a person at the terminal, or from `--yes` for a demonstration."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import click

from companion.diagnostics.first_evening.evening import Values
from vision.cameras import Camera
from vision.cameras.simulated.camera import VirtualCamera
from vision.cameras.simulated.rendering import face_up

STRENGTH = 0.6
"""Strength of the first evening's throws in the virtual tray, 0 (weak) to 1 (hard); more counts as 1. The tray's
default is 0.6, too. Harder throws roll longer before they can be read."""


class TerminalPerson:
    """A person at a terminal. `quiet` hides the progress bars while a question is asked."""

    def __init__(self, quiet: Callable[[], AbstractContextManager[object]]) -> None:
        self._quiet = quiet
        self.enough_throws = False

    def begins(self, title: str, what: str) -> bool:
        """Announce a step of the guided check and return whether to run it: `s` skips it, Enter begins."""
        return self._ask(f"\n{title}. {what}\nEnter begins, s skips") != "s"

    def agrees(self, question: str) -> bool:
        """Ask a yes-or-no question and return the answer; Enter is yes. `q` is no, and sets `enough_throws`."""
        said = self._ask(f"{question} [Y/n]")
        self.enough_throws |= said == "q"
        return not said.startswith(("n", "q"))

    def throws(self, number: int, of: int, camera: Camera) -> None:
        """Tell the person to make throw `number` of `of`. If the camera is virtual, the program throws its dice."""
        with self._quiet():
            click.echo(f"{number} of {of}: throw.")
        throw_virtual_dice(camera)

    def judges(self, read: Values, doubt: str | None, camera: Camera) -> Values | None:
        """Print the reading and its doubt, ask until the answer is valid, and return the true values of the dice.

        - Enter or `y`: `read` as it is.
        - Digits from 1 to 6: these values, sorted.
        - `x`, no throw: None.
        - `q`, no more throws: None, and `enough_throws` is set.

        `camera` is not used. Raises KeyboardInterrupt at Ctrl-C or the end of the input.
        """
        shown = " ".join(map(str, read)) or "no dice"
        unsure = f" (the table would ask: {doubt})" if doubt is not None else ""
        while True:
            said = self._ask(f"{shown}{unsure}. Right? Enter, or type what lies there (x: no throw, q: enough)")
            if said in ("", "y"):
                return read
            if said in ("x", "q"):
                self.enough_throws = said == "q"
                return None
            if re.fullmatch(r"[1-6 ]+", said):
                return tuple(sorted(int(digit) for digit in said if digit != " "))

    def presses(self, button: str) -> None:
        """Print which button the person has to press, and return without waiting for the press."""
        with self._quiet():
            click.echo(f"Press the button {button}.")

    def _ask(self, question: str) -> str:
        """Ask a question and return the reply in lower case without spaces around it; Enter alone gives an empty one.

        Raises KeyboardInterrupt at Ctrl-C or the end of the input.
        """
        with self._quiet():
            try:
                said: str = click.prompt(question, default="", show_default=False)
            except click.Abort:
                raise KeyboardInterrupt from None
        return said.strip().lower()


class Agreeable:
    """Stand-in for a person (`--yes`): agrees to everything, and throws and judges the virtual table's dice."""

    def __init__(self) -> None:
        self.enough_throws = False

    def begins(self, _title: str, _what: str) -> bool:
        """Return True: every step of the guided check is run."""
        return True

    def agrees(self, _question: str) -> bool:
        """Return True: the stand-in says yes to every question."""
        return True

    def throws(self, _number: int, _of: int, camera: Camera) -> None:
        """Throw the dice if the camera is virtual."""
        throw_virtual_dice(camera)

    def judges(self, read: Values, _doubt: str | None, camera: Camera) -> Values | None:
        """Return the virtual dice's own values; with another camera, the reading."""
        if not isinstance(camera, VirtualCamera):
            return read
        return tuple(sorted(face_up(pose.rotation) for pose in camera.tray.advance(0.0)))

    def presses(self, _button: str) -> None:
        """Do nothing: a demonstration has no buttons to press."""


def throw_virtual_dice(camera: Camera) -> None:
    """Throw the dice of the virtual tray; do nothing if the camera is not virtual."""
    if isinstance(camera, VirtualCamera):
        camera.tray.throw(None, STRENGTH)

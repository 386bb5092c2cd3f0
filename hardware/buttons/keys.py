"""Simulated buttons: keys of the terminal that the table was started in."""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import threading
from collections.abc import Callable
from typing import Any, TextIO

from companion.errors import DeviceError
from hardware.buttons import Press, Touch, ignore_touch

KEYS = {"b": "bank", "u": "undo", "n": "next", "s": "shutdown"}
"""Name of the button of each key of the terminal. A capital letter is a long press; other keys are ignored."""
ESCAPE = re.compile(r"\x1b+[O\[]*[0-9;]*.?")
"""Pattern of a terminal's escape sequences. One may end in a letter of KEYS, as Arrow Down in B."""
POLL_S = 0.2
"""Seconds for which the thread waits for a key before it checks whether to stop. Longer delays `stop`, not the keys."""


class KeyButtons:
    """Buttons simulated by the keys of a terminal. A typed key is a whole press; its capital letter is a long press.

    Args:
        source: The terminal; None for standard input.
    """

    name = "keys"

    def __init__(self, source: TextIO | None = None) -> None:
        self._source = source
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._restore: Callable[[], None] = lambda: None
        self._gone = False

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        """Start a thread that reports the terminal's keys as button presses until `stop`.

        For each key in KEYS the thread calls `on_touch` (down), `on_press`, and `on_touch` (up). A capital letter is a
        long press. Until `stop` the terminal does not wait for Enter and shows no keys. Has no effect if it is started
        already. Raises DeviceError if there is no terminal.
        """
        if self._thread is not None:
            return
        source = self._source if self._source is not None else sys.stdin
        if not source.isatty():
            raise DeviceError("The buttons `keys` need a terminal.", "Start the table in one, or set buttons to none.")
        self._restore = _key_by_key(source.fileno())
        self._stopped.clear()
        args = (source.fileno(), on_press, on_touch)
        self._thread = threading.Thread(target=self._listen, args=args, name="buttons", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop reading keys and restore the terminal's settings. Waits for the reading thread for at most 2 s."""
        self._stopped.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join(timeout=2)
            self._restore()

    def alive(self) -> bool:
        """Return whether the reading thread runs, was never started, or ended because the terminal was closed."""
        return self._thread is None or self._thread.is_alive() or self._gone

    def _listen(self, descriptor: int, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None]) -> None:
        """Pass each key typed for a button to the callbacks, until `stop` or until the terminal is closed.

        A key calls `on_touch` (button down), `on_press`, and `on_touch` again (button up). A capital letter is a long
        press. Other keys are ignored. `descriptor` is the terminal's file descriptor.
        """
        while not self._stopped.is_set():
            ready, _, _ = select.select([descriptor], [], [], POLL_S)
            if not ready:
                continue
            typed = os.read(descriptor, 1024)
            if not typed:
                self._gone = True
                return
            for key in ESCAPE.sub("", typed.decode(errors="ignore")):
                if (button := KEYS.get(key.lower())) is not None:
                    on_touch(Touch(button, down=True))
                    on_press(Press(button, long=key != key.lower()))
                    on_touch(Touch(button, down=False))


def _key_by_key(descriptor: int) -> Callable[[], None]:
    """Set a terminal to deliver each key without Enter or echo; return a function that restores it.

    Ctrl-C still interrupts.
    """
    import termios
    import tty

    before: list[Any] = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)

    def restore() -> None:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)

    return restore

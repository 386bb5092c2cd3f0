"""Parts that run: started in order, stopped in reverse; and those that only join two others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from companion.adapters.board_view import Lights
from companion.adapters.shutdown import BUTTON as SHUTDOWN
from companion.adapters.shutdown import shut_down
from companion.errors import CompanionError, DeviceError
from companion.session.commands import PressButton
from companion.session.snapshot import News
from companion.session.table import Table
from hardware.board import Board
from hardware.buttons import Buttons, Press, Touch
from web.pairing.phones import Pairing

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Part:
    """Something that runs.

    Attributes:
        name: As in `/healthz`.
        start: Starts it; again when it has fallen.
        stop: Stops it.
        alive: Proves that it runs; None where there is nothing that could fall.
    """

    name: str
    start: Callable[[], None]
    stop: Callable[[], None]
    alive: Callable[[], bool] | None = None


def followed(table: Table, board: Board, lights: Lights, clock: Callable[[], float]) -> Part:
    """The board follows the table from its first snapshot on."""
    ends: list[Callable[[], None]] = []

    def follow() -> None:
        ends.append(table.subscribe(lambda snapshot, news: board.show(lights.view(snapshot, news, clock()))))
        board.show(lights.view(table.snapshot(), News(), clock()))

    def leave() -> None:
        while ends:
            ends.pop()()

    return Part("lights", follow, leave)


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

    def part(self) -> Part:
        """Them, to be started and stopped."""
        return Part("buttons", self._listen, self.buttons.stop, self.buttons.alive)

    def health(self) -> tuple[bool, str]:
        """Whether they work, and a sentence for the page."""
        return self._illness is None, self._illness or f"{self.buttons.name} buttons"

    def _listen(self) -> None:
        if not self.buttons.alive():
            self.buttons.stop()
        try:
            self.buttons.start(self._pressed, self._felt)
        except DeviceError as ill:
            self._illness = str(ill)

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


def _submit(table: Table, button: str) -> None:
    try:
        table.submit(PressButton(button=button))
    except CompanionError as refused:
        log.info("button %s: %s", button, refused)

"""Parts that run: started in order, stopped in reverse; and those that only join two others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.adapters.board_view import Lights
from companion.adapters.shutdown import BUTTON as SHUTDOWN
from companion.adapters.shutdown import shut_down
from companion.diagnostics.health import Check
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


def listening(
    buttons: Buttons,
    table: Table,
    board: Board,
    pairing: Pairing,
    checks: dict[str, Check],
    shutdown_command: Sequence[str] = (),
) -> Part:
    """Buttons act on the table as it is now, and the board shows at once that they were felt.

    A long press of any lets in the phone whose code is shown, but for the shutdown button: held to the end of its
    countdown it runs the command. The table plays without them.
    """
    illness: list[str] = []
    checks["buttons"] = lambda: (not illness, illness[0] if illness else f"{buttons.name} buttons")

    def felt(touch: Touch) -> None:
        if touch.button == SHUTDOWN:
            board.count_down(on=touch.down)
        elif touch.down:
            board.acknowledge()

    def pressed(press: Press) -> None:
        if press.button == SHUTDOWN:
            wrong = shut_down(shutdown_command) if press.long else None
            illness[:] = [] if wrong is None else [wrong]
        elif press.long:
            pairing.let_in()
        else:
            _submit(table, press.button)

    def listen() -> None:
        if not buttons.alive():
            buttons.stop()
        try:
            buttons.start(pressed, felt)
        except DeviceError as ill:
            illness[:] = [str(ill)]

    return Part("buttons", listen, buttons.stop, buttons.alive)


def _submit(table: Table, button: str) -> None:
    try:
        table.submit(PressButton(button=button))
    except CompanionError as refused:
        log.info("button %s: %s", button, refused)

"""Parts that run, started in order and stopped in reverse; and what it takes to be one that follows the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.table.snapshot import News
from companion.table.writer import Reader, Table


@dataclass(frozen=True, slots=True)
class Part:
    """Something that runs.

    Attributes:
        name: Of its thread, where it has one.
        start: Starts it; again when it has fallen.
        stop: Stops it.
        alive: Proves that it runs; None where there is nothing that could fall.
        needed: Whether the table can't be without it: an error of its start ends the program.
    """

    name: str
    start: Callable[[], None]
    stop: Callable[[], None]
    alive: Callable[[], bool] | None = None
    needed: bool = False


def following(
    name: str,
    table: Table,
    hear: Reader,
    start: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
    alive: Callable[[], bool] | None = None,
) -> Part:
    """A part that hears of each snapshot of the table and what it brought, from the present one on."""
    ends: list[Callable[[], None]] = []

    def begin() -> None:
        start()
        if not ends:
            ends.append(table.subscribe(hear))
            hear(table.snapshot(), News())

    def end() -> None:
        while ends:
            ends.pop()()
        stop()

    return Part(name, begin, end, alive)

"""Parts of the program, started in order and stopped in reverse, and parts that follow the table's snapshots."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.table.snapshot import News
from companion.table.writer import Subscriber, Table


@dataclass(frozen=True, slots=True)
class Part:
    """Something that runs, in a thread of that name if it has one.

    `start` is called again after a crash. `alive` returns whether the part runs; None if it can't crash. The table
    can't run without a needed part: an error at its start ends the program.
    """

    name: str
    start: Callable[[], None]
    stop: Callable[[], None]
    alive: Callable[[], bool] | None = None
    needed: bool = False


def following(
    name: str,
    table: Table,
    hear: Subscriber,
    start: Callable[[], None] = lambda: None,
    stop: Callable[[], None] = lambda: None,
    alive: Callable[[], bool] | None = None,
) -> Part:
    """Return a part that calls `hear` with each snapshot of the table and its news, from its start to its stop.

    When the part subscribes, `hear` also gets the present snapshot, with empty news. A second start without a stop, as
    after a crash, calls only `start`: the subscription still holds.

    `hear` is called in the table's writer thread, so it must be quick and not call `submit`. When the part subscribes,
    `hear` is also called in the starting thread, perhaps at the same time. It may then hear a snapshot after a newer
    one; the last of those calls has the newest snapshot.

    `start` starts the part's own thread before the part subscribes; `stop` stops the thread after the part has
    unsubscribed. `alive` returns whether the thread runs; None for a part that can't crash.
    """
    ends: list[Callable[[], None]] = []

    def begin() -> None:
        start()
        if not ends:
            unsubscribe, heard = table.subscribe(hear), None
            try:
                while heard is not (newest := table.snapshot()):  # the writer may publish one meanwhile
                    hear(newest, News())
                    heard = newest
            except BaseException:
                unsubscribe()  # the next start subscribes anew
                raise
            ends.append(unsubscribe)

    def end() -> None:
        while ends:
            ends.pop()()
        stop()

    return Part(name, begin, end, alive)

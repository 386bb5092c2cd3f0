"""Joins the table to the loudspeaker: one effect for what a snapshot brought, the weightiest of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from companion.adapters.lights import MOMENT_OF_EVENT
from companion.adapters.parts import Part
from companion.session.snapshot import Event
from companion.session.table import Table
from hardware.sounds import Chimes

TAKEN_BACK = {"undone", "corrected", "abandoned"}
WEIGHT = ("finish", "bomb", "fuchle", "wipe_out", "bump", "rollover", "banked", "throw")
"""Of all that one line brings about, the first of these is heard."""


def effect(events: Iterable[Event]) -> str | None:
    """The effect for these events; None when nothing is worth a sound, or something was taken back."""
    events = list(events)
    if any(event.code in TAKEN_BACK for event in events):
        return None
    kinds = {"finish" if event.code == "game_over" else MOMENT_OF_EVENT.get(event.code) for event in events}
    return next((kind for kind in WEIGHT if kind in kinds), None)


def sounding(table: Table, chimes: Chimes) -> Part:
    """Effects follow the table from its first snapshot on."""
    ends: list[Callable[[], None]] = []
    heard = [0]

    def start() -> None:
        heard[0] = table.snapshot().number
        chimes.start()
        ends.append(table.subscribe(lambda snapshot: hear(snapshot.number, snapshot.events)))

    def hear(number: int, events: Iterable[Event]) -> None:
        kind = effect(event for event in events if event.number > heard[0])
        heard[0] = number
        if kind is not None:
            chimes.chime(kind)

    def stop() -> None:
        while ends:
            ends.pop()()
        chimes.stop()

    return Part("sounds", start, stop)

"""Joins the table to the loudspeaker: one effect for what a snapshot brought, the weightiest of it."""

from __future__ import annotations

from collections.abc import Callable

from companion.adapters.parts import Part
from companion.session.snapshot import News, Snapshot
from companion.session.table import Table
from hardware.sounds import Chimes

WEIGHT = ("finish", "bomb", "fuchle", "wipe_out", "bump", "rollover", "banked", "throw")
"""Of all that one line brings about, the first of these is heard."""


def effect(news: News) -> str | None:
    """The effect for what is new; None when nothing is worth a sound, or something was taken back."""
    kinds = {"finish" if event.moment == "over" else event.moment for event in news.events}
    return None if news.taken_back else next((kind for kind in WEIGHT if kind in kinds), None)


def sounding(table: Table, chimes: Chimes) -> Part:
    """Effects follow the table from its first snapshot on."""
    ends: list[Callable[[], None]] = []

    def start() -> None:
        chimes.start()
        if not ends:
            ends.append(table.subscribe(hear))

    def hear(_: Snapshot, news: News) -> None:
        kind = effect(news)
        if kind is not None:
            chimes.chime(kind)

    def stop() -> None:
        while ends:
            ends.pop()()
        chimes.stop()

    return Part("sounds", start, stop, chimes.alive)

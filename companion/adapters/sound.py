"""What is heard of what happened at the table: one effect a snapshot, the weightiest of what it brought."""

from __future__ import annotations

from companion.table.snapshot import News, Snapshot
from companion.table.writer import Reader
from hardware.sounds import Chimes

WEIGHT = ("finish", "bomb", "fuchle", "wipe_out", "bump", "rollover", "banked", "throw")
"""Of all that one line brings about, the first of these is heard."""


def effect(news: News) -> str | None:
    """The effect for what is new; None when nothing is worth a sound, or something was taken back."""
    kinds = {"finish" if event.moment == "over" else event.moment for event in news.events}
    return None if news.taken_back else next((kind for kind in WEIGHT if kind in kinds), None)


def sounding(chimes: Chimes) -> Reader:
    """Has each snapshot's effect played."""

    def hear(_: Snapshot, news: News) -> None:
        kind = effect(news)
        if kind is not None:
            chimes.chime(kind)

    return hear

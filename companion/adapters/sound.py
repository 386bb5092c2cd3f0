"""Sound effects of the table: plays the tones of what is new in each snapshot."""

from __future__ import annotations

from companion.table.snapshot import News
from companion.table.writer import Reader
from hardware.sounds import Chimes, Note


def effect(news: News) -> tuple[Note, ...]:
    """Return the tones to play for new events: those of the newest event that has any.

    A throw's tones play only if no other event has tones. Empty if no event has any, or if an earlier event was taken
    back.
    """
    sounding = [event for event in news.events if event.tones]
    if news.taken_back or not sounding:
        return ()
    heard = ([event for event in sounding if event.code != "threw"] or sounding)[-1]
    return tuple(Note(*tone) for tone in heard.tones)


def sounding(chimes: Chimes) -> Reader:
    """Return a subscriber of the table that has `chimes` play each snapshot's effect."""
    return lambda _, news: chimes.chime(effect(news))

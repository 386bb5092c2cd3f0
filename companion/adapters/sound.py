"""Sound effects of the table: plays the tones of what is new in each snapshot."""

from __future__ import annotations

from companion.table.snapshot import News
from companion.table.writer import Subscriber
from hardware.sounds import Chimes, Note


def effect(news: News) -> tuple[Note, ...]:
    """Return the tones of the newest event in `news` that has tones; empty if none has, or after a take-back.

    A throw's tones are returned only if no other event has tones.
    """
    sounding = [event for event in news.events if event.tones]
    if news.taken_back or not sounding:
        return ()
    heard = ([event for event in sounding if event.code != "threw"] or sounding)[-1]
    return tuple(Note(*tone) for tone in heard.tones)


def sounding(chimes: Chimes) -> Subscriber:
    """Return a subscriber of the table that has `chimes` play each snapshot's effect."""
    return lambda _, news: chimes.chime(effect(news))

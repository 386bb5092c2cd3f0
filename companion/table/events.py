"""Convert a game's events to the table's log: numbered, and with the players' names."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.games.engine import event as games
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.snapshot import Event, News, Snapshot

TAKEN_BACK = frozenset({"undone", "corrected", "abandoned"})
"""Codes of events that make earlier ones untrue."""


def events_of(transcript: Transcript, number: int, throw: int | None = None, aloud: bool = False) -> tuple[Event, ...]:
    """Return the events that the last line of a game caused, in order.

    Args:
        transcript: The game after that line.
        number: Number of the line's journal entry.
        throw: Number of the throw, if the line is one.
        aloud: Whether the voice calls out all of them, as for decisions of the bot, which nobody saw.
    """
    events = tuple(_event(transcript, event, number, throw) for event in transcript.events)
    return tuple(msgspec.structs.replace(event, called=True) for event in events) if aloud else events


def news_between(before: Snapshot, after: Snapshot) -> News:
    """Return the events that are new in `after`."""
    if before.number == after.number:
        return News()
    fresh = tuple(event for event in after.events if event.number > before.number)
    return News(fresh, any(event.code in TAKEN_BACK for event in fresh))


def _event(transcript: Transcript, event: games.Event, number: int, throw: int | None) -> Event:
    """Convert one event: names instead of seats, and the effect that its game gives it."""
    effect = game_named(transcript.header.game).effect(event.code)
    args = {**_names(transcript, event), **event.args}
    if event.code == "threw" and throw is not None:
        args["throw"] = throw
    return Event(
        number=number,
        code=event.code,
        args=args,
        side=event.side,
        tones=effect.tones,
        called=effect.called,
        cheered=effect.cheered,
        words=effect.words,
    )


def _names(transcript: Transcript, event: games.Event) -> dict[str, Any]:
    """Return the names in an event: its player or team, whom it acts on; the result of a game that ended."""
    standing = transcript.state.standing
    if event.side is None:
        return standing.outcome.view(standing.sides) if event.code == "game_over" and standing.outcome else {}
    named = {"player": standing.sides[event.side] if event.seat is None else standing.header.players[event.seat]}
    return named if event.on is None else {**named, "on": standing.sides[event.on]}

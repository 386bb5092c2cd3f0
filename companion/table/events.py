"""From what a game says happened to the table's log: numbered, with the names that people read beside the sides."""

from __future__ import annotations

from typing import Any

import msgspec

from companion.games.engine import event as games
from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.snapshot import Event, News, Snapshot

TAKEN_BACK = frozenset({"undone", "corrected", "abandoned"})


def events_of(transcript: Transcript, number: int, throw: int | None = None, aloud: bool = False) -> tuple[Event, ...]:
    """What the last line of a game brought about, in the order to tell it.

    Args:
        transcript: The game after that line.
        number: Of the line's entry in the journal.
        throw: The number of its throw, when it is one.
        aloud: Whether a voice calls out all of it: what the house decides no hand has shown.
    """
    events = tuple(_event(transcript, event, number, throw) for event in transcript.events)
    return tuple(msgspec.structs.replace(event, called=True) for event in events) if aloud else events


def news_between(before: Snapshot, after: Snapshot) -> News:
    """What `after` brought that `before` had not."""
    if before.number == after.number:
        return News()
    fresh = tuple(event for event in after.events if event.number > before.number)
    return News(fresh, any(event.code in TAKEN_BACK for event in fresh))


def _event(transcript: Transcript, event: games.Event, number: int, throw: int | None) -> Event:
    effect = game_named(transcript.header.game).effect(event.code)
    args = {**_names(transcript, event), **event.args}
    if event.code == "threw" and throw is not None:
        args["throw"] = throw
    return Event(number=number, code=event.code, args=args, side=event.side, **effect._asdict())


def _names(transcript: Transcript, event: games.Event) -> dict[str, Any]:
    state = transcript.state
    if event.side is None:
        return state.outcome.view(state.sides) if event.code == "game_over" and state.outcome else {}
    named = {"player": state.sides[event.side] if event.seat is None else transcript.header.players[event.seat]}
    return named if event.on is None else {**named, "on": state.sides[event.on]}

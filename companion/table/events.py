"""Convert a game's events to the table's log: numbered, and with the players' names."""

from __future__ import annotations

from typing import Any

from companion.games.engine.transcript import Transcript
from companion.games.registry import game_named
from companion.table.snapshot import Event, News, Snapshot

TAKEN_BACK = frozenset({"undone", "corrected", "abandoned"})
"""Codes of events that take earlier events back; tones and speech about those stop."""


def events_of(transcript: Transcript, number: int, throw: int | None = None, aloud: bool = False) -> tuple[Event, ...]:
    """Return the events that the last line of a game caused, in order, for the log, the lights and the voice.

    Their arguments name players and sides instead of numbering them. `aloud` marks every event to be spoken, not only
    those that the game marks: the bot's decisions, which nobody saw it make, need this.

    Args:
        transcript: The game so far, which ends with the line.
        number: Number of the line's journal entry.
        throw: Number of the throw, added to the event `threw`; None for a decision.
        aloud: Whether all events are to be spoken.
    """
    rules, standing = game_named(transcript.header.game), transcript.state.standing
    found = list[Event]()
    for event in transcript.events:
        effect, args = rules.effect(event.code), dict[str, Any]()
        if event.side is not None:
            args["player"] = standing.sides[event.side] if event.seat is None else standing.header.players[event.seat]
        elif event.code == "game_over" and standing.outcome:
            args |= standing.outcome.view(standing.sides)
        if event.side is not None and event.on is not None:
            args["on"] = standing.sides[event.on]
        args |= event.args
        if event.code == "threw" and throw is not None:
            args["throw"] = throw
        made = Event(
            number=number,
            code=event.code,
            args=args,
            side=event.side,
            tones=effect.tones,
            called=aloud or effect.called,
            cheered=effect.cheered,
            replayed=effect.replayed,
            words=effect.words,
        )
        found.append(made)
    return tuple(found)


def news_between(before: Snapshot, after: Snapshot) -> News:
    """Return the events in `after` that are not in `before`, and whether one of them takes earlier events back."""
    if before.number == after.number:
        return News()
    fresh = tuple(event for event in after.events if event.number > before.number)
    return News(fresh, any(event.code in TAKEN_BACK for event in fresh))

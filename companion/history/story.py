"""Luck and decisions of a finished game, with the photos of its throws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.games.advice.luck import story_of
from companion.games.engine.transcript import Transcript
from companion.table.snapshot import Thrown


def story_with_photos(transcript: Transcript, throw_by_line: Sequence[Thrown | None]) -> dict[str, Any]:
    """Return luck and decisions of a finished game as JSON values, with the number of a photo at each move.

    `throw_by_line` has, for each line after the header, its throw, or None for a decision. Raises RulesError if the
    game is not finished, a player left it, or the values of its options are not known.

    Returns:
        The result of `games.advice.luck.Story.view`, with a field `photo` in each move. `photo` is the number of
        the latest throw up to and including the move; None if that throw has no photo.
    """
    story = story_of(transcript).view(transcript.header.players)
    for move in (*story["moves"], *story["luckiest"], *story["dearest"]):
        latest = next((thrown for thrown in reversed(throw_by_line[: move["line"] - 1]) if thrown), None)
        move["photo"] = latest.number if latest and latest.photo else None
    return story

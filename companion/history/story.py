"""Luck and decisions of a finished game, with the photos of its throws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.games.advice.luck import story_of
from companion.games.engine.game import Throw
from companion.games.engine.transcript import Transcript


def story_with_photos(transcript: Transcript, thrown: Sequence[int | None]) -> dict[str, Any]:
    """Return the parts of luck and of decisions in a finished game's result, with a photo's number at each move.

    Args:
        transcript: Transcript after the game's last line.
        thrown: For each line in force the number of its throw, or None where it has no photo.

    Returns:
        `games.advice.luck.Story.view`; each move has `photo`: the number of the latest throw, up to and including the
            move; None if that throw has no photo.

    Raises:
        RulesError: The game is not finished, or its values are not known.
    """
    story = story_of(transcript).view(transcript.header.players)
    throws = [place for place, action in enumerate(transcript.actions) if isinstance(action, Throw)]
    for move in (*story["moves"], *story["luckiest"], *story["dearest"]):
        move["photo"] = next((thrown[place] for place in reversed(throws) if place < move["line"] - 1), None)
    return story

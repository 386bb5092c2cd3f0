"""A finished game told as luck and decisions, with the photos of what lay there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.games.advice.luck import story_of
from companion.games.engine.transcript import Transcript


def story_with_photos(transcript: Transcript, thrown: Sequence[int | None]) -> dict[str, Any]:
    """`games.luck.Story.view`, each move with `photo`: the number of the throw that lay there then, or None.

    Args:
        transcript: After the game's last line.
        thrown: For each line that stands the number of its throw, where it has one to show.

    Raises:
        RulesError: The game is not finished, or its values are not worked out.
    """
    story = story_of(transcript).view(transcript.header.players)
    for move in (*story["moves"], *story["luckiest"], *story["dearest"]):
        move["photo"] = next(filter(None, reversed(thrown[: move["line"] - 1])), None)
    return story

"""High, a toy game for tests: each player throws one die, and the highest wins. See docs/how-to/add-a-game.md."""

from __future__ import annotations

from companion.games.engine.rulebook import Rulebook
from tests.games.high.board import EFFECTS, track
from tests.games.high.panels import panels
from tests.games.high.state import begin
from tests.games.high.words import CREDITS, IN_WORDS, SWITCHES

GAME = Rulebook(
    name="high",
    title="High",
    min_players=2,
    max_players=None,
    begin=begin,
    switches=SWITCHES,
    effects=EFFECTS,
    track=track,
    panels=panels,
    in_words=IN_WORDS,
    credits=CREDITS,
)

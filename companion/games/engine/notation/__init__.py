"""Read and write the notation of games: headers and transcript lines. See docs/reference/transcript.md."""

from __future__ import annotations

from companion.games.engine.notation.header import header_line, header_of
from companion.games.engine.notation.lines import action_of, line_of, parse_line

__all__ = ["action_of", "header_line", "header_of", "line_of", "parse_line"]

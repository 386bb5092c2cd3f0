"""English texts of High."""

from __future__ import annotations

from companion.games.engine.game import Switch

CREDITS = "A toy."
SWITCHES = (Switch("twice", False, "Twice", "Whoever likes may throw a second time; that throw counts."),)
IN_WORDS = "Throw a die. The highest wins."

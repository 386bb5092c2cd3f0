"""Opens a strip by the few words of a setting."""

from __future__ import annotations

from difflib import get_close_matches

from companion.errors import SetupError
from hardware.strips import Strip
from hardware.strips.memory import MemoryStrip
from hardware.strips.terminal import TerminalStrip

KINDS = ("memory", "terminal")


def open_strip(kind: str, leds: int) -> Strip:
    """The strip of that kind, not started. Raises SetupError with the nearest known kind."""
    if kind == "memory":
        return MemoryStrip(leds)
    if kind == "terminal":
        return TerminalStrip(leds)
    near = get_close_matches(kind, KINDS, n=1, cutoff=0.0)[0]
    raise SetupError([f"There is no strip {kind!r}; the nearest is {near!r}. Known: {', '.join(KINDS)}."])

"""Tell whether a question about a throw stays open when the tray raises another."""

from __future__ import annotations

from companion.errors import Doubt
from companion.table.tray.interpret import Ask
from companion.table.tray.motion import NUDGE_MM, stayed
from companion.table.tray.observation import values_of


def outranks(asked: Ask, ask: Ask) -> bool:
    """Return whether the open question `asked` stays and the new `ask` is dropped: people may be typing the answer.

    An open question stays in two cases:

    - Both have the same code, no roll came between them, and each zone shows the same values as before. No die in the
      throw zone moved by more than NUDGE_MM.
    - `ask` doubts the number of dice (`COUNT`), and `asked` doubts something else.
    """
    was, now = asked.observation, ask.observation
    unmoved = stayed(was.thrown, now.thrown, NUDGE_MM) == len(was.thrown) == len(now.thrown)
    same = asked.code == ask.code and asked.memory.rolls == ask.memory.rolls
    if same and unmoved and values_of(was.kept) == values_of(now.kept):
        return True
    return ask.code == Doubt.COUNT and asked.code != Doubt.COUNT

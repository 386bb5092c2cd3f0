"""Tell whether a question about a throw stays open when the tray raises another."""

from __future__ import annotations

from companion.errors import Doubt
from companion.table.tray.interpret import Ask
from companion.table.tray.motion import NUDGE_MM, stayed
from companion.table.tray.observation import values_of


def outranks(asked: Ask, ask: Ask) -> bool:
    """Whether the question `asked` stays open: the new one, `ask`, is the same, or only doubts the number of dice.

    It is the same if its code is, no roll came between, and the same values lie where they lay. Somebody may be typing
    the answer.
    """
    was, now = asked.observation, ask.observation
    unmoved = stayed(was.thrown, now.thrown, NUDGE_MM) == len(was.thrown) == len(now.thrown)
    same = asked.code == ask.code and asked.memory.rolls == ask.memory.rolls
    if same and unmoved and values_of(was.kept) == values_of(now.kept):
        return True
    return ask.code == Doubt.COUNT and asked.code != Doubt.COUNT

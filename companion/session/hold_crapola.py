"""Crapola in the tray: dice that the keep zone has gained since the throw are what is set aside of it.

The line is played only when the player goes on: by throwing the rest, by lifting all dice out, by the button. Until
then he may move dice to and fro.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.games.game import Action, Keep, State
from companion.session.interpret import (
    Memory,
    Outcome,
    Values,
    again_or_bank,
    clear_tray,
    newly_kept,
    state_after,
    thrown_or_moved,
    waiting,
)
from companion.session.sight import Sight
from companion.session.snapshot import Notice


class CrapolaHold:
    """The keep zone of Crapola."""

    def before_throw(self, state: State, memory: Memory, sight: Sight) -> Iterator[tuple[Action, ...]]:
        """What was held of the last throw; a quick player has held more since the tray was last seen."""
        if "keep" not in state.decisions:
            yield ()
            return
        gained = newly_kept(memory, sight)
        for held in dict.fromkeys((memory.held, tuple(sorted(memory.held + gained)))):
            if held and state_after(state, (Keep(held),)) is not None:
                yield (Keep(held),)

    def thrown(self, state: State, memory: Memory, sight: Sight, still: Values) -> Iterator[Values]:
        """The dice of the throw zone; or with those moved to the keep zone since."""
        if not still:
            yield from thrown_or_moved(memory, sight)

    def at_rest(self, state: State, memory: Memory, sight: Sight) -> Outcome:
        """Remembers what is held and tells what it is worth, or why it can't be held."""
        if "keep" not in state.decisions:
            if "stop" in state.decisions and self.takes_all(state):
                return Outcome(replace(memory, held=()), notice=again_or_bank(state))
            fresh = not state.over and not state.view()["kept"]
            return Outcome(replace(memory, held=()), notice=clear_tray(state) if fresh else waiting(state))
        dice = state.view()["dice"]
        if len(sight.thrown) + len(sight.kept) < len(dice) + len(memory.kept_before):
            # Dice are being lifted out: what was held when all lay there counts.
            return Outcome(memory, notice=_told(state, memory.held))
        memory = replace(memory, held=newly_kept(memory, sight))
        return Outcome(memory, notice=_told(state, memory.held))

    def before_bank(self, state: State, memory: Memory) -> tuple[Action, ...]:
        """What is held is set aside before the stop."""
        return (Keep(memory.held),) if "keep" in state.decisions and memory.held else ()

    def takes_all(self, state: State) -> bool:
        """After hot dice."""
        return not state.view()["dice"]

    def choices(self, state: State) -> tuple[Action, ...]:
        """None: the button banks."""
        return ()


def _told(state: State, held: Values) -> Notice:
    view = state.view()
    args: dict[str, Any] = {"player": state.player, "dice": list(held)}
    if not held:
        best = state.options()[0] if state.options() else None
        return Notice("choose_keep", {**args, "for_example": list(best.dice) if isinstance(best, Keep) else []})
    kept = state_after(state, (Keep(held),))
    if kept is None:
        reason = "not_of_throw" if any(held.count(die) > view["dice"].count(die) for die in held) else "does_not_score"
        return Notice("illegal_hold", {**args, "reason": reason, "values": view["dice"]})
    points = kept.view()["turn_points"]
    worth = {"points": points - view["turn_points"], "turn_points": points}
    code = "hold_on" if "stop" not in kept.decisions else "hold" if kept.view()["dice"] else "hold_all"
    return Notice(code, {**args, **worth, "sizes": list(kept.throw_sizes), "decisions": list(kept.decisions)})

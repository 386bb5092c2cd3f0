"""Crag in the tray: dice in the keep zone stay when the others are thrown again. The category needs a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.game import Action, Enter, Keep, State
from companion.session.interpret import Memory, Outcome, Values, clear_tray, thrown_or_moved, values_of, waiting
from companion.session.sight import Sight
from companion.session.snapshot import Notice


class CragHold:
    """The keep zone of Crag."""

    def before_throw(self, state: State, memory: Memory, sight: Sight) -> Iterator[tuple[Action, ...]]:
        """What lies in the keep zone stays, when it is of the first throw."""
        if "keep" not in state.decisions:
            yield ()
            return
        kept = values_of(sight.kept)
        if Counter(kept) <= Counter(state.view()["dice"]):
            yield (Keep(kept),)

    def thrown(self, state: State, memory: Memory, sight: Sight, still: Values) -> Iterator[Values]:
        """The dice of the throw zone; or with those moved to the keep zone since."""
        if not still:
            yield from thrown_or_moved(memory, sight)

    def at_rest(self, state: State, memory: Memory, sight: Sight) -> Outcome:
        """Nothing is played: which dice stay is said by throwing the others."""
        dice, kept = state.view()["dice"], values_of(sight.kept)
        if not state.decisions:
            notice = waiting(state) if dice or state.over else clear_tray(state)
        elif "keep" in state.decisions and Counter(kept) - Counter(dice):
            args = {"player": state.player, "reason": "not_of_throw", "dice": list(kept), "values": dice}
            notice = Notice("illegal_hold", args)
        else:
            again = len(dice) - len(kept) if "keep" in state.decisions else 0
            notice = Notice("choose_entry", {"player": state.player, "kept": list(kept), "again": again})
        return Outcome(memory, notice=notice)

    def before_bank(self, state: State, memory: Memory) -> tuple[Action, ...]:
        """Nothing: Crag has no stop."""
        return ()

    def takes_all(self, state: State) -> bool:
        """With three."""
        return 3 in state.throw_sizes

    def choices(self, state: State) -> tuple[Action, ...]:
        """The categories that the dice score in, best first; where they score in none, all that are unused."""
        entries = [option for option in state.options() if isinstance(option, Enter)]
        scoring = [entry for entry in entries if _points(state, entry)]
        return tuple(scoring or entries)


def _points(state: State, entry: Enter) -> int:
    return int(state.after(entry).view()["sheets"][state.player][entry.category])

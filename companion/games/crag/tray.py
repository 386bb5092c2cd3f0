"""Crag in the tray: dice in the keep zone stay when the others are thrown again. The category needs a phone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State
from companion.games.engine.tray_policy import Meaning, TrayDice, Values, clear_tray, thrown_or_moved, waiting
from companion.games.engine.views.phrase import Phrase


class CragTray:
    """The keep zone of Crag. Fulfils `games.tray.KeepZonePolicy`."""

    def dice_expected(self, state: State) -> int | None:
        """Three: kept dice stay in the tray."""
        return 3

    def starts_afresh(self, state: State) -> bool:
        """Unless dice of this turn lie there."""
        return not _crag(state).dice

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """What lies in the keep zone stays, when it is of the first throw."""
        if "keep" not in state.decisions:
            yield ()
        elif Counter(dice.kept) <= Counter(_crag(state).dice):
            yield (Keep(dice.kept),)

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """The dice of the throw zone, but those kept; or with those moved to the keep zone since."""
        yield from thrown_or_moved(dice, still, self.staying(state))

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Nothing is played: which dice stay is said by throwing the others."""
        lying, kept = _crag(state).dice, dice.kept
        if not state.decisions:
            return Meaning(notice=waiting(state) if lying or state.over else clear_tray(state))
        if "keep" in state.decisions and Counter(kept) - Counter(lying):
            args = {"player": state.player, "reason": "not_of_throw", "dice": list(kept), "values": list(lying)}
            return Meaning(notice=Phrase("illegal_hold", args))
        again = len(lying) - len(kept) if "keep" in state.decisions else 0
        return Meaning(notice=Phrase("choose_entry", {"player": state.player, "kept": list(kept), "again": again}))

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """Nothing: Crag has no stop."""
        return ()

    def staying(self, state: State) -> Values:
        """Those that were kept."""
        return _crag(state).dice if state.throw_sizes else ()

    def takes_all(self, state: State) -> bool:
        """With three."""
        return 3 in state.throw_sizes

    def choices(self, state: State) -> tuple[Action, ...]:
        """The categories that the dice score in, best first; where they score in none, all that are unused."""
        entries = [option for option in state.options() if isinstance(option, Enter)]
        scoring = [entry for entry in entries if _crag(state).points_in(entry.category)]
        return tuple(scoring or entries)


def _crag(state: State) -> Crag:
    assert isinstance(state, Crag), "asked about its own game only"
    return state

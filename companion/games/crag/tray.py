"""Tray policy of Crag: dice in the keep zone stay when the others are thrown again. Phones choose the category."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from companion.games.crag.state import Crag
from companion.games.engine.game import Action, Enter, Keep, State
from companion.games.engine.tray_policy import (
    KeepZonePolicy,
    Meaning,
    TrayDice,
    Values,
    clear_tray,
    thrown_or_moved,
    waiting_notice,
)
from companion.games.engine.views.phrase import Phrase


class CragTray(KeepZonePolicy):
    """The keep zone of Crag."""

    def dice_expected(self, state: State) -> int | None:
        """Return three: kept dice stay in the tray."""
        return 3

    def starts_afresh(self, state: State) -> bool:
        """Whether no dice of this turn are on the table."""
        return not _crag(state).dice

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Yield the actions before the next throw of Crag: a `Keep` of the dice in the keep zone, even of none.

        Yields an empty tuple if no keep is allowed now. Yields nothing if the keep zone has dice that are not in the
        turn's first throw. A `Keep` of all three dice, which the rules refuse, is yielded too: the caller checks it.
        """
        if "keep" not in state.decisions:
            yield ()
        elif Counter(dice.kept) <= Counter(_crag(state).dice):
            yield (Keep(dice.kept),)

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Yield the possible throws that the dice at rest show, likeliest first: see `thrown_or_moved`."""
        yield from thrown_or_moved(dice, still, self.staying(state))

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Return a `Meaning` for dice at rest in a game of Crag: a notice without actions; no notice after the end.

        - All three dice must be thrown: `clear_tray`. One or two must be thrown: `throw`.
        - After the turn's first throw, the keep zone shows dice that are not in that throw: `illegal_hold`.
        - Otherwise `choose_entry`: enter the dice or, after the first throw, rethrow those outside the keep zone.
        """
        lying, kept, player = _crag(state).dice, dice.kept, state.standing.player
        if not state.decisions:
            return Meaning(notice=waiting_notice(state) if lying or state.standing.over else clear_tray(state))
        if "keep" in state.decisions and Counter(kept) - Counter(lying):
            args = {"player": player, "reason": "not_of_throw", "dice": list(kept), "values": list(lying)}
            return Meaning(notice=Phrase("illegal_hold", args))
        again = len(lying) - len(kept) if "keep" in state.decisions else 0
        return Meaning(notice=Phrase("choose_entry", {"player": player, "kept": list(kept), "again": again}))

    def staying(self, state: State) -> Values:
        """Return the kept dice if a throw is due, else none."""
        return _crag(state).dice if state.throw_sizes else ()

    def takes_all(self, state: State) -> bool:
        """Whether the next throw takes three dice."""
        return 3 in state.throw_sizes

    def choices(self, state: State) -> tuple[Action, ...]:
        """Return entries that score, most points first; if none scores, all open categories."""
        entries = [option for option in state.options() if isinstance(option, Enter)]
        scoring = [entry for entry in entries if _crag(state).points_in(entry.category)]
        return tuple(scoring or entries)


def _crag(state: State) -> Crag:
    """Return the state as one of Crag; a state of another game is a programming error."""
    assert isinstance(state, Crag), "the state is one of Crag"
    return state

"""Tray policy of Crapola: dice moved to the keep zone since the throw are set aside.

The keep is played when the player throws the other dice, lifts all dice out or presses the button. Until then the
player may move dice between the zones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.games.crapola.scoring import keepable
from companion.games.crapola.state import Crapola
from companion.games.engine.dice import in_order
from companion.games.engine.game import Action, Keep, State
from companion.games.engine.tray_policy import (
    KeepZonePolicy,
    Meaning,
    TrayDice,
    Values,
    again_or_bank,
    clear_tray,
    state_after,
    thrown_or_moved,
    waiting_notice,
)
from companion.games.engine.views.phrase import Phrase


class CrapolaTray(KeepZonePolicy):
    """The keep zone of Crapola."""

    def dice_expected(self, state: State) -> int | None:
        """Return None: six or seven dice are in play, and kept dice may be outside the tray."""
        return None

    def starts_afresh(self, state: State) -> bool:
        """Whether no dice are kept in this turn."""
        return not _crapola(state).turn.kept

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Yield the keeps that the player may have made before the current throw of Crapola, likeliest first.

        Each is a tuple with one `Keep`: first that of `dice.set_aside`, then that of these together with
        `dice.newly_kept`. Illegal keeps are left out; nothing is yielded if neither is legal. If no keep is due, only
        `()` is yielded.
        """
        if "keep" not in state.decisions:
            yield ()
            return
        for kept in dict.fromkeys((dice.set_aside, tuple(sorted(dice.set_aside + dice.newly_kept)))):
            if kept and state_after(state, (Keep(kept),)) is not None:
                yield (Keep(kept),)

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Yield the possible throws that the dice at rest show, likeliest first: see `thrown_or_moved`."""
        yield from thrown_or_moved(dice, still, self.staying(state))

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Return the notice for the dice at rest and, if a keep is due, the dice set aside. No action is played.

        If a keep is due, the notice asks for dice, gives the points of those set aside, or says why they can't be kept.
        While dice are being lifted out, those set aside before still count. If none is due, the notice is the first
        that applies: throw all dice again or bank; clear the tray for the next throw; the next action. The notice is
        None after the game's end.
        """
        if "keep" not in state.decisions:
            if "stop" in state.decisions and self.takes_all(state):
                return Meaning(notice=again_or_bank(state))
            fresh = not state.standing.over and self.starts_afresh(state)
            return Meaning(notice=clear_tray(state) if fresh else waiting_notice(state))
        # While dice are being lifted out, what was set aside when all lay there counts.
        lifting = len(dice.thrown) + len(dice.kept) < len(_crapola(state).turn.dice) + len(dice.kept_before)
        set_aside = dice.set_aside if lifting else dice.newly_kept
        return Meaning(notice=_notice(_crapola(state), set_aside), set_aside=set_aside)

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """Return the keep of the dice set aside, if a keep is due."""
        return (Keep(dice.set_aside),) if "keep" in state.decisions and dice.set_aside else ()

    def staying(self, state: State) -> Values:
        """Return the dice that the next throw leaves in the tray: those kept in this turn since the last hot dice.

        Ascending values; empty if the next throw takes all dice.
        """
        return () if self.takes_all(state) else in_order(_crapola(state).turn.aside)

    def takes_all(self, state: State) -> bool:
        """Whether every die is set aside (hot dice), or none is thrown yet."""
        return not _crapola(state).turn.dice


def _crapola(state: State) -> Crapola:
    """Return the state as one of Crapola; a state of another game is a programming error."""
    assert isinstance(state, Crapola), "the state is one of Crapola"
    return state


def _notice(state: Crapola, kept: Values) -> Phrase:
    """Return the notice about the dice `kept`, set aside but not yet played as a line.

    - No dice: `choose_keep`, with an example.
    - Dice that may not be kept: `illegal_hold`, with the reason.
    - Too few turn points to bank: `hold_on`, with `least`, the turn points needed for the player's first bank.
    - No die left to throw: `hold_all`.
    - Otherwise: `hold`.

    The last three also give the points of the dice, the turn points, and what may follow.
    """
    lying = state.turn.dice
    args: dict[str, Any] = {"player": state.standing.player, "dice": list(kept)}
    if not kept:
        return Phrase("choose_keep", {**args, "for_example": list(next(iter(keepable(lying))))})
    after = state_after(state, (Keep(kept),))
    if after is None:
        reason = "not_of_throw" if any(kept.count(die) > lying.count(die) for die in kept) else "does_not_score"
        return Phrase("illegal_hold", {**args, "reason": reason, "values": list(lying)})
    turn = _crapola(after).turn
    worth = {"points": turn.points - state.turn.points, "turn_points": turn.points}
    args |= {**worth, "sizes": list(after.throw_sizes), "decisions": list(after.decisions)}
    if "stop" not in after.decisions:
        return Phrase("hold_on", {**args, "least": state.totals.least_bank})
    return Phrase("hold" if turn.dice else "hold_all", args)

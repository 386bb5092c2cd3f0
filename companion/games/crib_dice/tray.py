"""Tray policy of Crib Dice: dice of one value moved to the keep zone name the point; frozen dice stay there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from companion.games.crib_dice.state import CribDice
from companion.games.engine.dice import FACES
from companion.games.engine.game import Action, NamePoint, State, Undo
from companion.games.engine.tray_policy import (
    KeepZonePolicy,
    Meaning,
    TrayDice,
    Values,
    again_or_bank,
    clear_tray,
    thrown_or_moved,
    waiting_notice,
)
from companion.games.engine.views.phrase import Phrase


class CribDiceTray(KeepZonePolicy):
    """The keep zone of Crib Dice."""

    def dice_expected(self, state: State) -> int | None:
        """Return seven, the dice that both zones together must show; None after the end.

        None also with five or more frozen: the player may borrow a frozen die for a piddle.
        """
        return None if state.standing.over or _crib(state).turn.frozen >= 5 else 7

    def starts_afresh(self, state: State) -> bool:
        """Whether no dice are frozen, so that no die stays in the tray."""
        return not _crib(state).turn.frozen

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Yield what the player may have decided before the current throw: at most one tuple of actions.

        - No point is due: the empty tuple, for no decision.
        - A point is due, and the keep zone holds all dice of one value of the last throw, at least two: a tuple with
          the `NamePoint` of this value. Five of six equal dice count, too: the player may have borrowed the sixth for
          a piddle, a throw of two dice.
        - Otherwise nothing is yielded.
        """
        if "point" not in state.decisions:
            yield ()
            return
        lying, kept = _crib(state).turn.dice, dice.kept
        borrowing = (face for face in FACES if lying.count(face) == 6 and kept == (face,) * 5)
        value = _point_of(lying, kept) or next(borrowing, None)
        if value is not None:
            yield (NamePoint(value),)

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Yield the possible throws that the dice at rest show, likeliest first: see `thrown_or_moved`."""
        yield from thrown_or_moved(dice, still, self.staying(state))

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Return the lines to play and the notice for dice at rest in the tray, in a game of Crib Dice.

        - A point is due, and the dice in the keep zone name it: one `NamePoint` line, and the notice of what comes
          next.
        - The last line named the point, and the keep zone now names another: an undo and a new `NamePoint`, without
          notice.
        - Otherwise: no line, and a notice of what is wrong in the keep zone or what comes next; no notice after the
          end.

        If a person overruled the keep zone, no line is played.
        """
        crib = _crib(state)
        if state.standing.over or not dice.kept or dice.overruled:
            return Meaning(notice=_without_kept(crib, dice))
        if "point" in state.decisions:
            value = _point_of(crib.turn.dice, dice.kept)
            if value is None:
                return Meaning(notice=_illegal(crib.turn.dice, dice.kept))
            return Meaning((NamePoint(value),), _going_on(crib.after(NamePoint(value))))
        if crib.turn.frozen:
            return _frozen(crib, dice.kept)
        return Meaning(notice=clear_tray(state))

    def staying(self, state: State) -> Values:
        """Return the frozen dice, which stay in the tray; none if the next throw takes all seven."""
        return () if 7 in state.throw_sizes else _crib(state).turn.held

    def takes_all(self, state: State) -> bool:
        """Whether the next throw takes seven dice."""
        return 7 in state.throw_sizes


def _crib(state: State) -> CribDice:
    """Return the state as one of Crib Dice; a state of another game is a programming error."""
    assert isinstance(state, CribDice), "the state is one of Crib Dice"
    return state


def _frozen(state: CribDice, kept: Values) -> Meaning:
    """Return what the dice `kept` in the keep zone mean while dice are frozen in a turn of Crib Dice.

    - If all show the point, and no more dice are kept than frozen: the notice to move the missing frozen dice there. If
      none needs to move: the notice of the next action.
    - If the last line named the point, and `kept` names another one: an undo and a new `NamePoint`, without notice.
    - Otherwise: the notice `illegal_hold` with a reason, `not_the_point` or `too_many`.
    """
    turn = state.turn
    wrong = [die for die in kept if die != turn.point]
    if not wrong and len(kept) <= turn.frozen:
        return Meaning(notice=_to_freeze(state, len(kept)))
    other = _point_of(turn.dice, kept)
    # The last line named the point: the player has changed his mind.
    if other is not None and any(event.code == "point" for event in state.events):
        return Meaning((Undo(1), NamePoint(other)))
    reason = "not_the_point" if wrong else "too_many"
    args = {"reason": reason, "dice": wrong or list(kept), "value": turn.point, "player": state.standing.player}
    return Meaning(notice=Phrase("illegal_hold", args))


def _point_of(lying: Values, kept: Values) -> int | None:
    """Return the point that the dice `kept` name: all dice of one value in the throw `lying`, at least two; or None."""
    value = next(iter(kept), None)
    return value if 2 <= len(kept) == kept.count(value) == lying.count(value) else None


def _illegal(lying: Values, kept: Values) -> Phrase:
    """Return the notice that says why the dice in the keep zone, at least one, name no point of the throw `lying`.

    The notice is `changed` if some of them were not in the throw. Else it is `illegal_hold` with a reason:

    - `one_value`: they show several values.
    - `pair_needed`: only one die of the throw shows their value.
    - `all_of_value`: not all dice of the throw that show their value are kept.
    """
    if Counter(kept) - Counter(lying):
        return Phrase("changed", {"was": list(lying), "kept": list(kept)})
    if len(set(kept)) > 1:
        args: dict[str, Any] = {"reason": "one_value"}
    elif lying.count(kept[0]) < 2:
        args = {"reason": "pair_needed"}
    else:
        args = {"reason": "all_of_value", "missing": lying.count(kept[0]) - len(kept)}
    return Phrase("illegal_hold", {**args, "dice": list(kept), "value": kept[0], "values": _points(lying)})


def _without_kept(state: CribDice, dice: TrayDice) -> Phrase | None:
    """Return the notice of Crib Dice if the keep zone is empty or a person overruled it; None after the end.

    - A point is due: choose it.
    - Dice are frozen, and the tray has a keep zone: move the missing ones into it. If none needs to move
      (`_to_freeze`): the player's next action.
    - No die is frozen, and the next throw may take seven: clear the tray.
    - Else: the player's next action.
    """
    if "point" in state.decisions:
        return Phrase("choose_point", {"player": state.standing.player, "values": _points(state.turn.dice)})
    if state.turn.frozen and dice.keep_zone:
        return _to_freeze(state, len(dice.kept))
    return clear_tray(state) if 7 in state.throw_sizes and not state.turn.frozen else _going_on(state)


def _to_freeze(state: CribDice, kept: int) -> Phrase | None:
    """Return the notice that asks to move the missing frozen dice into the keep zone, which holds `kept` dice.

    If no die needs to move, return the notice of the player's next action, or None after the end. No die needs to
    move if one of these is true:

    - No frozen die is missing.
    - Seven dice are frozen: the next throw takes all of them.
    - Six dice are frozen, and five are in the keep zone: a piddle borrows the sixth.
    """
    turn = state.turn
    missing = turn.frozen - kept
    # The next throw takes all of seven frozen dice. With six, a piddle borrows one: five in the keep zone are enough.
    if missing <= 0 or turn.frozen == 7 or (turn.frozen == 6 and kept == 5):
        return _going_on(state)
    args = {"player": state.standing.player, "value": turn.point, "missing": missing, "sizes": list(state.throw_sizes)}
    return Phrase("freeze", args)


def _going_on(state: CribDice) -> Phrase | None:
    """Return the notice of the next action: throw again or bank with seven frozen, else decide or throw."""
    rolled_over = 7 in state.throw_sizes and "stop" in state.decisions
    return again_or_bank(state) if rolled_over else waiting_notice(state)


def _points(lying: Values) -> list[int]:
    """Return the values of the throw `lying` that may be named as the point, highest first."""
    return sorted({die for die in lying if lying.count(die) >= 2}, reverse=True)

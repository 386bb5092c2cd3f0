"""Crib Dice in the tray: dice of one value moved to the keep zone name the point; frozen dice lie there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from companion.games.game import Action, NamePoint, State, Undo
from companion.session.interpret import (
    Memory,
    Outcome,
    Values,
    again_or_bank,
    clear_tray,
    thrown_or_moved,
    values_of,
    waiting,
)
from companion.session.sight import Sight
from companion.session.snapshot import Notice


class CribDiceHold:
    """The keep zone of Crib Dice."""

    def before_throw(self, state: State, memory: Memory, sight: Sight) -> Iterator[tuple[Action, ...]]:
        """A quick player moves his point aside and throws on before the table has seen him do it."""
        if "point" not in state.decisions:
            yield ()
            return
        dice, kept = state.view()["dice"], values_of(sight.kept)
        value = _point_of(dice, kept)
        if value is None and len(set(kept)) == 1 and len(kept) == 5 and dice.count(kept[0]) == 6:
            value = kept[0]  # the sixth has been borrowed for the piddle
        if value is not None:
            yield (NamePoint(value),)

    def thrown(self, state: State, memory: Memory, sight: Sight, still: Values) -> Iterator[Values]:
        """The dice of the throw zone; or with those that have been moved to the keep zone since they were thrown."""
        if not still:
            yield from thrown_or_moved(memory, sight)
        elif set(still) == {state.view()["point"]}:
            # Frozen dice were left in the throw zone and not touched.
            yield tuple(sorted((Counter(values_of(sight.thrown)) - Counter(still)).elements()))

    def at_rest(self, state: State, memory: Memory, sight: Sight) -> Outcome:
        """Names the point when the keep zone does; tells a hold that the rules forbid."""
        kept, view = values_of(sight.kept), state.view()
        if state.over or not kept or kept == memory.ignored_kept:
            return Outcome(memory, notice=_without_hold(state, view, memory, sight))
        if "point" in state.decisions:
            return _naming(state, view, memory, kept)
        if view["frozen"]:
            return _frozen(state, view, memory, kept)
        return Outcome(memory, notice=clear_tray(state))

    def before_bank(self, state: State, memory: Memory) -> tuple[Action, ...]:
        """Nothing: a stop banks the set as it is."""
        return ()

    def takes_all(self, state: State) -> bool:
        """With seven fresh dice."""
        return 7 in state.throw_sizes

    def choices(self, state: State) -> tuple[Action, ...]:
        """None: the button banks."""
        return ()


def _naming(state: State, view: dict[str, Any], memory: Memory, kept: Values) -> Outcome:
    value = _point_of(view["dice"], kept)
    if value is None:
        return Outcome(memory, notice=_illegal(view["dice"], kept))
    named = state.after(NamePoint(value))
    return Outcome(memory, (NamePoint(value),), notice=_going_on(named))


def _frozen(state: State, view: dict[str, Any], memory: Memory, kept: Values) -> Outcome:
    dice, point = view["dice"], view["point"]
    wrong = [die for die in kept if die != point]
    if not wrong and len(kept) <= view["frozen"]:
        return Outcome(memory, notice=_to_freeze(state, view, len(kept)))
    other = _point_of(dice, kept)
    # Nothing was thrown since the point was named: the player has changed his mind.
    if other is not None and len(dice) == 7 and view["frozen"] == dice.count(point) and "stop" in state.decisions:
        return Outcome(memory, (Undo(1), NamePoint(other)), notice=None)
    reason = "not_the_point" if wrong else "too_many"
    args = {"reason": reason, "dice": wrong or list(kept), "value": point, "player": state.player}
    return Outcome(memory, notice=Notice("illegal_hold", args))


def _point_of(dice: list[int], kept: Values) -> int | None:
    """The value that the keep zone names: all dice of one value of that throw, two or more; else None."""
    if len(set(kept)) != 1 or len(kept) < 2 or dice.count(kept[0]) != len(kept):
        return None
    return kept[0]


def _illegal(dice: list[int], kept: Values) -> Notice:
    if Counter(kept) - Counter(dice):
        return Notice("changed", {"was": list(dice), "kept": list(kept)})
    if len(set(kept)) > 1:
        args: dict[str, Any] = {"reason": "one_value"}
    elif dice.count(kept[0]) < 2:
        args = {"reason": "pair_needed"}
    else:
        args = {"reason": "all_of_value", "missing": dice.count(kept[0]) - len(kept)}
    return Notice("illegal_hold", {**args, "dice": list(kept), "value": kept[0], "values": _points(dice)})


def _without_hold(state: State, view: dict[str, Any], memory: Memory, sight: Sight) -> Notice | None:
    if "point" in state.decisions:
        return Notice("choose_point", {"player": state.player, "values": _points(view["dice"])})
    if view["frozen"] and memory.keep_zone:
        return _to_freeze(state, view, len(sight.kept))
    return clear_tray(state) if 7 in state.throw_sizes and not view["frozen"] else _going_on(state)


def _to_freeze(state: State, view: dict[str, Any], kept: int) -> Notice | None:
    missing = view["frozen"] - kept
    # In a piddle the player with only seven dice borrows a frozen one: five in the keep zone are enough.
    if missing <= 0 or (view["frozen"] >= 6 and kept >= 5):
        return _going_on(state)
    args = {"player": state.player, "value": view["point"], "missing": missing, "sizes": list(state.throw_sizes)}
    return Notice("freeze", args)


def _going_on(state: State) -> Notice | None:
    rolled_over = 7 in state.throw_sizes and "stop" in state.decisions
    return again_or_bank(state) if rolled_over else waiting(state)


def _points(dice: list[int]) -> list[int]:
    return sorted({die for die in dice if dice.count(die) >= 2}, reverse=True)

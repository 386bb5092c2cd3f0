"""Interpret the dice in the tray: which were thrown, and which decision the keep zone expresses.

A game overrides `KeepZonePolicy` in its `tray.py`. A game without a keep zone uses `KeepZonePolicy` itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from companion.errors import IllegalAction
from companion.games.engine.game import Action, State, Undo
from companion.games.engine.views.phrase import Phrase

Values = tuple[int, ...]
"""Dice values, ascending."""


@dataclass(frozen=True, slots=True)
class TrayDice:
    """Dice of a tray at rest, by zone.

    Attributes:
        thrown: Dice in the throw zone.
        kept: Dice in the keep zone.
        kept_before: Dice that were in the keep zone before the last roll and stayed there.
        set_aside: Last `Meaning.set_aside`: dice of the last throw in the keep zone, not yet played as a line.
        overruled: Whether a person overruled the keep zone; it is then ignored until it changes.
        keep_zone: Whether the tray has a keep zone; without one every die counts as in the throw zone.
    """

    thrown: Values = ()
    kept: Values = ()
    kept_before: Values = ()
    set_aside: Values = ()
    overruled: bool = False
    keep_zone: bool = True

    @property
    def newly_kept(self) -> Values:
        """Dice that the keep zone has gained since the last roll."""
        return tuple(sorted((Counter(self.kept) - Counter(self.kept_before)).elements()))


@dataclass(frozen=True, slots=True)
class Meaning:
    """Interpretation of dice at rest, none of which was rolled.

    Attributes:
        lines: Actions to play, in order; often none.
        notice: Message to the players; None for none.
        set_aside: Dice of the last throw in the keep zone, to remember until the player goes on.
    """

    lines: tuple[Action | Undo, ...] = ()
    notice: Phrase | None = None
    set_aside: Values = ()


class KeepZonePolicy:
    """How a game interprets the dice in the tray. Methods are pure: they take the current state of the game.

    A game overrides what its keep zone means. The defaults are those of a game without one, and of a roll-off: the tray
    supplies throws alone, phones and buttons the decisions.
    """

    def dice_expected(self, state: State) -> int | None:
        """Return the number of dice that both zones together must show; None if the rules leave it open."""
        return state.throw_sizes[0] if len(state.throw_sizes) == 1 else None

    def starts_afresh(self, state: State) -> bool:
        """Return whether the next throw takes all dice, including those left in the tray by the turn before."""
        return True

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Yield the decisions that the player may have made before the current roll, likeliest first.

        Each is a sequence of lines to play before the throw; `()` stands for no decision.
        """
        yield ()

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Yield the possible throws, likeliest first. `still`: dice of the throw zone that did not move."""
        if not still:
            yield dice.thrown

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Return the decisions and the notice that the dice in the tray mean when nothing was rolled."""
        return Meaning(notice=waiting_notice(state))

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """Return the decisions to play before a stop, which lifting all dice out of the tray means."""
        return ()

    def staying(self, state: State) -> Values:
        """Return the dice that the next throw leaves in the tray: frozen, kept or set aside."""
        return ()

    def takes_all(self, state: State) -> bool:
        """Return whether the next throw takes every die. An empty tray is then no sign of a stop."""
        return True

    def choices(self, state: State) -> tuple[Action, ...]:
        """Return decisions that the buttons step through instead of banking, likeliest first."""
        return ()


@dataclass(frozen=True)
class DecidedElsewhere(KeepZonePolicy):
    """Policy of a seat that decides outside the tray, such as a bot: the tray supplies its throws alone.

    Dice that stay may lie in either zone. People may decide for the seat by the buttons.

    Attributes:
        game: Policy of the game that is played.
    """

    game: KeepZonePolicy

    def dice_expected(self, state: State) -> int | None:
        """Return the number of dice that the game's policy expects in the tray."""
        return self.game.dice_expected(state)

    def starts_afresh(self, state: State) -> bool:
        """Return whether the next throw takes all dice, by the game's policy."""
        return self.game.starts_afresh(state)

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Yield the possible throws, likeliest first: see `thrown_or_moved`. Any die may stay in place."""
        yield from thrown_or_moved(dice, still, still)

    def staying(self, state: State) -> Values:
        """Return the dice that the next throw leaves in the tray, by the game's policy."""
        return self.game.staying(state)

    def choices(self, state: State) -> tuple[Action, ...]:
        """Return the decisions that the buttons step through, by the game's policy."""
        return self.game.choices(state)


def waiting_notice(state: State) -> Phrase | None:
    """Return the notice that asks the player to act: `throw` if a throw is allowed, else `decide`; None after the end.

    Its arguments are `player`, `decisions` (those allowed now) and, for a throw, `sizes` (the allowed numbers of dice).
    """
    if state.standing.over:
        return None
    args: dict[str, Any] = {"player": state.standing.player, "decisions": list(state.decisions)}
    if not state.throw_sizes:
        return Phrase("decide", args)
    return Phrase("throw", {**args, "sizes": list(state.throw_sizes)})


def clear_tray(state: State) -> Phrase:
    """Return the notice to take the dice of the last turn out of the tray."""
    return Phrase("clear_tray", {"player": state.standing.player, "sizes": list(state.throw_sizes)})


def again_or_bank(state: State) -> Phrase:
    """Return the notice to throw all dice again or bank by button, where lifting the dice out cannot mean a stop."""
    return Phrase("again_or_bank", {"player": state.standing.player, "sizes": list(state.throw_sizes)})


def thrown_or_moved(dice: TrayDice, still: Values = (), staying: Values = ()) -> Iterator[Values]:
    """Yield the possible throws that dice at rest show, each as ascending values, likeliest first.

    1. The dice in the throw zone, perhaps none, without those in `still`, which did not move.
    2. If `still` is empty and the keep zone has gained dice since the last throw: the dice of point 1 and the gained
       dice together. The player may have moved the gained dice there after this throw.

    Nothing is yielded if a die in `still` is not in `staying`, the dice that a throw leaves in the tray.
    """
    if still and not Counter(still) <= Counter(staying):
        return
    thrown = tuple(sorted((Counter(dice.thrown) - Counter(still)).elements()))
    yield thrown
    if dice.newly_kept and not still:
        yield tuple(sorted(thrown + dice.newly_kept))


def state_after(state: State, actions: Iterable[Action]) -> State | None:
    """Return the state after playing the actions in order; None if the rules refuse one of them.

    Without actions it is the given state.
    """
    try:
        for action in actions:
            state = state.after(action)
    except IllegalAction:
        return None
    return state

"""What dice in the tray mean in a game: which of them were thrown, what the keep zone says, how many are expected.

A game states it as a `KeepZonePolicy` in its own `tray.py`; one that has none is played with throws alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from companion.errors import IllegalAction
from companion.games.engine.game import Action, State, Undo
from companion.games.engine.views.phrase import Phrase

Values = tuple[int, ...]
"""Values of dice, ascending."""


@dataclass(frozen=True, slots=True)
class TrayDice:
    """The dice of a tray at rest, by zone.

    Attributes:
        thrown: In the throw zone.
        kept: In the keep zone.
        kept_before: What lay in the keep zone before the last roll, and still after it.
        set_aside: What the keep zone holds of the last throw and no line tells of yet, as the policy said last.
        overruled: Whether a person has overruled what the keep zone says; it says nothing until it changes.
        keep_zone: Whether the tray has a keep zone at all; without one every die lies in the throw zone.
    """

    thrown: Values = ()
    kept: Values = ()
    kept_before: Values = ()
    set_aside: Values = ()
    overruled: bool = False
    keep_zone: bool = True

    @property
    def newly_kept(self) -> Values:
        """What the keep zone has gained since before the roll."""
        return tuple(sorted((Counter(self.kept) - Counter(self.kept_before)).elements()))


@dataclass(frozen=True, slots=True)
class Meaning:
    """What dice at rest mean when none of them was rolled.

    Attributes:
        lines: What they play, in order; often nothing.
        notice: What the table sees and waits for.
        set_aside: What the keep zone holds of the last throw and no line tells of yet.
    """

    lines: tuple[Action | Undo, ...] = ()
    notice: Phrase | None = None
    set_aside: Values = ()


class KeepZonePolicy(Protocol):
    """What a game makes of the tray. Pure; every method takes the state that the table is in."""

    def dice_expected(self, state: State) -> int | None:
        """How many dice must lie in both zones together; None where the rules leave it open."""

    def starts_afresh(self, state: State) -> bool:
        """Whether the next throw takes up all dice, those that still lie there from the turn before too."""

    def before_throw(self, state: State, dice: TrayDice) -> Iterable[tuple[Action, ...]]:
        """What the keep zone may say was decided before the roll that is seen now; `()` where nothing needs saying."""

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterable[Values]:
        """The values that may have been thrown together. `still`: dice of the throw zone that were not rolled."""

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """What the keep zone says when nothing was rolled."""

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """What lifting all dice out says was decided before the stop."""

    def staying(self, state: State) -> Values:
        """The dice that lie still when the next throw is made: frozen, kept, set aside."""

    def takes_all(self, state: State) -> bool:
        """Whether going on from there takes every die, so that an empty tray does not say that a player stops."""

    def choices(self, state: State) -> tuple[Action, ...]:
        """Decisions that the buttons go through instead of banking, the likeliest first."""


class ThrowsOnly:
    """No keep zone: the tray tells throws, a phone or a button tells everything else. Also the policy of a roll-off."""

    def dice_expected(self, state: State) -> int | None:
        """The dice that may be thrown, where there is one number of them."""
        return state.throw_sizes[0] if len(state.throw_sizes) == 1 else None

    def starts_afresh(self, state: State) -> bool:
        """Always."""
        return True

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Nothing is decided by where dice lie."""
        yield ()

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """The dice of the throw zone, all of them."""
        if not still:
            yield dice.thrown

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Nothing is played."""
        return Meaning(notice=waiting(state))

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """Nothing."""
        return ()

    def staying(self, state: State) -> Values:
        """None."""
        return ()

    def takes_all(self, state: State) -> bool:
        """Always: who throws on may have lifted every die."""
        return True

    def choices(self, state: State) -> tuple[Action, ...]:
        """None: the button banks."""
        return ()


@dataclass(frozen=True, slots=True)
class DecidedElsewhere:
    """The policy of a seat whose decisions are made elsewhere: of its dice the tray tells the throws alone.

    Dice that stay may lie in either zone.

    Attributes:
        game: The game's own policy.
    """

    game: KeepZonePolicy

    def dice_expected(self, state: State) -> int | None:
        """As the game says."""
        return self.game.dice_expected(state)

    def starts_afresh(self, state: State) -> bool:
        """As the game says."""
        return self.game.starts_afresh(state)

    def before_throw(self, state: State, dice: TrayDice) -> Iterator[tuple[Action, ...]]:
        """Nothing is decided by where dice lie."""
        yield ()

    def thrown(self, state: State, dice: TrayDice, still: Values) -> Iterator[Values]:
        """Whatever was rolled, with or without what was moved to the keep zone since."""
        yield from thrown_or_moved(dice, still, still)

    def at_rest(self, state: State, dice: TrayDice) -> Meaning:
        """Nothing is played."""
        return Meaning(notice=waiting(state))

    def before_bank(self, state: State, dice: TrayDice) -> tuple[Action, ...]:
        """Nothing."""
        return ()

    def staying(self, state: State) -> Values:
        """As the game says."""
        return self.game.staying(state)

    def takes_all(self, state: State) -> bool:
        """Always: that the tray is empty says nothing."""
        return True

    def choices(self, state: State) -> tuple[Action, ...]:
        """As the game says: people may decide for the seat."""
        return self.game.choices(state)


def waiting(state: State) -> Phrase | None:
    """What the table waits for when the tray says nothing; None when the game is over."""
    if state.over:
        return None
    args: dict[str, Any] = {"player": state.player, "decisions": list(state.decisions)}
    if not state.throw_sizes:
        return Phrase("decide", args)
    return Phrase("throw", {**args, "sizes": list(state.throw_sizes)})


def clear_tray(state: State) -> Phrase:
    """A turn is over, its dice still lie there."""
    return Phrase("clear_tray", {"player": state.player, "sizes": list(state.throw_sizes)})


def again_or_bank(state: State) -> Phrase:
    """What the table waits for where all dice are free again: lifting them out says nothing, so the words must."""
    return Phrase("again_or_bank", {"player": state.player, "sizes": list(state.throw_sizes)})


def thrown_or_moved(dice: TrayDice, still: Values = (), staying: Values = ()) -> Iterator[Values]:
    """What may have been thrown: the dice of the throw zone; or those and what was moved to the keep zone since.

    Dice that were not rolled (`still`) are those that stay, left where they lay, or it was no throw.
    """
    if still and not Counter(still) <= Counter(staying):
        return
    thrown = tuple(sorted((Counter(dice.thrown) - Counter(still)).elements()))
    yield thrown
    if dice.newly_kept and not still:
        yield tuple(sorted(thrown + dice.newly_kept))


def state_after(state: State, actions: Iterable[Action]) -> State | None:
    """The state after those actions, or None where the rules refuse one."""
    try:
        for action in actions:
            state = state.after(action)
    except IllegalAction:
        return None
    return state

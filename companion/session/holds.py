"""What each game makes of the tray, by its name; a game without a hold of its own is played with throws alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from companion.games.game import Action, State
from companion.session.hold_crag import CragHold
from companion.session.hold_crapola import CrapolaHold
from companion.session.hold_crib_dice import CribDiceHold
from companion.session.interpret import Hold, Memory, Outcome, Values, values_of, waiting
from companion.session.sight import Sight


class PlainHold:
    """No keep zone: the tray tells throws, a phone or a button tells everything else."""

    def before_throw(self, state: State, memory: Memory, sight: Sight) -> Iterator[tuple[Action, ...]]:
        """Nothing is decided by where dice lie."""
        yield ()

    def thrown(self, state: State, memory: Memory, sight: Sight, still: Values) -> Iterator[Values]:
        """The dice of the throw zone, all of them."""
        if not still:
            yield values_of(sight.thrown)

    def at_rest(self, state: State, memory: Memory, sight: Sight) -> Outcome:
        """Nothing is played."""
        return Outcome(memory, notice=waiting(state))

    def before_bank(self, state: State, memory: Memory) -> tuple[Action, ...]:
        """Nothing."""
        return ()

    def takes_all(self, state: State) -> bool:
        """Always: who throws on may have lifted every die."""
        return True

    def choices(self, state: State) -> tuple[Action, ...]:
        """None: the button banks."""
        return ()


HOLDS: Mapping[str, Hold] = MappingProxyType(
    {"crib_dice": CribDiceHold(), "crag": CragHold(), "crapola": CrapolaHold()}
)
_PLAIN = PlainHold()


def hold_of(game: str) -> Hold:
    """The hold of that game."""
    return HOLDS.get(game, _PLAIN)

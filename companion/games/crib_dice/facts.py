"""What matters in a position of Crib Dice: the danger of a fuchle, the gap, and a stop that passes the end."""

from __future__ import annotations

from companion.games.crib_dice.state import CribDice
from companion.games.engine.game import State
from companion.games.engine.views.phrase import Phrase

LEAST_GAP = 15
"""Least gap in holes at which a phrase says that the side to play is ahead or behind. Higher: it is said less often.

The gap is that to the furthest other side. The value is about one good turn."""


def facts(state: State) -> tuple[Phrase, ...]:
    """Return phrases about the side to play in Crib Dice; empty in a roll-off, after the end, or with nothing to say.

    - `next_is_fuchle`: a wipe-out now would be a fuchle.
    - `next_is_out`: a wipe-out now would eliminate the side.
    - `stop_passes_the_end`: a stop is legal and would finish.
    - `ahead` or `behind`, never with `stop_passes_the_end`: the gap to the furthest other side in play is LEAST_GAP
      holes or more, and nobody has finished. Turn points don't count.

    The text of a phrase has the key `fact.CODE` in the text catalogue.
    """
    if not isinstance(state, CribDice) or state.board.over:
        return ()
    board, side, found = state.board, state.board.side, list[Phrase]()
    player = board.sides[side]
    ends = {event.code for event in board.wiped_out(0).events}
    if "fuchled" in ends:
        found.append(Phrase("next_is_fuchle", {"player": player, "count": board.wipeouts[side]}))
    if "eliminated" in ends:
        found.append(Phrase("next_is_out", {"player": player}))
    if "stop" in state.decisions and board.pegs[side] + state.turn.points > board.holes:
        found.append(Phrase("stop_passes_the_end", {"player": player}))
    elif board.furthest is not None and not board.finished:
        gap = board.pegs[side] - board.pegs[board.furthest]
        if abs(gap) >= LEAST_GAP:
            found.append(Phrase("ahead" if gap > 0 else "behind", {"player": player, "count": abs(gap)}))
    return tuple(found)

"""Lessons of Crag: what its tutorial says about the last action and about what can be done now."""

from __future__ import annotations

from companion.games.crag.scoring import BEST, NUMBERS, STRAIGHTS
from companion.games.crag.state import Crag
from companion.games.engine.views.phrase import Phrase


def lesson(state: Crag) -> tuple[Phrase, ...]:
    """Return the phrase of Crag's tutorial for a state of the game, as a tuple of one; empty after the end.

    Before a turn's first throw it explains the points of the entry just made. If the last action was no entry, it
    explains the aim of the game. Later in a turn it says what can be done now, such as the best category for the dice.
    """
    if state.standing.over:
        return ()
    if state.phase == "fresh":
        entered = [event.args for event in state.events if event.code == "entered"]
        return (_scored(**entered[-1]) if entered else Phrase("lesson.crag_first", {}),)
    if state.phase == "keeping":
        return (Phrase("lesson.crag_keeping", {"count": 3 - len(state.dice)}),)
    best = max(state.unused, key=state.points_in)
    args = {"category": best, "points": state.points_in(best)}
    late = "_late" if state.phase == "thrown" and "crag" not in state.unused else ""  # no crag can be aimed at
    return (Phrase(f"lesson.crag_{state.phase}{late}{'' if args['points'] else '_nothing'}", args),)


def _scored(category: str, points: int) -> Phrase:
    """Return the phrase that explains why an entry in `category` scored these `points`."""
    args = {"category": category, "points": points}
    if points == 0:
        return Phrase("lesson.crag_nothing", args)
    if category in NUMBERS:
        return Phrase("lesson.crag_number", {**args, "value": NUMBERS[category]})
    if points == BEST:
        return Phrase("lesson.crag_best", args)
    if category in STRAIGHTS:
        return Phrase("lesson.crag_straight", args)
    return Phrase("lesson.crag_alike" if category == "three_of_a_kind" else "lesson.crag_total", args)

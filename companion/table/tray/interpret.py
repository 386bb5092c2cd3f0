"""From what the tray shows to what was played: lines for the transcript, a question, or a word on what is waited for.

Pure: a state, what was seen before (`Memory`) and an `Observation` give an `Interpretation`. The dice speak: going on
is throwing, banking is lifting all dice out, keeping is moving dice to the keep zone. Nothing is guessed: when the dice
could mean two things, or the count does not fit, or the reading is in doubt, there is a question.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.games.engine.game import Action, State, Stop, Throw, Undo
from companion.games.engine.tray_policy import TrayDice, Values, state_after, waiting
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import policy_for
from companion.table.terms import Policies
from companion.table.tray.motion import Motion, elsewhere, motion_of, moved
from companion.table.tray.observation import Die, Observation

NOTHING_WRONG = (None, "count")
"""Doubts of an observation without dice that leave it believable: too few dice is what an empty zone is."""

BANK_AFTER_S = 2.0  # a tray that stays empty this long has been lifted out, not just reached into


@dataclass(frozen=True, slots=True)
class Memory:
    """What was seen before.

    Attributes:
        awake: Whether the tray has been seen at all; the first observation after a start may show an old throw.
        last_values: The values of the game's last throw, sorted: an old throw is known by them.
        thrown: Dice in the throw zone when last seen at rest.
        lay: Dice that lay there when last any did: a tray that was covered for a moment shows them again.
        kept: Dice in the keep zone when last seen at rest.
        kept_before: Values that lay in the keep zone before the last roll, and still after it.
        set_aside: Values that the keep zone holds of the last throw and no line tells of yet.
        rolled: Whether dice have been rolled that no line tells of yet.
        rolls: How many rolls have been seen: tells one that is in question from a later one.
        armed: Whether dice lay in the tray since the last line that came from it: only those can be lifted out.
        empty_since_s: Since when the tray is empty, on the table's clock.
        ignored_kept: Values in the keep zone that a person overruled; they say nothing until they change.
        keep_zone: Whether the tray has a keep zone at all; without one every die lies in the throw zone.
    """

    awake: bool = False
    last_values: tuple[int, ...] = ()
    thrown: tuple[Die, ...] = ()
    lay: tuple[Die, ...] = ()
    kept: tuple[Die, ...] = ()
    kept_before: tuple[int, ...] = ()
    set_aside: tuple[int, ...] = ()
    rolled: bool = False
    rolls: int = 0
    armed: bool = False
    empty_since_s: float | None = None
    ignored_kept: tuple[int, ...] | None = None
    keep_zone: bool = True


@dataclass(frozen=True, slots=True)
class Ask:
    """A throw that a person must settle: why, how many dice the rules want, what was observed, and what before."""

    code: str
    wanted: tuple[int, ...]
    observation: Observation
    memory: Memory


@dataclass(frozen=True, slots=True)
class Interpretation:
    """What an observation meant.

    Attributes:
        memory: What to remember, once `lines` are in the journal.
        lines: What was played, in order; often nothing.
        ask: What a person must settle.
        notice: What the table sees and waits for.
        settled: Whether a question that is open is settled by `lines`.
    """

    memory: Memory
    lines: tuple[Action | Undo, ...] = ()
    ask: Ask | None = None
    notice: Phrase | None = None
    settled: bool = False


def look(state: State, memory: Memory, observation: Observation, policies: Policies = policy_for) -> Interpretation:
    """What a tray that has come to rest means in that state; `policies` say what dice mean in each."""
    motion = _motion(memory, observation) if memory.awake else _first_motion(memory, observation)
    if not observation.thrown and observation.doubt not in NOTHING_WRONG:
        # In the dark nothing is lifted out.
        return Interpretation(memory, notice=Phrase("unclear", {"code": observation.doubt}))
    seen = _remembered(memory, observation, motion)
    if observation.doubt is not None and observation.thrown and motion is Motion.NONE:
        seen = replace(seen, thrown=memory.thrown, kept=memory.kept)  # what was read clearly is known better
    if not observation.thrown and not observation.kept:
        return _empty(state, memory, seen, observation, policies)
    if seen.rolled:
        return _rolled(state, seen, observation, policies)
    if motion is Motion.PARTLY:
        return _partly(state, memory, seen, observation, policies)
    if motion is Motion.UNSURE:
        return _unsure(state, memory, seen, observation, policies)
    return look_again(state, seen, observation, policies)


def look_again(
    state: State, memory: Memory, observation: Observation, policies: Policies = policy_for
) -> Interpretation:
    """What the same tray means after the state has changed by hand: a roll may be waiting, or dice in the keep zone."""
    if memory.rolled:
        return _rolled(state, memory, observation, policies)
    if observation.doubt is None or (observation.doubt == "count" and not observation.thrown):
        # Too few dice is what a tray with the rest in a hand shows.
        return _at_rest(state, memory, observation, policies)
    return Interpretation(memory, notice=Phrase("unclear", {"code": observation.doubt}))


def tick(state: State, memory: Memory, now_s: float, policies: Policies = policy_for) -> Interpretation:
    """What the passing of time means: a tray that stays empty banks."""
    if memory.empty_since_s is None or not memory.armed:
        return Interpretation(memory)
    lines = banking(state, memory, policies)
    if not lines:
        return Interpretation(memory, notice=waiting(state))
    before_stop = state_after(state, lines[:-1])
    if before_stop is not None and policies(before_stop).takes_all(before_stop):
        args = {"player": state.player, "sizes": list(before_stop.throw_sizes)}
        return Interpretation(memory, notice=Phrase("throw_or_bank", args))
    if now_s - memory.empty_since_s < BANK_AFTER_S:
        return Interpretation(memory, notice=Phrase("banking", {"after_s": BANK_AFTER_S}))
    return Interpretation(replace(memory, armed=False, rolled=False), lines)


def banking(state: State, memory: Memory, policies: Policies = policy_for) -> tuple[Action, ...]:
    """The lines that bank now, by the button or by lifting the dice out; none when the rules refuse."""
    lines = (*policies(state).before_bank(state, tray_dice(memory)), Stop())
    return lines if state_after(state, lines) is not None else ()


def answered(state: State, ask: Ask, values: Sequence[int], policies: Policies = policy_for) -> tuple[Action, ...]:
    """The lines that a person's answer plays. Raises IllegalAction when the rules refuse them."""
    throw = Throw(tuple(values))
    ways = [(*before, throw) for before in policies(state).before_throw(state, tray_dice(ask.memory, ask.observation))]
    fitting = [way for way in ways if state_after(state, way) is not None]
    return fitting[0] if len(fitting) == 1 else (throw,)


def overruled(memory: Memory) -> Memory:
    """After an undo, a correction or a throw by hand: what lies in the tray says nothing until it changes."""
    return replace(decided(memory), rolled=False, armed=False, empty_since_s=None)


def decided(memory: Memory) -> Memory:
    """After a decision by hand: the keep zone as it is has been overruled; a roll that waits still waits."""
    return replace(memory, ignored_kept=values_of(memory.kept))


def entered(memory: Memory, values: Sequence[int]) -> Memory:
    """After a throw was entered: no roll is outstanding, and the dice in the tray are that throw."""
    return replace(memory, rolled=False, armed=True, set_aside=(), last_values=tuple(sorted(values)), ignored_kept=None)


def values_of(dice: Iterable[Die]) -> Values:
    """Their values, sorted."""
    return tuple(sorted(die.value for die in dice))


def both(one: Values, other: Values) -> Values:
    """What the two have in common, sorted."""
    return tuple(sorted((Counter(one) & Counter(other)).elements()))


def tray_dice(memory: Memory, observation: Observation | None = None) -> TrayDice:
    """The dice as the game's policy takes them: those of that observation, or of the one before."""
    kept = values_of(observation.kept if observation else memory.kept)
    return TrayDice(
        thrown=values_of(observation.thrown if observation else memory.thrown),
        kept=kept,
        kept_before=memory.kept_before,
        set_aside=memory.set_aside,
        overruled=kept == memory.ignored_kept,
        keep_zone=memory.keep_zone,
    )


def _motion(memory: Memory, observation: Observation) -> Motion:
    uncovered = (
        not memory.thrown
        and len(memory.lay) == len(observation.thrown)
        and not elsewhere(memory.lay, observation.thrown)
    )
    return Motion.NONE if uncovered else motion_of(memory.thrown, memory.kept, observation)


def _first_motion(memory: Memory, observation: Observation) -> Motion:
    """After a start: dice that lie there are the last throw, still, or nobody saw how they came there."""
    lying = Counter(values_of(observation.thrown))
    return Motion.NONE if lying <= Counter(memory.last_values) else Motion.UNSURE


def _remembered(memory: Memory, observation: Observation, motion: Motion) -> Memory:
    rolled = motion is Motion.ROLLED
    return replace(
        memory,
        awake=True,
        thrown=observation.thrown,
        lay=observation.thrown or memory.lay,
        kept=observation.kept,
        kept_before=both(values_of(memory.kept), values_of(observation.kept)) if rolled else memory.kept_before,
        rolled=memory.rolled or rolled,
        rolls=memory.rolls + rolled,
        empty_since_s=None if observation.thrown or observation.kept else memory.empty_since_s,
        ignored_kept=memory.ignored_kept if memory.ignored_kept == values_of(observation.kept) else None,
        keep_zone=observation.keep_zone,
    )


def _empty(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    seen = replace(seen, empty_since_s=observation.at_s if memory.empty_since_s is None else memory.empty_since_s)
    outcome = tick(state, seen, observation.at_s, policies)
    return outcome if outcome.notice or outcome.lines else replace(outcome, notice=waiting(state))


def _partly(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    left = Counter(values_of(observation.thrown)) - Counter(values_of(moved(memory.thrown, observation.thrown)))
    still = tuple(sorted(left.elements()))
    found = _readings(state, seen, observation, still, policies) if observation.doubt is None else []
    if len(found) == 1:
        return _thrown(state, seen, observation, found[0], policies)
    if len(still) * 2 > len(observation.thrown):
        # One die was tipped over, or read otherwise; the rest lies there.
        return look_again(state, seen, observation, policies)
    if not _readings(state, seen, observation, (), policies) and _wanted(state, seen, observation, policies):
        # Most were thrown, and they are too many or too few.
        return _rolled(state, replace(seen, rolled=True, rolls=seen.rolls + 1), observation, policies)
    return _unsure(state, memory, seen, observation, policies)


def _unsure(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    wanted = _wanted(state, seen, observation, policies)
    doubted_at_first = observation.doubt is not None and not memory.awake  # a die may have been missed
    if not (wanted and doubted_at_first) and not _readings(state, seen, observation, (), policies):
        return look_again(state, seen, observation, policies)
    code = observation.doubt or ("moved" if memory.awake else "found")
    return Interpretation(seen, ask=Ask(code, wanted, observation, seen))


def _rolled(state: State, memory: Memory, observation: Observation, policies: Policies) -> Interpretation:
    wanted = _wanted(state, memory, observation, policies)
    if not wanted:
        return Interpretation(memory, notice=_too_early(state, observation))
    if observation.doubt is not None:
        notice = Phrase("unclear", {"code": observation.doubt})
        return Interpretation(memory, ask=Ask(observation.doubt, wanted, observation, memory), notice=notice)
    found = _readings(state, memory, observation, (), policies)
    if len(found) == 1:
        return _thrown(state, memory, observation, found[0], policies)
    code = "count" if not found else "unsure"
    notice = Phrase("count", {"wanted": list(wanted), "seen": len(observation.thrown), "kept": len(observation.kept)})
    return Interpretation(memory, ask=Ask(code, wanted, observation, memory), notice=notice)


def _readings(
    state: State, memory: Memory, observation: Observation, still: Values, policies: Policies
) -> list[tuple[Action, ...]]:
    """Every different sequence of lines that the rules allow and the tray may mean."""
    policy, dice, found = policies(state), tray_dice(memory, observation), list[tuple[Action, ...]]()
    for before in policy.before_throw(state, dice):
        for values in policy.thrown(state, dice, still):
            lines = (*before, Throw(values))
            if lines not in found and state_after(state, lines) is not None:
                found.append(lines)
    return found


def _wanted(state: State, memory: Memory, observation: Observation, policies: Policies) -> tuple[int, ...]:
    """How many dice may be thrown now, once the keep zone has been taken at its word."""
    decided_before = policies(state).before_throw(state, tray_dice(memory, observation))
    reached = [state_after(state, before) for before in decided_before]
    return tuple(sorted({size for after in reached if after for size in after.throw_sizes}))


def _thrown(
    state: State, memory: Memory, observation: Observation, lines: tuple[Action, ...], policies: Policies
) -> Interpretation:
    throw, reached = lines[-1], state_after(state, lines)
    assert isinstance(throw, Throw), "a reading ends with its throw"
    assert reached is not None, "a reading is allowed by the rules"
    known = entered(memory, throw.dice)
    if len(throw.dice) == len(observation.thrown):
        # Nothing of this throw has been moved aside yet.
        known = replace(known, kept_before=values_of(observation.kept))
    after = _at_rest(reached, known, observation, policies)
    return replace(after, lines=(*lines, *after.lines), settled=True)


def _at_rest(state: State, memory: Memory, observation: Observation, policies: Policies) -> Interpretation:
    meaning = policies(state).at_rest(state, tray_dice(memory, observation))
    return Interpretation(replace(memory, set_aside=meaning.set_aside), meaning.lines, notice=meaning.notice)


def _too_early(state: State, observation: Observation) -> Phrase | None:
    if state.over:
        return None
    args = {"player": state.player, "decisions": list(state.decisions), "seen": len(observation.thrown)}
    return Phrase("decide_first", args)

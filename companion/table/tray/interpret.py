"""Interpret the tray: turn an observation into transcript lines, a question for people, or a notice.

Pure functions: a game state, a `Memory` of earlier observations and an `Observation` give an `Interpretation`. Dice are
the controls: throwing goes on, lifting all dice out banks, moving dice to the keep zone keeps them. Nothing is
guessed. If the dice can mean two things, the count is wrong or the reading is in doubt, the table asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.games.engine.game import Action, State, Stop, Throw, Undo
from companion.games.engine.tray_policy import TrayDice, Values, state_after, waiting_notice
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import policy_for
from companion.table.terms import Policies
from companion.table.tray.motion import Motion, elsewhere, motion_of, moved
from companion.table.tray.observation import Die, Observation

CREDIBLE_WHEN_EMPTY = (None, "count")
"""Doubts that an observation of an empty throw zone may carry and still be believed: "count" says too few dice."""

BANK_AFTER_S = 2.0
"""Time in seconds that the tray must stay empty before it banks: longer than a hand that only reaches in."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of earlier observations of the tray.

    Attributes:
        awake: Whether the tray has been observed since the start. The first observation may show an old throw.
        last_values: Sorted values of the game's last throw, to recognise an old throw.
        thrown: Dice in the throw zone at the last observation.
        lay: Dice in the throw zone at the last observation that had any; a covered tray shows them again.
        kept: Dice in the keep zone at the last observation.
        kept_before: Values that were in the keep zone before the last roll and stayed there.
        set_aside: Values of the last throw that are in the keep zone but not in the transcript yet.
        rolled: Whether a roll was seen that is not in the transcript yet.
        rolls: Number of rolls seen; distinguishes a questioned roll from a later one.
        armed: Whether dice were in the tray since its last transcript line. Only then can lifting them out bank.
        empty_since_s: Time on the table's clock since which the tray is empty; None if it is not.
        ignored_kept: Values in the keep zone that a person has overruled. They are ignored until they change.
        keep_zone: Whether the tray has a keep zone; without one every die is in the throw zone.
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
    """A question about a throw.

    Attributes:
        code: Why it is asked: a reader's `Doubt`, or `found`, `moved` or `unsure`.
        wanted: Numbers of dice that the rules allow now.
        observation: The observation in question.
        memory: The memory at that time.
    """

    code: str
    wanted: tuple[int, ...]
    observation: Observation
    memory: Memory


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The result of interpreting an observation.

    Attributes:
        memory: Memory to store once `lines` are in the journal.
        lines: Transcript lines to play, in order; often none.
        ask: A question for people, if any.
        notice: What to show: what the table sees and waits for.
        settled: Whether `lines` answer an open question.
    """

    memory: Memory
    lines: tuple[Action | Undo, ...] = ()
    ask: Ask | None = None
    notice: Phrase | None = None
    settled: bool = False


def interpret(
    state: State, memory: Memory, observation: Observation, policies: Policies = policy_for
) -> Interpretation:
    """Interpret a new observation of a tray at rest.

    Args:
        state: The game state.
        memory: What earlier observations have shown.
        observation: The new observation.
        policies: Returns the tray policy of a state: what dice mean in it.
    """
    motion = _motion(memory, observation) if memory.awake else _first_motion(memory, observation)
    if not observation.thrown and observation.doubt not in CREDIBLE_WHEN_EMPTY:
        # An unreadable, apparently empty frame is not evidence that the dice were removed.
        return Interpretation(memory, notice=Phrase("unclear", {"code": observation.doubt}))
    seen = _remembered(memory, observation, motion)
    if observation.doubt is not None and observation.thrown and motion is Motion.NONE:
        seen = replace(seen, thrown=memory.thrown, kept=memory.kept)  # a clear reading beats a doubt
    if not observation.thrown and not observation.kept:
        return _empty(state, memory, seen, observation, policies)
    if seen.rolled:
        return _rolled(state, seen, observation, policies)
    if motion is Motion.PARTLY:
        return _partly(state, memory, seen, observation, policies)
    if motion is Motion.UNSURE:
        return _unsure(state, memory, seen, observation, policies)
    return reinterpret(state, seen, observation, policies)


def reinterpret(
    state: State, memory: Memory, observation: Observation, policies: Policies = policy_for
) -> Interpretation:
    """Interpret an unchanged tray again after people changed the game: a roll or kept dice may now count."""
    if memory.rolled:
        return _rolled(state, memory, observation, policies)
    if observation.doubt is None or (observation.doubt == "count" and not observation.thrown):
        # A tray shows too few dice while the others are in a hand.
        return _at_rest(state, memory, observation, policies)
    return Interpretation(memory, notice=Phrase("unclear", {"code": observation.doubt}))


def tick(state: State, memory: Memory, now_s: float, policies: Policies = policy_for) -> Interpretation:
    """Interpret the passing of time: a tray that stays empty for BANK_AFTER_S banks.

    `now_s` is the time on the table's clock.
    """
    if memory.empty_since_s is None or not memory.armed:
        return Interpretation(memory)
    lines = banking(state, memory, policies)
    if not lines:
        return Interpretation(memory, notice=waiting_notice(state))
    before_stop = state_after(state, lines[:-1])
    if before_stop is not None and policies(before_stop).takes_all(before_stop):
        args = {"player": state.standing.player, "sizes": list(before_stop.throw_sizes)}
        return Interpretation(memory, notice=Phrase("throw_or_bank", args))
    if now_s - memory.empty_since_s < BANK_AFTER_S:
        return Interpretation(memory, notice=Phrase("banking", {"after_s": BANK_AFTER_S}))
    return Interpretation(replace(memory, armed=False, rolled=False), lines)


def banking(state: State, memory: Memory, policies: Policies = policy_for) -> tuple[Action, ...]:
    """Return the lines that bank now, by button or by lifting the dice out; empty if the rules refuse them."""
    lines = (*policies(state).before_bank(state, tray_dice(memory)), Stop())
    return lines if state_after(state, lines) is not None else ()


def answered(state: State, ask: Ask, values: Sequence[int], policies: Policies = policy_for) -> tuple[Action, ...]:
    """Return the lines that play a person's answer to a question.

    Decisions that the keep zone implies come before the throw if exactly one way fits the rules.
    """
    throw = Throw(tuple(values))
    ways = [(*before, throw) for before in policies(state).before_throw(state, tray_dice(ask.memory, ask.observation))]
    fitting = [way for way in ways if state_after(state, way) is not None]
    return fitting[0] if len(fitting) == 1 else (throw,)


def overruled(memory: Memory) -> Memory:
    """Return the memory after an undo, a correction or a throw by hand: the tray is ignored until it changes."""
    return replace(decided(memory), rolled=False, armed=False, empty_since_s=None)


def decided(memory: Memory) -> Memory:
    """Return the memory after a decision by hand: the keep zone is overruled, a waiting roll stays."""
    return replace(memory, ignored_kept=values_of(memory.kept))


def entered(memory: Memory, values: Sequence[int]) -> Memory:
    """Return the memory after a throw was entered: the dice in the tray are that throw, no roll is waiting."""
    return replace(memory, rolled=False, armed=True, set_aside=(), last_values=tuple(sorted(values)), ignored_kept=None)


def values_of(dice: Iterable[Die]) -> Values:
    """Values of the dice, sorted."""
    return tuple(sorted(die.value for die in dice))


def common_values(one: Values, other: Values) -> Values:
    """Multiset intersection of two sets of values, sorted."""
    return tuple(sorted((Counter(one) & Counter(other)).elements()))


def tray_dice(memory: Memory, observation: Observation | None = None) -> TrayDice:
    """Convert the dice of an observation, or else of the memory, to what a game's tray policy takes."""
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
    """Classify the first observation after a start: the last throw is still there, or the motion is unknown."""
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
        kept_before=common_values(values_of(memory.kept), values_of(observation.kept))
        if rolled
        else memory.kept_before,
        rolled=memory.rolled or rolled,
        rolls=memory.rolls + rolled,
        empty_since_s=None if observation.thrown or observation.kept else memory.empty_since_s,
        ignored_kept=memory.ignored_kept if memory.ignored_kept == values_of(observation.kept) else None,
        keep_zone=observation.keep_zone,
    )


def _empty(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    seen = replace(seen, empty_since_s=observation.at_s if memory.empty_since_s is None else memory.empty_since_s)
    outcome = tick(state, seen, observation.at_s, policies)
    return outcome if outcome.notice or outcome.lines else replace(outcome, notice=waiting_notice(state))


def _partly(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    left = Counter(values_of(observation.thrown)) - Counter(values_of(moved(memory.thrown, observation.thrown)))
    still = tuple(sorted(left.elements()))
    found = _possible_plays(state, seen, observation, still, policies) if observation.doubt is None else []
    if len(found) == 1:
        return _thrown(state, seen, observation, found[0], policies)
    if len(still) * 2 > len(observation.thrown):
        # One die was tipped over, or read differently; the others are where they were.
        return reinterpret(state, seen, observation, policies)
    if not _possible_plays(state, seen, observation, (), policies) and _legal_sizes(state, seen, observation, policies):
        # Most dice were thrown, but the number is wrong.
        return _rolled(state, replace(seen, rolled=True, rolls=seen.rolls + 1), observation, policies)
    return _unsure(state, memory, seen, observation, policies)


def _unsure(state: State, memory: Memory, seen: Memory, observation: Observation, policies: Policies) -> Interpretation:
    wanted = _legal_sizes(state, seen, observation, policies)
    doubted_at_first = observation.doubt is not None and not memory.awake  # a die may have been missed
    if not (wanted and doubted_at_first) and not _possible_plays(state, seen, observation, (), policies):
        return reinterpret(state, seen, observation, policies)
    code = observation.doubt or ("moved" if memory.awake else "found")
    return Interpretation(seen, ask=Ask(code, wanted, observation, seen))


def _rolled(state: State, memory: Memory, observation: Observation, policies: Policies) -> Interpretation:
    wanted = _legal_sizes(state, memory, observation, policies)
    if not wanted:
        return Interpretation(memory, notice=_too_early(state, observation))
    if observation.doubt is not None:
        notice = Phrase("unclear", {"code": observation.doubt})
        return Interpretation(memory, ask=Ask(observation.doubt, wanted, observation, memory), notice=notice)
    found = _possible_plays(state, memory, observation, (), policies)
    if len(found) == 1:
        return _thrown(state, memory, observation, found[0], policies)
    code = "count" if not found else "unsure"
    notice = Phrase("count", {"wanted": list(wanted), "seen": len(observation.thrown), "kept": len(observation.kept)})
    return Interpretation(memory, ask=Ask(code, wanted, observation, memory), notice=notice)


def _possible_plays(
    state: State, memory: Memory, observation: Observation, still: Values, policies: Policies
) -> list[tuple[Action, ...]]:
    """List every distinct sequence of actions that the rules allow and the tray can mean.

    Each ends with a `Throw`, after the decisions that the keep zone implies. `still` holds the values of dice that did
    not move since the last observation.
    """
    policy, dice, found = policies(state), tray_dice(memory, observation), list[tuple[Action, ...]]()
    for before in policy.before_throw(state, dice):
        for values in policy.thrown(state, dice, still):
            lines = (*before, Throw(values))
            if lines not in found and state_after(state, lines) is not None:
                found.append(lines)
    return found


def _legal_sizes(state: State, memory: Memory, observation: Observation, policies: Policies) -> tuple[int, ...]:
    """Legal throw sizes after applying the decisions that the keep zone implies."""
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
        # No die of this throw has been moved to the keep zone yet.
        known = replace(known, kept_before=values_of(observation.kept))
    after = _at_rest(reached, known, observation, policies)
    return replace(after, lines=(*lines, *after.lines), settled=True)


def _at_rest(state: State, memory: Memory, observation: Observation, policies: Policies) -> Interpretation:
    meaning = policies(state).at_rest(state, tray_dice(memory, observation))
    return Interpretation(replace(memory, set_aside=meaning.set_aside), meaning.lines, notice=meaning.notice)


def _too_early(state: State, observation: Observation) -> Phrase | None:
    if state.standing.over:
        return None
    args = {"player": state.standing.player, "decisions": list(state.decisions), "seen": len(observation.thrown)}
    return Phrase("decide_first", args)

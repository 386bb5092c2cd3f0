"""Interpret the tray: turn an observation into transcript lines, a question for people, or a notice.

Pure functions from a `Situation` to an `Interpretation`. Dice are the controls: throwing goes on, lifting all dice out
banks, moving dice to the keep zone keeps them. Nothing is guessed: if the dice can mean two things, the count is wrong
or the reading is in doubt, the table asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.errors import Doubt
from companion.games.engine.game import Action, State, Stop, Throw, Undo
from companion.games.engine.tray_policy import KeepZonePolicy, TrayDice, Values, state_after, waiting_notice
from companion.games.engine.views.phrase import Phrase
from companion.games.registry import policy_for
from companion.table.terms import Policies
from companion.table.tray.memory import Memory
from companion.table.tray.motion import Motion, any_in_new_place, motion_of, moved
from companion.table.tray.observation import Observation, values_of

BANK_AFTER_S = 2.0
"""Seconds that the tray must stay empty before the turn's points are banked. Shorter: a hand that reaches in and hides
the dice banks them; longer: players wait."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A game and its tray, now and as remembered: the input of every interpretation.

    `policies` returns the tray policy of a state.
    """

    state: State
    memory: Memory
    observation: Observation
    policies: Policies = policy_for

    @property
    def policy(self) -> KeepZonePolicy:
        """Tray policy of the state."""
        return self.policies(self.state)

    @property
    def dice(self) -> TrayDice:
        """Dice that the tray shows, by zone, with what is remembered of the keep zone: the input of a tray policy.

        `TrayDice` explains the fields. `overruled` is True as long as the keep zone shows the values at which a person
        last overruled it. An undo, a correction, and a decision or throw made outside the tray overrule it.
        """
        kept = values_of(self.observation.kept)
        return TrayDice(
            thrown=values_of(self.observation.thrown),
            kept=kept,
            kept_before=self.memory.kept_before,
            set_aside=self.memory.set_aside,
            overruled=kept == self.memory.ignored_kept,
            keep_zone=self.memory.keep_zone,
        )


@dataclass(frozen=True, slots=True)
class Ask:
    """A question about the throw in an observation: why it is asked, and the memory of the tray at that time.

    `wanted` are the numbers of dice that the rules allow now, ascending.
    """

    code: Doubt
    wanted: tuple[int, ...]
    observation: Observation
    memory: Memory


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The result of interpreting an observation.

    Attributes:
        memory: Memory to store once `lines` are in the journal.
        lines: Transcript lines to play, in order; often none.
        settled: Whether a clear throw was found, which also answers an open question.
        cleared: Whether dice that moved in a doubtful reading now clearly were not thrown: its question is void.
    """

    memory: Memory
    lines: tuple[Action | Undo, ...] = ()
    ask: Ask | None = None
    notice: Phrase | None = None
    settled: bool = False
    cleared: bool = False


def interpret(now: Situation) -> Interpretation:
    """Return what a new observation of a tray at rest means: lines to play, a question or notice, the new memory.

    The dice are compared with those in memory. Rolled dice are a throw, dice moved to the keep zone a decision, and
    an empty tray may bank. A doubtful reading follows two rules:

    - Dice that did not move keep their earlier values.
    - If the throw zone looks empty, a doubt other than `COUNT` changes nothing in memory, except that the tray no
      longer counts as empty.

    If dice moved in a doubtful reading, the next clear reading with dice is compared with the dice from before the
    doubt. If none of them was rolled, `cleared` is set: a question about them is void.
    """
    before, observation = now.memory, now.observation
    if before.doubted is not None and observation.doubt is None and observation.thrown:
        before = before.doubted
    motion, cleared = _motion(before, observation), before is not now.memory
    if not observation.thrown and observation.doubt not in (None, Doubt.COUNT):
        # An unreadable, apparently empty frame is not evidence that the dice were removed.
        return Interpretation(replace(before, empty_since_s=None), notice=_unclear(observation))
    seen = before.after(observation, motion)
    if observation.doubt is not None and observation.thrown and motion is Motion.NONE and before.awake:
        # A clear reading beats a doubt.
        seen = replace(seen, thrown=before.thrown, lay=before.lay or seen.lay, kept=before.kept)
    now = replace(now, memory=seen)
    if not observation.thrown and not observation.kept:
        outcome = tick(now)
        return outcome if outcome.notice or outcome.lines else replace(outcome, notice=waiting_notice(now.state))
    if seen.rolled:
        return _rolled(now)
    if motion is Motion.PARTLY:
        return _partly(now, before)
    return _unsure(now, before) if motion is Motion.UNSURE else replace(reinterpret(now), cleared=cleared)


def reinterpret(now: Situation) -> Interpretation:
    """Return what dice that have not moved mean now, for example after a decision by phone.

    - A roll was seen but not played: play it or ask about it. If no throw is legal, there is at most a notice.
    - No such roll, and a clear reading: dice in the keep zone may imply a decision.
    - No such roll, and a doubt: only a notice. A wrong number of dice (`COUNT`) with an empty throw zone counts as a
      clear reading, because the other dice may be in a hand.
    """
    if now.memory.rolled:
        return _rolled(now)
    # A tray shows too few dice while the others are in a hand.
    in_hand = now.observation.doubt == Doubt.COUNT and not now.observation.thrown
    if now.observation.doubt is None or in_hand:
        return _at_rest(now)
    return Interpretation(now.memory, notice=_unclear(now.observation))


def tick(now: Situation) -> Interpretation:
    """Return what an empty tray means now: lines that bank, a notice, or neither.

    - There are dice in the tray, or no throw in the tray was played since the last bank, undo, correction or throw by
      phone: neither.
    - The rules refuse a bank: the notice `waiting_notice`.
    - The next throw takes all dice, so that an empty tray is no sign of a bank: a notice that asks to throw or bank.
    - Otherwise: a notice that a bank is near; once the tray has been empty for BANK_AFTER_S seconds, the lines that
      bank.
    """
    memory = now.memory
    if memory.empty_since_s is None or not memory.armed:
        return Interpretation(memory)
    lines = banking(now)
    if not lines:
        return Interpretation(memory, notice=waiting_notice(now.state))
    before_stop = state_after(now.state, lines[:-1])
    if before_stop is not None and now.policies(before_stop).takes_all(before_stop):
        args = {"player": now.state.standing.player, "sizes": list(before_stop.throw_sizes)}
        return Interpretation(memory, notice=Phrase("throw_or_bank", args))
    if now.observation.at_s - memory.empty_since_s < BANK_AFTER_S:
        return Interpretation(memory, notice=Phrase("banking", {"after_s": BANK_AFTER_S}))
    return Interpretation(replace(memory, armed=False, rolled=False), lines)


def banking(now: Situation) -> tuple[Action, ...]:
    """Return the lines that bank now, by button or by lifting the dice out; empty if the rules refuse them."""
    lines = (*now.policy.before_bank(now.state, now.dice), Stop())
    return lines if state_after(now.state, lines) is not None else ()


def answered(now: Situation, values: Sequence[int]) -> tuple[Action, ...]:
    """Return the lines that play a person's answer to a question about the tray: a throw of these values.

    `now` is the situation that the question was about. Decisions that its keep zone implies come first, if exactly one
    sequence of them makes the throw legal. Otherwise the throw alone is returned, unchecked.
    """
    throw = Throw(tuple(values))
    ways = [(*before, throw) for before in now.policy.before_throw(now.state, now.dice)]
    fitting = [way for way in ways if state_after(now.state, way) is not None]
    return fitting[0] if len(fitting) == 1 else (throw,)


def _motion(memory: Memory, observation: Observation) -> Motion:
    """Return how the dice in the throw zone moved since the last observation, as one `Motion` for all of them.

    - First observation after the table's start: `NONE` if the game's last throw has every value at least as often as
      the throw zone, else `UNSURE`.
    - Empty throw zone at the last observation: it may only have been covered. If equally many dice now lie in the
      places of the last dice seen there, they are compared with those dice. If not, they are compared with the empty
      zone.
    - Otherwise: the dice are compared with those of the last observation (`motion_of`).
    """
    if not memory.awake:
        known = Counter(values_of(observation.thrown)) <= Counter(memory.last_values)
        return Motion.NONE if known else Motion.UNSURE
    uncovered = not memory.thrown and len(memory.lay) == len(observation.thrown)
    before = memory.lay if uncovered and not any_in_new_place(memory.lay, observation.thrown) else memory.thrown
    return motion_of(before, memory.kept, observation)


def _partly(now: Situation, before: Memory) -> Interpretation:
    """Interpret a tray in which some dice of the throw zone moved and others did not.

    The first case that applies decides:
    - The reading is clear, and the dice that moved make exactly one legal throw by themselves: play it.
    - Over half of the dice did not move: the others tipped over, and nothing was thrown (`reinterpret`).
    - All dice together may be a legal throw: ask people (`_unsure`).
    - A throw is due: all dice count as rolled (`_rolled`).
    - No throw is due: nothing was thrown.
    """
    thrown = now.observation.thrown
    left = Counter(values_of(thrown)) - Counter(values_of(moved(before.thrown, thrown)))
    still = tuple(sorted(left.elements()))
    plays = _possible_plays(now, still) if now.observation.doubt is None else []
    if len(plays) == 1:
        return _thrown(now, plays[0])
    if len(still) * 2 > len(thrown):
        return reinterpret(now)
    if not _possible_plays(now) and _legal_sizes(now):
        return _rolled(replace(now, memory=replace(now.memory, rolled=True, rolls=now.memory.rolls + 1)))
    return _unsure(now, before)


def _unsure(now: Situation, before: Memory) -> Interpretation:
    """Return an interpretation that asks people whether the dice were thrown.

    If the dice can't be a legal throw, they are interpreted as not moved instead (`reinterpret`). One exception:
    the first reading after the table's start is in doubt and a throw is due. People are then asked in any case,
    because a die may be missing. `before` is the memory before the observation, `now.memory` the one after it.
    """
    wanted, doubt = _legal_sizes(now), now.observation.doubt
    doubted_at_first = doubt is not None and not before.awake  # a die may have been missed
    if not (wanted and doubted_at_first) and not _possible_plays(now):
        return reinterpret(now)
    code = doubt or (Doubt.MOVED if before.awake else Doubt.FOUND)
    return Interpretation(now.memory, ask=Ask(code, wanted, now.observation, now.memory))


def _rolled(now: Situation) -> Interpretation:
    """Interpret rolled dice: play the throw if the reading has no doubt and exactly one way to play it is legal.

    Otherwise people are asked. If no throw is legal now, nobody is asked: a notice says that a decision must come
    first. After the end of the game there is not even a notice.
    """
    state, memory, observation, wanted = now.state, now.memory, now.observation, _legal_sizes(now)
    seen = len(observation.thrown)
    if not wanted:
        args = {"player": state.standing.player, "decisions": list(state.decisions), "seen": seen}
        return Interpretation(memory, notice=None if state.standing.over else Phrase("decide_first", args))
    if observation.doubt is not None:
        ask = Ask(observation.doubt, wanted, observation, memory)
        return Interpretation(memory, ask=ask, notice=_unclear(observation))
    plays = _possible_plays(now)
    if len(plays) == 1:
        return _thrown(now, plays[0])
    ask = Ask(Doubt.UNSURE if plays else Doubt.COUNT, wanted, observation, memory)
    notice = Phrase("count", {"wanted": list(wanted), "seen": seen, "kept": len(observation.kept)})
    return Interpretation(memory, ask=ask, notice=notice)


def _possible_plays(now: Situation, still: Values = ()) -> list[tuple[Action, ...]]:
    """Return every way to read the dice that the rules allow: decisions that the keep zone implies, then one `Throw`.

    Empty if they allow none. `still` are the values of dice that did not move: a policy may count them as not thrown.
    """
    plays = list[tuple[Action, ...]]()
    for before in now.policy.before_throw(now.state, now.dice):
        for values in now.policy.thrown(now.state, now.dice, still):
            lines = (*before, Throw(values))
            if lines not in plays and state_after(now.state, lines) is not None:
                plays.append(lines)
    return plays


def _legal_sizes(now: Situation) -> tuple[int, ...]:
    """Return the numbers of dice that may be thrown after the decisions that the keep zone implies, ascending."""
    reached = [state_after(now.state, before) for before in now.policy.before_throw(now.state, now.dice)]
    return tuple(sorted({size for after in reached if after for size in after.throw_sizes}))


def _thrown(now: Situation, lines: tuple[Action, ...]) -> Interpretation:
    """Return the interpretation that plays `lines`, then the decisions that the dice in the keep zone show.

    `lines` must be legal and end with a `Throw`. The result counts as a clear throw (`settled`).
    """
    throw, reached = lines[-1], state_after(now.state, lines)
    assert isinstance(throw, Throw), "a reading ends with its throw"
    assert reached is not None, "a reading is allowed by the rules"
    known = now.memory.entered(throw.dice)
    if len(throw.dice) == len(now.observation.thrown):
        # No die of this throw has been moved to the keep zone yet.
        known = replace(known, kept_before=values_of(now.observation.kept))
    after = _at_rest(replace(now, state=reached, memory=known))
    return replace(after, lines=(*lines, *after.lines), settled=True)


def _at_rest(now: Situation) -> Interpretation:
    """Interpret dice that lie still since their throw was played: the keep zone may imply a decision."""
    meaning = now.policy.at_rest(now.state, now.dice)
    return Interpretation(replace(now.memory, set_aside=meaning.set_aside), meaning.lines, notice=meaning.notice)


def _unclear(observation: Observation) -> Phrase:
    return Phrase("unclear", {"code": observation.doubt})

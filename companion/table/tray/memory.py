"""Memory of earlier observations of the tray, and its changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from companion.table.tray.motion import Motion
from companion.table.tray.observation import Die, Observation, values_of


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
        armed: Whether a throw in the tray was played since the last bank, undo, correction or throw by phone. At the
            first observation after a start: whether the game's last throw lies there.
        empty_since_s: Time on the table's clock since which the tray is empty; None if it is not, or can't be read.
        ignored_kept: Values in the keep zone that a person has overruled. They are ignored until they change.
        keep_zone: Whether the tray has a keep zone; without one every die is in the throw zone.
        doubted: The memory before a motion of the dice that only a doubtful reading shows, or None. The next clear look
            at dice starts from it: they may only have been pushed, hidden or misread.
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
    doubted: Memory | None = None

    def seen(self, at_s: float) -> Observation:
        """Return the remembered dice as an observation of the tray at a time on the table's clock."""
        return Observation(thrown=self.thrown, kept=self.kept, doubt=None, photo_jpeg=None, at_s=at_s,
                           emptied=False, keep_zone=self.keep_zone)  # fmt: skip

    def after(self, observation: Observation, motion: Motion) -> Memory:
        """Return the memory after one more observation; `motion` is how the throw zone's dice moved before it.

        `thrown`, `kept` and `keep_zone` are those of the observation. `awake` is set. Other changes:

        - `lay`: the dice in the throw zone, if any.
        - `rolled`, `rolls`: a roll sets `rolled` and adds 1 to `rolls`.
        - `kept_before`: after a roll, the values that were in the keep zone before and after it.
        - `armed`: set if the memory was not `awake` and dice lie unmoved in the throw zone.
        - `empty_since_s`: None if dice are seen; else the observation's time if it was None.
        - `ignored_kept`: None if the keep zone shows other values than these.
        - `doubted`: None after a clear reading; else the memory before the first motion since the last clear one. A
          motion right after an empty throw zone (`emptied`) does not count.
        """
        rolled, kept = motion is Motion.ROLLED, values_of(observation.kept)
        moved_in_doubt = motion is not Motion.NONE and not observation.emptied
        stayed = tuple(sorted((Counter(values_of(self.kept)) & Counter(kept)).elements()))
        empty_since_s = observation.at_s if self.empty_since_s is None else self.empty_since_s
        doubted = self if moved_in_doubt and self.doubted is None else self.doubted
        return replace(
            self,
            awake=True,
            thrown=observation.thrown,
            lay=observation.thrown or self.lay,
            kept=observation.kept,
            kept_before=stayed if rolled else self.kept_before,
            rolled=self.rolled or rolled,
            rolls=self.rolls + rolled,
            armed=self.armed or (not self.awake and motion is Motion.NONE and bool(observation.thrown)),
            empty_since_s=None if observation.thrown or observation.kept else empty_since_s,
            ignored_kept=self.ignored_kept if self.ignored_kept == kept else None,
            keep_zone=observation.keep_zone,
            doubted=doubted if observation.doubt is not None else None,
        )

    def overruled(self) -> Memory:
        """Return the memory after an undo, a correction or a throw by phone: the tray is ignored until it changes."""
        return replace(self.decided(), rolled=False, armed=False, empty_since_s=None)

    def overlooked(self, observation: Observation | None, deciding: bool) -> Memory:
        """Return the memory after the tray was used for something other than play, such as a lesson.

        The dice of `observation`, the tray's state after that use, are ignored until they change. If `observation` is
        None, the next observation counts as the first after the table's start: people are asked about dice that can't
        be the game's last throw. While the player to play has a decision to make (`deciding`), an empty tray counts as
        None: people may put the turn's dice back.
        """
        if observation is None or (deciding and not observation.thrown and not observation.kept):
            return replace(self, awake=False).overruled()
        thrown = observation.thrown
        seen = replace(self, awake=True, thrown=thrown, lay=thrown or self.lay, kept=observation.kept)
        return seen.overruled()

    def decided(self) -> Memory:
        """Return the memory after a decision that was not made in the tray: the keep zone is ignored until it changes.

        A roll that waits to be played stays.
        """
        return replace(self, ignored_kept=values_of(self.kept), doubted=None)

    def entered(self, values: Sequence[int]) -> Memory:
        """Return the memory after a throw of these values was played: the tray's dice are that throw, no roll waits."""
        values = tuple(sorted(values))
        return replace(
            self, rolled=False, armed=True, set_aside=(), last_values=values, ignored_kept=None, doubted=None
        )

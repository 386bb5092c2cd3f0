"""Measures how throws in rendered clips with disturbances are reported, as by `pegpip watch`: `make clips`.

A clip has throws and disturbances; the physics gives the ground truth. A throw is missed if no trusted reading reports
it before the next one. A false report is a trusted reading that differs from the truth, or a lift that never happened.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from vision.cameras.simulated.tray import DIE_MM, Pose
from vision.networks import load_networks
from vision.reading.reader import Reader
from vision.research.evaluation.scene import flat_turn
from vision.research.evaluation.stage import FPS, Led, Stage
from vision.watching.stillness import STILL_S
from vision.watching.watcher import Settled, Watcher

Action = Callable[[Stage], None]
"""Changes a stage at one moment of a clip, such as a throw or a knock."""
Plan = list[tuple[float, Action]]
"""Actions of a clip, each with its time in seconds, counted from LONGEST_S after the first throw."""
THROWN_S = 0.5
"""Time of the first throw in a clip, in seconds. Before it the tray is empty; later makes each clip longer."""
THROW_STRENGTH = 0.4
"""Strength of all simulated throws in the clips, 0 (weak) to 1 (hard). Harder throws roll longer, and may not come to
rest within LONGEST_S."""
LONGEST_S = 4.0
"""Longest time, in seconds, from a throw to its rest: half a second in the cup, then rolling. The times of a clip's
disturbances count from its end after the first throw. Higher: longer clips, and a later right reading still counts.
Lower: a throw that rolls for long counts as missed."""
SETTLED_TO_REPORTED = 4
"""Largest number of frames, at 30 a second, from STILL_S after the dice's last motion to the right reading's report. A
later report fails the evaluation. Larger: slower reports pass. Smaller: a frame or two of delay fails."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A kind of clip.

    Attributes:
        name: Name of the disturbance.
        acts: Draws the disturbances that follow the first throw.
    """

    name: str
    acts: Callable[[np.random.Generator], Plan]


@dataclass(frozen=True, slots=True)
class Watched:
    """How the throws of one clip were reported.

    Attributes:
        name: Name of the scenario.
        seed: Seed of the clip.
        throws: Number of throws.
        missed: Throws that no true trusted reading reported.
        repeated: Trusted reports of a throw that was reported before.
        invented: Trusted reports of values or of a lift that never happened (false accepts).
        doubted: Reports in doubt.
        slowest_frames: Most frames from the stillness that ends a throw to its report.
    """

    name: str
    seed: int
    throws: int
    missed: int
    repeated: int
    invented: int
    doubted: int
    slowest_frames: int = 0


def throw(stage: Stage) -> None:
    """Throw all dice of the stage that are not in the keep zone."""
    stage.tray.throw(strength=THROW_STRENGTH)


def _again(_rng: np.random.Generator) -> Plan:
    """Plan a second throw."""
    return [(0.3, throw)]


def _hand(rng: np.random.Generator) -> Plan:
    """Plan a hand that passes over the tray."""
    lasts = rng.uniform(0.4, 1.2)
    return [(0.2, lambda stage: setattr(stage.faults, "hand_until_s", stage.clock.now_s + lasts))]


def _nudge(rng: np.random.Generator) -> Plan:
    """Plan two nudges by one random offset, up to 6 mm along each axis; each moves a random die."""
    by = rng.uniform(-6, 6, 2)

    def nudged(stage: Stage) -> None:
        die = stage.tray.dice()[int(rng.integers(stage.dice))]
        stage.tray.move(die["id"], die["x_mm"] + by[0], die["y_mm"] + by[1])

    return [(0.2, nudged), (0.9, nudged)]


def _lamp(rng: np.random.Generator) -> Plan:
    """Plan that a lamp is dimmed or brightened, and later switched back."""
    other = float(rng.choice([0.6, 0.75, 1.15]))

    def switched(level: float) -> Action:
        return lambda stage: setattr(stage.faults, "lamp", level)

    return [(0.2, switched(other)), (1.0, switched(1.0))]


def _shadow(rng: np.random.Generator) -> Plan:
    """Plan that a person's shadow falls on the tray for a while."""
    lasts = rng.uniform(0.5, 1.2)
    return [(0.2, lambda stage: setattr(stage.faults, "shadow_until_s", stage.clock.now_s + lasts))]


def _knock(_rng: np.random.Generator) -> Plan:
    """Plan two knocks at the table."""

    def knocked(stage: Stage) -> None:
        stage.faults.knock_at_s = stage.clock.now_s

    return [(0.2, knocked), (0.9, knocked)]


def _slowly(rng: np.random.Generator) -> Plan:
    """Plan an extra die that rolls slowly onto its face."""
    value, x, y = int(rng.integers(1, 7)), rng.uniform(30, 210), rng.uniform(30, 210)
    lasts = rng.uniform(0.8, 1.4)

    def rolls(stage: Stage) -> None:
        began = stage.clock.now_s
        x_free, y_free = _free(stage, x, y)
        stage.tray.scripts.append(
            lambda now: tipped(stage.dice, value, x_free, y_free, 60 * max(0.0, 1 - (now - began) / lasts) ** 2)
        )

    return [(0.2, rolls)]


def _leaves(rng: np.random.Generator) -> Plan:
    """Plan that one die is taken out of the tray."""

    def left(stage: Stage) -> None:
        stage.tray.lift([int(rng.integers(stage.dice))])

    return [(0.3, left)]


def _cocked(rng: np.random.Generator) -> Plan:
    """Plan an extra die that comes to rest cocked."""
    angle = float(rng.uniform(18, 42))
    value, x, y = int(rng.integers(1, 7)), rng.uniform(30, 210), rng.uniform(30, 210)

    def laid(stage: Stage) -> None:
        at = _free(stage, x, y)
        stage.tray.scripts.append(lambda _now: tipped(stage.dice, value, *at, angle))

    return [(0.2, laid)]


def _stacked(rng: np.random.Generator) -> Plan:
    """Plan an extra die that comes to rest on another."""
    value = int(rng.integers(1, 7))

    def laid(stage: Stage) -> None:
        under = stage.tray.dice()[int(rng.integers(stage.dice))]
        off = rng.uniform(-4, 4, 2)
        at = np.array([under["x_mm"] + off[0], under["y_mm"] + off[1], 1.5 * DIE_MM])
        pose = Pose(stage.dice, at, flat_turn(value, float(rng.uniform(0, 1.5))))
        stage.tray.scripts.append(lambda _now: pose)

    return [(0.2, laid)]


def tipped(die: int, value: int, x_mm: float, y_mm: float, angle_deg: float) -> Pose:
    """Return the pose of die number `die` that stands on one edge, tilted from lying flat with `value` up."""
    angle = math.radians(angle_deg)
    lean = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    height = DIE_MM / 2 * (abs(math.sin(angle)) + abs(math.cos(angle)))
    return Pose(die, np.array([x_mm, y_mm, height]), lean @ flat_turn(value, 0.5))


def _free(stage: Stage, x: float, y: float) -> tuple[float, float]:
    """Return a place near (x, y), in mm, over two die edges away from all dice; (x, y) itself if there is none."""
    others = [(die["x_mm"], die["y_mm"]) for die in stage.tray.dice()]
    for step in range(200):
        a, r = 2.4 * step, 3.0 * math.sqrt(step)
        at = (float(np.clip(x + r * math.cos(a), 20, 220)), float(np.clip(y + r * math.sin(a), 20, 220)))
        if all(math.dist(at, other) > 2 * DIE_MM for other in others):
            return at
    return x, y


def _colours(now_s: float) -> tuple[float, float, float]:
    """Return the light (b, g, r) of an LED strip at a time: it runs through its colours twice a second."""
    a = 4 * math.pi * now_s
    return (35 + 35 * math.sin(a), 35 + 35 * math.sin(a + 2.1), 45 + 45 * math.sin(a + 4.2))


SCENARIOS = (
    Scenario("two throws", _again),
    Scenario("a hand passes", _hand),
    Scenario("dice nudged", _nudge),
    Scenario("lamp switched", _lamp),
    Scenario("shadow", _shadow),
    Scenario("knock", _knock),
    Scenario("a slow roll", _slowly),
    Scenario("a die leaves", _leaves),
    Scenario("cocked", _cocked),
    Scenario("stacked", _stacked),
    Scenario("colours change", _again),
)
"""The kinds of clips that are measured."""


def staged(scenario: Scenario, seed: int, led: Led | None = None) -> tuple[Stage, list[float]]:
    """Make the stage of a clip from its seed, and return it with the times of its throws in seconds.

    `led` is the light of an LED strip beside the tray; None for none.
    """
    rng = np.random.default_rng([seed, *scenario.name.encode()])
    first = THROWN_S + LONGEST_S
    acts = [(first + at_s, act) for at_s, act in scenario.acts(rng)]
    throws = [THROWN_S] + [at_s for at_s, act in acts if act is throw]
    lasts = max(at_s for at_s, _ in acts) + (LONGEST_S if len(throws) > 1 else 2.2)
    return Stage(int(rng.integers(2, 7)), seed, lasts, [(THROWN_S, throw), *acts], led), throws


def watched(scenario: Scenario, seed: int) -> Watched:
    """Render one clip, watch it and return how its throws were reported."""
    led = _colours if scenario.name == "colours change" else None
    stage, throws = staged(scenario, seed, led)
    watcher = Watcher(stage, Reader(load_networks(), stage.rig).read, stage.rig, dim=None if led is None else stage.dim)
    events = [event for event in watcher.events() if isinstance(event, Settled)]
    return _judged(scenario.name, seed, stage, events, throws)


def _judged(name: str, seed: int, stage: Stage, events: list[Settled], throws: list[float]) -> Watched:
    invented = repeated = missed = slowest = 0
    before: Settled | None = None
    for event in events:
        invented += event.reading.trusted and not is_true(event, stage)
        if before is not None and event.reading.trusted and event.thrown:
            same = event.reading.values == before.reading.values
            repeated += same and not event.emptied
            # Reported empty since the dice were last reported, though no frame was.
            since = stage.truth[_number_of(before) : _number_of(event)]
            invented += bool(before.thrown) and event.emptied and all(truth.values for truth in since)
        before = event
    for start, end in zip(throws, [*throws[1:], math.inf], strict=True):
        end = min(end, start + LONGEST_S + 0.15)
        right = [e for e in events if start < e.at_s < end and e.thrown and e.reading.trusted and is_true(e, stage)]
        missed += not right
        if right:
            first = round(right[0].at_s * FPS)
            rest = max(number for number in range(first) if stage.truth[number].moved)
            slowest = max(slowest, first - rest - math.ceil(STILL_S * FPS))
    doubted = sum(not event.reading.trusted for event in events)
    return Watched(name, seed, len(throws), missed, repeated, invented, doubted, slowest)


def _number_of(event: Settled) -> int:
    """Return the number of the frame, from 0, that a report was read from."""
    return round(event.frame.at_s * FPS)


def is_true(event: Settled, stage: Stage) -> bool:
    """Return whether the reported values equal those in the tray at the frame that was read."""
    return event.reading.values == stage.truth[min(_number_of(event), len(stage.truth) - 1)].values


def table(clips: list[Watched]) -> str:
    """Format the counts of each scenario and of all clips as a text table, then a line for each failed clip.

    A clip failed if a throw was missed, invented or reported more than SETTLED_TO_REPORTED frames after its rest.
    """
    heads = ("throws", "missed", "repeated", "invented", "doubted")
    rows = [f"{'':18}{'clips':>9}" + "".join(f"{head:>10}" for head in heads) + f"{'frames':>9}"]
    for name in [*(scenario.name for scenario in SCENARIOS), "all"]:
        group = [clip for clip in clips if name in (clip.name, "all")]
        if group:
            sums = "".join(f"{sum(getattr(clip, head) for clip in group):10}" for head in heads)
            rows.append(f"{name:18}{len(group):9}{sums}{max(clip.slowest_frames for clip in group):9}")
    rows += [f"! {clip}" for clip in clips if clip.missed or clip.invented or clip.slowest_frames > SETTLED_TO_REPORTED]
    return "\n".join(rows)


def main() -> int:
    """Watch clips of every scenario, print the table, and return 1 if a throw was missed, invented or late, else 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=6, help="clips of each of the eleven kinds")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    clips = [watched(one, args.first + n) for n in range(args.each) for one in SCENARIOS]
    sys.stdout.write(table(clips) + "\n")
    return int(any(c.missed or c.invented or c.slowest_frames > SETTLED_TO_REPORTED for c in clips))


if __name__ == "__main__":
    sys.exit(main())

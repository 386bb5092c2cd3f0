"""The pictures in `fixtures/images`: one of each hard case, rendered, exactly labelled; `make fixtures` makes them.

A case is a condition of `conditions.py` with a seed, or an arrangement that cannot be read in full. There a die leans
on the wall, lies on another, or lies half outside the picture.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.cameras.simulated.tray import DIE_MM, RIDGE_MM, TRAY_WH_MM
from vision.research.evaluation import conditions, grounds, kinds
from vision.research.evaluation.conditions import CONDITIONS, MARGIN_MM
from vision.research.evaluation.raycast import Doubles, LyingDie
from vision.research.evaluation.scene import Rendered, Scene, flat_turn, rendered

QUALITY, EMPTY_QUALITY = 84, 72
"""JPEG quality, 0 to 100, of a fixture's picture, and of its empty tray, of which only broad colours matter. Higher:
larger files in the repository; lower: compression may change what is read."""
MANIFEST = "MANIFEST.json"
"""Name of the file that lists the fixtures with their labels and hashes."""

Arranged = Callable[[np.random.Generator], list[LyingDie]]


@dataclass(frozen=True, slots=True)
class Case:
    """A hard case: its name, the condition or arrangement that shows it, the seed, and whether all dice lie flat."""

    name: str
    made_by: str
    seed: int
    flat: bool = True


CASES = (
    Case("dark-on-grey", "black", 9),
    Case("own-colour", "coloured dice", 5),
    Case("translucent", "translucent", 3),
    Case("speckled-wooden", "speckled, wooden", 4),
    Case("large-one", "rounded, large one", 3),
    Case("worn", "worn paint", 5),
    Case("leather-wood", "leather, wood", 8),
    Case("printed-cloth", "wet, patterned", 4),
    Case("wet-felt", "wet, patterned", 7),
    Case("hard-light", "hard light", 6),
    Case("dim", "dim, coloured", 3),
    Case("blurred", "blur, bent, jpeg", 3),
    Case("cocked", "cocked", 1, flat=False),
    Case("stacked", "stacked", 1, flat=False),
    Case("outside", "outside", 1, flat=False),
)
"""The hard cases of `fixtures/images`: name, condition or arrangement, and random seed. Another seed draws other
dice."""


def made(case: Case) -> Rendered:
    """Render the picture of a case from its seed."""
    for condition in CONDITIONS:
        if condition.name == case.made_by:
            return conditions.picture(condition, case.seed)
    rng = np.random.default_rng([case.seed, *case.made_by.encode()])
    dice = ARRANGED[case.made_by](rng)
    lamps, sky = conditions.soft(rng)
    scene = Scene(conditions.tray(grounds.felt, rng), conditions.fall_off(rng), lamps, sky, dice)
    return rendered(scene, conditions.clean(rng), rng)


def _with_flat_ones(last: LyingDie, rng: np.random.Generator) -> list[LyingDie]:
    """Return up to three flat dice that lie apart from `last`, and then `last` itself."""
    lying = conditions.lying((kinds.IVORY, kinds.RED), 4, rng)
    apart = [die for die in lying if np.hypot(*(die.at_mm - last.at_mm)[:2]) > 2 * DIE_MM]
    return [*apart[:3], last]


def _die(at_mm: tuple[float, float, float], turn: Doubles, rng: np.random.Generator) -> LyingDie:
    return LyingDie(np.array(at_mm), turn, DIE_MM, kinds.IVORY, int(rng.integers(1 << 30)))


def _cocked(rng: np.random.Generator) -> list[LyingDie]:
    """Place a die that leans on the left wall, tilted by 38 degrees, and some flat dice."""
    angle = np.radians(38.0)
    lean = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
    reach = DIE_MM / 2 * (np.sin(angle) + np.cos(angle))
    return _with_flat_ones(_die((float(reach), 120.0, float(reach)), lean @ flat_turn(3, 0.0), rng), rng)


def _stacked(rng: np.random.Generator) -> list[LyingDie]:
    """Place a die flat on another, and some flat dice."""
    below = conditions.lying((kinds.RED,), 2, rng)[0]
    x, y, _ = below.at_mm
    return [below, *_with_flat_ones(_die((x + 3.0, y - 2.0, 1.5 * DIE_MM), flat_turn(5, 0.7), rng), rng)]


def _outside(rng: np.random.Generator) -> list[LyingDie]:
    """Place a die on the rim, half outside the picture, and some flat dice."""
    x = (RIDGE_MM + MARGIN_MM) / 2
    return _with_flat_ones(_die((x, TRAY_WH_MM[1] + 8.0, DIE_MM / 2), flat_turn(4, 0.3), rng), rng)


ARRANGED: dict[str, Arranged] = {"cocked": _cocked, "stacked": _stacked, "outside": _outside}
"""Arrangements of dice, by the name in `Case.made_by`."""


def entry(case: Case, shown: Rendered, folder: Path) -> dict[str, Any]:
    """Return the manifest entry of a case: file names, seed, dice, and the hashes of its files in `folder`."""
    names = {"picture": f"{case.name}.jpg", "empty": f"{case.name}-empty.jpg"}
    return {
        **names,
        "module": "vision.research.evaluation.fixtures",
        "made_by": case.made_by,
        "seed": case.seed,
        "all_flat": case.flat,
        "dice": [{"value": die.value, "box_xywh": list(die.box_xywh)} for die in shown.dice],
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names.values()},
    }


def write(folder: Path) -> int:
    """Render all cases into a folder, with a manifest; return the size in bytes of all files then in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = []
    for case in CASES:
        shown = made(case)
        for name, image, quality in (
            (f"{case.name}.jpg", shown.image_bgr, QUALITY),
            (f"{case.name}-empty.jpg", shown.rig.empty_bgr, EMPTY_QUALITY),
        ):
            cv2.imwrite(str(folder / name), image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        entries.append(entry(case, shown, folder))
    manifest = {"made_with": "make fixtures", "cases": entries}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> int:
    """Render the pictures of `fixtures/images` anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("fixtures/images"))
    folder = parser.parse_args().out
    sys.stdout.write(f"{write(folder) / 1e6:.1f} MB in {folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

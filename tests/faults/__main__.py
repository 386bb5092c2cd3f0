"""`make faults`: every way of losing data, at length, with the outcomes. Exit 1 when a loss was not reported."""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.faults import backups, below, damaged, latent

WRONG = ("silent", "hung", "LOST", "SILENT", "ANOTHER", "REFUSED", "photos gone")


def main() -> int:
    """Run them all; 1 when something was lost in silence."""
    logging.disable(logging.CRITICAL)
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="pegpip-faults-") as scratch:
        room = Path(scratch)
        rounds: dict[str, Callable[[], Counter[str] | None]] = {
            "500 damaged folders": lambda: damaged.run(_made(room / "damaged"), 500),
            "500 journals spoilt one copy after the other": lambda: latent.run(_made(room / "latent"), 500),
            "100 foreign, older or swapped files": lambda: latent.swaps(_made(room / "swaps"), 100),
            "1,000 mutilated backups": lambda: _backups(_made(room / "backups"), 1000),
            "power cut at 500 moments": lambda: below.run("power", room / "power", 500),
            "killed 200 times": lambda: below.run("kills", room / "kills", 200),
            "each write call failed, three ways": lambda: below.run("calls", room / "calls", 10_000),
        }
        for name, round_ in rounds.items():
            began_s = time.monotonic()
            found = round_()
            if found is None:
                print(f"{name}: left out, there is no compiler", flush=True)
                continue
            wrong += sum(count for came, count in found.items() if came.startswith(WRONG))
            figures = ", ".join(f"{came}: {count}" for came, count in sorted(found.items()))
            print(f"{name} ({time.monotonic() - began_s:.0f} s): {figures}", flush=True)
    print("nothing was lost in silence" if not wrong else f"{wrong} WENT WRONG")
    return 1 if wrong else 0


def _backups(folder: Path, count: int) -> Counter[str]:
    return backups.run(folder, damaged.played_folder(folder / "played", 8, 5).folder, count)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main())

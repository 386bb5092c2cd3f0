"""A program to inject faults into: it plays an evening and appends each acknowledged state to the file `acks`."""

from __future__ import annotations

import contextlib
import json
import os
import random
from pathlib import Path

from companion.errors import CompanionError
from companion.table.commands import StartGame
from tests.faults.damaged import act_turn
from tests.table.acting import HEADER, Tray, table_in


def play(folder: Path, acks_file: Path, turns: int, seed: int) -> None:
    """Play some turns with photos in a folder; play goes on after refusals."""
    acks = os.open(acks_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    table, tray, chance = table_in(folder), Tray(seed), random.Random(seed)
    try:
        table.start()
    except CompanionError:
        return
    for turn in range(turns):
        with contextlib.suppress(CompanionError):
            if table.snapshot().game is None:
                table.submit(StartGame(header=HEADER))
            act_turn(table, tray, chance)
        told = {"number": table.snapshot().number, "state": table.snapshot().state, "turn": turn}
        os.write(acks, json.dumps(told).encode() + b"\n")
    table.stop()


def last_told(acks: bytes) -> dict[str, object]:
    """Return the last complete note."""
    lines = acks[: acks.rfind(b"\n") + 1].splitlines()
    return json.loads(lines[-1]) if lines else {"number": 0, "state": None}

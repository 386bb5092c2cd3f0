"""The program is killed at random moments: no acknowledged line is lost, and the game goes on where it was."""

from __future__ import annotations

import http.client
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.system.running import Running
from tests.waiting import until

KILLS = 5
"""`make faults` kills 200 times."""


def line_for(state: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """A legal line of Crib Dice for that state."""
    if state["throw_sizes"]:
        if "stop" in state["decisions"] and chance.random() < 0.3:
            return {"do": "stop"}
        return {"throw": [chance.randint(1, 6) for _ in range(state["throw_sizes"][0])]}
    if "point" in state["decisions"]:
        dice = state["dice"]
        return {"do": "point", "value": chance.choice([v for v in dice if dice.count(v) > 1])}
    return {"do": "stop"}


def play_until_killed(table: Running, chance: random.Random, told: list[dict[str, Any]]) -> None:
    try:
        while True:
            snapshot = told[-1]
            if snapshot["state"]["over"]:
                header = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"]}
                status, answer = table.ask("/api/games", header)
            else:
                line = line_for(snapshot["state"], chance)
                status, answer = table.ask("/api/lines", {"number": snapshot["number"], "line": line})
            assert status == 200, answer
            told.append(answer)
    except (OSError, http.client.HTTPException):
        return  # the connection broke, perhaps in the middle of an answer: killed


@pytest.mark.slow
def test_a_table_killed_at_random_keeps_every_acknowledged_journal_entry(tmp_path: Path) -> None:
    chance = random.Random(20261121)
    told: list[dict[str, Any]] = []
    for _ in range(KILLS):
        with Running(tmp_path, "--players", "Ann,Ben") as table:
            now = table.state()
            if told:
                assert now["number"] in (told[-1]["number"], told[-1]["number"] + 1)
                if now["number"] == told[-1]["number"]:
                    assert now["state"] == told[-1]["state"]
                    assert now["events"] == told[-1]["events"]
            table.pair()
            told = [now]
            player = threading.Thread(target=play_until_killed, args=(table, chance, told))
            player.start()
            lines = chance.randint(2, 60)
            assert until(lambda: len(told) > lines or not player.is_alive())  # noqa: B023
            table.kill()
            player.join()
    assert told[-1]["number"] > KILLS

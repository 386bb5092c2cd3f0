"""An independent, naive implementation of Crapola, written from docs/reference/rules.md, to test the engine against."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

from tests.games.naive_crib_dice import Refused, leaves, rolled_off, with_left


@cache
def single_combination(dice: tuple[int, ...]) -> int:
    """Return the points of ascending dice that are one combination of the chart; 0 when they are none."""
    if dice == (1,):
        return 100
    if dice == (5,):
        return 50
    best = 0
    if len(dice) >= 3 and len(set(dice)) == 1:
        three = 1000 if dice[0] == 1 else dice[0] * 100
        best = three * {3: 1, 4: 2, 5: 3, 6: 4, 7: 5}[len(dice)]
    if dice == (1, 2, 3, 4, 5, 6):
        best = 1000
    if len(dice) == 6 and dice[0::2] == dice[1::2]:
        best = max(best, 500)
    return best


@cache
def best_split(dice: tuple[int, ...]) -> int:
    """Return the points of the best partition of dice into combinations; 0 when there is none."""
    best = single_combination(dice)
    for size in range(1, len(dice)):
        for places in combinations(range(len(dice)), size):
            if 0 not in places:
                continue
            part = tuple(dice[i] for i in places)
            rest = tuple(dice[i] for i in range(len(dice)) if i not in places)
            if single_combination(part) and best_split(rest):
                best = max(best, single_combination(part) + best_split(rest))
    return best


@cache
def something_scores(dice: tuple[int, ...]) -> bool:
    return any(best_split(part) for size in range(1, len(dice) + 1) for part in combinations(dice, size))


class NaiveCrapola:
    def __init__(self, header: dict[str, Any]) -> None:
        self.people: list[str] = header["players"]
        defaults = {"entry": 1000, "target": 15000, "reversal": True, "spend": True, "seventh_die": True}
        self.rule = {**defaults, **header.get("rules", {})}
        self.total = dict.fromkeys(self.people, 0)
        self.boarded = dict.fromkeys(self.people, False)
        self.way = 1
        self.ended_by: str | None = None
        self.had_last: list[str] = []
        self.turns = 0
        self.over = False
        self.now: str = header.get("first", self.people[0])
        self.rolling: list[str] = list(self.people) if header.get("roll_off") else []
        self.rolled: list[int] = []
        self.left: list[str] = []
        self.left_before: list[str] = []
        self.clean()

    def clean(self) -> None:
        self.points = 0
        self.kept: list[list[int]] = []
        self.dice: list[int] = []
        self.stage = "start"
        self.with_dice = 0

    @property
    def who(self) -> str:
        return self.rolling[len(self.rolled)] if self.rolling else self.now

    def can_hit(self, name: str) -> int:
        return 0 if name == self.now or name in self.left else min(1000, self.total[self.now], self.total[name])

    def sizes(self) -> list[int]:
        if self.rolling:
            return [2]
        if self.over or self.stage == "keep":
            return []
        if self.stage == "start":
            there = [name for name in self.people if name not in self.left_before]
            behind = max(self.total[name] for name in there) - self.total[self.now] > 5000
            return [6, 7] if behind and self.rule["seventh_die"] and self.ended_by is None else [6]
        return [len(self.dice)] if self.dice else [self.with_dice]

    def words(self) -> list[str]:
        if self.rolling or self.over:
            return []
        if self.stage == "keep":
            return ["keep"]
        if self.stage == "start":
            return ["spend"] if self.rule["spend"] and any(map(self.can_hit, self.people)) else []
        return ["stop"] if self.boarded[self.now] or self.points >= self.rule["entry"] else []

    def do(self, line: dict[str, Any]) -> None:
        if "leave" in line:
            self.leave(line["leave"])
        elif "throw" in line:
            if len(line["throw"]) not in self.sizes():
                raise Refused
            self.throw(sorted(line["throw"]))
        elif line["do"] not in self.words():
            raise Refused
        elif line["do"] == "keep":
            self.keep(line["dice"])
        elif line["do"] == "stop":
            self.total[self.now] += self.points
            self.boarded[self.now] = True
            if self.ended_by is None and self.total[self.now] >= self.rule["target"]:
                self.ended_by = self.now
            self.next_turn()
        else:
            if line["on"] not in self.people or not 1 <= line["points"] <= self.can_hit(line["on"]):
                raise Refused
            self.total[self.now] -= line["points"]
            self.total[line["on"]] -= line["points"]
            self.next_turn()

    def throw(self, dice: list[int]) -> None:
        if self.rolling:
            self.rolled.append(sum(dice))
            self.end_of_roll_off()
            return
        if not something_scores(tuple(dice)):
            if self.stage == "start" and self.rule["reversal"] and len(self.people) != 2:
                self.way *= -1
            self.next_turn()
            return
        if self.stage == "start":
            self.with_dice = len(dice)
        self.dice = dice
        self.stage = "keep"

    def keep(self, dice: list[int]) -> None:
        left = list(self.dice)
        for die in dice:
            if die not in left:
                raise Refused
            left.remove(die)
        points = best_split(tuple(sorted(dice))) if dice else 0
        if not points:
            raise Refused
        self.points += points
        self.kept.append(sorted(dice))
        self.dice = left
        self.stage = "choose"

    def end_of_roll_off(self) -> None:
        first = rolled_off(self)
        if first is not None:
            self.now = first
            self.left_before = list(self.left)

    def leave(self, name: str) -> None:
        rolling, his_turn = bool(self.rolling), not self.over and self.who == name
        leaves(self, name)
        if len(self.people) - len(self.left) == 1:
            self.over = True
            self.rolling = []
            self.clean()
        elif rolling:
            self.end_of_roll_off()
        elif his_turn:
            self.next_turn()

    def next_turn(self) -> None:
        self.clean()
        if self.ended_by is not None:
            self.had_last.append(self.now)
            if all(name in self.had_last or name in self.left for name in self.people):
                self.over = True
                return
        self.turns += 1
        at = self.people.index(self.now)
        while True:
            at = (at + self.way) % len(self.people)
            name = self.people[at]
            if name in self.had_last:
                continue
            if name not in self.left:
                self.now = name
                self.left_before = list(self.left)
                return
            self.turns += 1
            if self.ended_by is not None:
                self.had_last.append(name)

    def outcome(self) -> dict[str, Any] | None:
        if not self.over:
            return None
        there = [name for name in self.people if name not in self.left]
        winners = [name for name in there if self.total[name] == max(self.total[one] for one in there)]
        if self.ended_by in winners:
            winners = [self.ended_by]
        return {"winners": winners, "games_lost": {name: 0 if name in winners else 1 for name in self.people}}

    def view(self) -> dict[str, Any]:
        view = {
            "game": "crapola",
            "player": None if self.over else self.who,
            "round": 1 + self.turns // len(self.people),
            "throw_sizes": self.sizes(),
            "decisions": self.words(),
            "turn_points": self.points,
            "scores": dict(self.total),
            "over": self.over,
            "outcome": self.outcome(),
            "kept": [list(dice) for dice in self.kept],
            "dice": list(self.dice),
            "on_board": dict(self.boarded),
            "direction": self.way,
            "last_round": self.ended_by is not None,
        }
        return with_left(self, view)

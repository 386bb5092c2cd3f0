"""An independent, naive implementation of Crag, written from docs/reference/rules.md, to test the engine against."""

from __future__ import annotations

from typing import Any

from tests.games.naive_crib_dice import Refused, leaves, rolled_off, with_left

SHEET = [
    "ones",
    "twos",
    "threes",
    "fours",
    "fives",
    "sixes",
    "odd_straight",
    "even_straight",
    "low_straight",
    "high_straight",
    "three_of_a_kind",
    "thirteen",
    "crag",
]


def worth(category: str, dice: list[int], strict: bool) -> int:
    a, b, c = sorted(dice)
    if category in SHEET[:6]:
        face = SHEET.index(category) + 1
        return face * dice.count(face)
    text = f"{a}{b}{c}"
    return {
        "odd_straight": 20 if text == "135" else 0,
        "even_straight": 20 if text == "246" else 0,
        "low_straight": 20 if text == "123" else 0,
        "high_straight": 20 if text == "456" else 0,
        "three_of_a_kind": 25 if a == b == c else 0,
        "thirteen": 26 if text in ("256", "346") or (not strict and text in ("166", "355", "445")) else 0,
        "crag": 50 if text in ("166", "355", "445") else 0,
    }[category]


class NaiveCrag:
    def __init__(self, header: dict[str, Any]) -> None:
        self.people: list[str] = header["players"]
        self.strict: bool = header.get("rules", {}).get("thirteen_without_double", False)
        self.sheets: dict[str, dict[str, int]] = {name: {} for name in self.people}
        self.rolling: list[str] = list(self.people) if header.get("roll_off") else []
        self.rolled: list[int] = []
        self.left: list[str] = []
        self.left_in = 0  # the round in which a leave ended the game
        self.begin(header.get("first", self.people[0]))

    def begin(self, first: str) -> None:
        at = self.people.index(first)
        self.order = self.people[at:] + self.people[:at]
        self.clean()

    def clean(self) -> None:
        self.dice: list[int] = []
        self.throws = 0
        self.kept = False

    @property
    def over(self) -> bool:
        return bool(self.left_in) or all(len(self.sheets[name]) == 13 for name in self.there())

    def there(self) -> list[str]:
        return [name for name in self.order if name not in self.left]

    @property
    def who(self) -> str:
        if self.rolling:
            return self.rolling[len(self.rolled)]
        return min(self.there(), key=lambda name: len(self.sheets[name]))

    def sizes(self) -> list[int]:
        if self.rolling:
            return [2]
        if self.over:
            return []
        if self.throws == 0:
            return [3]
        return [3 - len(self.dice)] if self.kept else []

    def words(self) -> list[str]:
        if self.rolling or self.over or self.kept or self.throws == 0:
            return []
        return ["keep", "score"] if self.throws == 1 else ["score"]

    def do(self, line: dict[str, Any]) -> None:
        if "leave" in line:
            self.leave(line["leave"])
        elif "throw" in line:
            if len(line["throw"]) not in self.sizes():
                raise Refused
            if self.rolling:
                self.roll(sum(line["throw"]))
            else:
                self.dice = sorted(self.dice + line["throw"])
                self.throws += 1
                self.kept = False
        elif line["do"] not in self.words():
            raise Refused
        elif line["do"] == "keep":
            self.keep(line["dice"])
        else:
            sheet = self.sheets[self.who]
            if line["category"] not in SHEET or line["category"] in sheet:
                raise Refused
            sheet[line["category"]] = worth(line["category"], self.dice, self.strict)
            self.clean()

    def keep(self, dice: list[int]) -> None:
        lying = list(self.dice)
        for die in dice:
            if die not in lying:
                raise Refused
            lying.remove(die)
        if not lying:
            raise Refused
        self.dice = sorted(dice)
        self.kept = True

    def roll(self, total: int) -> None:
        self.rolled.append(total)
        self.end_of_roll_off()

    def end_of_roll_off(self) -> None:
        first = rolled_off(self)
        if first is not None:
            self.begin(first)

    def leave(self, name: str) -> None:
        rolling, round_now = bool(self.rolling), self.round()
        his_turn = not self.over and self.who == name
        leaves(self, name)
        if len(self.there()) == (1 if len(self.people) > 1 else 0):
            self.left_in = round_now
            self.rolling = []
            self.clean()
        elif rolling:
            self.end_of_roll_off()
        elif his_turn:
            self.clean()

    def round(self) -> int:
        if self.left_in or self.over:
            return self.left_in or 13
        return 1 + min(len(self.sheets[name]) for name in self.there())

    def view(self) -> dict[str, Any]:
        scores = {name: sum(sheet.values()) for name, sheet in self.sheets.items()}
        top = max((scores[name] for name in self.there()), default=None)
        winners = [name for name in self.people if name in self.there() and scores[name] == top]
        outcome = {
            "winners": winners,
            "games_lost": {name: 0 if name in winners else 1 for name in self.people},
        }
        view = {
            "game": "crag",
            "player": None if self.over else self.who,
            "round": self.round(),
            "throw_sizes": self.sizes(),
            "decisions": self.words(),
            "turn_points": 0,
            "scores": scores,
            "over": self.over,
            "outcome": outcome if self.over else None,
            "dice": list(self.dice),
            "rethrown": self.throws == 2,
            "sheets": {name: dict(sheet) for name, sheet in self.sheets.items()},
        }
        return with_left(self, view)

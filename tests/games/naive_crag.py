"""Crag a second time, written straight down from RULES.md without the project's code: what tests compare it with."""

from __future__ import annotations

from naive_crib_dice import Refused

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


def worth(category: str, dice: list, strict: bool) -> int:
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
    def __init__(self, header: dict) -> None:
        self.people = header["players"]
        self.strict = header.get("rules", {}).get("thirteen_without_double", False)
        self.sheets: dict = {name: {} for name in self.people}
        self.rolling = list(self.people) if header.get("roll_off") else []
        self.rolled: list = []
        self.begin(header.get("first", self.people[0]))

    def begin(self, first: str) -> None:
        at = self.people.index(first)
        self.order = self.people[at:] + self.people[:at]
        self.clean()

    def clean(self) -> None:
        self.dice: list = []
        self.throws = 0
        self.kept = False

    @property
    def over(self) -> bool:
        return all(len(sheet) == 13 for sheet in self.sheets.values())

    @property
    def who(self) -> str:
        if self.rolling:
            return self.rolling[len(self.rolled)]
        return min(self.order, key=lambda name: len(self.sheets[name]))

    def sizes(self) -> list:
        if self.rolling:
            return [2]
        if self.over:
            return []
        if self.throws == 0:
            return [3]
        return [3 - len(self.dice)] if self.kept else []

    def words(self) -> list:
        if self.rolling or self.over or self.kept or self.throws == 0:
            return []
        return ["keep", "score"] if self.throws == 1 else ["score"]

    def do(self, line: dict) -> None:
        if "throw" in line:
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
            lying = list(self.dice)
            for die in line["dice"]:
                if die not in lying:
                    raise Refused
                lying.remove(die)
            if not lying:
                raise Refused
            self.dice = sorted(line["dice"])
            self.kept = True
        else:
            sheet = self.sheets[self.who]
            if line["category"] not in SHEET or line["category"] in sheet:
                raise Refused
            sheet[line["category"]] = worth(line["category"], self.dice, self.strict)
            self.clean()

    def roll(self, total: int) -> None:
        self.rolled.append(total)
        if len(self.rolled) == len(self.rolling):
            best = [n for n, t in zip(self.rolling, self.rolled, strict=True) if t == max(self.rolled)]
            self.rolled = []
            self.rolling = best if len(best) > 1 else []
            if len(best) == 1:
                self.begin(best[0])

    def view(self) -> dict:
        scores = {name: sum(sheet.values()) for name, sheet in self.sheets.items()}
        top = max(scores.values())
        outcome = {
            "winners": [name for name in self.people if scores[name] == top],
            "games_lost": {name: 0 if scores[name] == top else 1 for name in self.people},
        }
        return {
            "game": "crag",
            "player": None if self.over else self.who,
            "round": 13 if self.over else 1 + min(len(sheet) for sheet in self.sheets.values()),
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

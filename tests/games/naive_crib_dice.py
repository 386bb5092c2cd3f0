"""An independent, naive implementation of Crib Dice, written from docs/reference/rules.md, to test the engine against.

One mutable table with names instead of seats. A line that the rules refuse raises `Refused`.
"""

from __future__ import annotations

from typing import Any, Protocol


class Refused(Exception):
    pass


class NaiveGame(Protocol):
    """Interface of the naive games."""

    people: list[str]
    left: list[str]
    rolling: list[str]
    rolled: list[int]

    @property
    def over(self) -> bool: ...

    def do(self, line: dict[str, Any]) -> None: ...

    def view(self) -> dict[str, Any]: ...


def leaves(game: NaiveGame, name: str) -> None:
    """Mark a player as left in any naive game, and take the player out of a roll-off."""
    if game.over or name not in game.people or name in game.left:
        raise Refused
    game.left.append(name)
    if name in game.rolling:
        at = game.rolling.index(name)
        game.rolling.pop(at)
        if at < len(game.rolled):
            game.rolled.pop(at)


def rolled_off(game: NaiveGame) -> str | None:
    """Return the name of the starter once the roll-off is decided, else None. Tied players throw again."""
    if len(game.rolling) > 1 and len(game.rolled) < len(game.rolling):
        return None
    best = game.rolling
    if len(best) > 1:
        best = [name for name, total in zip(best, game.rolled, strict=True) if total == max(game.rolled)]
    game.rolled = []
    game.rolling = best if len(best) > 1 else []
    return None if game.rolling else best[0]


def with_left(game: NaiveGame, view: dict[str, Any]) -> dict[str, Any]:
    return {**view, "left": [name for name in game.people if name in game.left]} if game.left else view


class NaiveCribDice:
    def __init__(self, header: dict[str, Any]) -> None:
        self.people: list[str] = header["players"]
        given = header.get("rules", {})
        words = [
            "piddle_points",
            "bomb",
            "double_fuchle",
            "skunk",
            "bumping",
            "find_a_loser",
            "long_game",
            "partners",
            "pandemonium",
        ]
        self.rule: dict[str, bool] = {word: given.get(word, False) for word in words}
        self.team: dict[str, str] = {}
        if self.rule["partners"]:
            half = len(self.people) // 2
            for one in range(half):
                name = self.people[one] + " & " + self.people[one + half]
                self.team[self.people[one]] = self.team[self.people[one + half]] = name
        else:
            self.team = {name: name for name in self.people}
        self.teams = list(dict.fromkeys(self.team[name] for name in self.people))
        self.peg = dict.fromkeys(self.teams, 0)
        self.misses = dict.fromkeys(self.teams, 0)
        self.fuchled: set[str] = set()
        self.out: set[str] = set()
        self.finished: list[str] = []
        self.end = 241 if self.rule["long_game"] else 121
        self.over = False
        self.left: list[str] = []
        self.rolling: list[str] = list(self.people) if header.get("roll_off") else []
        self.rolled: list[int] = []
        start = header.get("first", self.people[0])
        self._seat_from(start)

    def _seat_from(self, start: str) -> None:
        at = self.people.index(start)
        self.order = self.people[at:] + self.people[:at]
        self.round = 1
        self.waiting = self._round_of(1)
        self.fresh_turn()

    def _round_of(self, number: int) -> list[str]:
        """Who is to play that round: a turn for each team."""
        count = len(self.teams)
        passes = [self.order[i : i + count] for i in range(0, len(self.order), count)]
        return list(passes[(number - 1) % len(passes)])

    def fresh_turn(self) -> None:
        self.saved = 0
        self.point = 0  # none is named
        self.frozen = 0
        self.dice: list[int] = []
        self.stage = "seven"

    # --- what may happen

    @property
    def who(self) -> str:
        return self.rolling[len(self.rolled)] if self.rolling else self.waiting[0]

    @property
    def me(self) -> str:
        return self.team[self.who]

    def sizes(self) -> list[int]:
        if self.rolling:
            return [2]
        if self.over:
            return []
        return {
            "seven": [7],
            "name": [],
            "again": [2],
            "bomb": [2],
            "free": [2] if self.frozen in (5, 6) else [7] if self.frozen == 7 else [7 - self.frozen],
        }[self.stage]

    def words(self) -> list[str]:
        if self.rolling or self.over:
            return []
        if self.stage == "name":
            return ["point"]
        if self.stage == "free":
            return ["bomb", "stop"] if self.can_bomb() else ["stop"]
        return []

    def in_play(self) -> list[str]:
        return [team for team in self.teams if team not in self.out and team not in self.finished]

    def can_bomb(self) -> bool:
        if not self.rule["bomb"] or self.point != 1 or self.frozen < 5:
            return False
        others = [self.peg[team] for team in self.in_play() if team != self.me]
        return bool(others) and self.peg[self.me] < max(others)

    # --- what happens

    def do(self, line: dict[str, Any]) -> None:
        if "leave" in line:
            self.leave(line["leave"])
        elif "throw" in line:
            if len(line["throw"]) not in self.sizes():
                raise Refused
            self.throw(sorted(line["throw"]))
        elif line["do"] not in self.words():
            raise Refused
        elif line["do"] == "point":
            if self.dice.count(line["value"]) < 2:
                raise Refused
            self.point = line["value"]
            self.frozen = self.dice.count(self.point)
            self.stage = "free"
        elif line["do"] == "stop":
            self.stop()
        elif self.frozen == 5 and not self.rule["pandemonium"]:
            self.stage = "bomb"
        else:
            self.boom()

    def throw(self, dice: list[int]) -> None:
        if self.rolling:
            self.roll_off(sum(dice))
            return
        self.dice = dice
        if self.stage == "bomb":
            if 1 in dice:
                self.boom()
            else:
                self.miss()
        elif self.stage == "seven":
            self.stage = "name"
        elif self.stage == "free" and self.frozen == 7:
            self.saved += 5 * self.point
            self.point, self.frozen, self.stage = 0, 0, "name"
        elif self.frozen >= 5:
            self.piddle(dice)
        elif self.point in dice:
            self.frozen += dice.count(self.point)
        elif 1 not in dice:
            self.miss()

    def roll_off(self, total: int) -> None:
        self.rolled.append(total)
        self.end_of_roll_off()

    def end_of_roll_off(self) -> None:
        first = rolled_off(self)
        if first is not None:
            self._seat_from(first)

    def leave(self, name: str) -> None:
        rolling, his_turn = bool(self.rolling), not self.over and self.who == name
        leaves(self, name)
        team = self.team[name]
        if team not in self.out and all(one in self.left for one in self.people if self.team[one] == team):
            self.peg[team] = 0
            self.fuchled.discard(team)
            self.out.add(team)
            if team in self.finished:
                self.finished.remove(team)
        self.over = self.is_decided()
        if self.over:
            self.rolling = []
            self.fresh_turn()
        elif rolling:
            self.end_of_roll_off()
        elif his_turn:
            self.next_turn()

    def is_decided(self) -> bool:
        if self.rule["find_a_loser"]:
            return len(self.in_play()) == 1
        return len(self.teams) - len(self.out) == 1

    def piddle(self, dice: list[int]) -> None:
        one, two = dice
        if one == two and one != self.point:
            self.miss()
            return
        if one == two and not self.rule["piddle_points"]:
            self.stage = "again"
            return
        if self.rule["piddle_points"]:
            self.frozen = min(7, self.frozen + dice.count(self.point))
        self.saved += self.set_value()
        self.point, self.frozen, self.stage = 0, 0, "seven"

    def set_value(self) -> int:
        if self.point == 0:
            return 0
        return {2: 2}.get(self.frozen, self.frozen * self.point - 2 * self.point)

    def scored(self) -> None:
        self.misses[self.me] = 0
        self.fuchled.discard(self.me)

    def stop(self) -> None:
        me = self.me
        self.peg[me] += self.saved + self.set_value()
        self.scored()
        if self.peg[me] >= self.end:
            self.finished.append(me)
        elif self.rule["bumping"]:
            landed = me
            while self.peg[landed] > 0:
                under = [t for t in self.in_play() if t != landed and self.peg[t] == self.peg[landed]]
                if not under:
                    break
                landed = under[0]
                self.peg[landed] = max(0, self.peg[landed] - 5)
        self.next_turn()

    def boom(self) -> None:
        me = self.me
        after_me = self.teams[self.teams.index(me) + 1 :] + self.teams[: self.teams.index(me)]
        others = [team for team in after_me if team in self.in_play()]
        if others:
            lead = max(self.peg[team] for team in others)
            victim = next(team for team in others if self.peg[team] == lead)
            self.peg[me], self.peg[victim] = self.peg[victim], self.peg[me]
            if self.peg[victim] > 0:
                self.fuchled.discard(victim)
        self.scored()
        self.next_turn()

    def miss(self) -> None:
        me = self.me
        self.misses[me] += 1
        if me in self.fuchled and self.rule["double_fuchle"]:
            if self.misses[me] == 2:
                self.fuchled.remove(me)
                self.out.add(me)
        elif self.misses[me] == (4 if self.rule["pandemonium"] else 3):
            self.misses[me] = 0
            self.peg[me] = 0
            self.fuchled.add(me)
        self.next_turn()

    def next_turn(self) -> None:
        self.fresh_turn()
        self.over = self.is_decided()
        if self.over:
            return
        self.waiting.pop(0)
        while True:
            self.waiting = [n for n in self.waiting if self.team[n] in self.in_play() and n not in self.left]
            if self.waiting:
                return
            if self.finished and not self.rule["find_a_loser"]:
                self.over = True
                return
            self.round += 1
            self.waiting = self._round_of(self.round)

    # --- what is seen

    def outcome(self) -> dict[str, Any] | None:
        if not self.over:
            return None
        if self.rule["find_a_loser"]:
            winners = list(self.finished) or self.in_play()
        else:
            left = [team for team in self.teams if team not in self.out]
            winners = [team for team in left if self.peg[team] == max(self.peg[one] for one in left)]
        lost = {}
        for team in self.teams:
            if team in winners:
                lost[team] = 0
            elif not self.rule["skunk"]:
                lost[team] = 1
            elif team in self.out or team in self.fuchled:
                lost[team] = 4
            elif self.peg[team] <= (121 if self.rule["long_game"] else 60):
                lost[team] = 2
            else:
                lost[team] = 1
        return {"winners": winners, "games_lost": lost}

    def view(self) -> dict[str, Any]:
        view = {
            "game": "crib_dice",
            "player": None if self.over else self.who,
            "round": self.round,
            "throw_sizes": self.sizes(),
            "decisions": self.words(),
            "turn_points": self.saved + self.set_value(),
            "scores": dict(self.peg),
            "over": self.over,
            "outcome": self.outcome(),
            "point": self.point or None,
            "frozen": self.frozen,
            "dice": list(self.dice),
            "bombing": self.stage == "bomb",
            "wipeouts": dict(self.misses),
            "fuchled": [team for team in self.teams if team in self.fuchled],
            "out": [team for team in self.teams if team in self.out],
            "finished": list(self.finished),
        }
        return with_left(self, view)

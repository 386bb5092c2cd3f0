"""A whole basic game for two in real Chromium: simulated dice thrown, dragged and lifted on /tray, followed on /."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.table.evolve import replayed
from companion.table.journal import read_entries
from tests.system.running import Running
from tests.web.phones import tap_twice
from vision.networks.classifier import PHOTO_VIEWS, Classifier
from vision.networks.detector import Detector
from vision.networks.multiscale import passes

PHONE = {"width": 390, "height": 844}
TRAY_TURNS = 10
DARING = 9
MOST_MORE_TURNS = 6
"""A daring turn wipes out four times in five: that none of eight did would be a miracle."""


class Player:
    """Someone at the table: sees the picture of the tray, moves dice with the mouse, looks at the scoreboard."""

    def __init__(self, table: Running, data: Path, tray: Any, board: Any) -> None:
        self.table, self.data, self.tray, self.board = table, data, tray, board
        self.seen: set[str] = set()

    def until(self, holds: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        snapshot = self.table.until("/api/state", holds)
        if holds(snapshot):
            self.check(snapshot)
            return dict(snapshot)
        self.tray.screenshot(path=str(self.data / "stuck.png"))
        raise AssertionError(f"waited for {what}: {snapshot['phase']} {snapshot['notice']} {snapshot['state']}")

    def check(self, snapshot: dict[str, Any]) -> None:
        """Journal, board and page say what the snapshot says."""
        entries = [entry for entry in read_entries(self.data) if entry.number <= snapshot["number"]]
        game = replayed(entries).game
        assert game is not None
        assert game.view == snapshot["state"]
        self.seen |= {event["code"] for event in snapshot["events"]}
        if self.table.state()["number"] == snapshot["number"]:
            self.board.wait_for_selector(f"html[data-number='{snapshot['number']}']", state="attached")

    def check_board(self, snapshot: dict[str, Any]) -> None:
        """Where pegs stand the strip is lit: LED 0 is the start, LED n is hole n (the preset of 122 LEDs)."""
        leds = self.table.ask("/api/board")[1]["leds"]
        for score in snapshot["state"]["scores"].values():
            assert max(leds[min(score, 121)]) > 0

    def dice(self) -> list[dict[str, Any]]:
        return [die for die in self.table.ask("/api/tray")[1]["dice"] if die["place"] != "out"]

    def two_looks(self) -> tuple[dict[int, int | None], dict[int, int | None]]:
        """What the classifier says of each die in the picture, where it lies, and what the detector does."""
        picture = cv2.imdecode(np.frombuffer(self.table.ask("/api/tray.jpg")[1], np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        lying = self.dice()
        places = {die["id"]: (die["x_px"], die["y_px"], die["size_px"]) for die in lying}
        views = PHOTO_VIEWS.first + PHOTO_VIEWS.second
        said = Classifier().classify(picture, list(places.values()), views).argmax(1).tolist()
        seen = next(passes(picture, Detector()))

        def nearest(x: float, y: float) -> int | None:
            return min(seen, key=lambda face: float(np.hypot(face.x - x, face.y - y))).value

        found = {die: nearest(x, y) for die, (x, y, _) in places.items()}
        return dict(zip(places, said, strict=True)), found

    def loose(self, look: dict[int, int | None]) -> list[int]:
        """The values of the dice in the throw zone by that look, in order; 0 where it sees none."""
        return sorted(look[die["id"]] or 0 for die in self.dice() if die["place"] == "throw")

    def values(self) -> dict[int, int | None]:
        """A person looks again: of the two looks, the one that fits what the scoreboard says of the throw."""
        named, found = self.two_looks()
        return named if self.loose(named) == sorted(self.table.state()["thrown"]) else found

    def throw(self) -> dict[str, Any]:
        number = self.table.state()["number"]
        self.tray.click("#throw")
        now = self.until(lambda now: now["number"] > number or now["phase"] == "asking", "a throw or a question")
        if now["phase"] == "asking":  # a die that can't be read for sure: it is right as read when a person agrees
            assert sorted(now["question"]["values"]) in [self.loose(look) for look in self.two_looks()]
            self.tray.get_by_role("button", name=re.compile("That's right")).click()
        return self.until(lambda now: now["number"] > number and now["phase"] != "settling", "a throw")

    def keep(self, value: int) -> None:
        """Drag every loose die of that value to the keep zone."""
        where = {die["id"]: die for die in self.dice()}
        loose = [i for i, seen in self.values().items() if seen == value and where[i]["place"] == "throw"]
        for die in loose:
            with self.tray.expect_response("**/api/tray/move"):
                tap_twice(self.tray, f'.grip[data-id="{die}"]')

    def bank(self) -> dict[str, Any]:
        number = self.table.state()["number"]
        self.tray.click("#lift")
        return self.until(lambda now: now["number"] > number, "the bank")

    def turn(self, throws: int) -> None:
        """A turn: go on for at most that many throws after the first, or until five are frozen; then bank."""
        snapshot = self.throw()
        who = snapshot["state"]["player"]
        dice = snapshot["state"]["dice"]
        point = max((v for v in set(dice) if dice.count(v) > 1), key=lambda v: (dice.count(v), v))
        self.keep(point)
        snapshot = self.until(lambda now: now["state"]["point"] == point, f"the point {point}")
        self.check_board(snapshot)
        while snapshot["state"]["player"] == who and snapshot["state"]["point"] == point:
            if throws == 0 or snapshot["state"]["frozen"] >= 5:
                self.bank()
                return
            snapshot = self.throw()
            throws -= 1
            if snapshot["state"]["point"] == point:
                self.keep(point)
                self.until(lambda now: len(now["kept"]) >= now["state"]["frozen"], "the frozen dice in the keep zone")


def finish_by_phone(table: Running) -> dict[str, Any]:
    """The rest of the game entered by the host: a piddle for each turn, won or lost, until someone is round."""
    table.pair()
    snapshot = table.state()
    while not snapshot["state"]["over"]:
        state = snapshot["state"]
        if "stop" in state["decisions"] and state["turn_points"] > 20:
            snapshot = table.play({"do": "stop"})
        elif state["throw_sizes"] == [2]:
            snapshot = table.play({"throw": [1, 3] if state["player"] == "Ann" else [4, 4]})
        elif state["throw_sizes"]:
            snapshot = table.play({"throw": [6, 6, 6, 6, 6, 1, 2][: state["throw_sizes"][0]]})
        else:
            snapshot = table.play({"do": "point", "value": 6})
    return snapshot


@pytest.mark.browser
@pytest.mark.evening
def test_phone_page_follows_a_crib_dice_game_played_on_the_virtual_tray(chromium: Any, tmp_path: Path) -> None:
    with Running(tmp_path, "--players", "Ann,Ben") as table:
        tray, board = chromium.new_page(viewport=PHONE), chromium.new_page(viewport=PHONE)
        tray.goto(table.page + "tray")
        board.goto(table.page)
        tray.wait_for_selector("#throw:enabled")
        player = Player(table, tmp_path, tray, board)
        for turn in range(TRAY_TURNS):
            player.turn(throws=(0, 1, 0, DARING)[turn % 4])
        for _ in range(MOST_MORE_TURNS):
            if "wiped_out" in player.seen:
                break
            player.turn(throws=DARING)
        assert {"threw", "point", "froze", "banked", "wiped_out"} <= player.seen
        over = finish_by_phone(table)
        player.check(over)
        assert over["state"]["outcome"]["winners"] == ["Ann"]
        assert "Ann" in board.inner_text("main")
        throws = table.ask("/api/throws")[1]["throws"]
        assert not [throw for throw in throws[:TRAY_TURNS] if not throw["photo"]]
        status, photo = table.ask(f"/api/throws/{throws[0]['number']}.jpg")
        assert (status, photo[:2]) == (200, b"\xff\xd8")
        tray.close()
        board.close()

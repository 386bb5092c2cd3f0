"""Buttons at a table: bank, undo and next act, a long press pairs a phone, the shutdown button counts down."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from companion.adapters.buttons import ListeningButtons
from companion.app import build
from companion.diagnostics.devices import check_buttons
from companion.diagnostics.health import Health
from companion.errors import DeviceError, SetupError
from companion.settings import load as config
from companion.settings.starting import Starting
from companion.table.commands import Abandon, PlayLine, StartGame
from companion.table.journal import Journal
from companion.table.photos import Photos
from companion.table.writer import Table
from hardware.board import Board
from hardware.buttons import Press, Touch, ignore_touch
from hardware.power import Power
from hardware.strips.memory import MemoryStrip
from hardware.track import preset
from web.pairing.phones import Pairing
from web.pairing.refused import Refused
from web.pairing.tokens import FileTokens


class Fingers:
    """Buttons that a test presses. A stand-in below the table, above no device."""

    name = "test"
    ill: DeviceError | None = None

    def start(self, on_press: Callable[[Press], None], on_touch: Callable[[Touch], None] = ignore_touch) -> None:
        self.press, self.touch = on_press, on_touch
        if self.ill is not None:  # some of them; the others work
            raise self.ill

    def stop(self) -> None:
        pass

    def alive(self) -> bool:
        return True


@dataclass
class Place:
    table: Table
    board: Board
    pairing: Pairing
    buttons: Fingers = field(default_factory=Fingers)
    health: Health = lambda: (False, "not listened to")
    now_s: float = 100.0

    def listen(self, *command: str) -> None:
        listening = ListeningButtons(self.buttons, self.table, self.board, self.pairing, command)
        self.health = listening.health
        listening.listen()

    def lit(self) -> int:
        """LEDs that are lit now, by the board's own clock."""
        self.now_s += 1 / 60
        self.board.step()
        return sum(any(led) for led in self.board.latest().leds)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    table = Table(Journal(tmp_path), Photos(tmp_path, 10_000_000), time.monotonic)
    table.start()
    board = Board(MemoryStrip(122), preset("strip122"), Power(), lambda: made.now_s)
    pairing = Pairing("123456", FileTokens(tmp_path / "paired.json"), lambda: made.now_s, board.show_code)
    made = Place(table, board, pairing)
    yield made
    table.stop()


def test_hardware_buttons_undo_a_crib_dice_throw_and_refuse_a_0_point_bank(place: Place) -> None:
    header = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"], "rules": {}}
    started = place.table.submit(StartGame(header=header))
    thrown = place.table.submit(PlayLine(number=started.number, line={"throw": [1, 1, 2, 3, 4, 5, 6]}))
    assert thrown.state != started.state
    place.listen()
    place.buttons.press(Press("undo"))
    before = place.table.snapshot().number
    state = place.table.snapshot().state or {}
    assert state | {"line": 1} == started.state, "the throw is taken back"
    place.buttons.press(Press("bank"))
    assert place.table.snapshot().number == before, "there is nothing to bank: refused, and the table plays on"
    assert place.health() == (True, "test buttons")


def test_a_game_started_by_button_is_not_credited_to_the_phone_that_started_the_game_before(place: Place) -> None:
    header = {"transcript": 1, "game": "crib_dice", "players": ["Ann", "Ben"], "rules": {}}
    started = place.table.submit(StartGame(header=header))
    place.pairing.starters[started.number] = 7
    place.listen()
    place.buttons.press(Press("undo"))
    number = place.table.state().game_number
    assert place.pairing.starters.get(number) == 7, "the game on the table is still that phone's"
    place.table.submit(Abandon(number=started.number))
    place.buttons.press(Press("next"))
    assert place.table.snapshot().events[-1].code == "game_started"
    assert place.table.state().game_number not in place.pairing.starters


def test_a_long_button_press_pairs_the_phone_whose_pairing_code_the_leds_show(place: Place) -> None:
    place.listen()
    asked = place.pairing.ask("Ann's phone", "192.168.4.20")
    assert not isinstance(asked, Refused)
    token, code = asked
    assert place.lit() == sum(code)
    place.now_s += 3
    place.buttons.press(Press("next", long=True))
    assert place.pairing.knows(token)
    assert place.lit() > 18, "the code is gone"


def test_the_led_strip_counts_down_while_the_shutdown_button_is_held(place: Place) -> None:
    place.listen("true")
    place.lit()
    place.buttons.touch(Touch("shutdown", down=True))
    held = []
    for _ in range(6):
        held.append(place.lit())
        place.now_s += 0.45
    assert held[0] > 110, "the whole track"
    assert held == sorted(held, reverse=True)
    assert held[-1] < 40


def test_releasing_the_shutdown_button_ends_the_countdown_and_runs_nothing(place: Place, tmp_path: Path) -> None:
    place.listen(sys.executable, "-c", f"open({str(tmp_path / 'off')!r}, 'w')")
    place.buttons.touch(Touch("shutdown", down=True))
    red = place.lit()
    place.buttons.touch(Touch("shutdown", down=False))
    place.buttons.press(Press("shutdown"))
    assert red > 110
    place.lit()
    assert not any(r > 4 * g > 0 for r, g, _ in place.board.latest().leds), "no red is left"
    assert not (tmp_path / "off").exists()


def test_holding_the_shutdown_button_runs_its_command_and_does_not_pair_a_phone(place: Place, tmp_path: Path) -> None:
    place.listen(sys.executable, "-c", f"open({str(tmp_path / 'off')!r}, 'a').write('x')")
    place.buttons.press(Press("shutdown", long=True))
    assert (tmp_path / "off").read_text() == "x"
    assert not place.pairing.phones()
    assert place.health()[0]


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ((), "Set [buttons] shutdown_command"),
        (("/no/such/program",), "can't be run (No such file"),
        ((sys.executable, "-c", "raise SystemExit('Access denied')"), "failed (Access denied)"),
        (("sh", "-c", r"printf '\374ber'>&2; exit 1"), "failed (\ufffdber)"),
    ],
)
def test_the_buttons_health_reports_a_missing_or_failed_shutdown_command(
    place: Place, command: tuple[str, ...], told: str
) -> None:
    place.listen(*command)
    place.buttons.press(Press("shutdown", long=True))
    ok, says = place.health()
    assert not ok
    assert told in says


@pytest.mark.parametrize("program", ["false", "/no/such/program"])
def test_arguments_of_the_shutdown_command_appear_in_neither_log_nor_health_report(
    place: Place, caplog: pytest.LogCaptureFixture, program: str
) -> None:
    place.listen(program, "token")
    place.buttons.press(Press("shutdown", long=True))
    assert f"`{program}`" in place.health()[1]
    assert "token" not in place.health()[1] + caplog.text
    assert f"held: {program}" in caplog.text


def test_buttons_that_fail_to_start_are_reported_until_they_work(place: Place) -> None:
    listening = ListeningButtons(place.buttons, place.table, place.board, place.pairing)
    place.buttons.ill = DeviceError("The buttons' pins can't be used.", "Check their numbers.")
    listening.listen()
    assert listening.health() == (False, "The buttons' pins can't be used. Check their numbers.")
    place.buttons.ill = None
    listening.listen()
    assert listening.health() == (True, "test buttons")


def test_a_short_press_of_the_shutdown_button_clears_only_the_shutdown_commands_error(place: Place) -> None:
    place.buttons.ill = DeviceError("The pins of these buttons can't be used: bank.", "Free it.")
    place.listen(sys.executable, "-c", "raise SystemExit('Access denied')")
    place.buttons.press(Press("shutdown", long=True))
    ok, says = place.health()
    assert not ok
    assert says.startswith("The pins of these buttons can't be used: bank. Free it. `")
    place.buttons.press(Press("shutdown"))
    assert place.health() == (False, "The pins of these buttons can't be used: bank. Free it.")


def settings(tmp_path: Path, buttons: str) -> config.Settings:
    (tmp_path / "pegpip.toml").write_text(f"[buttons]\n{buttons}\n")
    return config.load(tmp_path / "pegpip.toml", {"data": {"dir": str(tmp_path)}, "web": {"port": 0}})


@pytest.mark.parametrize(
    ("buttons", "told"),
    [
        ("kind = 'gpio'\nshutdown = 3", "nothing says what it does; set shutdown_command"),
        ("kind = 'gpio'\nshutdown_command = ['true']", "shutdown has no pin; set shutdown = 3"),
        ("shutdown_command = ['no-such-program']", "there is no program 'no-such-program'"),
        ("kind = 'gpio'\nshutdown = 17\nshutdown_command = ['true']", "bank and shutdown share pin 17"),
    ],
)
def test_shutdown_button_settings_that_cannot_work_are_refused(tmp_path: Path, buttons: str, told: str) -> None:
    wrong = settings(tmp_path, buttons)
    with pytest.raises(SetupError) as refused:
        build(Starting(wrong, config.Origin(tmp_path / "pegpip.toml")))
    assert told in "\n".join(refused.value.problems)
    assert told in check_buttons(wrong, "").says


def test_the_shutdown_button_has_a_pin_only_if_the_settings_give_one(tmp_path: Path) -> None:
    assert "shutdown" not in settings(tmp_path, "").buttons.pins
    assert settings(tmp_path, "shutdown = 3\nshutdown_command = ['true']").buttons.pins["shutdown"] == 3

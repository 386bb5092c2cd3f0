"""Settings that are applied to a running table."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path

import msgspec

from companion.evidence.folder import PackageFolder
from companion.settings.live import LiveSettings
from companion.settings.load import Settings
from companion.table.photos import Photos
from hardware.board import Board
from hardware.power import Power
from hardware.sounds import Chimes
from hardware.strips.memory import MemoryStrip
from hardware.track import preset
from hardware.view import BoardView, Peg
from web.loudspeaker import Loudspeaker


def test_the_night_setting_dims_the_led_board_at_once(tmp_path: Path) -> None:
    settings = Settings()
    now_s = itertools.count(100.0)
    board = Board(MemoryStrip(122), preset("strip122"), Power(settings.strip), lambda: next(now_s))
    photos, packages = Photos(tmp_path, 0), PackageFolder(tmp_path, 0)
    live = LiveSettings(settings, board, photos, packages, Chimes(), Loudspeaker())
    board.show(BoardView(pegs=(Peg(0, 10, 10),), mood="ready"))

    def light(night: bool) -> int:
        strip = msgspec.structs.replace(settings.strip, night=night)
        live.apply(msgspec.structs.replace(settings, strip=strip))
        board.step()
        return sum(map(sum, board.latest().leds))

    day = light(False)
    assert (night := light(True)) < day / 2
    board.show(BoardView(pegs=(Peg(0, 10, 10),), mood="read"))  # of a snapshot that came just before
    board.step()
    assert sum(map(sum, board.latest().leds)) == night
    assert light(False) == day


class SlowBoard(Board):
    """Waits in its first `apply` after `slow` until `go`, as a thread does that the system has put off."""

    slow, waits, go = False, threading.Event(), threading.Event()

    def apply(self, power: Power, *, night: bool) -> None:
        if self.slow:
            self.slow = False
            self.waits.set()
            self.go.wait()
        super().apply(power, night=night)


def test_less_space_for_photos_deletes_the_oldest_at_once(tmp_path: Path) -> None:
    """On a full disk no game can start, so the next start of a game would not delete them."""
    before, less = (msgspec.convert({"data": {"photos_mb": room}}, Settings) for room in (1000, 10))
    photos, board = Photos(tmp_path), Board(MemoryStrip(122), preset("strip122"), Power())
    live = LiveSettings(before, board, photos, PackageFolder(tmp_path, 0), Chimes(), Loudspeaker())
    photos.start(last_throw=2)
    for throw in (1, 2):
        photos.keep(throw, bytes(less.data.photo_bytes))
    live.apply(less)
    assert photos.numbers() == (2,)


def test_muting_sound_during_a_change_of_the_led_current_limit_keeps_both_changes(tmp_path: Path) -> None:
    before, lower = (msgspec.convert({"strip": {"limit_ma": limit}}, Settings) for limit in (3000, 500))
    layout = preset("strip122")
    board = SlowBoard(MemoryStrip(layout.leds), layout, Power())
    live = LiveSettings(before, board, Photos(tmp_path), PackageFolder(tmp_path, 0), Chimes(), Loudspeaker())
    board.slow = True
    muting = threading.Thread(target=setattr, args=(live, "muted", True))
    muting.start()
    board.waits.wait()
    changing = threading.Thread(target=live.apply, args=(lower,))
    changing.start()
    changing.join(0.2)  # it may have to wait for the other
    board.go.set()
    muting.join()
    changing.join()
    assert live.muted
    assert live.now.strip.limit_ma == 500
    assert board._power.settings.limit_ma == 500

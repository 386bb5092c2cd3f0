"""Settings applied to a running table: they show at once, without a throw or a press in between."""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec

from companion.adapters.board_view import Lights
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
    live = LiveSettings(settings, board, Lights(), photos, packages, Chimes(), Loudspeaker())
    board.show(BoardView(pegs=(Peg(0, 10, 10),), mood="ready"))

    def light(night: bool) -> int:
        strip = msgspec.structs.replace(settings.strip, night=night)
        live.take(msgspec.structs.replace(settings, strip=strip))
        board.step()
        return sum(map(sum, board.latest().leds))

    day = light(False)
    assert light(True) < day / 2
    assert light(False) == day

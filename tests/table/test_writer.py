"""The table: commands in, numbered snapshots out."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import Doubt, IllegalAction, NotationError, RulesError, StaleAction
from companion.table.commands import Answer, Observe, PlayLine, PressButton, StartGame, Tick
from companion.table.journal import read_entries
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import HEADER, Clock, Tray, started


def test_tray_observations_and_time_complete_a_whole_crib_dice_turn(table: Table, clock: Clock, tmp_path: Path) -> None:
    tray = Tray(clock=clock)
    started(table, HEADER)
    table.submit(Observe(tray.throw(5, 5, 2, 2, 1, 4, 6)))
    assert known(table.snapshot().state)["decisions"] == ["point"]
    assert known(table.submit(Observe(tray.keep(5))).notice).args["reason"] == "all_of_value"
    assert known(table.submit(Observe(tray.keep(5))).state)["frozen"] == 2
    assert known(table.submit(Observe(tray.throw(5, 3, 3, 4, 6))).state)["frozen"] == 3
    table.submit(Observe(tray.keep(5)))
    tray.lift()
    assert known(table.submit(Observe(tray.observation())).notice).code == "banking"
    clock.now_s = 2.5
    after = table.submit(Tick())
    assert known(after.state)["scores"] == {"Ann": 5, "Ben": 0}
    assert known(after.state)["player"] == "Ben"
    assert after.number == 5
    assert [entry.kind for entry in read_entries(tmp_path)] == ["game", *["line"] * 4]
    assert (tmp_path / "photos" / "2.jpg").read_bytes().startswith(b"\xff\xd8 a picture")


def test_a_doubtful_throw_raises_a_question_and_the_answer_is_played(table: Table, clock: Clock) -> None:
    tray = Tray(clock=clock)
    started(table, HEADER)
    tray.throw(5, 5, 2, 2, 1, 4, 6)
    tray.emptied = True
    asking = table.submit(Observe(tray.observation(doubt=Doubt.DISAGREE)))
    assert (asking.phase, asking.number, known(asking.question).code) == ("asking", 1, "disagree")
    _, ask = known(table.state().asked)
    assert (ask.observation.photo_jpeg or b"").startswith(b"\xff\xd8 a picture")
    after = table.submit(Answer(question=known(asking.question).id, values=(5, 5, 5, 2, 1, 4, 6)))
    assert after.question is None
    assert known(after.state)["dice"] == [1, 2, 4, 5, 5, 5, 6]
    assert after.throws[-1].source == "answered"


def test_a_table_refuses_stale_and_illegal_commands_and_stays_unchanged(table: Table) -> None:
    started(table, HEADER)
    before = table.snapshot()
    with pytest.raises(StaleAction):
        table.submit(PlayLine(number=0, line={"throw": [1, 1, 2, 3, 4, 5, 6]}))
    with pytest.raises(IllegalAction):
        table.submit(PlayLine(number=1, line={"do": "stop"}))
    with pytest.raises(NotationError):
        table.submit(PlayLine(number=1, line={"do": "dance"}))
    with pytest.raises(RulesError):
        table.submit(StartGame(header={**HEADER, "game": "ludo"}))
    with pytest.raises(IllegalAction):
        table.submit(PressButton(button="bank"))
    assert table.snapshot() == before


def test_a_table_with_a_crapola_target_above_the_float_range_restarts_with_the_same_game(table: Table) -> None:
    begun = started(table, {**HEADER, "game": "crapola", "rules": {"target": 10**400}})
    table.stop()
    table.start()
    assert table.snapshot().header == begun.header

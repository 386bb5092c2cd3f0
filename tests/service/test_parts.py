"""Parts that follow the table's snapshots: which snapshot they heard last."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.service.parts import following
from companion.table.commands import StartGame
from companion.table.snapshot import News, Snapshot
from tests.table.acting import HEADER, table_in


def test_a_subscriber_to_table_snapshots_also_gets_one_published_during_its_first_callback(tmp_path: Path) -> None:
    table, heard = table_in(tmp_path), list[int]()
    table.start()

    def hear(snapshot: Snapshot, _: News) -> None:
        if not heard:  # the writer publishes a snapshot while the part is handed the one before
            heard.append(-1)
            table.submit(StartGame(header=HEADER))
        heard.append(snapshot.number)

    part = following("lights", table, hear)
    part.start()
    part.stop()
    table.stop()
    assert heard[-1] == table.snapshot().number == 1


def test_a_component_that_failed_to_start_receives_the_snapshot_again_at_its_next_start(tmp_path: Path) -> None:
    table, heard = table_in(tmp_path), list[int]()
    table.start()

    def hear(snapshot: Snapshot, _: News) -> None:
        heard.append(snapshot.number)
        if len(heard) == 1:
            raise OSError("the port is busy")

    part = following("lights", table, hear)
    with pytest.raises(OSError, match="busy"):
        part.start()
    part.start()
    part.start()
    table.submit(StartGame(header=HEADER))
    part.stop()
    table.stop()
    assert heard == [0, 0, 1]

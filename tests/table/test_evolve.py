"""The state of the table equals the replay of its journal, at every entry and after any commands."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import IllegalAction, RulesError
from companion.games.crag.scoring import CATEGORIES
from companion.games.engine.game import Throw
from companion.games.engine.notation import line_of
from companion.games.engine.replay import replayed as replayed_file
from companion.history.export import PastGames
from companion.table import commands as c
from companion.table.evolve import LOG_LENGTH, replayed
from companion.table.journal import read_entries
from companion.table.projection import snapshot_of
from companion.table.snapshot import Snapshot
from companion.table.state import TableState
from companion.table.tray.memory import Memory
from companion.table.writer import Table
from tests.known import known
from tests.table.acting import HEADER, played, table_in, transcripts

HEADERS: list[dict[str, Any]] = [
    HEADER,
    {**HEADER, "players": ["Ben", "Ann"], "rules": {"bumping": True, "skunk": True}, "roll_off": True},
    {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]},
    {"transcript": 1, "game": "crapola", "players": ["Ann", "Cat"], "rules": {"target": 300, "entry": 0}},
]
COMMANDS = ["line"] * 12 + ["undo", "undo", "correct", "confirm", "game", "next", "abandon", "end"]
TURN: list[dict[str, Any]] = [
    {"throw": [5, 5, 2, 2, 1, 4, 6]},
    {"do": "point", "value": 5},
    {"throw": [5, 3, 3, 4, 6]},
    {"do": "stop"},
]


class Evening:
    """A table; `told` holds the journaled part of the snapshot of each entry number."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: dict[int, Snapshot] = {}
        self.start()

    def start(self) -> None:
        self.table = table_in(self.folder)
        self.table.start()
        self.table.subscribe(lambda *_: self.tell())

    def close(self) -> None:
        self.table.stop()

    def tell(self) -> None:
        self.told[self.table.state().record.number] = journaled(self.table.state())

    def do(self, command: c.Command) -> None:
        try:
            self.table.submit(command)
        except RulesError:
            before = self.told.get(self.table.state().record.number)
            assert before is None or before == journaled(self.table.state()), "a refusal changes nothing"
        self.tell()


def journaled(table: TableState) -> Snapshot:
    return snapshot_of(TableState(table.record, Memory()))


def random_command(evening: Evening, draw: Any) -> c.Command:
    number, game = evening.table.state().record.number, evening.table.state().record.game
    kind = draw(st.sampled_from(COMMANDS))
    if kind == "game" or game is None:
        return c.StartGame(header=draw(st.sampled_from(HEADERS)))
    if kind == "line":
        state = game.transcript.state
        options = [line_of(option) for option in state.options()]
        options += [line_of(Throw(tuple(draw(dice(size))))) for size in state.throw_sizes]
        return c.PlayLine(number=number, line=draw(st.sampled_from(options)) if options else {"do": "stop"})
    if kind == "undo":
        return c.PlayLine(number=number, line={"undo": draw(st.sampled_from([1, 1, 2, 5]))})
    throws = [thrown for one in evening.table.state().record.games[-2:] for thrown in one.throws]
    if kind == "correct" and throws:
        thrown = draw(st.sampled_from(throws))
        return c.CorrectThrow(number=number, throw=thrown.number, values=tuple(draw(dice(len(thrown.values)))))
    offer = evening.table.state().offer
    if kind == "confirm" and offer:
        return c.ConfirmCorrection(offer=offer.id, accept=draw(st.booleans()))
    match kind:
        case "next":
            return c.NextGame(number=number)
        case "abandon":
            return c.Abandon(number=number)
        case _:
            return c.EndSitting(number=number)


def dice(size: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.sampled_from([1, 2, 5, 5, 5, 6]), min_size=size, max_size=size)


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_replaying_each_journal_prefix_gives_the_snapshot_published_after_its_last_entry(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Evening(Path(folder))) as evening:
        for _ in range(data.draw(st.integers(10, 50))):
            if data.draw(st.integers(0, 15)) == 0:
                evening.close()
                before = evening.table.state().record
                evening.start()
                assert evening.table.state().record == before, "a restart changes nothing"
            evening.do(random_command(evening, data.draw))
        entries = read_entries(Path(folder))
        assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
        for count in range(1, len(entries) + 1):
            assert journaled(TableState(replayed(entries[:count]), Memory())) == evening.told[count]
        for _, text in transcripts(entries):
            assert "error" not in list(replayed_file(text))[-1]


def test_undo_crosses_turns_and_games_and_resumes_an_abandoned_game(table: Table) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, [*TURN[:2], {"do": "stop"}])
    before = table.snapshot()
    table.submit(c.Abandon(number=before.number))
    assert table.snapshot().abandoned
    played(table, [{"undo": 1}])
    assert table.snapshot().state == before.state
    table.submit(c.StartGame(header={**HEADER, "players": ["Cat", "Dan"]}))
    assert known(table.snapshot().state)["scores"] == {"Cat": 0, "Dan": 0}
    played(table, [{"undo": 1}])
    assert table.snapshot().state == before.state
    played(table, [{"undo": 3}])
    assert known(table.snapshot().state)["scores"] == {"Ann": 0, "Ben": 0}
    assert table.snapshot().throws == ()
    assert [event.code for event in table.snapshot().events] == ["game_started", "undone", "undone", "undone"]


def test_undoing_the_starts_of_later_games_reopens_an_earlier_game_of_other_players(table: Table) -> None:
    people = [["Ann", "Ben"], ["Cat", "Dan"], ["Dan", "Cat"]]
    for players in people:
        table.submit(c.StartGame(header={**HEADER, "players": players}))
    table.stop()
    table.start()
    assert [game.header.players[0] for game in table.state().record.games] == ["Ann", "Cat", "Dan"]
    played(table, [{"undo": 1}, {"undo": 1}])
    assert list(known(table.snapshot().state)["scores"]) == ["Ann", "Ben"]
    table.submit(c.StartGame(header={**HEADER, "players": ["Eve", "Flo"]}))
    table.submit(c.StartGame(header={**HEADER, "players": ["Gus", "Hal"]}))
    assert [game.header.players[0] for game in table.state().record.games] == ["Eve", "Gus"]


def test_a_throw_correction_recomputes_later_scores_and_events(table: Table) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, TURN)
    assert known(table.snapshot().state)["scores"]["Ann"] == 5
    number = table.snapshot().number
    after = table.submit(c.CorrectThrow(number=number, throw=2, values=(5, 5, 3, 4, 6)))
    assert (after.number, known(after.state)["scores"]["Ann"]) == (number + 1, 10)
    assert known(after.state)["line"] == 6, "header, four lines and the correction"
    assert after.throws[1].values == (3, 4, 5, 5, 6)
    assert after.throws[1].source == "corrected"
    banked = [event for event in after.events if event.code == "banked"]
    assert [(event.number, event.args["points"]) for event in banked] == [(5, 10)]
    assert after.events[-1].args == {"throw": 2, "was": [3, 3, 4, 5, 6], "values": [3, 4, 5, 5, 6], "dropped": 0}


def test_the_event_log_stays_in_number_order_after_two_throw_corrections(table: Table) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, TURN)
    for values in ((5, 5, 3, 4, 6), (5, 2, 3, 4, 6)):
        table.submit(c.CorrectThrow(number=table.snapshot().number, throw=2, values=values))
    numbers = [event.number for event in table.snapshot().events]
    assert numbers == sorted(numbers)
    assert numbers[-2:] == [6, 7], "both corrections, behind every line"


def test_correcting_a_roll_off_throw_reassigns_later_throws_to_players(table: Table, tmp_path: Path) -> None:
    table.submit(c.StartGame(header={**HEADER, "roll_off": True}))
    played(table, [{"throw": [6, 6]}, {"throw": [1, 2]}, *TURN[:3]])
    assert [thrown.player for thrown in table.snapshot().throws] == ["Ann", "Ben", "Ann", "Ann"]
    after = table.submit(c.CorrectThrow(number=table.snapshot().number, throw=1, values=(1, 1)))
    assert [thrown.player for thrown in after.throws] == ["Ann", "Ben", "Ben", "Ben"]
    assert [who for *_, who, _ in PastGames(tmp_path).throw_rows()] == ["Ann", "Ben", "Ben", "Ben"]


def test_undoing_a_later_move_keeps_the_correction_of_an_earlier_throw(table: Table) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, TURN)
    table.submit(c.CorrectThrow(number=table.snapshot().number, throw=2, values=(5, 5, 3, 4, 6)))
    played(table, [{"undo": 1}])
    back = table.snapshot()
    state = known(back.state)
    assert (state["player"], state["turn_points"], state["scores"]["Ann"]) == ("Ann", 10, 0)
    assert back.throws[1].values == (3, 4, 5, 5, 6)
    played(table, [{"undo": 1}, {"throw": [5, 2, 3, 4, 6]}])
    assert [thrown.source for thrown in table.snapshot().throws] == ["hand", "hand"]
    assert known(table.snapshot().state)["turn_points"] == 5
    table.stop()
    table.start()
    assert known(table.snapshot().state)["turn_points"] == 5


def test_a_throw_correction_drops_transcript_lines_only_once_confirmed(table: Table, tmp_path: Path) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, TURN)
    before = table.snapshot()
    wiped = c.CorrectThrow(number=before.number, throw=2, values=(2, 3, 3, 4, 6))
    offered = table.submit(wiped)
    assert offered.number == before.number
    assert [one["line"] for one in known(offered.correction).dropped] == [{"do": "stop"}]
    kept = table.submit(c.ConfirmCorrection(offer=known(offered.correction).id, accept=False))
    assert (kept.correction, kept.state) == (None, before.state)
    offered = table.submit(wiped)
    after = table.submit(c.ConfirmCorrection(offer=known(offered.correction).id, accept=True))
    assert known(after.state)["wipeouts"] == {"Ann": 1, "Ben": 0}
    assert known(after.state)["player"] == "Ben"
    assert after.correction is None
    table.stop()
    assert read_entries(tmp_path)[-1].body["dropped"] == [{"do": "stop"}]


CRAG: dict[str, Any] = {"transcript": 1, "game": "crag", "players": ["Ann", "Ben"]}
LEVEL_GAME = [
    line
    for category in CATEGORIES
    for _ in CRAG["players"]
    for line in ({"throw": [1, 2, 4]}, {"do": "score", "category": category})
]


def test_correcting_a_throw_of_an_earlier_game_recomputes_games_lost(table: Table, tmp_path: Path) -> None:
    table.submit(c.StartGame(header=CRAG))
    played(table, LEVEL_GAME)
    last_throw = table.snapshot().throws[-1].number
    table.submit(c.NextGame(number=table.snapshot().number))
    played(table, [{"throw": [1, 2, 3]}])
    before = table.snapshot()
    assert before.sitting.games_lost == {"Ann": 0, "Ben": 0}
    after = table.submit(c.CorrectThrow(number=before.number, throw=last_throw, values=(1, 6, 6)))
    assert after.sitting.games_lost == {"Ann": 1, "Ben": 0}
    assert (after.state, after.throws) == (before.state, before.throws), "the game on the table goes on as it was"
    assert after.events[-1].code == "corrected"
    table.stop()
    past = {game["id"]: game["winners"] for game in PastGames(tmp_path).games()}
    assert past[1] == ["Ben"]
    table.start()
    assert table.snapshot().sitting == after.sitting


def test_a_throw_correction_is_refused_if_it_reopens_an_earlier_game_or_is_for_an_ended_session(table: Table) -> None:
    table.submit(c.StartGame(header={**HEADERS[3], "players": ["Ann", "Ben"]}))
    thousand: list[dict[str, Any]] = [{"throw": [1, 1, 1, 2, 3, 4]}, {"do": "keep", "dice": [1, 1, 1]}, {"do": "stop"}]
    played(table, [*thousand, {"throw": [2, 2, 3, 3, 4, 6]}])
    crap_out = table.snapshot().throws[-1].number
    number = table.submit(c.NextGame(number=table.snapshot().number)).number
    with pytest.raises(IllegalAction, match="would not be over"):
        table.submit(c.CorrectThrow(number=number, throw=crap_out, values=(1, 2, 3, 3, 4, 6)))
    table.submit(c.EndSitting(number=number))
    number = table.submit(c.StartGame(header=CRAG)).number
    with pytest.raises(IllegalAction, match="not part of this sitting"):
        table.submit(c.CorrectThrow(number=number, throw=1, values=(1, 1, 1, 2, 3, 5)))


def test_correcting_throw_number_0_is_refused_because_no_throw_of_the_sitting_has_it(table: Table) -> None:
    table.submit(c.StartGame(header={**HEADER, "players": ["Ann", "Ben", "Cat"]}))
    played(table, [{"leave": "Cat"}])
    with pytest.raises(IllegalAction, match="not part of this sitting"):
        table.submit(c.CorrectThrow(number=table.snapshot().number, throw=0, values=(5, 5, 2, 2, 1, 4, 6)))


def test_past_games_list_updates_after_new_games_and_undos(table: Table, tmp_path: Path) -> None:
    past = PastGames(tmp_path)
    assert past.games() == []
    table.submit(c.StartGame(header=HEADER))
    played(table, TURN[:2])
    assert [(game["id"], game["throws"], game["over"]) for game in past.games()] == [(1, 1, False)]
    table.submit(c.StartGame(header={**HEADER, "players": ["Cat", "Dan"]}))
    played(table, TURN[:1])
    assert [game["players"] for game in past.games()] == [["Cat", "Dan"], ["Ann", "Ben"]]
    played(table, [{"undo": 1}, {"undo": 1}])
    assert [game["id"] for game in past.games()] == [1]
    moves = known(past.moves(1))["moves"]
    assert [move["throw"] for move in moves] == [1, None]
    assert (moves[-1]["line"], moves[-1]["state"]["frozen"]) == ({"do": "point", "value": 5}, 2)
    assert past.text(99) is None
    assert past.moves(99) is None


def test_a_game_log_at_its_maximum_length_keeps_that_length_after_undos_and_new_games(table: Table) -> None:
    table.submit(c.StartGame(header=HEADER))
    played(table, [*TURN * 40, *[{"undo": 1}] * 100])
    assert len(known(table.state().record.game).log) == LOG_LENGTH
    for _ in range(3):
        table.submit(c.StartGame(header=HEADER))
        played(table, [{"undo": 1}])
    assert len(known(table.state().record.game).log) == LOG_LENGTH

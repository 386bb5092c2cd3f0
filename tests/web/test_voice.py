"""The table's voice: off until turned on, one call-out at a time, cut off by what makes it untrue."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.errors import DeviceError
from companion.table.commands import BotAwaits, BotDecides, NoteMotion, StartGame
from companion.table.snapshot import Event, News
from tests.web.pub import HEADER, Pub, opened, play
from web.loudspeaker import Loudspeaker, call_outs, words_of
from web.pairing.roles import Role


class Said:
    """Fake speech: its words, and whether it was cut off."""

    def __init__(self, words: str) -> None:
        self.words, self.cut_off = words, False

    def cut(self) -> None:
        self.cut_off = True


class Mouth:
    def __init__(self) -> None:
        self.said: list[Said] = []

    def __call__(self, words: str) -> Said:
        self.said.append(Said(words))
        return self.said[-1]


@pytest.fixture
def mouth() -> Mouth:
    return Mouth()


@pytest.fixture
def voice(pub: Pub, mouth: Mouth) -> Loudspeaker:
    """Return a voice that hears of the game and is off."""
    made = Loudspeaker("en", mouth)
    pub.table.subscribe(made.hear)
    return made


NOTHING: dict[str, object] = {"throw": [2, 2, 3, 3, 4, 6]}
POINT_5: list[dict[str, object]] = [{"throw": [5, 5, 5, 2, 1, 4, 6]}, {"do": "point", "value": 5}]


def test_speech_output_is_silent_until_turned_on(pub: Pub, voice: Loudspeaker, mouth: Mouth) -> None:
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *POINT_5)
    assert mouth.said == []
    voice.turn(True)
    play(pub, {"do": "stop"})
    assert [said.words for said in mouth.said] == ["Ann banked 5 and is now on 5."]


def test_a_text_is_not_spoken_if_the_voice_is_turned_off_just_before(
    pub: Pub, voice: Loudspeaker, mouth: Mouth
) -> None:
    voice.turn(True)

    class BusyLock:
        """A lock for which `hear` waits the second time, to speak, while another thread turns the voice off."""

        uses = 0

        def __enter__(self) -> None:
            self.uses += 1
            if self.uses == 2:
                voice.turn(False)

        def __exit__(self, *_: object) -> None: ...

    voice._lock = BusyLock()  # type: ignore[assignment]
    over = Event(number=1, code="game_over", args={"winners": ["Ann"], "games_lost": {}}, called=True)
    voice.hear(pub.table.snapshot(), News((over,)))
    assert not voice.on
    assert mouth.said == []


def test_speech_output_of_a_bank_is_cut_off_by_an_undo(pub: Pub, voice: Loudspeaker, mouth: Mouth) -> None:
    voice.turn(True)
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *POINT_5, {"do": "stop"})
    assert not mouth.said[-1].cut_off
    play(pub, {"undo": 1})
    assert mouth.said[-1].cut_off


def test_turning_on_speech_output_fails_until_espeak_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _program: None)
    voice = Loudspeaker()
    with pytest.raises(DeviceError, match="apt install espeak-ng"):
        voice.turn(True)
    monkeypatch.setattr("shutil.which", lambda program: f"/usr/bin/{program}")
    voice.turn(True)
    assert voice.on


def test_failing_speech_output_turns_itself_off_and_the_table_plays_on(pub: Pub) -> None:
    def broken(words: str) -> Said:
        raise OSError("no such program")

    voice = Loudspeaker("en", broken)
    pub.table.subscribe(voice.hear)
    voice.turn(True)
    pub.table.submit(StartGame(header=HEADER))
    play(pub, *POINT_5, {"do": "stop"})
    assert not voice.on
    assert pub.table.snapshot().state["scores"] == {"Ann": 5, "Ben": 0}  # type: ignore[index]


def test_the_voice_announces_in_the_given_language_only_events_marked_to_be_called_out() -> None:
    over = Event(number=3, code="game_over", args={"winners": ["Ann"], "games_lost": {}}, called=True)
    entered = Event(number=2, code="entered", args={"player": "Ann", "category": "crag", "points": 50}, called=True)
    assert call_outs([entered, over], "en") == "Ann scored 50 in Crag. Ann wins."
    assert call_outs([over], "de") == "Ann gewinnt."
    assert call_outs([Event(number=1, code="threw", args={"player": "Ann", "dice": [1]})], "en") == ""


@pytest.mark.parametrize(
    ("code", "args", "said"),
    [
        ("wiped_out", {"points": 0, "from": 9}, "Wipe-out! Ann scores nothing this turn"),
        ("wiped_out", {"points": 1, "from": 9}, "Wipe-out! Ann loses the 1 point of this turn"),
        ("crapped_out", {"points": 0}, "Crapola! Ann scores nothing this turn"),
        ("crapped_out", {"points": 50}, "Crapola! Ann loses the 50 points of this turn"),
        ("froze", {"value": 5, "dice": 2, "frozen": 5, "count": 2}, "2 more 5s kept"),
        ("kept", {"dice": []}, "Ann throws all of them again"),
        ("kept", {"dice": [5]}, "Ann set aside 5"),
        ("threw", {"dice": [4]}, "Ann threw one die: 4"),
        ("game_over", {"winners": [], "games_lost": {"Ann": 1}}, "Game over"),
    ],
)
def test_the_voice_has_words_for_no_points_one_point_no_die_and_no_winner(
    code: str, args: dict[str, object], said: str
) -> None:
    assert words_of(Event(number=1, code=code, args={"player": "Ann", **args}), "en") == said


def test_voice_api_lets_players_but_no_unpaired_phone_turn_speech_on_and_off(tmp_path: Path) -> None:
    class Switch:
        on = False

        def turn(self, on: bool) -> None:
            self.on = on

    with opened(tmp_path, voice=Switch()) as pub:
        assert pub.stranger().post("/api/voice", json={"on": True}).status_code == 401
        for client, on in ((pub.host(), True), (pub.paired(Role.PLAYER), False)):
            assert client.post("/api/voice", json={"on": on}).json == {"on": on}
            assert pub.stranger().get("/api/voice").json == {"on": on}


def test_speech_output_asks_for_each_throw_for_the_bot_only_once(pub: Pub, voice: Loudspeaker, mouth: Mouth) -> None:
    voice.turn(True)
    header = {**HEADER, "first": HEADER["players"][0]}
    terms = {"house": {"player": HEADER["players"][0], "level": "best"}}
    number = pub.table.submit(StartGame(header=header, terms=terms)).number
    pub.table.submit(BotAwaits(number=number, dice=7))
    pub.table.submit(NoteMotion())
    play(pub, POINT_5[0])
    pub.table.submit(BotDecides(number=number + 1, line=POINT_5[1]))
    assert [said.words for said in mouth.said] == [
        "Ann's turn – anyone, throw its 7 dice",
        "Ann is collecting 5s: 3 kept.",
    ]


def test_speech_repeats_the_request_to_throw_for_the_bot_on_its_next_turn(
    pub: Pub, voice: Loudspeaker, mouth: Mouth
) -> None:
    voice.turn(True)
    terms = {"house": {"player": HEADER["players"][0], "level": "best"}}
    number = pub.table.submit(StartGame(header={**HEADER, "game": "crapola"}, terms=terms)).number
    pub.table.submit(BotAwaits(number=number, dice=6))
    play(pub, NOTHING, NOTHING)
    pub.table.submit(BotAwaits(number=number + 2, dice=6))
    said = [said.words for said in mouth.said]
    assert (len(said), said[0]) == (4, said[3]), said

"""Sound effects: which one is played for which event."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from companion.adapters.sound import effect
from companion.games.registry import GAMES
from companion.table.events import TAKEN_BACK
from companion.table.snapshot import Event, News
from hardware.sounds import Note, sound
from tests.system.running import Running
from tests.waiting import until


def happened(*codes: str) -> News:
    game = GAMES["crib_dice"]
    events = [Event(number=9, code=code, args={}, side=0, tones=game.effect(code).tones) for code in codes]
    return News(tuple(events), not TAKEN_BACK.isdisjoint(codes))


@pytest.mark.parametrize(
    ("codes", "heard"),
    [
        (("threw",), "threw"),
        (("threw", "wiped_out"), "wiped_out"),
        (("banked", "threw"), "banked"),
        (("banked", "bumped"), "bumped"),
        (("banked", "finished", "game_over"), "game_over"),
        (("froze",), None),
        (("undone", "threw"), None),
    ],
)
def test_the_last_event_besides_a_throw_picks_the_sound_and_an_undo_is_silent(
    codes: tuple[str, ...], heard: str | None
) -> None:
    """Of the events of one command the last is heard, a throw only if nothing else happened. An undo is silent."""
    tones = GAMES["crib_dice"].effect(heard).tones if heard else ()
    assert effect(happened(*codes)) == tuple(Note(*tone) for tone in tones)
    assert bool(tones) is (heard is not None)


def test_a_running_table_plays_a_throws_sound_effect_through_aplay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = tmp_path / "heard"
    (tmp_path / "aplay").write_text(f"#!/bin/sh\ncat > {heard}.part; mv {heard}.part {heard}\n")
    (tmp_path / "aplay").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "on.toml").write_text("[sound]\neffects = true\n[table]\nplayers = ['Ann', 'Ben']\n")
    with Running(tmp_path / "data", "--config", str(tmp_path / "on.toml")) as table:
        table.pair()
        table.play({"throw": [1, 1, 2, 3, 4, 5, 6]})
        assert until(heard.exists)
        assert heard.read_bytes() == sound((Note(330, 0.0, 0.12),))
        played = {"ok": True, "says": "effects are played"}
        health = table.until("/healthz", lambda answer: answer["parts"]["sounds"] == played)
        assert health["parts"]["sounds"] == played

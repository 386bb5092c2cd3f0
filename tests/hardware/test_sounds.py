"""Effects for the loudspeaker: what is in the file, what is played, and a machine without a player."""

from __future__ import annotations

import io
import os
import threading
import wave
from pathlib import Path

import numpy as np
import pytest

from hardware.sounds import EFFECTS, RATE_HZ, Chimes, aplay, sound


def samples(kind: str) -> np.ndarray:
    with wave.open(io.BytesIO(sound(kind))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)


@pytest.mark.parametrize("kind", EFFECTS)
def test_an_effect_is_short_and_neither_clips_nor_clicks(kind: str) -> None:
    heard = samples(kind)
    assert 0.1 < len(heard) / RATE_HZ < 1.6
    assert np.abs(heard).max() == pytest.approx(0.5 * 32767, rel=0.01)
    assert abs(heard[0]) < 300
    assert np.abs(heard[-50:]).max() < 300


def test_a_banked_turn_rises_and_a_wipe_out_falls() -> None:
    def pitch(kind: str, since_s: float) -> float:
        part = samples(kind)[round(since_s * RATE_HZ) :][:2000]
        return float(np.abs(np.fft.rfft(part * np.hanning(len(part)))).argmax() * RATE_HZ / len(part))

    assert pitch("banked", 0.0) == pytest.approx(523, abs=15)
    assert pitch("banked", 0.2) == pytest.approx(784, abs=15)
    assert pitch("wipe_out", 0.0) > pitch("wipe_out", 0.2)


def test_effects_are_played_in_order_and_those_too_many_are_left_out() -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()
    played: list[bytes] = []

    def play(wav: bytes) -> None:
        played.append(wav)
        begun.set()
        assert go_on.wait(60)
        if len(played) == 3:
            done.set()

    chimes = Chimes(play)
    chimes.start()
    chimes.start()
    chimes.chime("no such effect")
    chimes.chime("throw")
    assert begun.wait(60)
    for kind in ("banked", "bump", "finish", "bomb"):
        chimes.chime(kind)
    go_on.set()
    assert done.wait(60)
    chimes.stop()
    chimes.stop()
    assert played == [sound("throw"), sound("banked"), sound("bump")]
    assert chimes.health()[0]


def player(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program `aplay`, the only one there is."""
    program = folder / "aplay"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_aplay_is_given_the_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player(tmp_path, f"cat > {tmp_path}/heard; echo $* > {tmp_path}/asked", monkeypatch)
    assert aplay(sound("bump")) is None
    assert (tmp_path / "heard").read_bytes() == sound("bump")
    assert (tmp_path / "asked").read_text() == "--quiet -\n"


def test_a_sound_card_that_is_missing_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player(tmp_path, "cat > /dev/null; echo 'audio open error: No such file or directory' >&2; exit 1", monkeypatch)
    told = aplay(sound("bump"))
    assert told is not None
    assert "audio open error: No such file or directory" in told
    assert "group audio" in told


def test_a_machine_without_a_player_is_told_and_asks_for_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    told = aplay(sound("bump"))
    assert told is not None
    assert "apt install alsa-utils" in told

"""Effects for the loudspeaker: what is in the file, what is played, and a machine without a player."""

from __future__ import annotations

import io
import os
import threading
import wave
from pathlib import Path

import numpy as np
import pytest

from hardware.sounds import RATE_HZ, Chimes, Note, aplay, sound
from tests.waiting import until

RISING = (Note(523, 0.0), Note(659, 0.09), Note(784, 0.18))
FALLING = (Note(220, 0.0), Note(165, 0.15, 0.5))
SHORT = (Note(330, 0.0, 0.12),)
DEEP = (Note(880, 0.0, 0.08), Note(110, 0.5, 0.8), Note(82, 0.52, 0.9))


def samples(tones: tuple[Note, ...]) -> np.ndarray:
    with wave.open(io.BytesIO(sound(tones))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE_HZ)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(float)


@pytest.mark.parametrize("tones", [RISING, FALLING, SHORT, DEEP])
def test_a_sound_effect_is_short_and_neither_clips_nor_clicks(tones: tuple[Note, ...]) -> None:
    heard = samples(tones)
    assert 0.1 < len(heard) / RATE_HZ < 1.6
    assert np.abs(heard).max() == pytest.approx(0.5 * 32767, rel=0.01)
    assert abs(heard[0]) < 300
    assert np.abs(heard[-50:]).max() < 300


def test_the_rising_sound_effect_plays_523_then_784_hz_and_the_falling_one_descends() -> None:
    def pitch(kind: tuple[Note, ...], since_s: float) -> float:
        part = samples(kind)[round(since_s * RATE_HZ) :][:2000]
        return float(np.abs(np.fft.rfft(part * np.hanning(len(part)))).argmax() * RATE_HZ / len(part))

    assert pitch(RISING, 0.0) == pytest.approx(523, abs=15)
    assert pitch(RISING, 0.2) == pytest.approx(784, abs=15)
    assert pitch(FALLING, 0.0) > pitch(FALLING, 0.2)


def test_sound_effects_play_in_order_and_excess_effects_are_dropped() -> None:
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
    chimes.chime(())
    chimes.chime(SHORT)
    assert begun.wait(60)
    for tones in (RISING, FALLING, DEEP, DEEP):
        chimes.chime(tones)
    go_on.set()
    assert done.wait(60)
    chimes.stop()
    chimes.stop()
    assert played == [sound(SHORT), sound(RISING), sound(FALLING)]
    assert chimes.health()[0]


def test_a_sound_thread_blocked_at_a_stop_ends_later_even_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.sounds.PLAYER_TIMEOUT_S", -1.0)  # stop does not wait
    begun, go_on = threading.Event(), threading.Event()
    players: list[threading.Thread] = []

    def play(wav: bytes) -> None:
        players.append(threading.current_thread())
        begun.set()
        assert go_on.wait(60)

    chimes = Chimes(play)
    chimes.start()
    chimes.chime(SHORT)
    assert begun.wait(60)
    chimes.stop()
    chimes.start()
    go_on.set()
    players[0].join(60)
    assert not players[0].is_alive()
    chimes.chime(SHORT)
    assert until(lambda: len(players) == 2)
    assert chimes.alive()
    monkeypatch.undo()
    chimes.stop()
    assert not players[1].is_alive()


def player(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a program `aplay` as the only one on the path."""
    program = folder / "aplay"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_the_aplay_program_receives_the_whole_sound_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player(tmp_path, f"cat > {tmp_path}/heard; echo $* > {tmp_path}/asked", monkeypatch)
    assert aplay(sound(SHORT)) is None
    assert (tmp_path / "heard").read_bytes() == sound(SHORT)
    assert (tmp_path / "asked").read_text() == "--quiet -\n"


def test_aplay_without_a_sound_card_returns_the_error_and_advice_about_the_group_audio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player(tmp_path, "cat > /dev/null; echo 'audio open error: No such file or directory' >&2; exit 1", monkeypatch)
    told = aplay(sound(SHORT)) or ""
    assert "audio open error: No such file or directory" in told
    assert "group audio" in told


def test_a_missing_aplay_program_is_reported_with_the_package_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert "apt install alsa-utils" in (aplay(sound(SHORT)) or "")

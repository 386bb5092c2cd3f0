"""Crapola: its rules, odds and words, joined into one game."""

from __future__ import annotations

from companion.games.crapola.board import EFFECTS, track
from companion.games.crapola.panels import panels
from companion.games.crapola.state import begin
from companion.games.crapola.tray import CrapolaTray
from companion.games.crapola.words import CREDITS, IN_WORDS, SWITCHES
from companion.games.rulebook import Rulebook

GAME = Rulebook(
    name="crapola",
    title="Crapola",
    min_players=2,
    max_players=10,
    begin=begin,
    switches=SWITCHES,
    presets={"basic": {}, "quick": {"target": 5000, "entry": 500}},
    tray=CrapolaTray(),
    effects=EFFECTS,
    track=track,
    panels=panels,
    in_words=IN_WORDS,
    credits=CREDITS,
)

"""Crib Dice: its rules, odds and words, joined into one game."""

from __future__ import annotations

from companion.games.crib_dice.board import EFFECTS, track
from companion.games.crib_dice.panels import panels
from companion.games.crib_dice.race import values_to_win
from companion.games.crib_dice.state import begin, check_sides
from companion.games.crib_dice.tray import CribDiceTray
from companion.games.crib_dice.words import CREDITS, IN_WORDS, SWITCHES
from companion.games.rulebook import Rulebook

GAME = Rulebook(
    name="crib_dice",
    title="Crib Dice",
    min_players=2,
    max_players=6,
    begin=begin,
    more=check_sides,
    values_to_win=values_to_win,
    switches=SWITCHES,
    presets={
        "basic": {},
        "advanced": dict.fromkeys(("piddle_points", "bomb", "double_fuchle", "skunk", "bumping"), True),
    },
    tray=CribDiceTray(),
    effects=EFFECTS,
    track=track,
    panels=panels,
    in_words=IN_WORDS,
    credits=CREDITS,
)

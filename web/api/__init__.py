"""The routes of /api, one module a subject. Its `routes(...)` makes the group from the parts that it needs."""

from web.api import advice, calibrate, evening, games, house, pair, photos, play, review, state, tray, voice

__all__ = [
    "advice",
    "calibrate",
    "evening",
    "games",
    "house",
    "pair",
    "photos",
    "play",
    "review",
    "state",
    "tray",
    "voice",
]

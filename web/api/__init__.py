"""The routes of /api, a module a subject: each has `routes(...)`, which makes its group with what it needs."""

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

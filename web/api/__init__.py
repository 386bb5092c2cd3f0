"""The routes of /api, one module a subject. Its `routes(...)` makes the group from the parts that it needs."""

# Offered as `api.state`, `api.play`, ...
from web.api import advice, calibrate, evening, games, house, pair, photos, play, review, state, tray, voice  # noqa: F401

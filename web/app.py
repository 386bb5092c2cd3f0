"""The site as one Flask application, composed of its routes and the guard before them."""

from __future__ import annotations

import logging

import flask
from werkzeug.exceptions import HTTPException

from web import guard
from web.api_calibrate import Calibrating
from web.api_evening import Evening
from web.api_look import Looking
from web.api_pair import pairing
from web.api_play import playing
from web.api_review import Reviewing
from web.api_tray import Hands
from web.api_voice import speaking
from web.feed import Feed
from web.pages import Pages
from web.parts import Parts
from web.refusals import http_error, refusal
from web.static_files import static_files

log = logging.getLogger(__name__)


def create_app(parts: Parts, feed: Feed) -> flask.Flask:
    """The pages and the API over these parts, all but the event stream."""
    app = flask.Flask(__name__, static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    guard.install(app, guard.Hosts(parts.addresses.names))
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, broken)
    app.register_blueprint(Looking(parts, feed).routes())
    app.register_blueprint(playing(parts))
    app.register_blueprint(pairing(parts))
    app.register_blueprint(Pages(parts, feed).routes())
    app.register_blueprint(static_files())
    if parts.tray is not None:
        app.register_blueprint(Hands(parts.tray, parts.pairing).routes())
    if parts.voice is not None:
        app.register_blueprint(speaking(parts, parts.voice))
    if parts.evening is not None:
        app.register_blueprint(Evening(parts.evening, parts.table).routes())
    if parts.calibrate is not None:
        app.register_blueprint(Calibrating(parts.calibrate, parts.pairing).routes())
    if parts.review is not None:
        app.register_blueprint(Reviewing(parts.review, parts.photos, parts.pairing).routes())
    return app


def broken(error: Exception) -> flask.Response:
    """The last resort: what no one foresaw is logged with its trace, and the phone is told in one sentence."""
    log.error("a request broke: %s %s", flask.request.method, flask.request.path, exc_info=error)
    return refusal(500)

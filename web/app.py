"""The Flask application: pages, groups of API routes, and the guard before them."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import flask
from werkzeug.exceptions import HTTPException

from web import guard
from web.openapi import openapi
from web.pages import Pages
from web.pairing.roles import ANYONE, Roles
from web.requests import visitor
from web.responses import http_error, refusal
from web.routes import Routes
from web.static_files import static_files

log = logging.getLogger(__name__)

OTHER_ROUTES: dict[str, Roles] = {"GET /api/openapi.json": ANYONE, "GET /static/<asked>/<path:name>": ANYONE}
"""Roles that may use the two routes that belong to no group and no page, by method and rule."""


def create_app(pages: Pages, groups: Sequence[Routes], version: str) -> flask.Flask:
    """Return the Flask application: pages, static files and API, but not the event stream.

    `guard` checks each request first: it refuses foreign hosts and origins, and visitors without a role for the route.

    Args:
        pages: The HTML pages.
        groups: Groups of API routes.
        version: The program's version, for the OpenAPI document.
    """
    app = flask.Flask(__name__, static_folder=None)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, internal_error)
    app.register_blueprint(pages.routes({group.name for group in groups}))
    app.register_blueprint(openapi(version, groups))
    app.register_blueprint(static_files())
    for group in groups:
        app.register_blueprint(group.blueprint)
    guard.install(app, guard.Hosts(pages.addresses().names), roles_of(pages, groups), lambda: visitor(pages.pairing))
    return app


def roles_of(pages: Pages, groups: Sequence[Routes]) -> dict[str, Roles]:
    """Return the set of roles that may use each route of the application, by method and rule: "POST /api/lines".

    ANYONE stands for every visitor. docs/reference/roles.md lists all routes.
    """
    found = OTHER_ROUTES | pages.roles()
    for group in groups:
        found |= group.roles
    return found


def internal_error(error: Exception) -> flask.Response:
    """Log an unexpected exception with its traceback, and answer 500 with one sentence."""
    log.error("a request failed: %s %s", flask.request.method, flask.request.path, exc_info=error)
    return refusal(500)

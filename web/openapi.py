"""`/api/openapi.json`: the OpenAPI document, made from the groups of routes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flask
import msgspec

from web.guard import COOKIE
from web.responses import answer
from web.routes import Json, Routes

PROBLEM: Json = {
    "type": "object",
    "required": ["error", "message"],
    "properties": {"error": {"type": "string"}, "message": {"type": "string"}},
}
"""JSON schema of a refusal: an error code, and a message that names the next step."""


def openapi(version: str, groups: Sequence[Routes]) -> flask.Blueprint:
    """Return a Flask blueprint that serves the OpenAPI 3.1 document of these groups' routes at `/api/openapi.json`.

    `version` is the program's version, as the document states it.
    """
    structs: list[Any] = [struct for group in groups for struct in group.structs]
    _, schemas = msgspec.json.schema_components(structs, ref_template="#/components/schemas/{name}")
    schemas["Problem"] = PROBLEM
    paths: dict[str, Json] = {}
    for group in groups:
        schemas |= group.schemas
        for path, methods in group.paths.items():
            paths[path] = {**paths.get(path, {}), **methods}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Peg & Pip", "version": version, "description": "A dice table: watch, and play."},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"phone": {"type": "apiKey", "in": "cookie", "name": COOKIE}},
        },
    }
    blueprint = flask.Blueprint("openapi", __name__)
    blueprint.add_url_rule("/api/openapi.json", "describe", lambda: answer(document))
    return blueprint

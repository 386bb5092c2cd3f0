"""The one way to make routes: what a route does, who may use it and its OpenAPI description stand in one place.

A module's `routes(...)` makes a group with the parts that it needs. Before the view is called the guard checks the
roles, and `Routes` the shape of what is sent.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import flask
import msgspec

from web.pairing.roles import ANYONE, Roles
from web.requests import body

Json = dict[str, Any]
View = Callable[..., flask.Response]
Decorator = Callable[[View], View]

JSON = "application/json"
NUMBER_IN_PATH = re.compile(r"<int:(\w+)>")
OF_EVERY_POST = (400, 403, 413, 415)


class NothingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is sent where nothing is to be said: an empty object."""


class Routes:
    """A group of routes.

    Attributes:
        name: What it is about.
        blueprint: Its routes for Flask.
        paths: The same for OpenAPI.
        structs: The shapes that they name, as msgspec structs.
        schemas: More shapes, as JSON schemas.
        roles: Who may use each route, by method and address: `"POST /api/lines"`.
    """

    def __init__(self, name: str, *structs: Any, schemas: Mapping[str, Json] | None = None) -> None:
        self.name, self.structs, self.schemas = name, structs, schemas or {}
        self.blueprint = flask.Blueprint(name, __name__)
        self.paths: dict[str, Json] = {}
        self.roles: dict[str, Roles] = {}

    def get(
        self,
        rule: str,
        summary: str,
        schema: Json | None = None,
        *,
        roles: Roles,
        refused: Sequence[int] = (),
        kind: str = JSON,
        query: Sequence[Json] = (),
    ) -> Decorator:
        """Serve what the view makes.

        Args:
            rule: The address; `<int:throw>` in it goes to the view.
            summary: What is to be had there.
            schema: Of the answer.
            roles: Who may have it.
            refused: The statuses of refusals, besides 403, and 401 where not everyone may have it.
            kind: The media type of the answer.
            query: Parameters of the query, as OpenAPI has them.
        """
        operation = {"summary": summary, "responses": _responses(schema, (403, *refused), kind)}
        self._describe("get", rule, operation, query, roles)
        return self._served("GET", rule, None, roles)

    def post(
        self,
        rule: str,
        summary: str,
        shape: Any,
        schema: Json | None = None,
        *,
        roles: Roles,
        refused: Sequence[int] = (),
        named: str | None = None,
    ) -> Decorator:
        """Do what the view does with the request's JSON, which is its first argument.

        Args:
            rule: The address; `<int:throw>` in it goes to the view.
            summary: What is done.
            shape: Of the request: a msgspec struct.
            schema: Of the answer.
            roles: Who may do it.
            refused: The statuses of refusals, besides those of every request, and 401 where not everyone may do it.
            named: The schema of the request, where it is not the struct's.
        """
        operation = {
            "summary": summary,
            "requestBody": {"required": True, "content": _content(ref(named or shape.__name__))},
            "responses": _responses(schema, (*OF_EVERY_POST, *refused), JSON),
        }
        self._describe("post", rule, operation, (), roles)
        return self._served("POST", rule, shape, roles)

    def _describe(self, method: str, rule: str, operation: Json, query: Sequence[Json], roles: Roles) -> None:
        parameters = [*(number(name) for name in NUMBER_IN_PATH.findall(rule)), *query]
        if parameters:
            operation["parameters"] = parameters
        if roles != ANYONE:
            operation["security"] = [{"phone": []}]
            operation["responses"] |= _refusals((401,))
        self.paths.setdefault(NUMBER_IN_PATH.sub(r"{\1}", rule), {})[method] = operation

    def _served(self, method: str, rule: str, shape: Any, roles: Roles) -> Decorator:
        self.roles[f"{method} {rule}"] = roles

        def serve(view: View) -> View:
            @functools.wraps(view)
            def checked(**path: int) -> flask.Response:
                return view(**path) if shape is None else view(body(shape), **path)

            self.blueprint.add_url_rule(rule, f"{method} {rule}".replace(".", "-"), checked, methods=[method])
            return view

        return serve


def ref(name: str) -> Json:
    """The shape of that name."""
    return {"$ref": f"#/components/schemas/{name}"}


def number(name: str, place: str = "path") -> Json:
    """A number in the path, or in the query."""
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "integer", "minimum": 0}}


def _content(schema: Json, kind: str = JSON) -> Json:
    return {kind: {"schema": schema}}


def _responses(good: Json | None, refused: Sequence[int], kind: str) -> Json:
    return {"200": {"description": "done", "content": _content(good or {}, kind)}, **_refusals(refused)}


def _refusals(statuses: Sequence[int]) -> Json:
    told: Json = {"description": "refused, with the next step", "content": _content(ref("Problem"))}
    return {str(status): told for status in statuses}

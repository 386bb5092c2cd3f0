"""The one way to make routes: what a route does and what it is, told for machines, stand in one place.

A group is made by a module's `routes(...)` with what it needs. Whether a phone must be paired, and the shape of what it
sends, are checked before the view is called.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import flask
import msgspec

from web.pairing.phones import Pairing
from web.requests import body, from_this_machine, phone
from web.responses import refuse

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
    """

    def __init__(
        self, name: str, *structs: Any, pairing: Pairing | None = None, schemas: Mapping[str, Json] | None = None
    ) -> None:
        self.name, self.structs, self.schemas = name, structs, schemas or {}
        self.blueprint = flask.Blueprint(name, __name__)
        self.paths: dict[str, Json] = {}
        self._pairing = pairing

    def get(
        self,
        rule: str,
        summary: str,
        schema: Json | None = None,
        *,
        refused: Sequence[int] = (),
        kind: str = JSON,
        query: Sequence[Json] = (),
        paired: bool = False,
    ) -> Decorator:
        """Serve what the view makes.

        Args:
            rule: The address; `<int:throw>` in it goes to the view.
            summary: What is to be had there.
            schema: Of the answer.
            refused: The statuses of refusals, besides 403.
            kind: The media type of the answer.
            query: Parameters of the query, as OpenAPI has them.
            paired: Whether only paired phones may have it.
        """
        operation = {"summary": summary, "responses": _responses(schema, (403, *refused), kind)}
        self._describe("get", rule, operation, query, secured=paired)
        return self._served("GET", rule, None, paired, here=False)

    def post(
        self,
        rule: str,
        summary: str,
        shape: Any,
        schema: Json | None = None,
        *,
        refused: Sequence[int] = (),
        named: str | None = None,
        paired: bool = False,
        or_here: bool = False,
    ) -> Decorator:
        """Do what the view does with the request's JSON, which is its first argument.

        Args:
            rule: The address; `<int:throw>` in it goes to the view.
            summary: What is done.
            shape: Of the request: a msgspec struct.
            schema: Of the answer.
            refused: The statuses of refusals, besides those of every request.
            named: The schema of the request, where it is not the struct's.
            paired: Whether only paired phones may do it.
            or_here: Whether this machine may too.
        """
        operation = {
            "summary": summary,
            "requestBody": {"required": True, "content": _content(ref(named or shape.__name__))},
            "responses": _responses(schema, (*OF_EVERY_POST, *refused), JSON),
        }
        self._describe("post", rule, operation, (), secured=paired and not or_here)
        return self._served("POST", rule, shape, paired, or_here)

    def _describe(self, method: str, rule: str, operation: Json, query: Sequence[Json], secured: bool) -> None:
        parameters = [*(number(name) for name in NUMBER_IN_PATH.findall(rule)), *query]
        if parameters:
            operation["parameters"] = parameters
        if secured:
            operation["security"] = [{"phone": []}]
        self.paths.setdefault(NUMBER_IN_PATH.sub(r"{\1}", rule), {})[method] = operation

    def _served(self, method: str, rule: str, shape: Any, paired: bool, here: bool) -> Decorator:
        def serve(view: View) -> View:
            @functools.wraps(view)
            def checked(**path: int) -> flask.Response:
                if paired and not (here and from_this_machine()):
                    assert self._pairing is not None, f"{self.name} has routes for paired phones"
                    if phone(self._pairing) is None:
                        refuse(401)
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
    responses: Json = {"200": {"description": "done", "content": _content(good or {}, kind)}}
    for status in refused:
        responses[str(status)] = {"description": "refused, with the next step", "content": _content(ref("Problem"))}
    return responses

"""Groups of API routes: a route's view, roles and OpenAPI description are declared in one place.

The function `routes(...)` of a module in `web/api` makes a group from the parts of the table that it needs. Before a
view is called, the guard checks the visitor's roles, and `Routes` checks the request's body.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, TypeVar

import flask
import msgspec

from companion.errors import CompanionError, RulesError, StaleAction
from web.pairing.roles import ANYONE, Roles
from web.requests import body
from web.responses import answer, refusal

log = logging.getLogger(__name__)

Json = dict[str, Any]
View = TypeVar("View", bound=Callable[..., object])

JSON = "application/json"
"""Media type (Content-Type) of an answer, unless a route names another."""
NUMBER_IN_PATH = re.compile(r"<int:(\w+)>")
"""Pattern of an integer parameter in a Flask route, such as `<int:throw>`; its group is the name. The OpenAPI document
lists these parameters and writes them as `{throw}`."""
Refusals = Mapping[type[CompanionError], tuple[int, str | None]]
"""HTTP status and error code of the refusal of each kind of error; None for the error's own code."""
REFUSALS: Refusals = {StaleAction: (409, None), RulesError: (422, None), CompanionError: (503, "ill")}
"""HTTP status and error code by type of error, for errors that a view raises; None is the error's own code. The entry
of an error's class counts, else that of its nearest base class. A group of routes may replace entries."""
OF_EVERY_POST = (400, 403, 413, 415)
"""HTTP statuses that the OpenAPI document lists for every POST: malformed, foreign origin, too large, not JSON. It does
not change the answers themselves."""


class NothingBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The body of a POST without arguments: an empty JSON object."""


class Routes:
    """A group of API routes. Its methods `get` and `post` declare them.

    A view returns a response, or a value that is answered as JSON. A CompanionError that it raises is answered as in
    `REFUSALS`.

    Attributes:
        name: The group's subject, by which `OPTIONAL_PAGES` in `web.pages` names it.
        blueprint: The routes for Flask.
        paths: The routes for the OpenAPI document.
        structs: The msgspec structs whose schemas the OpenAPI document includes.
        schemas: More JSON schemas for it, by name.
        roles: The roles that may use each route, by method and rule: `"POST /api/lines"`.
        refusals: The refusals of the errors that a view raises.
    """

    def __init__(
        self, name: str, *structs: Any, schemas: Mapping[str, Json] | None = None, refusals: Refusals | None = None
    ) -> None:
        self.name, self.structs, self.schemas = name, structs, schemas or {}
        self.blueprint = flask.Blueprint(name, __name__)
        self.refusals = {**REFUSALS, **(refusals or {})}
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
    ) -> Callable[[View], View]:
        """Declare a GET route of the group, and return a decorator for its view.

        Args:
            rule: Path of the route; a number `<int:throw>` in it becomes an argument of the view.
            summary: One line for the OpenAPI document.
            schema: JSON schema of the answer; None for any.
            roles: Roles that may use the route.
            refused: More statuses of refusals. 403 is always added; 401 too, unless anyone may use the route; 404
                if `rule` has a number.
            kind: Media type (Content-Type) of the answer.
            query: OpenAPI descriptions of the parameters in its query string.
        """
        operation: Json = {"summary": summary, "responses": _responses(schema, (403, *refused), kind)}
        return self._declare("GET", rule, operation, roles, query=query)

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
    ) -> Callable[[View], View]:
        """Declare a POST route of the group, and return a decorator for its view.

        The decoded body is the view's first argument.

        Args:
            rule: Path of the route; a number `<int:throw>` in it becomes an argument of the view.
            summary: One line for the OpenAPI document.
            shape: Type to which the JSON body is decoded, usually a msgspec struct.
            schema: JSON schema of the answer; None for any.
            roles: Roles that may use the route.
            refused: More statuses of refusals. Those of `OF_EVERY_POST` are always added; 401 too, unless anyone may
                use the route; 404 if `rule` has a number.
            named: Name of the body's schema in the OpenAPI document; None for the name of `shape`.
        """
        operation = {
            "summary": summary,
            "requestBody": {"required": True, "content": _content(ref(named or shape.__name__))},
            "responses": _responses(schema, (*OF_EVERY_POST, *refused), JSON),
        }
        return self._declare("POST", rule, operation, roles, shape=shape)

    def _declare(
        self, method: str, rule: str, operation: Json, roles: Roles, shape: Any = None, query: Sequence[Json] = ()
    ) -> Callable[[View], View]:
        """Add a route to the group, and return the decorator that adds its view to `blueprint`.

        Numbers in the path are passed to the view by name. The view's result is sent as JSON, unless it is a response.
        A CompanionError of the view becomes a refusal. Roles are only recorded in `roles`: `guard.install` enforces
        them.

        Args:
            method: GET or POST.
            rule: Path of the route.
            operation: Its OpenAPI operation object. Added here are the parameters of its path and query, the answer 404
                if its path has a number, and unless everyone may use the route, the security scheme `phone` and the
                answer 401. Roles are not listed.
            roles: Roles that may use the route.
            shape: Type of the body, which becomes the view's first argument; None for a route without a body.
            query: OpenAPI descriptions of the parameters in its query string.
        """
        numbers = NUMBER_IN_PATH.findall(rule)
        parameters = [*map(number, numbers), *query]
        if parameters:
            operation["parameters"] = parameters
        if numbers:
            operation["responses"] |= _refusals((404,))
        if roles != ANYONE:
            operation["security"] = [{"phone": []}]
            operation["responses"] |= _refusals((401,))
        self.paths.setdefault(NUMBER_IN_PATH.sub(r"{\1}", rule), {})[method.lower()] = operation
        self.roles[f"{method} {rule}"] = roles

        def serve(view: View) -> View:
            def checked(**path: int) -> flask.Response:
                try:
                    told = view(**path) if shape is None else view(body(shape), **path)
                except CompanionError as error:
                    return error_refusal(self.refusals, error, operation["responses"])
                return told if isinstance(told, flask.Response) else answer(told)

            self.blueprint.add_url_rule(rule, f"{method} {rule}".replace(".", "-"), checked, methods=[method])
            return view

        return serve


def error_refusal(refusals: Refusals, error: CompanionError, declared_statuses: Container[str]) -> flask.Response:
    """Log an error; return its refusal, with the status and code of its class or nearest base class in `refusals`.

    `refusals` must contain CompanionError; the code None there stands for the error's own `code`. `declared_statuses`
    are the route's, as strings such as "422". Any other status is sent, too, but logged with the traceback as a
    programming error. The refusal of a StaleAction ends with a request to look again.
    """
    status, code = next(refusals[kind] for kind in type(error).__mro__ if kind in refusals)
    asked, surprise = f"{flask.request.method} {flask.request.path}", str(status) not in declared_statuses
    level = logging.ERROR if surprise else logging.WARNING if status >= 500 else logging.INFO
    log.log(level, "answered %d: %s: %s", status, asked, error, exc_info=error if surprise else None)
    again = " Look at the newest state and try again." if isinstance(error, StaleAction) else ""
    return refusal(status, code or getattr(error, "code", None), str(error).replace("\n", " ") + again)


def ref(name: str) -> Json:
    """Return the OpenAPI reference to the JSON schema of that name in the document's components."""
    return {"$ref": f"#/components/schemas/{name}"}


def number(name: str, place: str = "path") -> Json:
    """Return the OpenAPI description of a non-negative integer parameter; `place` is "path" (required) or "query"."""
    return {"name": name, "in": place, "required": place == "path", "schema": {"type": "integer", "minimum": 0}}


def _content(schema: Json, kind: str = JSON) -> Json:
    return {kind: {"schema": schema}}


def _responses(good: Json | None, refused: Sequence[int], kind: str) -> Json:
    return {"200": {"description": "done", "content": _content(good or {}, kind)}, **_refusals(refused)}


def _refusals(statuses: Sequence[int]) -> Json:
    told: Json = {"description": "refused, with the next step", "content": _content(ref("Problem"))}
    return {str(status): told for status in statuses}

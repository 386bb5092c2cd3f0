"""The guard before every request: Host, Origin, size and role; and the security headers of every answer.

- Host: only IP addresses, `localhost`, `*.local` and the table's own names pass. This stops DNS rebinding.
- Origin: a request that changes something must come from the table's own pages and be JSON. This stops cross-site
  request forgery.
- Role: each route names the roles that may use it. The program does not start with a route without roles.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import flask
from werkzeug.sansio.http import parse_cookie

from web.pairing.roles import PAIRED, Role, Roles
from web.responses import HEADERS, refusal

log = logging.getLogger(__name__)

COOKIE = "pegpip"
"""Name of the cookie that holds a phone's token."""
TOKEN_DAYS = 90
"""Days without use after which a phone's token and cookie expire. Higher: a lost phone keeps its role longer.
Lower: guests who come rarely must pair again."""
BODY_LIMIT_BYTES = 64 * 1024
"""Largest body of a request, in bytes; a larger one is refused with 413, whose message in `web.responses` names this
limit. Higher: requests may fill more memory; lower: long but honest ones are refused."""
NOT_OWNER = ("not_owner", "Only the host can do this. The host's phone can hand hosting over.")
"""Error code and message for a paired phone whose request only the owner may make."""
NOT_PLAYER = ("not_player", "This is a screen: it only shows the table. Pair a phone on /control to play.")
"""Error code and message for a screen whose request only players may make."""
FOREIGN_HOST = ("foreign_host", "That is not this table's name. Open it by the address the table shows.")
"""Error code and message for a request whose Host header does not name this table."""


class Hosts:
    """The host names of this table: the given `names`, every IP address, `localhost` and `*.local`."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._own = {name.lower().rstrip(".") for name in names} | {"localhost"}

    def allows(self, header: str) -> bool:
        """Return whether the value of a Host header (a name, perhaps with a port) names this table."""
        host = host_name(header)
        return host is not None and (host in self._own or host.endswith(".local") or is_ip_address(host))


def install(app: flask.Flask, hosts: Hosts, roles: Mapping[str, Roles], visitor: Callable[[], Roles]) -> None:
    """Make an application check every request before its view, and add the security headers to every answer.

    A request is refused for its host (403), for its origin, size or type (`check_origin`), or for its visitor's roles.
    A visitor with no role that the route allows gets 401 if not paired, else 403.

    Args:
        app: The application, with all its routes.
        hosts: Host names that a request's Host header may contain.
        roles: The roles that may use each route, by method and rule such as "POST /api/lines".
        visitor: Returns the roles of the visitor that made the current request.

    Raises:
        KeyError: A route has no roles.
    """
    for rule in app.url_map.iter_rules():
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            roles[f"{method} {rule.rule}"]

    def check_host() -> flask.Response | None:
        header = flask.request.environ.get("HTTP_HOST", "")
        if hosts.allows(header):
            return None
        log.warning("refused a request for host %r from %s", header, flask.request.remote_addr)
        return refusal(403, *FOREIGN_HOST)

    def check_role() -> flask.Response | None:
        rule, method = flask.request.url_rule, flask.request.method.replace("HEAD", "GET")
        if rule is None or method == "OPTIONS":
            return None
        allowed, has = roles[f"{method} {rule.rule}"], visitor()
        if allowed & has:
            return None
        if not has & PAIRED:
            return refusal(401)
        return refusal(403, *(NOT_PLAYER if Role.PLAYER in allowed else NOT_OWNER))

    app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT_BYTES
    app.before_request(check_host)
    app.before_request(check_origin)
    app.before_request(check_role)
    app.after_request(add_headers)


def token_of(cookie_header: bytes) -> str | None:
    """Return the phone's token in the value of a Cookie header; None if there is none."""
    return parse_cookie(cookie_header.decode("latin-1")).get(COOKIE)


def set_token_cookie(response: flask.Response, token: str) -> flask.Response:
    """Add a phone's token to a response as a cookie for `TOKEN_DAYS` that scripts can't read; return the response."""
    secure = flask.request.is_secure
    response.set_cookie(COOKIE, token, max_age=TOKEN_DAYS * 86_400, httponly=True, samesite="Strict", secure=secure)
    return response


def check_origin() -> flask.Response | None:
    """Return the refusal of the current request: from another site (403), too large (413) or not JSON (415).

    Returns None for a request that may pass. GET, HEAD and OPTIONS always pass: they change nothing. A request from
    another site is logged.
    """
    request = flask.request
    if request.method in {"GET", "HEAD", "OPTIONS"}:
        return None
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    if (origin is not None and not same_origin(origin, request.host)) or site not in {"same-origin", "none"}:
        log.warning("refused a change from origin %r (%s), address %s", origin, site, request.remote_addr)
        return refusal(403, "foreign_origin", "Only the table's own pages may change it. Open the page and try there.")
    if (request.content_length or 0) > BODY_LIMIT_BYTES:
        return refusal(413)
    return None if request.mimetype == "application/json" else refusal(415)


def add_headers(response: flask.Response) -> flask.Response:
    """Add the security headers in `HEADERS` to a response, and return it. A header that it has already keeps its value.

    If the request came over https, Cross-Origin-Opener-Policy is added, too.
    """
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if flask.request.is_secure:  # over plain http browsers ignore it, with an error in the console
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    return response


def same_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header's value has the same host and port as the Host header's value `host`.

    Both are compared as texts, ignoring case: `http://table:80` does not match `table`. An origin other than an http or
    https URL, such as `null`, gives False.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()


def host_name(header: str) -> str | None:
    """Return the name in a Host header's value in lower case, without port and final dot; None if there is none.

    A value with a user, a path or an impossible port gives None, too. Other malformed ones are not refused.

    >>> host_name("Dice.Local:8000"), host_name("[::1]:8000"), host_name("a@b")
    ('dice.local', '::1', None)
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.netloc != header:
        return None
    return (parts.hostname or "").rstrip(".") or None


def is_ip_address(host: str) -> bool:
    """Return whether a host is an IPv4 or IPv6 address rather than a name.

    Brackets around an IPv6 address must be removed first. A zone, as `%eth0` in `fe80::1%eth0`, is ignored.
    """
    try:
        ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    return True

"""The guard before every request: Host, Origin, size and role; and the security headers of every answer.

- Host: only IP addresses, `localhost`, `*.local` and the table's own names pass. This stops DNS rebinding.
- Origin: a request that changes something must come from our own pages and be JSON. This stops cross-site requests.
- Role: each route names the roles that may use it. A route without roles stops the start.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import flask
from werkzeug.http import parse_cookie

from web.pairing.roles import PAIRED, Role, Roles
from web.responses import refusal

log = logging.getLogger(__name__)

COOKIE = "pegpip"
"""Name of the cookie that holds a phone's token."""
TOKEN_DAYS = 90
"""Days without use after which a token expires."""
BODY_LIMIT_BYTES = 64 * 1024
"""Largest body of a request. A larger one is refused with 413."""
NOT_OWNER = ("not_owner", "Only the host can do this. The host's phone can hand hosting over.")
"""Code and words of the refusal of a player's request that only the owner may make."""
NOT_PLAYER = ("not_player", "This is a screen: it only shows the table. Pair a phone on /control to play.")
"""Code and words of the refusal of a screen's request that only players may make."""
FOREIGN_HOST = ("foreign_host", "That is not this table's name. Open it by the address the table shows.")
"""Code and words of the refusal of a request whose Host header does not name this table."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; media-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Content security policy of every answer: only scripts, styles and pictures of this server."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
"""Security headers of every answer."""


class Hosts:
    """Host names of this table. IP addresses, `localhost` and `*.local` are always among them."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._own = {name.lower().rstrip(".") for name in names} | {"localhost"}

    def allows(self, header: str) -> bool:
        """Return whether a Host header (name, perhaps with port) names this table."""
        host = host_name(header)
        return host is not None and (host in self._own or host.endswith(".local") or is_address(host))


def install(app: flask.Flask, hosts: Hosts, roles: Mapping[str, Roles], visitor: Callable[[], Roles]) -> None:
    """Have the guard check every request of the application, and add the security headers to every answer.

    Args:
        app: The application, with all its routes.
        hosts: The table's host names.
        roles: The roles for each route, by method and address such as "POST /api/lines".
        visitor: Returns the roles of the current request's visitor.

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
    """Return the token in a Cookie header; None if it has none."""
    return parse_cookie(cookie_header.decode("latin-1")).get(COOKIE)


def keep_token(response: flask.Response, token: str) -> flask.Response:
    """Set a phone's token as a cookie for `TOKEN_DAYS` that scripts can't read; return the response."""
    secure = flask.request.is_secure
    response.set_cookie(COOKIE, token, max_age=TOKEN_DAYS * 86_400, httponly=True, samesite="Strict", secure=secure)
    return response


def check_origin() -> flask.Response | None:
    """Return a refusal of a request that changes something, if another site sent it, it is too large or not JSON.

    None lets the request pass.
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
    """Add the security headers in `HEADERS` to an answer that does not set them itself; return the answer."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    if flask.request.is_secure:  # over plain http browsers ignore it, with an error in the console
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return response


def same_origin(origin: str, host: str) -> bool:
    """Return whether an Origin header names the host and port that the request was sent to."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc.lower() == host.lower()


def host_name(header: str) -> str | None:
    """Return the name in a Host header in lower case, without port; None if the header is malformed.

    >>> host_name("Dice.Local:8000"), host_name("[::1]:8000"), host_name("a@b")
    ('dice.local', '::1', None)
    """
    try:
        parts = urlsplit(f"//{header}")
        _ = parts.port
    except ValueError:
        return None
    if parts.username is not None or parts.path:
        return None
    return parts.hostname.rstrip(".") if parts.hostname else None


def is_address(host: str) -> bool:
    """Return whether a host is an IP address."""
    try:
        ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return False
    return True

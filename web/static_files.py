"""The pages' own files: styles, modules, icon. Squeezed once, named by their content, kept by the phone for good."""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import flask

FOLDER = Path(__file__).parent / "static"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
}
FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Served:
    """A file's bytes, plain and squeezed (None where that does not pay)."""

    kind: str
    plain: bytes
    squeezed: bytes | None


@functools.cache
def shelf() -> dict[str, Served]:
    """Every static file by its path, and the catalogue's texts as `texts/LANGUAGE.json`."""
    files = {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*")) if path.suffix in KINDS}
    texts = Path(__file__).parent / "texts"
    files |= {f"texts/{path.name}": path for path in sorted(texts.glob("*.json"))}
    return {name: _served(path) for name, path in files.items()}


def _served(path: Path) -> Served:
    plain = path.read_bytes()
    squeezed = gzip.compress(plain, 9, mtime=0)
    return Served(KINDS[path.suffix], plain, squeezed if len(squeezed) < 0.9 * len(plain) else None)


@functools.cache
def version() -> str:
    """A word that changes whenever a static file does."""
    digest = hashlib.sha256()
    for name, served in shelf().items():
        digest.update(name.encode() + b"\0" + served.plain)
    return digest.hexdigest()[:12]


def url(name: str) -> str:
    """The address of a static file. Modules find each other beside it, under the same version."""
    return f"/static/{version()}/{name}"


@functools.cache
def modules(name: str) -> tuple[str, ...]:
    """A module and all that it imports, itself first: what a page may ask for in one go."""
    found = [name]
    for each in found:
        found += [word for word in _IMPORTED.findall(shelf()[each].plain.decode()) if word not in found]
    return tuple(found)


_IMPORTED = re.compile(r'from "\./([a-z]+\.js)"')


def static_files() -> flask.Blueprint:
    """The route of static files. Another version's address gets today's file, but not to keep."""
    routes = flask.Blueprint("files", __name__)

    @routes.get("/static/<asked>/<path:name>")
    def file(asked: str, name: str) -> flask.Response:
        served = shelf().get(name)
        if served is None:
            flask.abort(404)
        squeeze = served.squeezed is not None and flask.request.accept_encodings.quality("gzip") > 0
        response = flask.Response(served.squeezed if squeeze else served.plain, content_type=served.kind)
        if squeeze:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        response.headers["Cache-Control"] = FOR_GOOD if asked == version() else "no-cache"
        return response

    return routes

"""The pages' own files: styles, modules, icon. Squeezed once, named by their content, kept by the phone for good."""

from __future__ import annotations

import functools
import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

import flask

from web.bundler import bundled

FOLDER = Path(__file__).parent / "static"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
    ".json": "application/json",
}
PAGES = tuple(
    path.stem for path in sorted((FOLDER.parent / "templates").glob("*.html")) if (FOLDER / f"{path.stem}.js").exists()
)
FOR_GOOD = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Served:
    """A file's bytes, plain and squeezed (None where that does not pay)."""

    kind: str
    plain: bytes
    squeezed: bytes | None


@functools.cache
def shelf() -> dict[str, Served]:
    """Every static file by its path, texts as `texts/LANGUAGE.json`, each page's modules in one as `page-NAME.js`."""
    files = {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*")) if path.suffix in KINDS}
    texts = Path(__file__).parent / "texts"
    files |= {f"texts/{path.name}": path for path in sorted(texts.glob("*.json"))}
    told = {name: path.read_bytes() for name, path in files.items()}
    sources = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js")}
    told |= {f"page-{page}.js": bundled(page, sources).encode() for page in PAGES}
    return {name: _served(name, plain) for name, plain in told.items()}


def _served(name: str, plain: bytes) -> Served:
    squeezed = gzip.compress(plain, 9, mtime=0)
    return Served(KINDS[Path(name).suffix], plain, squeezed if len(squeezed) < 0.9 * len(plain) else None)


@functools.cache
def version() -> str:
    """A word that changes whenever a static file does."""
    digest = hashlib.sha256()
    for name, served in shelf().items():
        digest.update(name.encode() + b"\0" + served.plain)
    return digest.hexdigest()[:12]


def url(name: str) -> str:
    """The address of a static file."""
    return f"/static/{version()}/{name}"


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

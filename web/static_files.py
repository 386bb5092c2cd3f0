"""The pages' own files: styles, modules, icon. Squeezed once, named by their content, kept by the phone for good."""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import flask
import msgspec

from web import catalogue
from web.bundler import bundled

FOLDER = Path(__file__).parent / "static"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".mp4": "video/mp4",
    ".json": "application/json",
}
PAGES = tuple(
    path.stem for path in sorted((FOLDER.parent / "templates").glob("*.html")) if any(FOLDER.glob(f"*/{path.stem}.js"))
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
    """Static files by path; a page's modules in one as `page-NAME.js`, its texts as `texts/LANGUAGE-NAME.json`."""
    files = {path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*")) if path.suffix in KINDS}
    plain_files = {name: path.read_bytes() for name, path in files.items()}
    sources = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js")}
    for page in PAGES:
        source = bundled(page, sources)
        plain_files[f"page-{page}.js"] = source.encode()
        for language in catalogue.LANGUAGES:
            plain_files[f"texts/{language}-{page}.json"] = msgspec.json.encode(texts_of(source, language))
    return {name: _served(name, plain) for name, plain in plain_files.items()}


def texts_of(source: str, language: str) -> dict[str, str]:
    """The texts that a page of this source can say: all but those named for pages that it does not mention."""
    foreign = {page for page in PAGES if not re.search(rf"[\"'`]{page}\.", source)}
    return {key: text for key, text in catalogue.texts(language).items() if key.partition(".")[0] not in foreign}


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
        if served.kind == "video/mp4":  # Safari plays no film that it can't ask for in parts
            response.make_conditional(flask.request, accept_ranges=True, complete_length=len(served.plain))
        response.headers["Cache-Control"] = FOR_GOOD if asked == version() else "no-cache"
        return response

    return routes

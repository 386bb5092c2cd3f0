"""Static files: styles, scripts, icons. Their URLs change with their contents, so that phones cache them for good."""

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
"""The folder of the static files."""
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".mp4": "video/mp4",
    ".woff2": "font/woff2",
    ".json": "application/json",
}
"""Media type (Content-Type) of a static file, by its suffix. Files with other suffixes are not served."""
PAGES = tuple(
    path.stem for path in sorted((FOLDER.parent / "templates").glob("*.html")) if any(FOLDER.glob(f"*/{path.stem}.js"))
)
"""Names of the pages with a template and a script of the same name. Each gets one bundled script, `page-NAME.js`."""
OF_FEW_PAGES = (
    "remark", "advice", "chart", "correct", "evidence", "host", "house_rule", "keys", "new", "noscript", "pair", "part",
    "pitch", "preset", "share", "source", "title", "word", "league",
)  # fmt: skip
"""First parts of the keys of texts that the server never sends and few scripts use (`texts_of`): only the pages whose
script names such a key load its text."""
FIRST_PART = re.compile(r"[\"'`]([\w-]+)\.")
"""Finds strings in a script that begin like a key of a text: one word, then a dot."""
CSS_COMMENT = re.compile(r"\s*/\*.*?\*/", re.DOTALL)
"""A comment in a style sheet, with the space before it: browsers need not load it."""
IMMUTABLE = "public, max-age=31536000, immutable"
"""Cache-Control of a file whose URL contains the current version: browsers keep it for a year without a request."""


@dataclass(frozen=True)
class StaticFile:
    """A static file: `kind` is its media type, `plain` its bytes."""

    kind: str
    plain: bytes

    @functools.cached_property
    def gzipped(self) -> bytes | None:
        """The bytes compressed by gzip, once they are asked for; None if that saves less than a tenth."""
        gzipped = gzip.compress(self.plain, 9, mtime=0)
        return gzipped if len(gzipped) < 0.9 * len(self.plain) else None


@functools.cache
def loaded_files() -> dict[str, StaticFile]:
    """Return all static files by their path under `FOLDER`; they are loaded once and cached.

    Generated files are included: for each page NAME the bundled script `page-NAME.js`, and for each page and language
    the texts `texts/LANGUAGE-NAME.json`.
    """
    files = {
        path.relative_to(FOLDER).as_posix(): path for path in sorted(FOLDER.rglob("*")) if path.suffix in MEDIA_TYPES
    }
    plain_files = {name: path.read_bytes() for name, path in files.items()}
    for name in (name for name in files if name.endswith(".css")):
        plain_files[name] = CSS_COMMENT.sub("", plain_files[name].decode()).encode()
    sources = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.js")}
    for page in PAGES:
        source = bundled(page, sources)
        plain_files[f"page-{page}.js"] = source.encode()
        for language in catalogue.LANGUAGES:
            plain_files[f"texts/{language}-{page}.json"] = msgspec.json.encode(texts_of(source, language))
    return {name: StaticFile(MEDIA_TYPES[Path(name).suffix], plain) for name, plain in plain_files.items()}


def texts_of(source: str, language: str) -> dict[str, str]:
    """Return the texts that a page's script may need, by key: all but those that belong to other pages.

    A key begins with a page's name or another word, as `tv` in `tv.title`. A text is left out if that word is in
    `PAGES` or `OF_FEW_PAGES`, and no string in the script begins with the word and a dot.

    Args:
        source: The page's bundled script.
        language: Code of the language.
    """
    foreign = {*PAGES, *OF_FEW_PAGES} - set(FIRST_PART.findall(source))
    return {key: text for key, text in catalogue.texts(language).items() if key.partition(".")[0] not in foreign}


@functools.cache
def version() -> str:
    """Return a hash of all static files, 12 hexadecimal digits: it changes when any of them does."""
    digest = hashlib.sha256()
    for name, served in loaded_files().items():
        digest.update(name.encode() + b"\0" + served.plain)
    return digest.hexdigest()[:12]


def url(name: str) -> str:
    """Return the URL path of the static file `name` (its path under `FOLDER`), which contains the version."""
    return f"/static/{version()}/{name}"


def static_files() -> flask.Blueprint:
    """Return a Flask blueprint that serves the static files at `/static/VERSION/NAME`, compressed where possible.

    A browser may cache a file forever if VERSION is current; otherwise it must ask again. An unknown name is a 404.
    """
    routes = flask.Blueprint("files", __name__)

    @routes.get("/static/<asked>/<path:name>")
    def file(asked: str, name: str) -> flask.Response:
        served = loaded_files().get(name)
        if served is None:
            flask.abort(404)
        zipped = flask.request.accept_encodings.quality("gzip") > 0 and served.gzipped is not None
        response = flask.Response(served.gzipped if zipped else served.plain, content_type=served.kind)
        if zipped:
            response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] = "Accept-Encoding"
        if served.kind == "video/mp4":  # Safari plays a video only with range requests
            response.make_conditional(flask.request, accept_ranges=True, complete_length=len(served.plain))
        response.headers["Cache-Control"] = IMMUTABLE if asked == version() else "no-cache"
        return response

    return routes

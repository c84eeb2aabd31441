"""The files of the page for browsers, read once. Their address contains a hash of them all, so browsers may keep them.

A request is answered by looking up its exact name. No path is ever made of what a visitor sends.
"""

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from dicegames_server.net.web.http import Page

PACKAGE = "dicegames_web"
INDEX = "index.html"
KINDS = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""Endings of the files that browsers get, and what they are."""
FOREVER = "public, max-age=31536000, immutable"
"""A year. The address changes whenever a file does."""
_ASSET = re.compile(r"/web/([0-9a-f]{16})/([a-z0-9./-]{1,60})")


@dataclass(frozen=True, slots=True)
class StaticFiles:
    index: str
    """The page itself, with `{assets}` and `{preload}` filled in."""
    version: str
    """Hash of all files."""
    pages: dict[str, Page]
    """Name -> file."""

    def page(self, path: str) -> Page | None:
        """The file that a path asks for, whatever comes before `/web/`. None: it asks for no file of these."""
        start = path.rfind("/web/")
        found = _ASSET.fullmatch(path, start) if start >= 0 else None
        return self.pages.get(found[2]) if found and found[1] == self.version else None


@cache
def static_files() -> StaticFiles:
    """All files. Read at the first call, which a server makes before the first visitor comes."""
    top = files(PACKAGE)
    found = dict(sorted(_walk(top, "")))
    index = top.joinpath(INDEX).read_text(encoding="utf-8")
    digest = hashlib.sha256(index.encode())
    for name, text in found.items():
        digest.update(f"\0{name}\0{text}".encode())
    version = digest.hexdigest()[:16]
    pages = {name: _asset(name, text) for name, text in found.items()}
    preload = "\n".join(
        f'<link rel="modulepreload" href="web/{version}/{name}">'
        for name in found
        if name.endswith(".js") and not name.startswith("views/")
    )
    index = index.replace("{preload}", preload).replace("{assets}", f"web/{version}")
    return StaticFiles(index, version, pages)


def _asset(name: str, text: str) -> Page:
    headers = {
        "Cache-Control": FOREVER,
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    packed = gzip.compress(text.encode(), mtime=0)
    return Page(text, kind=KINDS[_ending(name)], headers=headers, packed=packed)


def _walk(folder: Traversable, prefix: str) -> list[tuple[str, str]]:
    found = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _walk(entry, f"{prefix}{entry.name}/")
        elif _ending(entry.name) in KINDS:
            found.append((f"{prefix}{entry.name}", entry.read_text(encoding="utf-8")))
    return found


def _ending(name: str) -> str:
    return name[name.rfind(".") :]

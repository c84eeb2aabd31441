"""The README as the page of the package: there is no folder beside it, so nothing in it may lead to one.

hatchling calls this when it builds. Where the repository is known (the workflow on GitHub says so in variables), links
and pictures lead there. Elsewhere pictures are left out, and links become words.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PICTURE = r"!\[[^\]]*\]\((?!\w+:)([^)]+)\)"
SOURCE = r'(?:src|srcset)="(?!\w+:)([^"]+)"'
"""Where a picture written as HTML comes from."""
HTML_PICTURE = r'<picture>.*?</picture>|<img src="(?!\w+:)[^>]*>'
LINK = r"(?<!!)\[([^\]]+)\]\((?![\w]+:|#)([^)]+)\)"


class CustomMetadataHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        home, commit = repository()
        metadata["readme"] = {"content-type": "text/markdown", "text": page(text, home, commit)}
        metadata["urls"] = {"Source": home, "Changes": f"{home}/blob/{commit}/CHANGELOG.md"} if home else {}


def repository() -> tuple[str, str]:
    """The address of the repository on the web and the commit or tag that is built, as GitHub says; or nothing."""
    server, name = os.environ.get("GITHUB_SERVER_URL", ""), os.environ.get("GITHUB_REPOSITORY", "")
    return (f"{server}/{name}", os.environ.get("GITHUB_SHA", "HEAD")) if server and name else ("", "")


def page(text: str, home: str, commit: str) -> str:
    """The text, in which every picture and every link leads somewhere without the files beside it."""
    if home:
        text = re.sub(PICTURE, lambda found: _to(found, 1, f"{home}/raw/{commit}"), text)
        text = re.sub(SOURCE, lambda found: _to(found, 1, f"{home}/raw/{commit}"), text)
        return re.sub(LINK, lambda found: _to(found, 2, f"{home}/blob/{commit}"), text)
    pictures = f"{PICTURE}|{HTML_PICTURE}"
    lines = [re.sub(LINK, r"\1", re.sub(pictures, "", line)) for line in text.splitlines()]
    kept = [line for line, before in zip(lines, text.splitlines(), strict=True) if line == before or line.strip(" |")]
    return re.sub(r"\| \| \|\n\|---\|---\|\n(?!\|)", "", "\n".join([*kept, ""]))


def _to(found: re.Match[str], group: int, place: str) -> str:
    """What was found, with the path in this group below a place on the web."""
    whole, start = found[0], found.start(group) - found.start()
    return f"{whole[:start]}{place}/{found[group]}{whole[start + len(found[group]) :]}"

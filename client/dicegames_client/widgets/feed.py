"""What has happened, newest at the bottom, wrapped to the width of the feed."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.widgets.lines import Line, wrap

FACT, WARNING, TALK = "*", "!", ""
_STYLES = {FACT: "", WARNING: "warn", TALK: "chat"}
_KEPT = 500
"""Most entries that are kept."""


@dataclass(frozen=True, slots=True)
class FeedLine:
    mark: str
    text: str


class Feed:
    """The last few hundred entries."""

    def __init__(self) -> None:
        self._entries: deque[FeedLine] = deque(maxlen=_KEPT)

    def add(self, *texts: str, mark: str = FACT) -> None:
        """Add entries. What happens twice is listed twice.

        A warning that repeats is listed once, so that it does not push the rest away.
        """
        for text in texts:
            entry = FeedLine(mark, text)
            if mark != WARNING or entry != self.latest:
                self._entries.append(entry)

    @property
    def entries(self) -> Sequence[FeedLine]:
        return self._entries

    @property
    def latest(self) -> FeedLine | None:
        return self._entries[-1] if self._entries else None

    def lines(self, width: int, height: int) -> list[Line]:
        """The newest lines that fit, oldest first. Only entries that can be seen are wrapped."""
        found: list[Line] = []
        for entry in reversed(self._entries):
            text = f"{entry.mark} {entry.text}" if entry.mark else entry.text
            wrapped: list[Line] = [[(_STYLES[entry.mark], part)] for part in wrap(text, width, indent="  ")]
            found = wrapped + found
            if len(found) >= height:
                break
        return found[-height:] if height else []

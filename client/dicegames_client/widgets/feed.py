"""What has happened, newest at the bottom, wrapped to the width of the feed. It can be scrolled back, and searched."""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base.glyphs import UNICODE, Glyphs
from dicegames_client.widgets.lines import Line, line, wrap

FACT, WARNING, TALK = "*", "!", ""
_STYLES = {FACT: "", WARNING: "warn", TALK: "chat"}
_KEPT = 500
"""Most entries that are kept."""


@dataclass(frozen=True, slots=True)
class FeedLine:
    mark: str
    text: str

    def wrapped(self, width: int) -> list[Line]:
        text = f"{self.mark} {self.text}" if self.mark else self.text
        return [[(_STYLES[self.mark], part)] for part in wrap(text, width, indent="  ")]


class Feed:
    """The last few hundred entries, and how far the reader has scrolled back."""

    def __init__(self) -> None:
        self._entries: list[FeedLine] = []
        self._forgotten = 0
        """How many entries there were before those that are kept."""
        self._bottom: int | None = None
        """How many entries are above the bottom of what is read. None: the newest are read."""
        self.seen: tuple[int, int] | None = None
        """Columns and rows in which it was shown last. None: it was not on the screen."""

    def add(self, *texts: str, mark: str = FACT) -> None:
        """Add entries. What happens twice is listed twice.

        A warning that repeats is listed once, so that it does not push the rest away.
        """
        for text in texts:
            entry = FeedLine(mark, text)
            if mark != WARNING or entry != self.latest:
                self._entries.append(entry)
        self._forget()

    def _forget(self) -> None:
        over = len(self._entries) - _KEPT
        if over > 0:
            del self._entries[:over]
            self._forgotten += over
            if self._bottom is not None:
                self._bottom = max(1, self._bottom - over)

    @property
    def place(self) -> int:
        """Where the next entry goes. `insert` takes it."""
        return self._forgotten + len(self._entries)

    def insert(self, place: int, entries: Sequence[FeedLine]) -> None:
        """Add entries that belong to an earlier place. As many of the latest as there is room for."""
        at = place - self._forgotten
        room = _KEPT - len(self._entries)
        if at < 0 or room <= 0:
            return
        kept = list(entries[-room:])
        self._entries[at:at] = kept
        if self._bottom is not None and at < self._bottom:
            self._bottom += len(kept)

    @property
    def entries(self) -> Sequence[FeedLine]:
        return self._entries

    @property
    def latest(self) -> FeedLine | None:
        return self._entries[-1] if self._entries else None

    def found(self, word: str) -> list[FeedLine]:
        """The entries that contain a text, in whatever case. All of them contain the empty text."""
        return [entry for entry in self._entries if word.casefold() in entry.text.casefold()]

    # Reading back.

    @property
    def newer(self) -> int:
        """How many entries are below those that are read."""
        return 0 if self._bottom is None else len(self._entries) - self._bottom

    def follow(self) -> None:
        """Read the newest again."""
        self._bottom = None

    def press(self, key: str) -> bool:
        """Keys that read back. False: this is none of them, or it does nothing now."""
        if key in ("pageup", "pagedown") and self.seen:
            self.scroll(back=key == "pageup")
        elif key in ("end", "escape") and self.newer:
            self.follow()
        else:
            return False
        return True

    def scroll(self, back: bool, most: int | None = None) -> None:
        """Read older or newer entries, by what can be seen at once; no more than `most` lines further."""
        if self.seen is None or not self._entries:
            return
        width, height = self.seen
        wanted = max(1, min(height - 2, most or height))  # one line stays, and one says how many are newer
        bottom = len(self._entries) if self._bottom is None else self._bottom
        moved = 0
        while moved < wanted and (bottom > 1 if back else bottom < len(self._entries)):
            moved += len(self._entries[bottom - 1 if back else bottom].wrapped(width))
            bottom += -1 if back else 1
        bottom = max(bottom, self._first_page(width, height - 1))
        self._bottom = bottom if bottom < len(self._entries) else None

    def _first_page(self, width: int, height: int) -> int:
        """How many of the oldest entries fill the feed."""
        lines = 0
        for number, entry in enumerate(self._entries, start=1):
            lines += len(entry.wrapped(width))
            if lines >= height:
                return number
        return len(self._entries)

    def lines(self, width: int, height: int, glyphs: Glyphs = UNICODE) -> list[Line]:
        """The lines to be read, oldest first. Only entries that can be seen are wrapped."""
        self.seen = (width, height)
        bottom = len(self._entries) - self.newer
        if self.newer:  # what the reader had in view may be forgotten by now, or the window be larger
            bottom = max(bottom, self._first_page(width, height - 1))
        if bottom == len(self._entries) or height <= 0:
            return self._last(bottom, width, height)
        told = line(f"{glyphs.down} {len(self._entries) - bottom} newer  (End)", "notice")
        return [*self._last(bottom, width, height - 1), told]

    def _last(self, bottom: int, width: int, height: int) -> list[Line]:
        """The last lines of the first entries."""
        found: list[Line] = []
        for number in range(bottom - 1, -1, -1):
            if len(found) >= height:
                break
            found = self._entries[number].wrapped(width) + found
        return found[-height:] if height > 0 else []

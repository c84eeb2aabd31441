"""What happened at a table before we came, or while we were away for too long: told from its log."""

from dicegames_client.guest.store import Store, Verdict
from dicegames_client.play.real_dice import worth_telling
from dicegames_client.play.room_wording import of_room, tell_options, tell_room
from dicegames_client.play.wording import Wording
from dicegames_client.screens.table.painting.recap import Recap
from dicegames_client.views import view_of
from dicegames_client.widgets.feed import FACT, Feed, FeedLine
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import Update
from dicegames_protocol.text import strip

MOST_UPDATES = 3000
"""A longer log is not read only for the feed."""
MOST_READERS = 50
"""At a larger table nobody reads the log only for the feed: so many would ask for it at once."""


def tell(update: Update, before: Store, after: Store) -> list[tuple[JsonObject, list[str]]]:
    """The events of an update that are worth telling, each with its lines for the feed."""
    wording, view = Wording(after), view_of(after.info.game)
    told = []
    for event in worth_telling(update.events, view.thrown):
        texts = [strip(text) for text in (tell_room if of_room(event) else view.brief)(event, wording)]
        if event["kind"] == "options_changed":
            texts += tell_options(before, after)
        told.append((event, texts))
    return told


class Past:
    """A log that is read update by update. It gives the lines of the feed, and the recap of the latest game."""

    def __init__(self, tokens: dict[int, str]) -> None:
        """`tokens`: those of our seats. The story is told from their side."""
        self._store = Store(tokens=tokens)
        self._lines: list[tuple[int, FeedLine]] = []
        self.recap = Recap()

    @property
    def seq(self) -> int:
        """The last update that was read."""
        return self._store.seq

    def read(self, update: Update) -> None:
        before = self._store
        self._store, verdict = before.receive(update)
        if verdict is Verdict.NEWS:
            self.recap = self.recap.hear(update, before, self._store)
            texts = [text for _, texts in tell(update, before, self._store) for text in texts]
            self._lines += [(update.seq, FeedLine(FACT, text)) for text in texts]

    def between(self, after: int, upto: int) -> list[FeedLine]:
        """The lines for these updates."""
        return [line for seq, line in self._lines if after < seq <= upto]


class Gaps:
    """What is missing in the feed, and whether the log is wanted for that, or for the recap."""

    def __init__(self, *, wanted: bool) -> None:
        self.wanted = wanted
        self._missing: list[tuple[int, int, int]] = []
        """A place in the feed, and the updates that are missing there: after the first number, up to the second."""

    def note(self, place: int, seen: int, store: Store) -> None:
        """We come to a table and have seen it up to update `seen`."""
        few = store.seq <= MOST_UPDATES and len(store.table.get("seats", {})) <= MOST_READERS
        if few and store.phase in ("playing", "over") and store.seq > seen:
            self._missing.append((place, seen, store.seq))
            self.wanted = True

    def fill(self, feed: Feed, past: Past) -> None:
        for place, seen, upto in reversed(self._missing):
            feed.insert(place, past.between(seen, upto))
        self.drop()

    def drop(self) -> None:
        """The log is not wanted any more: it was read, or it can't be."""
        self.wanted = False
        self._missing.clear()

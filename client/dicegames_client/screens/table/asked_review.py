"""The review of the game that is over: asked for once, when it ends, and kept as long as that game is on the table."""

from collections.abc import Callable

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.guest.store import Store
from dicegames_client.review.cleaned import cleaned
from dicegames_client.review.review_picture import page_lines
from dicegames_client.screens.table.aside import MOST_SEATS
from dicegames_client.screens.text_page import TextPage
from dicegames_client.widgets.lines import Line, line, wrap
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.client import AskReview
from dicegames_protocol.messages.review import GameReview, Review
from dicegames_protocol.messages.server import Error, Odds, RulesPage
from dicegames_protocol.text import strip

REVIEW_KEY = "w"
"""Opens a page that says how well everybody played."""
ONLY_AFTERWARDS = "How well everybody played is told when the game is over."
WORKING_OUT = "How well everybody played is being worked out."


class AskedReview:
    def __init__(self) -> None:
        self.found: GameReview | None = None
        self.said = ""
        """Why there is none."""
        self._id = ""
        self._about: tuple[int, JsonObject | None] | None = None
        """The game that was asked about: its number, and how it ended. A correction may change that."""

    @property
    def status(self) -> str:
        """What there is to say instead of the review. Empty where nobody has asked for one."""
        return "" if self.found else self.said or (WORKING_OUT if self._id else "")

    def question(self, store: Store, new_id: Callable[[], str], *, wanted: bool = False) -> AskReview | None:
        """What to ask the server now. `wanted`: the user wants to see it; else it is asked for where a few play.

        Of a large audience not everybody asks. None: there is nothing to ask, or it was asked.
        """
        about = (store.info.game_no, store.table.get("game")) if store.phase == "over" else None
        if about != self._about:
            self.found, self.said, self._id = None, "", ""
        self._about = about
        few = len(store.table.get("seats", {})) <= MOST_SEATS
        if about is None or self.found or self._id or (self.said and not wanted) or not (few or wanted):
            return None
        self.said, self._id = "", new_id()
        return AskReview(id=self._id)

    def hear(self, answer: RulesPage | Odds | Review | Error) -> bool:
        """Take the answer. False: it answers something else."""
        if not self._id or answer.id != self._id:
            return False
        self._id = ""
        if isinstance(answer, Review):
            self.found = cleaned(answer.review)
        else:
            self.said = strip(answer.message) if isinstance(answer, Error) else ""
        return True

    def lost(self) -> None:
        """The connection is gone, and with it the answer: it is asked again."""
        self._id = ""

    def page(self, glyphs: Glyphs) -> TextPage:
        """The page for it. It shows what is known at any time."""

        def lines(width: int, rows: int) -> list[Line]:
            if self.found:
                return page_lines(self.found, width, glyphs)
            return [[], *(line(part, "dim") for part in wrap(self.status or WORKING_OUT, width))]

        return TextPage(REVIEW_KEY, "How well everybody played", lines)

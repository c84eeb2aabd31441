"""The page over the table, if there is one: rules or odds, which the server is asked for, or the feed."""

from collections.abc import Sequence

from dicegames_client.play.advice import whose
from dicegames_client.play.scene import Scene
from dicegames_client.screens.table.pages.help import option_rows, table_keys
from dicegames_client.screens.text_page import TextPage, odds_page, rules_page
from dicegames_client.widgets.feed import Feed
from dicegames_client.widgets.lines import Line, line, wrap
from dicegames_protocol.messages.client import AskOdds, AskRules
from dicegames_protocol.messages.server import Odds, RulesPage

RULES_KEY, ODDS_KEY, FEED_KEY = "?", "o", "ctrl-f"
"""The kinds of pages. Each is the key that opens and closes the page."""


def feed_page(feed: Feed, word: str = "") -> TextPage:
    """The entries of the feed that contain a text, the newest last. It opens at its end."""
    found = len(feed.found(word))
    count = f"{found} line{'' if found == 1 else 's'}"

    def lines(width: int, rows: int) -> list[Line]:
        nothing = [[], line(f'Nothing in the feed contains "{word}".', "dim")]
        return [part for entry in feed.found(word) for part in entry.wrapped(width)] or nothing

    title = f'Feed with "{word}": {count}' if word else f"Feed: {count}"
    return TextPage(FEED_KEY, title, lines, top=10**6)


class Overlay:
    def __init__(self) -> None:
        self.page: TextPage | None = None

    def ask(self, kind: str, id: str, seat: int | None) -> AskRules | AskOdds:
        """Open a page that waits for its answer. Returns the request for the server."""
        title = "Rules" if kind == RULES_KEY else "Odds"
        self.page = TextPage(kind, title, lambda width, rows: [[], line("Asking the server.", "dim")])
        return AskRules(id=id) if kind == RULES_KEY else AskOdds(id=id, seat=seat)

    def tell(self, title: str, sentences: Sequence[str]) -> None:
        """Open a page with sentences that fit nowhere else."""

        def lines(width: int, rows: int) -> list[Line]:
            return [line(part) for text in sentences for part in wrap(text, width)]

        self.page = TextPage("/", title, lines)

    def hear(self, answer: RulesPage | Odds, scene: Scene) -> None:
        """Show the answer, if its page is still open."""
        kind = RULES_KEY if isinstance(answer, RulesPage) else ODDS_KEY
        if self.page is None or self.page.kind != kind:
            return
        if isinstance(answer, RulesPage):
            self.page = rules_page(answer, option_rows(scene.store.info), table_keys(scene))
        else:
            self.page = odds_page(answer, whose(answer.seat, scene.wording), scene.glyphs)

    def press(self, key: str, rows: int) -> bool:
        """Scroll or close the page. False if the key does nothing here."""
        if self.page is None or key in ("escape", "enter", "q", "ctrl-c", self.page.kind):
            self.page = None
            return True
        return self.page.scroll(key, rows)

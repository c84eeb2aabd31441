"""The page that lies over the table, if there is one: rules or odds, asked of the server."""

from collections.abc import Sequence

from dicegames_client.play.scene import Scene
from dicegames_client.screens.table.help import option_rows, table_keys
from dicegames_client.screens.text_page import TextPage, odds_page, rules_page
from dicegames_client.widgets.lines import Line, line, wrap
from dicegames_protocol.messages.server import Odds, RulesPage

RULES, ODDS = "?", "o"
"""The kinds, by the keys that open and close them."""


class Pages:
    def __init__(self) -> None:
        self.page: TextPage | None = None

    def ask(self, kind: str) -> None:
        """Until the answer is here."""
        title = "Rules" if kind == RULES else "Odds"
        self.page = TextPage(kind, title, lambda width: [[], line("Asking the server.", "dim")])

    def tell(self, title: str, sentences: Sequence[str]) -> None:
        """What there is no room for anywhere else."""

        def lines(width: int) -> list[Line]:
            return [line(part) for text in sentences for part in wrap(text, width)]

        self.page = TextPage("/", title, lines)

    def hear(self, answer: RulesPage | Odds, scene: Scene) -> None:
        """The answer, if somebody still waits for it."""
        kind = RULES if isinstance(answer, RulesPage) else ODDS
        if self.page is None or self.page.kind != kind:
            return
        if isinstance(answer, RulesPage):
            self.page = rules_page(answer, option_rows(scene.store.info), table_keys(scene))
        else:
            self.page = odds_page(answer, _whose(answer.seat, scene), scene.glyphs)

    def press(self, key: str, rows: int) -> bool:
        """Scroll or close. False: the key means nothing here."""
        if self.page is None or key in ("escape", "enter", "q", "ctrl-c", self.page.kind):
            self.page = None
            return True
        return self.page.scroll(key, rows)


def _whose(seat: int | None, scene: Scene) -> str:
    if seat is None:
        return ""
    return "for you" if seat == scene.story.me else f"of {scene.store.name(seat)}"

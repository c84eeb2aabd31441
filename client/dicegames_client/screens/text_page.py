"""A page of text over the table: rules, odds, help. It scrolls."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.play.advice import fraction, share
from dicegames_client.screens.page_layout import Action, status_line, whole
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.bar import bar
from dicegames_client.widgets.lines import Line, inside, line, pad, wrap
from dicegames_protocol.messages.server import Odds, RulesPage
from dicegames_protocol.text import columns, strip


@dataclass(slots=True)
class TextPage:
    kind: str
    """The key that opened the page; the same key closes it."""
    title: str
    draw: Callable[[int, int], list[Line]]
    """Width in columns, and the rows that can be seen at once -> lines."""
    actions: Sequence[Action] = ()
    """What can be done there, besides going back."""
    top: int = 0

    def paint(self, size: Size, glyphs: Glyphs, aside: str = "") -> list[Line]:
        """`aside` is something that must stay in sight meanwhile, such as the time that is left."""
        rows = size.rows - 4
        lines = self.draw(size.columns - 6, rows)
        self.top = max(0, min(self.top, len(lines) - rows))
        up, down = self.top > 0, self.top + rows < len(lines)
        more = f"{glyphs.up if up else ''}{glyphs.down if down else ''} more" if up or down else ""
        keys = [*self.actions, Action("Esc", "Back"), *([Action("Up/Down", "Scroll", True)] if more else [])]
        return whole(
            size,
            glyphs,
            status=status_line(self.title, "  ".join(part for part in (aside, more) if part), size.columns),
            lines=inside(lines[self.top : self.top + rows], 3),
            actions=keys,
        )

    def scroll(self, key: str, rows: int) -> bool:
        step = {"up": -1, "down": 1, "pageup": -rows, "pagedown": rows, "home": -self.top, "end": 10**6}.get(key)
        if step is not None:
            self.top += step
        return step is not None


def help_page(title: str, keys: Sequence[tuple[str, str]]) -> TextPage:
    return TextPage("?", title, lambda width, rows: [[], *key_lines(keys, width)])


def key_lines(keys: Sequence[tuple[str, str]], width: int) -> list[Line]:
    lines: list[Line] = []
    wide = max((columns(key) for key, _ in keys), default=0) + 2
    for key, said in keys:
        wrapped = wrap(said, width - wide)
        lines += [[("key", pad(key, wide)), ("", wrapped[0])], *(line(" " * wide + part) for part in wrapped[1:])]
    return lines


def rules_page(page: RulesPage, options: list[tuple[str, str, str]], keys: list[tuple[str, str]]) -> TextPage:
    """The rules of the room, its options (name, value, meaning), the table of points, and the keys."""

    def draw(width: int, rows: int) -> list[Line]:
        lines: list[Line] = [[]]
        for paragraph in page.text:
            lines += [*(line(part) for part in wrap(strip(paragraph), width)), []]
        if page.table:
            lines += [
                line("POINTS", "head"),
                *_columns([(strip(row.what), row.points) for row in page.table], width),
                [],
            ]
        if options:
            lines.append(line("OPTIONS OF THIS ROOM", "head"))
            for name, value, meaning in options:
                lines += [line(part) for part in wrap(f"{name}: {value}  ({meaning})", width, indent="    ")]
            lines.append([])
        lines.append(line("KEYS", "head"))
        return lines + key_lines(keys, width)

    return TextPage("?", f"Rules: {strip(page.title)}", draw)


def odds_page(odds: Odds, who: str, glyphs: Glyphs) -> TextPage:
    def draw(width: int, rows: int) -> list[Line]:
        lines: list[Line] = [[], line(f"Chances {who}" if odds.chances else strip(odds.note or ""), "head"), []]
        wide = max((columns(strip(chance.what)) for chance in odds.chances), default=0)
        bars = min(20, width - wide - 2 - 8 - 2 - 16)
        for chance in odds.chances:
            part = share(chance)
            lines += [
                [
                    ("", pad(strip(chance.what), wide + 2)),
                    ("big", f"{part:6.1%}  "),
                    *(bar(part, bars, glyphs) if bars >= 5 else []),
                    ("dim", f"  {fraction(chance)}"),
                ],
                [],
            ]
        return lines

    return TextPage("o", "Odds", draw)


def _columns(rows: list[tuple[str, str]], width: int) -> list[Line]:
    """Pairs in as many columns as fit, to be read downwards."""
    wide = max(columns(what) for what, _ in rows)
    points = max(columns(value) for _, value in rows)
    cell = wide + points + 6
    across = max(1, width // cell)
    down = -(-len(rows) // across)
    lines: list[Line] = []
    for number in range(down):
        shown: Line = []
        for what, value in rows[number::down]:
            shown += [("", pad(what, wide + 2)), ("big", f"{value:>{points}}"), ("", "    ")]
        lines.append(shown)
    return lines

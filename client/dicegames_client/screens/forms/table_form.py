"""A form for a new table: bots, seats and options, one row for each. Enter opens the table as it is."""

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.enter.new_table import NewTable
from dicegames_client.enter.table_rows import FormRow
from dicegames_client.screens.forms.menu import CANCELLED
from dicegames_client.screens.page_layout import Action, action_lines, plain_page
from dicegames_client.screens.screen import Prompt, Screen, Size, key_name
from dicegames_client.widgets.lines import Line, line, pad, shorten, wrap
from dicegames_protocol.text import columns

_KEYS = (
    Action("Enter", "Open the table"),
    Action("Left/Right", "Change"),
    Action("Space", "Type"),
    Action("Backspace", "Usual"),
    Action("Esc", "Back"),
)
_NAME, _VALUE = 16, 14
"""Columns of the name of a row, and of its value."""
_DETAIL_LINES = 2
"""Lines below the rows that say more about the one that is chosen."""
_OTHER_LINES = 4 + _DETAIL_LINES
"""Lines of the page that are no rows."""


class TableForm(Screen):
    """The result is the table as the user wants it, or CANCELLED."""

    def __init__(self, table: NewTable, glyphs: Glyphs) -> None:
        self._table = table
        self._glyphs = glyphs
        self._at = next((number for number, row in enumerate(table.rows) if row.wrong), 0)
        self._said = table.said
        self._tried: NewTable | None = None
        """The table with what was typed last, if that is wrong. It is gone when the line is changed."""

    @property
    def _rows(self) -> list[FormRow]:
        return (self._tried or self._table).rows

    @property
    def _row(self) -> FormRow:
        return self._rows[self._at]

    # Painting.

    def paint(self, size: Size, now: float) -> list[Line]:
        width, rows = size.columns - 6, self._rows
        room = size.rows - 3 - len(action_lines(_KEYS, size.columns)) - _OTHER_LINES
        top = max(0, min(self._at - room // 2, len(rows) - room))
        arrows = f"{self._glyphs.up if top else ''}{self._glyphs.down if top + room < len(rows) else ''}"
        title = line(f"A new table: {self._table.title}", "big") + line(f"  {arrows} more" if arrows else "", "dim")
        shown = [self._line(number, row, width) for number, row in enumerate(rows)][top : top + room]
        return plain_page(size, self._glyphs, [[], title, [], *shown, [], *self._detail(width)], _KEYS)

    def _line(self, number: int, row: FormRow, width: int) -> Line:
        style = "turn" if number == self._at else "you" if row.changed else ""
        value = "*" * len(row.value) if row.secret else row.value
        value = pad(shorten(value or "none", _VALUE - 2, self._glyphs.ellipsis), _VALUE)
        start = f"{'>' if number == self._at else ' '} {pad(row.name, _NAME)}{value}"
        beside = row.wrong or (f"usually {row.usual or 'none'}" if row.changed else row.about)
        beside = shorten(beside, width - columns(start), self._glyphs.ellipsis)
        return [(style, start), ("bad" if row.wrong else "dim", beside)]

    def _detail(self, width: int) -> list[Line]:
        """More about the row that is chosen, or what is wrong with it."""
        row = self._row
        usually = f" Usually {row.usual or 'none'}." if row.changed else ""
        text = row.wrong or f"{row.name}: {row.about}.{usually}"
        return [line(part, "bad" if row.wrong else "") for part in wrap(text, width)[:_DETAIL_LINES]]

    def footer(self, size: Size, now: float) -> Line:
        return line(f" {self._said}", "notice")

    # Keys.

    def press(self, key: str, now: float) -> None:
        self._said = ""
        row = self._row
        match key:
            case "up" | "down":
                self._at = (self._at + (1 if key == "down" else -1)) % len(self._rows)
            case "enter":
                self._open()
            case "escape" | "ctrl-c" | "ctrl-d":
                self.result = CANCELLED
            case "left" | "right" if not row.is_text:
                self._table = self._table.step(row.name, 1 if key == "right" else -1)
            case " " if row.choices:
                self._table = self._table.step(row.name, 1)
            case " " | "left" | "right":
                self._type(row.value if row.changed else "")
            case "backspace":
                self._table = self._table.put(row.name, "")
            case _ if len(key) == 1 and key.isdigit() and not row.choices:
                self._type(key)
            case "s" if not row.is_text:
                self._open()
            case "q" if not row.is_text:
                self.result = CANCELLED
            case _ if row.is_text and len(key) == 1:
                self._said = "Space opens a line to type in; Enter opens the table."
            case _:
                self._said = f"{key_name(key)} does nothing here. Enter opens the table, Esc goes back."

    def pasted(self, now: float) -> None:
        self._said = "Pasted text does nothing here. Space opens a line to type in."

    def _open(self) -> None:
        """The table is as the user wants it, if nothing is wrong with it."""
        wrong = next((number for number, row in enumerate(self._rows) if row.wrong), None)
        if wrong is None:
            self.result = self._table
        else:
            self._at = wrong
            self._said = "This has to be put right before the table can be opened."

    # Typing.

    def _type(self, text: str) -> None:
        row = self._row
        self.prompt = Prompt(f"{row.name} (Enter alone: {row.usual or 'none'}): ", text=text, secret=row.secret)

    def submit(self, text: str, now: float) -> bool:
        changed = self._table.put(self._row.name, text)
        if changed.rows[self._at].wrong:
            self._tried = changed
            return False
        self._table = changed
        self.cancel(now)
        return True

    def edited(self, now: float) -> None:
        self._tried = None

    def cancel(self, now: float) -> None:
        self.prompt = self._tried = None

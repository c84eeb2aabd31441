"""A table that is about to be opened: what was set about it, and what is wrong with that. Pure.

What only the server knows, such as how many seats a game has, it says when the table is opened. `refused` puts its
sentence where it belongs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dicegames_client.base.command_line import HostFlags
from dicegames_client.enter.table_rows import FormRow, option_rows, table_rows
from dicegames_protocol.games import types_of
from dicegames_protocol.text import ungrouped


@dataclass(frozen=True, slots=True)
class NewTable:
    game: str
    people: int = 1
    """People who sit down at once: those at this keyboard."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """Name of a row -> its value as people write it, for what was changed."""
    refusal: str = ""
    """Why the server does not open the table like this."""

    @property
    def title(self) -> str:
        types = types_of(self.game)
        return types.title if types else self.game

    @property
    def rows(self) -> list[FormRow]:
        blamed = self._blamed
        return [replace(row, wrong=self.refusal) if row.name == blamed else row for row in self._rows]

    def row(self, name: str) -> FormRow:
        return next(row for row in self.rows if row.name == name)

    @property
    def said(self) -> str:
        """Why the server does not open the table, if that is about no row."""
        return "" if self._blamed else self.refusal

    @property
    def _rows(self) -> list[FormRow]:
        types = types_of(self.game)
        return table_rows(self.people, self.typed) + (option_rows(types.options, self.typed) if types else [])

    @property
    def _blamed(self) -> str:
        """The first row that a refusal names."""
        names = "|".join(re.escape(row.name) for row in self._rows)
        found = re.search(rf"(?<![\w-])({names})(?![\w-])", self.refusal)
        return found[1] if found else ""

    def put(self, name: str, text: str) -> "NewTable":
        """The table with another value for a row. Nothing means the usual one."""
        others = {other: value for other, value in self.typed.items() if other != name}
        usual = replace(self, typed=others, refusal="")
        text = text.strip()
        same = not text or ungrouped(text) == ungrouped(usual.row(name).value)
        return usual if same else replace(usual, typed={**others, name: text})

    def step(self, name: str, by: int) -> "NewTable":
        """The table with the next value of a row (`by` 1), or the one before it (-1), if there is one."""
        row = self.row(name)
        for value in row.neighbours(by):
            changed = self.put(name, value)
            if row.choices or not changed.row(name).wrong:
                return changed
        return self

    def refused(self, sentence: str) -> "NewTable":
        return replace(self, refusal=sentence.replace("--", ""))

    def read(self, line: str) -> "NewTable":
        """The table with what a line says, such as "rounds=5 bots=1". Raises ValueError with a sentence."""
        kept = {"password": self.password} if self.password else {}
        table = replace(self, typed=kept, refusal="")
        names = [row.name for row in self._rows]
        for part in line.split():
            name, pair, value = part.partition("=")
            if name not in names:
                raise ValueError(f"There is no option '{name[:20]}' here. The options are: {', '.join(names)}.")
            if not pair:
                raise ValueError(f"Type for example: {self.example}")
            table = table.put(name, value)
        if wrong := [row.wrong for row in table.rows if row.wrong]:
            raise ValueError(wrong[0])
        return table

    @property
    def example(self) -> str:
        """Options as they may be typed in a line."""
        types = types_of(self.game)
        practice = types.practice.items() if types else ()
        return " ".join([*(f"{name.replace('_', '-')}={value}" for name, value in practice), "bots=1"])

    @property
    def password(self) -> str | None:
        return self.typed.get("password")

    def flags(self, flags: HostFlags) -> HostFlags:
        """The same as flags of `host`."""
        typed = self.typed
        own = {row.name for row in table_rows(self.people, typed)}
        return replace(
            flags,
            game=self.game,
            options={name: value for name, value in typed.items() if name not in own},
            bots=int(typed.get("bots", "0")),
            level=typed.get("level"),
            seats=int(typed["seats"]) if "seats" in typed else None,
            private=typed.get("public") == "no",
            turn_limit=int(typed.get("turn-limit", "0")),
        )

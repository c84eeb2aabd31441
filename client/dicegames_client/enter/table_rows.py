"""What can be set about a new table: one row for each thing, with its value and what is wrong with it. Pure.

`typed` is what was changed: the name of a row -> its value, as people write it. Options of the game are checked with
the types that the server uses, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dicegames_client.play.room_wording import word
from dicegames_protocol.bot_levels import DEFAULT_LEVEL, LEVELS
from dicegames_protocol.options import Options

MOST_BOTS = 1000
"""Most bots at the tables of one's own server."""
USUAL_SEATS = 8
"""Seats of a room if no number is given."""
_MOST_SEATS, _MOST_TURN_SECONDS, _MOST_PASSWORD = 1000, 3600, 128
_POINTS_FROM = 100_000
"""A number that may be as large as this counts points: nobody wants to go through all of them."""


@dataclass(frozen=True, slots=True)
class FormRow:
    name: str
    about: str
    value: str
    usual: str
    """The value if this row is not changed."""
    choices: tuple[str, ...] = ()
    """All values that it can have. Empty: that is no list."""
    number: int | None = None
    """The value, if it is a whole number."""
    points: bool = False
    secret: bool = False
    wrong: str = ""

    @property
    def changed(self) -> bool:
        return self.value != self.usual

    @property
    def is_text(self) -> bool:
        """It is typed, and is not just a number."""
        return not self.choices and self.number is None

    def neighbours(self, by: int) -> tuple[str, ...]:
        """The values after this one (`by` 1), or before it (-1), the next one first."""
        if self.choices:
            at = self.choices.index(self.value) if self.value in self.choices else -by
            return (self.choices[(at + by) % len(self.choices)],)
        if self.number is None:
            return ()
        step = 1 if not self.points else 500 if self.number - (by < 0) >= 1000 else 50
        return tuple(str(self.number + times * by * step) for times in (1, 2))  # every second one may be allowed only


def table_rows(people: int, typed: Mapping[str, str]) -> list[FormRow]:
    """The rows that every game has. `people`: those who sit down at once."""
    fit = f"players and bots that fit in; enough is {USUAL_SEATS} in most games"
    seats = _number("seats", fit, typed, (1, _MOST_SEATS), "enough", USUAL_SEATS)
    bots = _number("bots", "bots that sit down at once", typed, (0, MOST_BOTS), "0")
    if seats.changed and not (seats.wrong or bots.wrong) and (need := int(bots.value) + people) > int(seats.value):
        who = "you" if people == 1 else f"{people} players"
        bots = replace(bots, wrong=f"{bots.value} bots and {who} need {need} seats.")
    password = typed.get("password", "")
    long = len(password) > _MOST_PASSWORD
    return [
        bots,
        _choice("level", "how well the bots play", typed, LEVELS, DEFAULT_LEVEL),
        seats,
        _choice("public", "shown in the list of rooms", typed, ("yes", "no"), "yes"),
        FormRow(
            "password",
            "what friends need besides the code",
            password,
            "",
            secret=True,
            wrong=f"password must have at most {_MOST_PASSWORD} characters." if long else "",
        ),
        _number("turn-limit", "seconds for a turn; 0 = no limit", typed, (0, _MOST_TURN_SECONDS), "0"),
    ]


def option_rows(kind: type[Options], typed: Mapping[str, str]) -> list[FormRow]:
    """The rows for the options of a game. Where a value is wrong, it is shown as typed, and the others stay."""
    given = {name: typed[kind.flag(name)] for name in kind.model_fields if kind.flag(name) in typed}
    wrong = kind.problems(given)
    good = {name: value for name, value in given.items() if name not in wrong}
    now = _read(kind, good)
    rows = []
    for name, info in kind.model_fields.items():
        without = _read(kind, {other: value for other, value in good.items() if other != name})
        value = getattr(now, name)
        number = value if isinstance(value, int) and not isinstance(value, bool) else None
        choices = kind.choices(name) or ()
        least, most = _bound(info.metadata, "ge"), _bound(info.metadata, "le")
        allowed = listed_or(choices) if choices else f"{least:,} to {most:,}" if least is not None and most else ""
        rows.append(
            FormRow(
                kind.flag(name),
                f"{info.description} ({allowed})" if allowed else info.description or "",
                given[name] if name in wrong else word(value),
                word(getattr(without, name)),
                choices,
                number,
                points=(most or 0) >= _POINTS_FROM,
                wrong=wrong.get(name, ""),
            )
        )
    return rows


def _read(kind: type[Options], typed: Mapping[str, str]) -> Options:
    """The options, or the usual ones if these do not fit together."""
    return kind.read({} if kind.problems(typed) else typed)


def _bound(metadata: list[Any], which: str) -> int | None:
    return next((getattr(one, which) for one in metadata if hasattr(one, which)), None)


def listed_or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _number(
    name: str, about: str, typed: Mapping[str, str], span: tuple[int, int], usual: str, begin: int | None = None
) -> FormRow:
    """`begin`: where the next number is counted from, if the usual one is only a word."""
    least, most = span
    value = typed.get(name, usual)
    known = value.isascii() and value.isdecimal() and len(value) < 9
    right = value == usual or (known and least <= int(value) <= most)
    return FormRow(
        name,
        f"{about} ({least} to {most:,})",
        value,
        usual,
        number=int(value) if known else begin if begin is not None else least,
        wrong="" if right else f"{name} must be {least} to {most}.",
    )


def _choice(name: str, about: str, typed: Mapping[str, str], choices: tuple[str, ...], usual: str) -> FormRow:
    value = typed.get(name, usual)
    wrong = "" if value in choices else f"{name} must be {listed_or(choices)}."
    return FormRow(name, f"{about} ({listed_or(choices)})", value, usual, choices, wrong=wrong)

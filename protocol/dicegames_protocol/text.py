"""Checks names and chat, so that only safe text reaches a terminal.

The server refuses unsafe text with a sentence (`check_name`, `check_chat`). The client removes unsafe characters again
before it draws (`strip`), because it does not have to trust the server.

These are unsafe: control characters and escapes; bidi and zero-width characters; private, unassigned and surrogate code
points; blanks that count as letters; and stacks of combining marks. They could move the cursor, reorder a line or
misalign a column.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache

from wcwidth import wcwidth

from dicegames_protocol.confusables import LOOK_ALIKES

_width: Callable[[str], int] = wcwidth
NAME_COLUMNS = 16
"""Greatest width of a name by default, in terminal columns."""
CHAT_LENGTH = 300
"""Most characters of a chat line by default."""
_MARKS_IN_A_ROW = 2
"""Most combining marks on one letter."""
_BAD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSTEADY = (
    (0xFE00, 0xFE0F),  # variation selectors: they change the width of the character before
    (0xE0100, 0xE01EF),
    (0x1F1E6, 0x1F1FF),  # regional indicators: two make a flag, and its width depends on the terminal
    (0x1F3FB, 0x1F3FF),  # skin tones: some terminals draw them beside the character before, some inside it
)
_GROUPED = re.compile(r"(?<![\d,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])", re.ASCII)
"""A whole number with its thousands apart."""
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f\u061c")


class TextError(ValueError):
    """A text that is refused. str() is a sentence for the person who typed it."""


@lru_cache(maxsize=4096)
def columns(text: str) -> int:
    """The width of a safe text in a terminal, in columns. Screens ask for the same texts again and again."""
    return sum(max(0, _width(char)) for char in text)


def check_name(raw: str, most: int = NAME_COLUMNS) -> str:
    """The name as it will be shown, at most `most` columns wide. Raises TextError."""
    name = _tidy(raw)
    if not name:
        raise TextError("A name needs at least one letter.")
    _refuse_unclean(name, "A name")
    if columns(name) > most:
        raise TextError(f"That name is too wide: at most {most} columns.")
    return name


def check_chat(raw: str, most: int = CHAT_LENGTH) -> str:
    """The chat line as it will be shown, at most `most` characters long. Raises TextError."""
    text = _tidy(raw)
    if not text:
        raise TextError("There is nothing to say in that line.")
    _refuse_unclean(text, "Chat")
    if len(text) > most:
        raise TextError(f"That is too long: at most {most} characters.")
    return text


def encodable(text: str) -> str:
    """The text with a question mark for each half of a character. A keyboard sends such halves for bytes that it can't
    read, and no message can hold them.
    """
    return text.encode("utf-8", "replace").decode()


def strip(raw: str) -> str:
    """Text from outside, without the characters that must not reach a terminal. Never fails."""
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", raw):
        if char.isspace():
            kept.append(" ")
            marks = 0
        elif not _allowed(char):
            continue  # what is left out does not part the marks around it
        else:
            marks = marks + 1 if _is_mark(char) else 0
            if marks <= _MARKS_IN_A_ROW and (kept or not marks):
                kept.append(char)
    return "".join(kept)


def ungrouped(typed: str) -> str:
    """The text with its whole numbers as mere digits: 1675 instead of 1,675. Dice such as 1,1,5 stay as they are."""
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), typed)


def same_name(one: str, other: str) -> bool:
    """Whether players would take two names for the same."""
    return skeleton(one) == skeleton(other)


def skeleton(name: str) -> str:
    """A name in the form in which names are compared: without upper and lower case, and look-alikes are one letter."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).translate(LOOK_ALIKES).replace("rn", "m")


def did_you_mean(typed: str, known: Iterable[str]) -> str:
    """A question, if a known word is nearly what was typed. Else nothing. The dashes of an option are not compared."""
    from difflib import get_close_matches  # takes a moment, and is needed only after a mistake

    words = {word.lstrip("-").lower(): word for word in known}
    near = get_close_matches(typed[:32].lstrip("-").lower(), words, 1)
    return f" Did you mean '{words[near[0]]}'?" if near else ""


def _tidy(raw: str) -> str:
    """Normalise to NFC, merge blanks, and remove the variation selector that keyboards add, for example to a heart."""
    kept = (c for c in raw if c not in "\ufe0e\ufe0f")
    blanks = "".join(" " if unicodedata.category(c) == "Zs" or c == "\t" else c for c in kept)
    return " ".join(part for part in unicodedata.normalize("NFC", blanks).split(" ") if part)


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me")


def _allowed(char: str) -> bool:
    if char in _BLANK_LETTERS or unicodedata.category(char) in _BAD_CATEGORIES:
        return False
    if any(first <= ord(char) <= last for first, last in _UNSTEADY):
        return False
    return _width(char) > 0 or _is_mark(char)


def _refuse_unclean(text: str, what: str) -> None:
    marks = 0
    for index, char in enumerate(text):
        marks = marks + 1 if _is_mark(char) else 0
        if not _allowed(char):
            raise TextError(f"{what} can't hold the character U+{ord(char):04X}: it is invisible or moves the line.")
        if marks and index == 0:
            raise TextError(f"{what} can't begin with a combining mark.")
        if marks > _MARKS_IN_A_ROW:
            raise TextError(f"{what} can't stack more than {_MARKS_IN_A_ROW} marks on a letter.")

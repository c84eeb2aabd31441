"""Names and chat: what may reach somebody's terminal.

The server refuses what is not clean (`check_name`, `check_chat`), with a sentence; the client strips again before it
draws (`strip`), because it does not have to trust the server. Refused are control characters and escapes, bidi and
zero-width characters, private, unassigned and surrogate code points, blanks that only look like letters, and stacks of
combining marks: all that could move a cursor, reorder a line or make a column crooked.
"""

import unicodedata

from wcwidth import wcwidth

NAME_COLUMNS = 16
CHAT_LENGTH = 300
_MARKS_IN_A_ROW = 2
_BAD_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSTEADY = (
    (0xFE00, 0xFE0F),  # variation selectors, which change the width of what stands before them
    (0xE0100, 0xE01EF),
    (0x1F1E6, 0x1F1FF),  # letters that make a flag by twos, and are as wide as each terminal likes
    (0x1F3FB, 0x1F3FF),  # skin tones, which some terminals draw beside and some inside the one before
)
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u034f\u061c")


class TextError(ValueError):
    """A text that is refused; str() is a sentence for the person who typed it."""


def columns(text: str) -> int:
    """How many columns a clean text takes in a terminal."""
    return sum(max(0, wcwidth(char)) for char in text)


def check_name(raw: str, most: int = NAME_COLUMNS) -> str:
    """The name as it will be shown, or TextError."""
    name = _tidy(raw)
    if not name:
        raise TextError("A name needs at least one letter.")
    _refuse_unclean(name, "A name")
    if columns(name) > most:
        raise TextError(f"That name is too wide: at most {most} columns.")
    return name


def check_chat(raw: str, most: int = CHAT_LENGTH) -> str:
    """The chat line as it will be shown, or TextError."""
    text = _tidy(raw)
    if not text:
        raise TextError("There is nothing to say in that line.")
    _refuse_unclean(text, "Chat")
    if len(text) > most:
        raise TextError(f"That is too long: at most {most} characters.")
    return text


def strip(raw: str) -> str:
    """Foreign text without anything that must not reach a terminal. Never fails."""
    kept: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", raw):
        marks = marks + 1 if _is_mark(char) else 0
        if char.isspace():
            kept.append(" ")
        elif _allowed(char) and marks <= _MARKS_IN_A_ROW and (kept or not marks):
            kept.append(char)
    return "".join(kept)


def same_name(one: str, other: str) -> bool:
    """Whether two names would be taken for the same by people at the table."""
    return skeleton(one) == skeleton(other)


def skeleton(name: str) -> str:
    """What is left of a name for those who do not look closely."""
    return unicodedata.normalize("NFKC", name).casefold()


def _tidy(raw: str) -> str:
    """NFC, runs of ordinary blanks as one, and without the selector that keyboards put behind a heart."""
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
    return wcwidth(char) > 0 or _is_mark(char)


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

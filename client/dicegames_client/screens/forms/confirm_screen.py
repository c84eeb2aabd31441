"""A question that one key answers: yes or no, or something else instead of what can't be had."""

from collections.abc import Sequence

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.forms.menu import CANCELLED
from dicegames_client.screens.page_layout import Action, plain_page
from dicegames_client.screens.screen import Screen, Size
from dicegames_client.widgets.lines import Line, line, wrap

_CANCEL_KEYS = ("escape", "q", "ctrl-c", "ctrl-d")


def yes_or_no(key: str, usual: bool) -> bool | None:
    """What a key says to a question: Y, N, or Enter for what is usual. None: it is no answer."""
    return {"y": True, "n": False, "enter": usual}.get(key)


class ConfirmScreen(Screen):
    """The result is True, False or CANCELLED. `usual` is what Enter means."""

    def __init__(self, text: Sequence[str], glyphs: Glyphs, *, usual: bool = True, leave: str = "Quit") -> None:
        """`leave`: what Escape does, in a word."""
        self._text = text
        self._glyphs = glyphs
        self._usual = usual
        self._leave = leave
        self._said = ""

    def paint(self, size: Size, now: float) -> list[Line]:
        yes, no = ("Y, Enter", "N") if self._usual else ("Y", "N, Enter")
        keys = [Action(yes, "Yes"), Action(no, "No"), Action("Esc", self._leave)]
        return plain_page(size, self._glyphs, _paragraphs(self._text, size), keys)

    def footer(self, size: Size, now: float) -> Line:
        return line(f" {self._said}", "notice")

    def pasted(self, now: float) -> None:
        self._said = "Pasted text does nothing here. Press Y or N."

    def press(self, key: str, now: float) -> None:
        answer = yes_or_no(key, self._usual)
        if answer is not None:
            self.result = answer
        elif key in _CANCEL_KEYS:
            self.result = CANCELLED
        else:
            self._said = "Press Y or N."


class OfferScreen(Screen):
    """The result is True if the key was pressed that takes the offer, and False after any other key."""

    def __init__(self, text: Sequence[str], glyphs: Glyphs, *, key: str, verb: str, leave: str = "Quit") -> None:
        """`key`: a letter, as on the keyboard. `verb`: what it does. `leave`: what any other key does, in a word."""
        self._text = text
        self._glyphs = glyphs
        self._key = key
        self._verb = verb
        self._leave = leave

    def paint(self, size: Size, now: float) -> list[Line]:
        keys = [Action(self._key, self._verb.capitalize()), Action("any other key", self._leave)]
        return plain_page(size, self._glyphs, _paragraphs(self._text, size), keys)

    def press(self, key: str, now: float) -> None:
        self.result = key == self._key.lower()


def _paragraphs(text: Sequence[str], size: Size) -> list[Line]:
    lines: list[Line] = [[]]
    for paragraph in text:
        lines += [*(line(part) for part in wrap(paragraph, size.columns - 6)), []]
    return lines

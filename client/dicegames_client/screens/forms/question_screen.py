"""One question and a line for the answer: a name, a password, a yes or no."""

from collections.abc import Callable, Sequence

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.forms.menu import CANCELLED
from dicegames_client.screens.page_layout import Action, plain_page
from dicegames_client.screens.screen import Prompt, Screen, Size
from dicegames_client.widgets.lines import Line, line, wrap


class QuestionScreen(Screen):
    """The result is what was typed, or CANCELLED. `check` returns a sentence if the text is not allowed."""

    def __init__(
        self,
        prompt: Prompt,
        glyphs: Glyphs,
        *,
        before: Sequence[str] = (),
        check: Callable[[str], str | None] = lambda text: None,
        leave: str = "Quit",
    ) -> None:
        """`leave`: what Escape does, in a word."""
        self.prompt = prompt
        self._glyphs = glyphs
        self._before = before
        self._check = check
        self._wrong = ""
        self._leave = leave

    def paint(self, size: Size, now: float) -> list[Line]:
        lines: list[Line] = [[]]
        for text in self._before:
            lines += [*(line(part) for part in wrap(text, size.columns - 6)), []]
        lines += [line(part, "bad") for part in wrap(self._wrong, size.columns - 6)] if self._wrong else []
        return plain_page(size, self._glyphs, lines, [Action("Enter", "Go on"), Action("Esc", self._leave)])

    def submit(self, text: str, now: float) -> bool:
        self._wrong = self._check(text) or ""
        if self._wrong:
            return False
        self.prompt = None
        self.result = text
        return True

    def edited(self, now: float) -> None:
        self._wrong = ""

    def cancel(self, now: float) -> None:
        self.prompt = None
        self.result = CANCELLED

    def press(self, key: str, now: float) -> None:
        """Does nothing: all keys go to the typing line."""

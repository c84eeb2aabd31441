"""The line that is open at the table: what it is for, and the sentence that says what is wrong with it."""

from collections.abc import Callable

from dicegames_client.guest.events import NOT_YET
from dicegames_client.guest.store import Store
from dicegames_client.play.parse_move import NotUnderstood
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.screens.screen import Prompt, Word
from dicegames_client.screens.table.typing.fill_in import FillIn
from dicegames_client.screens.table.typing.talk_line import completions
from dicegames_protocol.text import TextError, strip

Purpose = Callable[[str, float], None]
"""Gets the typed line and the time. Raises NotUnderstood, Unclear or TextError, with a sentence."""


class OpenLine:
    def __init__(self) -> None:
        self.prompt: Prompt | None = None
        self.wrong = ""
        """What is wrong with the line as it was entered. It is gone when the line is changed."""
        self._purpose: Purpose | None = None
        self._fill_in: FillIn | None = None
        self._empty_too = False
        self._edited = False
        self._awaited: set[str] = set()
        """The ids of requests of this line that have no answer yet. The line stays until they have one."""

    def open(self, prompt: Prompt, purpose: Purpose, *, fill_in: FillIn | None = None, empty_too: bool = False) -> None:
        """`empty_too`: an empty line means something, too. Otherwise it closes the line."""
        self.prompt, self._purpose, self._fill_in, self._empty_too = prompt, purpose, fill_in, empty_too
        self._awaited, self._edited, self.wrong = set(), False, ""

    def close(self) -> None:
        self.prompt = self._purpose = self._fill_in = None
        self._awaited, self.wrong = set(), ""

    def edited(self) -> None:
        self._edited, self.wrong = True, ""

    # Answers.

    def wait_for(self, id: str) -> None:
        """The server was asked for what the line says. If it refuses, the line can be mended."""
        self._awaited.add(id)

    def done(self, id: str | None) -> bool:
        """A request was carried out: the line closes, unless more was typed meanwhile. False: it is of no line."""
        if id not in self._awaited:
            return False
        self._awaited.discard(id)
        if not self._awaited and not self._edited:
            self.close()
        return True

    def refused(self, id: str | None, sentence: str) -> bool:
        """A request was refused. False: it is of no line."""
        if id not in self._awaited:
            return False
        self.lost(sentence)
        return True

    def lost(self, sentence: str) -> None:
        """No answer will come any more: the line stays, with a sentence that says why."""
        if self._awaited:
            self._awaited, self.wrong = set(), strip(sentence)

    def submit(self, text: str, now: float) -> bool:
        """A line was entered. False: it can't be done, and `wrong` says why."""
        asked, self.wrong = self.prompt, ""
        if self._awaited:
            self.wrong = NOT_YET
            return False
        if self._purpose is None or not (text.strip() or self._empty_too):
            self.close()
            return True
        try:
            self._purpose(text.strip(), now)
        except (NotUnderstood, Unclear, TextError) as error:
            self.wrong = strip(str(error))
            return False
        if self._awaited:
            self._edited = False
            return False
        if self.prompt is asked:  # otherwise one more thing must be typed
            self.close()
        return True

    def complete(self, text: str, store: Store, seat: int | None, name: str) -> list[Word]:
        """`name`: the user's own, for a seat."""
        if self._fill_in:
            return self._fill_in.complete(text)
        slash = "/" if self.prompt and self.prompt.command and not text.startswith("/") else ""
        return completions(f"{slash}{text}", store, seat, name)

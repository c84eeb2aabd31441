"""The output of line mode: sentences, and sometimes a question with the cursor after it."""

from typing import TextIO

from dicegames_client.base.terminal.printing import clean, columns_of, fit


class LineOutput:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.asking = False
        """The cursor is after an open question."""
        self.displaced = False
        """Something was printed after a question, so the question must be asked again."""

    def say(self, *lines: str) -> None:
        if not lines:
            return
        if self.asking:
            self._out.write("\n")
            self.asking = False
            self.displaced = True
        for line in lines:
            self._out.write(f"{fit(clean(line), self._out)}\n")
        self._out.flush()

    def ask(self, question: str) -> None:
        """Print a question. If little room is left after it, the answer goes on the next line."""
        shown = fit(clean(question).rstrip(), self._out)
        last = shown.rsplit("\n", 1)[-1]
        narrow = self._out.isatty() and len(last) + 24 > columns_of(self._out)
        self._out.write(f"{shown}\n> " if narrow else f"{shown} ")
        self._out.flush()
        self.asking = True
        self.displaced = False

    def answered(self) -> None:
        """The user has pressed Enter: the cursor is on a new line."""
        self.asking = False

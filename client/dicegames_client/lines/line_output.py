"""The output of line mode: sentences, and sometimes a question."""

from typing import TextIO

from dicegames_client.base.terminal.printing import clean, columns_of, fit


class LineOutput:
    def __init__(self, out: TextIO, *, echoed: bool) -> None:
        """`echoed`: what is typed is shown in the terminal. Then the cursor stays behind a question. A program that
        reads the output gets whole lines.
        """
        self._out = out
        self._behind = echoed and out.isatty()
        self.asking = False
        """A question is open."""
        self.displaced = False
        """Something was printed after a question, so the question must be asked again."""

    def say(self, *lines: str) -> None:
        if not lines:
            return
        self.end_line()
        for line in lines:
            self._out.write(f"{fit(clean(line), self._out)}\n")
        self._out.flush()

    def end_line(self) -> None:
        """Leave the line of an open question."""
        if self.asking:
            self._out.write("\n" if self._behind else "")
            self.asking = False
            self.displaced = True

    def ask(self, question: str) -> None:
        """Print a question. If little room is left after it, the answer goes on the next line."""
        shown = fit(clean(question).rstrip(), self._out)
        last = shown.rsplit("\n", 1)[-1]
        narrow = len(last) + 24 > columns_of(self._out)
        end = "\n" if not self._behind else "\n> " if narrow else " "
        self._out.write(f"{shown}{end}")
        self._out.flush()
        self.asking = True
        self.displaced = False

    def answered(self) -> None:
        """The user has pressed Enter: the cursor is on a new line."""
        self.asking = False

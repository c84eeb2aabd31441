"""What line mode writes on: sentences, and now and then a question with the cursor behind it."""

import shutil
import sys
import textwrap
from typing import TextIO


def use_safe_streams() -> None:
    """Whatever people type and whatever their terminal can't show is replaced, and never ends the program."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def fit(line: str, out: TextIO) -> str:
    """Broken between words in a terminal; whole in a pipe."""
    if not out.isatty():
        return line
    width = max(20, shutil.get_terminal_size().columns - 1)
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line.strip(), width, initial_indent=indent, break_on_hyphens=False, break_long_words=False)


class Paper:
    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.asking = False
        """The cursor stands behind a question."""
        self.displaced = False
        """Something was said over a question, which has to be put again."""

    def say(self, *lines: str) -> None:
        if not lines:
            return
        if self.asking:
            self._out.write("\n")
            self.asking = False
            self.displaced = True
        for line in lines:
            self._out.write(f"{fit(line, self._out)}\n")
        self._out.flush()

    def ask(self, question: str) -> None:
        """Put a question. Where little room would be left behind it, the answer goes on the next line."""
        shown = fit(question.rstrip(), self._out)
        last = shown.rsplit("\n", 1)[-1]
        narrow = self._out.isatty() and len(last) + 24 > shutil.get_terminal_size().columns
        self._out.write(f"{shown}\n> " if narrow else f"{shown} ")
        self._out.flush()
        self.asking = True
        self.displaced = False

    def answered(self) -> None:
        """The person has pressed Enter: the cursor is on a new line."""
        self.asking = False

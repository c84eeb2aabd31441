"""The gate to the terminal for everything that is printed: no text from outside reaches it uncleaned.

`clean_streams` replaces standard output and standard error for the whole run. Whatever is written there, by any part of
the client, passes `clean`. So a new `print` can't forget it. The full screen has its own gate, in shell.py.
"""

import contextlib
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from dicegames_protocol.system.pipes import use_utf8

_HARMLESS = re.compile(r"[ -~\n\t]*")
_KEPT = re.compile(r"([\n\t])")


class CleanStream:
    """A text stream that lets no control character through, except line breaks and tabs."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(clean(text))
        return len(text)

    def writelines(self, lines: Iterator[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def clean(text: str) -> str:
    """The text without anything that a terminal would obey or that would reorder a line."""
    if _HARMLESS.fullmatch(text):
        return text
    from dicegames_protocol.text import strip  # loaded only when it is needed: `--help` must be quick

    return "".join(part if part in ("\n", "\t") else strip(part) for part in _KEPT.split(text))


@contextlib.contextmanager
def clean_streams() -> Iterator[None]:
    """Standard output and standard error pass the gate. Characters that can't be read or shown are replaced."""
    before = sys.stdout, sys.stderr
    use_utf8(sys.stdin, *before)
    for stream in (sys.stdin, *before):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    with contextlib.ExitStack() as stack:
        for stream in ("stdout", "stderr"):
            there = getattr(sys, stream)
            if there is None:  # it was closed by who started us
                there = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
            setattr(sys, stream, CleanStream(there))
        try:
            yield
        finally:
            if sys.stdout is not None:  # else the program that read our output has closed the pipe
                sys.stdout = before[0]
            sys.stderr = before[1]


def columns_of(out: TextIO) -> int:
    """Columns of the terminal that a stream is shown in."""
    columns: int = getattr(out, "columns", None) or shutil.get_terminal_size().columns
    return columns


def fit(line: str, out: TextIO) -> str:
    """The line, broken between words for a terminal; unchanged for a pipe."""
    if not out.isatty():
        return line
    width = max(20, columns_of(out) - 1)
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line.strip(), width, initial_indent=indent, break_on_hyphens=False, break_long_words=False)

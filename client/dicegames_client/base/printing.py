"""Text on standard output: streams whose encoding can't fail, and lines broken between words."""

import shutil
import sys
import textwrap
from typing import TextIO


def use_safe_streams() -> None:
    """Replace all characters that can't be read or shown, so that they never end the program."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def fit(line: str, out: TextIO) -> str:
    """The line, broken between words for a terminal; unchanged for a pipe."""
    if not out.isatty():
        return line
    width = max(20, shutil.get_terminal_size().columns - 1)
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line.strip(), width, initial_indent=indent, break_on_hyphens=False, break_long_words=False)

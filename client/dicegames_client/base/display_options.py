"""How the user wants to see the game: theme, characters, motion and bell.

The options come from the command line and the environment.
"""

import os
import sys
from dataclasses import dataclass

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    theme: str = "default"
    glyphs: Glyphs = UNICODE
    motion: bool = True
    bell: bool = False


def display_options_of(asked: CommandLine) -> DisplayOptions:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    if (os.environ.get("LC_ALL") or os.environ.get("LANG")) in ("C", "POSIX"):
        encoding = "ascii"  # Python reports UTF-8 even then
    colourless = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").startswith("vt")
    theme = asked.theme or ("mono" if colourless else "default")
    return DisplayOptions(
        theme=theme,
        glyphs=ASCII if asked.ascii or not encoding.startswith("utf") else UNICODE,
        motion=not asked.no_motion,
        bell=asked.bell,
    )


def full_screen(asked: CommandLine) -> bool:
    """Whether to use the full screen: there is a terminal, and the user did not ask for lines instead."""
    lines = asked.plain or asked.json or asked.step
    if lines or os.environ.get("ACCESSIBLE"):
        return False
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))

"""How somebody wants to see it: theme, characters, motion and bell, from the command line and the environment."""

import argparse
import os
import sys
from dataclasses import dataclass

from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs


@dataclass(frozen=True, slots=True)
class Look:
    theme: str = "default"
    glyphs: Glyphs = UNICODE
    motion: bool = True
    bell: bool = False


def look_of(arguments: argparse.Namespace) -> Look:
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    if (os.environ.get("LC_ALL") or os.environ.get("LANG")) in ("C", "POSIX"):
        encoding = "ascii"  # Python would say UTF-8 all the same
    colourless = os.environ.get("NO_COLOR") or os.environ.get("TERM", "").startswith("vt")
    theme = arguments.theme or ("mono" if colourless else "default")
    return Look(
        theme=theme,
        glyphs=ASCII if arguments.ascii or not encoding.startswith("utf") else UNICODE,
        motion=not arguments.no_motion,
        bell=arguments.bell,
    )


def full_screen(arguments: argparse.Namespace) -> bool:
    """Whether there is a terminal to fill, and nobody asked for lines instead."""
    lines = arguments.plain or getattr(arguments, "json", False) or getattr(arguments, "step", False)
    if lines or os.environ.get("ACCESSIBLE"):
        return False
    if os.environ.get("TERM", "") in ("", "dumb"):
        return False
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout))

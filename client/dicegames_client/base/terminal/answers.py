"""What a terminal is asked before the first screen, and what its answers mean. Pure.

Its background: terminals tell their colour if they are asked (OSC 11). And whether it can be told where a picture
begins and ends, so that nobody sees half a picture (mode 2026, asked by DECRQM).

Right behind these questions goes one that every terminal answers (primary device attributes). Its answer ends the wait:
whatever the terminal had to say has come before it. What comes later is no key either: reports.py.
"""

import re
from collections.abc import Mapping

SECONDS = 0.1
"""How long after the questions the answers are waited for. It takes milliseconds, and the program loads its modules
meanwhile. Over a slow line they may not come in time.
"""
_BACKGROUND, _WHOLE_PICTURES, _ATTRIBUTES = b"\x1b]11;?\x1b\\", b"\x1b[?2026$p", b"\x1b[c"
_COLOUR = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*(?:\x07|\x1b\\)"
)
_MODE = re.compile(rb"\x1b\[\?[0-9;]*\$y")
_KNOWN_MODE = re.compile(rb"\x1b\[\?2026;[12]\$y")
"""The mode is known there: it is set, or not set. Other numbers: it is not known, or can't be changed."""
_LAST = re.compile(rb"\x1b\[\?[0-9;]*c")
_WEIGHTS = (0.299, 0.587, 0.114)
"""How bright red, green and blue are to the eye."""
_LIGHT_NUMBERS = ("7", "15")
"""Light colours among the 16 of a terminal, as COLORFGBG numbers them."""


def questions(kind: str, environment: Mapping[str, str]) -> bytes:
    """What to ask a terminal. Apple's, the Linux console and old ones would show a part of the question about modes."""
    shows_it = kind.startswith(("linux", "nsterm", "vt")) or environment.get("TERM_PROGRAM") == "Apple_Terminal"
    return _BACKGROUND + (b"" if shows_it else _WHOLE_PICTURES) + _ATTRIBUTES


def answered(heard: bytes) -> bool:
    """Whether the last answer is among what was heard."""
    return _LAST.search(heard) is not None


def is_light(heard: bytes) -> bool | None:
    """Whether the background is light, by what the terminal answered. None: it did not say."""
    found = _COLOUR.search(heard)
    if found is None:
        return None
    parts = [int(part, 16) / int(b"f" * len(part), 16) for part in found.groups()]
    return sum(weight * part for weight, part in zip(_WEIGHTS, parts, strict=True)) > 0.5


def shows_whole_pictures(heard: bytes) -> bool:
    """Whether the terminal can be told where a picture begins and ends."""
    return _KNOWN_MODE.search(heard) is not None


def typed(heard: bytes) -> bytes:
    """What is left without the answers: keys that the user has pressed meanwhile."""
    return _LAST.sub(b"", _MODE.sub(b"", _COLOUR.sub(b"", heard)))


def said_by(environment: Mapping[str, str]) -> bool | None:
    """Whether the background is light, by COLORFGBG, such as "15;0", which some terminals set. None: nobody says."""
    last = environment.get("COLORFGBG", "").rpartition(";")[2]
    return last in _LIGHT_NUMBERS if last.isdigit() else None

"""Whether the background of a terminal is light. Terminals tell their colour if they are asked (OSC 11). Pure.

Right behind that question goes one that every terminal answers (primary device attributes). Its answer ends the wait:
whatever the terminal had to say about its colour has come before it.
"""

import re
from collections.abc import Mapping

QUERY = b"\x1b]11;?\x1b\\\x1b[c"
SECONDS = 0.1
"""How long after the question the answer is waited for. It takes milliseconds, and the program loads its modules
meanwhile. Over a slow line it may not come in time.
"""
_COLOUR = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]*(?:\x07|\x1b\\)"
)
_LAST = re.compile(rb"\x1b\[\?[0-9;]*c")
_WEIGHTS = (0.299, 0.587, 0.114)
"""How bright red, green and blue are to the eye."""
_LIGHT_NUMBERS = ("7", "15")
"""Light colours among the 16 of a terminal, as COLORFGBG numbers them."""


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


def typed(heard: bytes) -> bytes:
    """What is left without the answers: keys that the user has pressed meanwhile."""
    return _LAST.sub(b"", _COLOUR.sub(b"", heard))


def said_by(environment: Mapping[str, str]) -> bool | None:
    """The same by COLORFGBG, such as "15;0", which some terminals set. None: nobody says."""
    last = environment.get("COLORFGBG", "").rpartition(";")[2]
    return last in _LIGHT_NUMBERS if last.isdigit() else None

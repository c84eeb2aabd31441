"""The mouse wheel, as terminals tell it. Pure."""

import re

WHEEL_LINES = 3
"""Lines for a notch."""
_TOLD = re.compile(r"\x1b\[<([0-9]{1,3});[0-9]{1,5};[0-9]{1,5}M")
_HELD_KEYS = 4 | 8 | 16
"""Bits for Shift, Alt and Ctrl."""
_BUTTONS = {64: -WHEEL_LINES, 65: WHEEL_LINES}
_ON_WINDOWS = {"SCROLL_UP": -WHEEL_LINES, "SCROLL_DOWN": WHEEL_LINES}


def wheel_lines(told: str) -> int:
    """By how many lines to scroll down, for an event of the mouse; negative: up. 0: it is not the wheel."""
    if found := _TOLD.fullmatch(told):
        return _BUTTONS.get(int(found[1]) & ~_HELD_KEYS, 0)
    parts = told.split(";")  # a Windows console: button, event, column, row
    return _ON_WINDOWS.get(parts[1], 0) if len(parts) == 4 else 0

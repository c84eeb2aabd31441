"""The keys by the names that screens know them by."""

KEY_NAMES = {
    "c-m": "enter",
    "c-j": "enter",
    "escape": "escape",
    "c-h": "backspace",
    "delete": "backspace",
    "c-i": "tab",
    "up": "up",
    "down": "down",
    "left": "left",
    "right": "right",
    "pageup": "pageup",
    "pagedown": "pagedown",
    "home": "home",
    "end": "end",
    "c-c": "ctrl-c",
    "c-d": "ctrl-d",
    "c-f": "ctrl-f",
    "<sigint>": "ctrl-c",
}
"""Name in prompt_toolkit -> name for a screen."""
MOUSE_KEYS = ("<vt100-mouse-event>", "<windows-mouse-event>", "<scroll-up>", "<scroll-down>")
"""What the mouse does. prompt_toolkit takes any ESC[31m for a mouse, and would fail at it: wheel.py reads it."""
PASTE_KEY = "<bracketed-paste>"
BOUND_KEYS = frozenset({"c-z", "c-l", PASTE_KEY, "<cursor-position-response>", "<ignore>", *MOUSE_KEYS})
"""Keys that are not for the screen: key_bindings.py says what they do."""

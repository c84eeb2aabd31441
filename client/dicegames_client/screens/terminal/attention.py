"""Calls a user who looks elsewhere: with the bell, and with a notification while the window has no focus.

The notification is OSC 9. iTerm2, kitty, WezTerm, foot, Ghostty, Warp and VS Code show it; others leave it out. tmux
keeps it for itself. It goes only to terminals that have told that their window has lost the focus: those know such
sequences, and whoever sees the window needs no notification.
"""

from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.base.terminal.reports import FOCUS_IN, FOCUS_OUT
from dicegames_client.screens.terminal.cleaning import cleaned

MOST_NOTIFIED = 60
"""Most characters of a notification."""


class Attention:
    def __init__(self, output: Output) -> None:
        self._output = output
        self._focused: bool | None = None
        """Whether the window has the focus. None: the terminal has not told."""

    def report(self, told: str) -> None:
        """The terminal has told something."""
        if told in (FOCUS_IN, FOCUS_OUT):
            self._focused = told == FOCUS_IN

    def call(self, sentence: str) -> None:
        self._output.bell()
        if self._focused is False and isinstance(self._output, Vt100_Output):
            self._output.write_raw(f"\x1b]9;{cleaned(sentence, True)[:MOST_NOTIFIED]}\x07")
            self._output.flush()

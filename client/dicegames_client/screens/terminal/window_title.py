"""The title of the terminal's window: whose turn it is can be read there while another window is in front."""

from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.screens.terminal.cleaning import cleaned

MOST_CHARACTERS = 60
_KEEP, _GIVE_BACK = "\x1b[22;2t", "\x1b[23;2t"
"""Have the terminal remember its title, and use that one again. Those that can't do it get an empty title."""


class WindowTitle:
    def __init__(self, output: Output, *, unicode: bool) -> None:
        self._output = output
        self._ascii_only = not unicode
        self._shown: str | None = None

    def show(self, title: str) -> None:
        if title == self._shown:
            return
        if self._shown is None:
            self._write(_KEEP)
        self._shown = title
        self._output.set_title(cleaned(title, self._ascii_only)[:MOST_CHARACTERS])

    def restore(self) -> None:
        """The title is again what it was before us."""
        if self._shown is not None:
            self._shown = None
            self._output.clear_title()
            self._write(_GIVE_BACK)
            self._output.flush()

    def _write(self, sequence: str) -> None:
        if isinstance(self._output, Vt100_Output):  # a Windows console has no such thing
            self._output.write_raw(sequence)

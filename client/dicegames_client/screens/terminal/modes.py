"""What a terminal is told to send besides keys: that its window has got or lost the focus, and the mouse wheel.

It is told so only if the user wants it, and only while our screen is there: not in the user's shell, whether the
program has ended or is suspended. With the wheel the terminal gives us the whole mouse, so text can't be selected as
usual.
"""

from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from dicegames_client.base.terminal.display_options import DisplayOptions

FOCUS_MODES, MOUSE_MODES = ("1004",), ("1000", "1006")


class Modes:
    def __init__(self, output: Output) -> None:
        self._output = output if isinstance(output, Vt100_Output) else None  # a Windows console has no such thing
        self._wanted: tuple[str, ...] = ()
        self._on: tuple[str, ...] = ()

    def want(self, display: DisplayOptions) -> None:
        """The terminal is told at the next painting."""
        self._wanted = (FOCUS_MODES if display.bell else ()) + (MOUSE_MODES if display.mouse else ())

    def enter(self) -> None:
        """Our screen is there."""
        if self._on != self._wanted:
            self._switch("l", [mode for mode in self._on if mode not in self._wanted])
            self._switch("h", [mode for mode in self._wanted if mode not in self._on])
            self._on = self._wanted

    def leave(self) -> None:
        """Our screen goes."""
        self._switch("l", list(self._on))
        self._on = ()

    def forget(self) -> None:
        """Another program may have changed them: they are told again."""
        self._on = ()

    def _switch(self, how: str, modes: list[str]) -> None:
        for mode in modes if self._output else ():
            assert self._output
            self._output.write_raw(f"\x1b[?{mode}{how}")

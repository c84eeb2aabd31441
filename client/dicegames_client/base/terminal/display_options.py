"""How the user wants to see the game: theme, characters, motion, bell and mouse.

The options come from the command line, the settings page and the environment.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicegames_client.base.command_line import CommandLine
from dicegames_client.base.glyphs import ASCII, UNICODE, Glyphs
from dicegames_client.base.terminal.terminal import Terminal

if TYPE_CHECKING:  # it takes a moment to load, and the first screen does not wait for it
    from dicegames_client.base.state.saved_looks import Looks


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    theme: str = "default"
    light: bool = False
    """The background of the terminal is light."""
    truecolor: bool = False
    """The terminal shows any colour, not only 256."""
    glyphs: Glyphs = UNICODE
    motion: bool = True
    bell: bool = False
    mouse: bool = False
    """The wheel scrolls here. Otherwise the mouse is the terminal's."""
    hints: bool = True
    """Whoever plays a game for the first time gets hints."""


def display_options_of(asked: CommandLine, terminal: Terminal, chosen: "Looks | None" = None) -> DisplayOptions:
    """`chosen`: on the settings page, as far as that is known yet."""
    looks: Looks | CommandLine = chosen or CommandLine()
    environment = terminal.environment
    encoding = terminal.encoding.lower().replace("-", "")
    if (environment.get("LC_ALL") or environment.get("LANG")) in ("C", "POSIX"):
        encoding = "ascii"  # Python reports UTF-8 even then
    colourless = environment.get("NO_COLOR") or terminal.kind.startswith("vt")
    theme = asked.theme or looks.theme or ("mono" if colourless else "default")
    forced = {"light": True, "dark": False}.get(theme)
    return DisplayOptions(
        theme="default" if forced is not None else theme,
        light=forced if forced is not None else theme != "mono" and terminal.has_light_background,
        truecolor=environment.get("COLORTERM") in ("truecolor", "24bit"),
        glyphs=ASCII if _first(asked.ascii, looks.ascii, not encoding.startswith("utf")) else UNICODE,
        motion=_first(asked.motion, looks.motion, True),
        bell=_first(asked.bell, looks.bell, False),
        mouse=_first(asked.mouse, looks.mouse, False),
        hints=_first(asked.hints, looks.hints, True),
    )


def _first(*said: bool | None) -> bool:
    """The first that somebody has said: on the command line, on the settings page, or else the usual."""
    return next(value for value in said if value is not None)


def full_screen(asked: CommandLine, terminal: Terminal) -> bool:
    """Whether to use the full screen: there is a terminal, and the user did not ask for lines instead."""
    lines = asked.plain or asked.json or asked.step
    if lines or terminal.environment.get("ACCESSIBLE"):
        return False
    return terminal.is_screen and terminal.kind not in ("", "dumb")

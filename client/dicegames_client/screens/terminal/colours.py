"""The colours of the screen, as prompt_toolkit wants them."""

from functools import cache

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

from dicegames_client.base.terminal.display_options import DisplayOptions
from dicegames_client.base.theme import colours


@cache
def style_of(display: DisplayOptions) -> Style:
    return Style.from_dict({**colours(display.theme, light=display.light), "completion-menu": "bg:default"})


def depth_of(display: DisplayOptions) -> ColorDepth | None:
    """How many colours the terminal has. None: as its kind says."""
    if display.theme == "mono":
        return ColorDepth.MONOCHROME
    return ColorDepth.DEPTH_24_BIT if display.truecolor else None

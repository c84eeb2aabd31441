"""Large digits for the number that matters most: the pot, or the number. Pure.

A digit is three dots wide and five high. With Unicode a character is one dot wide and two high; in plain ASCII it is
one dot.
"""

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line

_DOTS = {
    "0": ("###", "# #", "# #", "# #", "###"),
    "1": (" # ", "## ", " # ", " # ", "###"),
    "2": ("###", "  #", "###", "#  ", "###"),
    "3": ("###", "  #", "###", "  #", "###"),
    "4": ("# #", "# #", "###", "  #", "  #"),
    "5": ("###", "#  ", "###", "  #", "###"),
    "6": ("###", "#  ", "###", "# #", "###"),
    "7": ("###", "  #", "  #", " # ", " # "),
    "8": ("###", "# #", "###", "# #", "###"),
    "9": ("###", "# #", "###", "  #", "###"),
    ",": (" ", " ", " ", "#", "#"),
    "-": ("  ", "  ", "##", "  ", "  "),
}
_HALVES = {(" ", " "): " ", ("#", " "): "▀", (" ", "#"): "▄", ("#", "#"): "█"}
"""Upper and lower dot -> character."""


def height(glyphs: Glyphs) -> int:
    """Lines of a large number."""
    return 3 if glyphs.unicode else 5


def large_number(number: int, glyphs: Glyphs, style: str = "big") -> list[Line]:
    """The number in large digits, with thousands apart."""
    signs = [_DOTS[sign] for sign in f"{number:,}"]
    dots = [" ".join(sign[row] for sign in signs) for row in range(5)]
    if not glyphs.unicode:
        return [[(style, row)] for row in dots]
    pairs = ((dots[0], dots[1]), (dots[2], dots[3]), (dots[4], " " * len(dots[4])))
    return [[(style, "".join(_HALVES[upper, lower] for upper, lower in zip(*pair, strict=True)))] for pair in pairs]

"""A QR code in a terminal, dark on light whatever the colours around it are. Pure.

With Unicode a character is one module wide and two high: the upper one is its upper half. In plain ASCII a module is
two characters wide and one high.
"""

from functools import lru_cache

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line

QUIET_MODULES = (4, 3, 2)
"""Width of the light margin, the best first. Readers are promised 4; they manage with 2."""
HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
"""Upper and lower module (dark or not) -> character."""

Modules = tuple[tuple[bool, ...], ...]
"""Rows of modules; True is dark."""


@lru_cache(maxsize=8)
def modules_of(text: str) -> Modules:
    """The QR code of a text without its margin: as small as can be, then with as much error correction as fits in."""
    import segno  # a tenth of a second, for those who want to see one

    return tuple(tuple(bool(module) for module in row) for row in segno.make_qr(text, error="l").matrix)


def qr_code(text: str, columns: int, rows: int, glyphs: Glyphs) -> list[Line] | None:
    """The lines of the code, with the widest margin for which there is room. None: it does not fit."""
    modules = modules_of(text)
    for quiet in QUIET_MODULES:
        wide, high = _size(len(modules) + 2 * quiet, glyphs)
        if wide <= columns and high <= rows:
            return _drawn(_with_margin(modules, quiet), glyphs)
    return None


def least_size(text: str, glyphs: Glyphs) -> tuple[int, int]:
    """The columns and rows without which the code does not fit."""
    return _size(len(modules_of(text)) + 2 * QUIET_MODULES[-1], glyphs)


def _size(side: int, glyphs: Glyphs) -> tuple[int, int]:
    """Columns and rows of a square of so many modules."""
    return (side, -(-side // 2)) if glyphs.unicode else (2 * side, side)


def _with_margin(modules: Modules, quiet: int) -> Modules:
    side = len(modules) + 2 * quiet
    edge = (False,) * quiet
    empty = ((False,) * side,) * quiet
    return (*empty, *((*edge, *row, *edge) for row in modules), *empty)


def _drawn(modules: Modules, glyphs: Glyphs) -> list[Line]:
    if not glyphs.unicode:
        return [_in_ascii(row) for row in modules]
    light = (False,) * len(modules)
    lower = (*modules[1::2], light)  # an odd number of rows: the last one has nothing below it
    return [
        [("qr", "".join(HALVES[halves] for halves in zip(upper, below, strict=True)))]
        for upper, below in zip(modules[::2], lower, strict=False)
    ]


def _in_ascii(row: tuple[bool, ...]) -> Line:
    """A row in which modules of the same kind are one piece. The style fills them, so that no gap is left."""
    pieces: Line = []
    for dark in row:
        style, text = ("qr-dark", "##") if dark else ("qr", "  ")
        if pieces and pieces[-1][0] == style:
            pieces[-1] = (style, pieces[-1][1] + text)
        else:
            pieces.append((style, text))
    return pieces

"""A phone in front of a terminal: the screen as pixels, with its colours, and what a reader of QR codes finds there."""

import pyte
import zxingcpp

WIDE, HIGH = 6, 12
"""Pixels of a cell."""
NAMES = {"black": "000000", "white": "e5e5e5"}
HALVES = {"█": (True, True), "▀": (True, False), "▄": (False, True)}
"""Which halves of a cell a character fills."""


def scan(screen: pyte.Screen, *, light: bool = False, inverted: bool = False) -> list[str]:
    """The texts of all QR codes. `light`: the terminal is black on white. `inverted`: a code in light on dark counts.

    A letter is drawn as a bar, so that it is in the way as real letters are.
    """
    size = (screen.lines * HIGH, screen.columns * WIDE)
    pixels = b"".join(_band(screen, row, light) for row in range(screen.lines))
    found = zxingcpp.read_barcodes(memoryview(pixels).cast("B", size), try_invert=inverted)
    return [code.text for code in found]


def _band(screen: pyte.Screen, row: int, light: bool) -> bytes:
    bands = [bytearray() for _ in range(HIGH)]
    for column in range(screen.columns):
        cell = screen.buffer[row][column]
        ink = _grey(cell.fg, 0 if light else 220)
        paper = _grey(cell.bg, 255 if light else 0)
        if cell.reverse:
            ink, paper = paper, ink
        halves = HALVES.get(cell.data, (False, False))
        for y, band in enumerate(bands):
            stroke = cell.data not in HALVES and cell.data != " " and 3 <= y < 9
            if stroke:
                band += bytes([paper, paper, ink, ink, paper, paper])
            else:
                band += bytes([ink if halves[y * 2 // HIGH] else paper]) * WIDE
    return b"".join(bytes(band) for band in bands)


def _grey(colour: str, default: int) -> int:
    if colour == "default":
        return default
    red, green, blue = bytes.fromhex(NAMES.get(colour, colour))
    return (299 * red + 587 * green + 114 * blue) // 1000

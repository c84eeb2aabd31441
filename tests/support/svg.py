"""A terminal as a picture: the screen of pyte as a small SVG."""

from itertools import groupby
from xml.sax.saxutils import escape

import pyte

CELL, LINE = 8.4, 18
BACK, FRONT = "#1c1c1c", "#d0d0d0"
_NAMED = {
    "default": "",
    "black": "#000000",
    "red": "#cd3131",
    "green": "#0dbc79",
    "brown": "#e5e510",
    "blue": "#2472c8",
    "magenta": "#bc3fbc",
    "cyan": "#11a8cd",
    "white": "#e5e5e5",
}


def svg_of(screen: pyte.Screen, title: str) -> str:
    """One text per run of the same style, fixed to its columns in any font of the reader."""
    width, height = screen.columns * CELL + 20, screen.lines * LINE + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACK}"/>',
        '<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" xml:space="preserve">',
    ]
    for row in range(screen.lines):
        cells = [(column, screen.buffer[row][column]) for column in range(screen.columns)]
        for style, run in groupby(cells, key=lambda cell: _style(cell[1])):
            out += _run(row, list(run), style)
    return "\n".join([*out, "</g>", "</svg>", ""])


def _style(char: pyte.screens.Char) -> tuple[str, str, bool, bool]:
    front, back = _colour(char.fg) or FRONT, _colour(char.bg)
    if char.reverse:
        front, back = back or BACK, front
    return front, back, char.bold, char.underscore


def _colour(name: str) -> str:
    return _NAMED.get(name, f"#{name}")


def _run(row: int, cells: list[tuple[int, pyte.screens.Char]], style: tuple[str, str, bool, bool]) -> list[str]:
    front, back, bold, line = style
    text = "".join(char.data for _, char in cells)
    x, y, wide = 10 + cells[0][0] * CELL, 10 + row * LINE, len(cells) * CELL
    out = [f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{LINE}" fill="{back}"/>'] if back else []
    shown = text.strip(" ")
    if shown:
        shift = len(text) - len(text.lstrip(" "))
        place = f'x="{x + shift * CELL:g}" y="{y + 13:g}" textLength="{len(shown) * CELL:g}"'
        marks = ' font-weight="bold"' * bold + ' text-decoration="underline"' * line
        out.append(f'<text {place} fill="{front}"{marks}>{escape(shown)}</text>')
    return out

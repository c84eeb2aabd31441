"""A terminal as a picture: the screen of pyte as a small SVG."""

from collections.abc import Sequence
from itertools import accumulate, groupby
from xml.sax.saxutils import escape

import pyte

CELL, LINE = 8.4, 18
BACKS = {False: "#1c1c1c", True: "#fafafa"}
FRONTS = {False: "#d0d0d0", True: "#303030"}
"""The terminal's own colours, on a dark and on a light background."""
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


def svg_of(screen: pyte.Screen, title: str, *, light: bool = False) -> str:
    """One text per run of the same style, fixed to its columns in any font of the reader."""
    rows = [line for row in range(screen.lines) for line in drawn_row(screen, row, light)]
    return _document(screen, title, light, rows)


def film_of(frames: Sequence[tuple[Sequence[Sequence[str]], float]], screen: pyte.Screen, title: str) -> str:
    """An animation. A frame is its drawn rows, and the seconds for which it is shown. It begins anew at its end.

    A row that stays the same over several frames is written once.
    """
    starts = [0.0, *accumulate(seconds for _, seconds in frames)]
    total = starts[-1]
    out: list[str] = []
    for row in range(screen.lines):
        numbered = [(number, tuple(rows[row])) for number, (rows, _) in enumerate(frames)]
        for drawn, run in groupby(numbered, key=lambda item: item[1]):
            first, *_, last = [number for number, _ in run] * 2
            if drawn:
                out += _shown(list(drawn), starts[first] / total, starts[last + 1] / total, total)
    return _document(screen, title, False, out)


def drawn_row(screen: pyte.Screen, row: int, light: bool = False) -> list[str]:
    cells = [(column, screen.buffer[row][column]) for column in range(screen.columns)]
    out: list[str] = []
    for style, run in groupby(cells, key=lambda cell: _style(cell[1], light)):
        out += _run(row, list(run), style)
    return out


def _shown(drawn: list[str], since: float, until: float, seconds: float) -> list[str]:
    """The same, visible only in a part of the time."""
    if (since, until) == (0.0, 1.0):
        return drawn
    times = [(0.0, "none")] if since > 0 else []
    times += [(since, "inline"), (until, "none")] if until < 1 else [(since, "inline")]
    values = ";".join(value for _, value in times)
    moments = ";".join(f"{time:.4f}" for time, _ in times)
    change = (
        f'<animate attributeName="display" values="{values}" keyTimes="{moments}" dur="{seconds:g}s" '
        'calcMode="discrete" repeatCount="indefinite"/>'
    )
    return ['<g display="none">', change, *drawn, "</g>"]


def _document(screen: pyte.Screen, title: str, light: bool, rows: list[str]) -> str:
    width, height = screen.columns * CELL + 20, screen.lines * LINE + 20
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACKS[light]}"/>',
        '<g font-family="ui-monospace,Menlo,Consolas,DejaVu Sans Mono,monospace" font-size="14" xml:space="preserve">',
    ]
    return "\n".join([*out, *rows, "</g>", "</svg>", ""])


def _style(char: pyte.screens.Char, light: bool) -> tuple[str, str, bool, bool]:
    front, back = _colour(char.fg) or FRONTS[light], _colour(char.bg)
    if char.reverse:
        front, back = back or BACKS[light], front
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

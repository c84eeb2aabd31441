"""Panels: boxes with a title in their border, stacked in columns that fill a large window exactly. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line, exactly, fit, shorten, told_short
from dicegames_protocol.text import columns

BORDER = 2
"""Lines that the border takes; columns, too."""


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    draw: Callable[[int, int], Sequence[Line]]
    """Columns and lines inside the border -> lines."""
    least: int
    """Fewest lines inside the border. A panel that does not get so many is left out."""
    most: int = 1000
    """Most lines inside the border. What is left goes to the next panels."""
    style: str = "rule"
    grows: bool = False
    """It takes what is left. Without such a panel, the last one does."""


def box(title: str, lines: Sequence[Line], width: int, height: int, glyphs: Glyphs, style: str = "rule") -> list[Line]:
    """Exactly `height` lines of `width` columns: the border with its title, and the lines inside."""
    edge, wall = glyphs.side
    a, b, c, d = glyphs.corners
    shown = f" {shorten(title, max(0, width - 7), glyphs.ellipsis)} " if title else ""
    rest = edge * max(0, width - 3 - columns(shown))
    head: Line = [(style, f"{a}{edge}"), ("head", shown), (style, f"{rest}{b}")]
    inner: list[Line] = [
        [(style, wall), *told_short(line, width - BORDER, glyphs.ellipsis), (style, wall)]
        for line in exactly(lines, height - BORDER)
    ]
    return [head, *inner, [(style, f"{c}{edge * (width - BORDER)}{d}")]]


def stack(panels: Sequence[Panel], width: int, height: int, glyphs: Glyphs) -> list[Line]:
    """A column of panels, exactly `height` lines. The first panels are the most important ones: they get room first."""
    lines: list[Line] = []
    for panel, rows in shares(panels, height):
        lines += box(panel.title, panel.draw(width - BORDER, rows), width, rows + BORDER, glyphs, panel.style)
    return exactly([fit(line, width) for line in lines], height)


def shares(panels: Sequence[Panel], height: int) -> list[tuple[Panel, int]]:
    """The panels that fit, each with its lines inside the border. One of them takes what is left."""
    kept: list[Panel] = []
    free = height
    for panel in panels:
        if panel.least + BORDER <= free:
            kept.append(panel)
            free -= panel.least + BORDER
    rows = []
    for panel in kept:
        more = min(free, panel.most - panel.least)
        rows.append(panel.least + more)
        free -= more
    if rows:
        rows[next((place for place, panel in enumerate(kept) if panel.grows), -1)] += free
    return list(zip(kept, rows, strict=True))

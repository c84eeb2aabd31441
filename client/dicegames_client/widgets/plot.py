"""A line plot in the terminal: braille dots if there is Unicode, letters otherwise.

Each series can be told apart by its name at the right end as well as by its colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line
from dicegames_protocol.text import columns

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of a braille cell: four rows of two dots."""
STYLES = ("plot-1", "plot-2", "plot-3", "plot-4", "plot-5", "plot-6")


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    points: tuple[int, ...]
    named: bool = False
    """Its name is shown even where there are fewer rows than curves."""


def plot(series: Sequence[Series], width: int, height: int, glyphs: Glyphs, target: int | None = None) -> list[Line]:
    """At most `height` lines of `width` columns, with the lowest and the highest value at the left.

    Curves that lie upon each other take turns, so that each can be seen. `target`: a value with a dotted line. It is
    left out until somebody has half of it: all lines would lie at the bottom.
    """
    values = [point for one in series for point in one.points]
    if not values or width < 20 or height < 2:
        return []
    if target is not None and 2 * max(values) < target:
        target = None
    marked = [target] if target is not None else []
    low, high = min([0, *values]), max([*values, *marked, 1])
    labels = {0: f"{high:,}", height - 1: f"{low:,}"}
    dotted = _scale(target, height, low, high) // 4 if target is not None else -1
    if target is not None:
        labels = {dotted: f"{target:,}"} | {row: text for row, text in labels.items() if row != dotted}
    margin = max(columns(label) for label in labels.values()) + 1
    names = max(columns(one.name) for one in series) + 1
    area = max(8, width - margin - names - 1)
    cells: dict[tuple[int, int], tuple[int, list[int]]] = {}
    ends: list[tuple[int, int, str, str]] = []
    nameable = _nameable(series, height)
    for number, one in enumerate(series):
        for x, y in _path(one.points, area, height, low, high):
            row, column = y // 4, x // 2
            bits, owners = cells.get((row, column), (0, []))
            cells[row, column] = (bits | _DOTS[y % 4][x % 2], owners if number in owners else [*owners, number])
        if one in nameable:
            style = STYLES[number % len(STYLES)]
            ends.append((-one.points[-1], _scale(one.points[-1], height, low, high) // 4, style, one.name))
    names_at = _spread([(row, style, name) for _, row, style, name in sorted(ends, key=lambda end: end[0])], height)
    lines: list[Line] = []
    for row in range(height):
        line: Line = [("dim", f"{labels.get(row, ''):>{margin - 1}} ")]
        for column in range(area):
            bits, owners = cells.get((row, column), (0, []))
            if not bits:
                line.append(("dim", glyphs.dot if row == dotted and column % 2 else " "))
                continue
            owner = owners[column % len(owners)]
            letter = series[owner].name[:1] or "?"
            line.append((STYLES[owner % len(STYLES)], chr(0x2800 + bits) if glyphs.unicode else letter))
        style, name = names_at.get(row, ("", ""))
        lines.append([*line, ("", " "), (style, name)])
    return lines


def _nameable(series: Sequence[Series], height: int) -> list[Series]:
    """The curves whose names are shown, at the most one in each row: the highest ones."""
    high = sorted((one for one in series if one.points), key=lambda one: (not one.named, -one.points[-1]))
    return high[:height]


def _path(points: Sequence[int], area: int, height: int, low: int, high: int) -> list[tuple[int, int]]:
    """All dots of the line through the points."""
    across = area * 2 - 1
    if len(points) == 1:
        points = [points[0], points[0]]
    corners = [
        (round(index * across / (len(points) - 1)), _scale(value, height, low, high))
        for index, value in enumerate(points)
    ]
    dots: list[tuple[int, int]] = []
    for (x1, y1), (x2, y2) in pairwise(corners):
        steps = max(abs(x2 - x1), abs(y2 - y1), 1)
        dots += [
            (x1 + round((x2 - x1) * step / steps), y1 + round((y2 - y1) * step / steps)) for step in range(steps + 1)
        ]
    return dots


def _scale(value: int, height: int, low: int, high: int) -> int:
    """The row of dots for a value, counted from the top."""
    dots = height * 4 - 1
    return dots - round((value - low) * dots / (high - low))


def _spread(ends: list[tuple[int, str, str]], height: int) -> dict[int, tuple[str, str]]:
    """One name per row, in the order of the values.

    Each is as near to the end of its curve as the names above allow.
    """
    rows: list[int] = []
    for row, _, _ in ends:
        rows.append(max(row, rows[-1] + 1 if rows else 0))
    for index in range(len(rows) - 1, -1, -1):  # move up the names that are below the last row
        below = rows[index + 1] if index + 1 < len(rows) else height
        rows[index] = min(rows[index], below - 1)
    return {row: (style, name) for row, (_, style, name) in zip(rows, ends, strict=True) if row >= 0}

"""Drawings of dice: large with pips, or small with a digit; and tumbling dice."""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line

LARGE, SMALL = 9, 5
"""Width of a die in columns."""
_PIPS = {
    1: ("   ", " o ", "   "),
    2: ("o  ", "   ", "  o"),
    3: ("o  ", " o ", "  o"),
    4: ("o o", "   ", "o o"),
    5: ("o o", " o ", "o o"),
    6: ("o o", "o o", "o o"),
}


@dataclass(frozen=True, slots=True)
class Die:
    """Face 0 is a die that has not been rolled yet."""

    face: int
    caption: str = ""
    style: str = "die"


def large(dice: Sequence[Die], glyphs: Glyphs, gap: int = 3) -> list[Line]:
    """Five lines, and a sixth with captions if there are any."""
    rows = [_row(dice, LARGE, gap, part) for part in zip(*(_large(die, glyphs) for die in dice), strict=True)]
    return rows + _captions(dice, LARGE, gap)


def small(dice: Sequence[Die], glyphs: Glyphs, gap: int = 2) -> list[Line]:
    """Three lines, and a fourth with captions if there are any."""
    rows = [_row(dice, SMALL, gap, part) for part in zip(*(_small(die, glyphs) for die in dice), strict=True)]
    return rows + _captions(dice, SMALL, gap)


def row_of(dice: Sequence[Die], glyphs: Glyphs, width: int, rows: int) -> list[Line]:
    """A row of dice, large if there is room. `rows` is the number of lines, captions included."""
    captions = any(die.caption for die in dice)
    for gap in (3, 2, 1):
        if rows >= 5 + captions and width >= len(dice) * (LARGE + gap) - gap:
            return large(dice, glyphs, gap=gap)
    return small(dice, glyphs)


def tumbling(lying: Sequence[int], count: int, frame: int) -> tuple[int, ...]:
    """Faces of tumbling dice: they look random and mean nothing. The first picture shows the dice that lay there."""
    first = [lying[place] if place < len(lying) else place % 6 + 1 for place in range(count)]
    turns = [(frame * (7 + 4 * place) + frame * frame * (place + 3)) % 17 for place in range(count)]
    return tuple((face - 1 + turn) % 6 + 1 for face, turn in zip(first, turns, strict=True))


def _large(die: Die, glyphs: Glyphs) -> list[str]:
    edge, wall = glyphs.side
    a, b, c, d = glyphs.corners
    pips = _PIPS.get(die.face, ("   ", f"{die.face or '':^3}", "   "))
    middle = [f"{wall} {' '.join(row.replace('o', glyphs.pip))} {wall}" for row in pips]
    return [f"{a}{edge * 7}{b}", *middle, f"{c}{edge * 7}{d}"]


def _small(die: Die, glyphs: Glyphs) -> list[str]:
    edge, wall = glyphs.side
    a, b, c, d = glyphs.corners
    return [f"{a}{edge * 3}{b}", f"{wall}{die.face or '':^3}{wall}", f"{c}{edge * 3}{d}"]


def _row(dice: Sequence[Die], width: int, gap: int, parts: Sequence[str]) -> Line:
    row: Line = []
    for die, part in zip(dice, parts, strict=True):
        row += [(die.style, f"{part:<{width}}"), ("", " " * gap)]
    return row[:-1]


def _captions(dice: Sequence[Die], width: int, gap: int) -> list[Line]:
    if not any(die.caption for die in dice):
        return []
    cells = [f"{die.caption:^{width}}"[: width + gap - 1] for die in dice]
    styles = ["you" if die.style == "die-picked" else die.style for die in dice]
    return [[(style, f"{cell:<{width + gap}}") for style, cell in zip(styles, cells, strict=True)]]

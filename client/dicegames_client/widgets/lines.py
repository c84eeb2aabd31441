"""Lines of styled text: how they are cut, padded, wrapped and put beside each other.

A line is a list of (style, text). A style is a name from theme.py, or several names with blanks between them. Widths
are columns of a terminal, not characters: a wide character takes two columns, a combining one none.
"""

from collections.abc import Iterable
from functools import lru_cache

from dicegames_protocol.text import columns

Fragment = tuple[str, str]
Line = list[Fragment]


def line(text: str, style: str = "") -> Line:
    return [(style, text)]


def text_of(line: Line) -> str:
    return "".join(text for _, text in line)


def width_of(line: Line) -> int:
    return sum(columns(text) for _, text in line)


def fit(line: Line, width: int, fill: str = "") -> Line:
    """A line of exactly `width` columns: cut, or filled up with blanks in the style `fill`."""
    kept: Line = []
    room = width
    for style, text in line:
        part = cut(text, room)
        kept.append((style, part))
        room -= columns(part)
        if part != text:
            break
    return [*kept, (fill, " " * room)] if room > 0 else kept


@lru_cache(maxsize=4096)
def cut(text: str, width: int) -> str:
    """As much of the text as fits. A wide character is never cut in half."""
    if text.isascii():
        return text[: max(0, width)]
    used, end = 0, 0
    for char in text:
        used += columns(char)
        if used > width:
            break
        end += 1
    return text[:end]


def shorten(text: str, width: int, ellipsis: str) -> str:
    """The text, or its beginning and an ellipsis."""
    if columns(text) <= width:
        return text
    return cut(text, max(0, width - columns(ellipsis))) + cut(ellipsis, width)


def shortened(line: Line, width: int, ellipsis: str) -> Line:
    """The line, or its beginning and an ellipsis."""
    if width_of(line) <= width:
        return line
    return [*fit(line, max(0, width - columns(ellipsis))), (line[-1][0], cut(ellipsis, width))]


def told_short(line: Line, width: int, ellipsis: str) -> Line:
    """A line of exactly `width` columns. Where words do not fit, an ellipsis says so; blanks may go without."""
    return fit(shortened(line, width, ellipsis) if columns(text_of(line).rstrip()) > width else line, width)


def pad(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """The text, broken between words, with further lines indented. A word that is too wide is broken, too.

    Any width will do: a window can have one column. Then there is no indent, and each line has a character.
    """
    width = max(width, 2)  # a wide character takes two
    indent = indent if columns(indent) + 2 <= width else ""
    lines, current = [], ""
    for word in text.split(" "):
        joined = f"{current} {word}" if current.strip() else current + word
        if columns(joined) <= width:
            current = joined
            continue
        if current.strip():
            lines.append(current)
            current = indent + word
        else:
            current = joined
        while columns(current) > width:
            part = cut(current, width)
            lines.append(part)
            current = indent + current[len(part) :]
    return [*lines, current] if current.strip() or not lines else lines


def broken(text: str, width: int) -> list[str]:
    """A text that is copied or typed as it stands: broken at the margin and nowhere else, never cut."""
    width = max(width, 1)
    return [text[start : start + width] for start in range(0, len(text), width)]


def beside(left: list[Line], right: list[Line], left_width: int, gap: Line | None = None) -> list[Line]:
    """Two blocks side by side; the left one is padded to its width."""
    rows = max(len(left), len(right))
    middle = gap or []
    return [
        [*fit(left[row] if row < len(left) else [], left_width), *middle, *(right[row] if row < len(right) else [])]
        for row in range(rows)
    ]


def exactly(lines: Iterable[Line], rows: int) -> list[Line]:
    """Exactly `rows` lines: cut, or filled up with empty ones."""
    some = list(lines)[:rows]
    return some + [[] for _ in range(rows - len(some))]


def inside(lines: Iterable[Line], margin: int) -> list[Line]:
    """The lines, moved to the right by `margin` columns."""
    return [[("", " " * margin), *line] if line else [] for line in lines]

"""How a page is laid out: status, picture, players and feed, actions. Pure functions, the same for all screens.

80 x 24   everything        120 x 40   larger dice, bars, a longer feed
60 x 20   without the feed  below      one sentence
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base import visit
from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import Line, exactly, fit, inside, line, shorten, width_of, wrap
from dicegames_protocol.text import columns

SMALLEST_SIZE = Size(60, 20)
_FEED_FROM = 72


@dataclass(frozen=True, slots=True)
class Action:
    """A key and what it does. If there is little room, general actions lose their label first."""

    key: str
    label: str
    general: bool = False


@dataclass(frozen=True, slots=True)
class Regions:
    """Lines and columns of each part of the page."""

    picture: int
    board: int
    board_width: int
    feed_width: int


def too_small(size: Size) -> bool:
    return size.columns < SMALLEST_SIZE.columns or size.rows < SMALLEST_SIZE.rows


def small_page(size: Size) -> list[Line]:
    """One sentence, for a window that is too small to play in."""
    sentence = (
        f"This window has {size.columns}x{size.rows}; dicegames needs {SMALLEST_SIZE.columns}x{SMALLEST_SIZE.rows}. "
        f"Make it larger, or use {'ssh -T' if visit.current() else '--plain'}. Q leaves."
    )
    if size.columns * (size.rows - 1) < 2 * len(sentence):
        sentence = f"Too small: {SMALLEST_SIZE.columns}x{SMALLEST_SIZE.rows} needed. Q leaves."
    return exactly([line(part) for part in wrap(sentence, max(8, size.columns))], max(0, size.rows - 1))


def regions(size: Size, wanted: int = 8) -> Regions:
    """The parts of a page of this size. `wanted`: lines for the picture in a tall window."""
    picture = 8 if size.rows < 34 else wanted
    board = max(1, size.rows - picture - 5)
    if size.columns < _FEED_FROM:
        return Regions(picture, board, size.columns, 0)
    left = 37 if size.columns <= 84 else min(64, size.columns * 45 // 100)
    return Regions(picture, board, left, size.columns - left - 2)


def page(
    size: Size,
    glyphs: Glyphs,
    *,
    status: Line,
    picture: Sequence[Line],
    board: Sequence[Line],
    feed: Sequence[Line],
    actions: Line,
    room: Regions,
    mark: str = "",
) -> list[Line]:
    """All lines but the last. `mark` is shown in the rule below the picture."""
    width = size.columns
    body: list[Line] = []
    for number in range(room.board):
        left = board[number] if number < len(board) else []
        if room.feed_width:
            right = feed[number] if number < len(feed) else []
            body.append(
                [*fit(left, room.board_width), ("rule", glyphs.divider), ("", " "), *fit(right, room.feed_width)]
            )
        else:
            body.append(fit(left, width))
    divided = room.board_width if room.feed_width else None
    return [
        status,
        *(fit(part, width) for part in exactly(picture, room.picture)),
        rule(width, glyphs, divided, glyphs.cross, mark),
        *body,
        rule(width, glyphs, divided, glyphs.foot),
        fit(actions, width),
    ]


def whole(size: Size, glyphs: Glyphs, *, status: Line, lines: Sequence[Line], actions: Line) -> list[Line]:
    """A page with one text instead of the table."""
    rows = size.rows - 4
    body = [fit(part, size.columns) for part in exactly(lines, rows)]
    return [status, *body, rule(size.columns, glyphs), fit(actions, size.columns)]


def plain_page(size: Size, glyphs: Glyphs, lines: Sequence[Line], keys: Sequence[Action]) -> list[Line]:
    """A page for a screen that has no table yet."""
    if too_small(size):
        return small_page(size)
    return whole(
        size,
        glyphs,
        status=status_line("dicegames", "", size.columns),
        lines=inside(lines, 3),
        actions=action_line(keys, size.columns),
    )


def rule(width: int, glyphs: Glyphs, divided: int | None = None, cross: str = "", mark: str = "") -> Line:
    text = glyphs.rule * width
    if divided is not None:
        text = glyphs.rule * divided + cross + glyphs.rule * (width - divided - 1)
    if not mark:
        return line(text, "rule")
    return [("rule", text[:3]), ("status-bad", f" {mark} "), ("rule", text[5 + len(mark) :])]


def status_line(left: str, right: str, width: int, style: str = "status") -> Line:
    if not right:
        return fit([(style, f" {left}")], width, style)
    room = max(0, width - columns(right) - 3)
    return [*fit([(style, f" {shorten(left, room - 1, '..')}")], room, style), (style, f"  {right} ")]


def action_line(actions: Sequence[Action], width: int) -> Line:
    """Keys with their labels.

    If they do not fit, labels are left out: those of general actions first, from the last one on, then the others.
    """
    order = [a.key for a in reversed(actions) if a.general] + [a.key for a in reversed(actions) if not a.general]
    bare: set[str] = set()
    shown = _actions(actions, bare)
    while order and width_of(shown) > width:
        bare.add(order.pop(0))
        shown = _actions(actions, bare)
    return fit(shown, width)


def _actions(actions: Sequence[Action], bare: set[str]) -> Line:
    shown: Line = []
    for action in actions:
        label = "" if action.key in bare else f" {action.label}"
        gap = "  " if shown and shown[-1][1] else " "
        shown += [("", gap), ("key", f"[{action.key}]"), ("", label)]
    return shown

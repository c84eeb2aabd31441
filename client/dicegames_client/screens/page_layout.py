"""How a page is laid out: status, picture, players and feed, actions. Pure functions, the same for all screens.

60 x 20   picture and players         100 x 30   panels (screens/table/panels.py)
80 x 24   and the feed                below      one sentence
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dicegames_client.base import visit
from dicegames_client.base.glyphs import Glyphs
from dicegames_client.screens.screen import Size
from dicegames_client.widgets.lines import Line, exactly, fit, inside, line, shorten, told_short, width_of, wrap
from dicegames_protocol.text import columns

SMALLEST_SIZE = Size(60, 20)
_FEED_FROM = 72
_LEAST_PICTURE, _LEAST_BOARD, _MOST_BOARD = 8, 6, 9
"""Lines that the picture and the list of players have in any window, and that the list has before the picture grows."""
_MOST_ACTION_ROWS = 3


@dataclass(frozen=True, slots=True)
class Action:
    """A key and what it does. General actions are those that are there in every game: they come last."""

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


def regions(size: Size, wanted: int = 8, players: int = 1, action_rows: int = 1) -> Regions:
    """The parts of a page of this size. The picture gets up to `wanted` lines, where `players` leave them free."""
    free = size.rows - 4 - action_rows
    listed = max(_LEAST_BOARD, min(players + 1, _MOST_BOARD))
    picture = max(_LEAST_PICTURE, min(wanted, free - listed))
    board = max(1, free - picture)
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
    actions: Sequence[Line],
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
        *(told_short(part, width, glyphs.ellipsis) for part in exactly(picture, room.picture)),
        rule(width, glyphs, divided, glyphs.cross, mark),
        *body,
        rule(width, glyphs, divided, glyphs.foot),
        *(fit(part, width) for part in actions),
    ]


def whole(size: Size, glyphs: Glyphs, *, status: Line, lines: Sequence[Line], actions: Sequence[Action]) -> list[Line]:
    """A page with one text instead of the table."""
    keys = action_lines(actions, size.columns)
    rows = size.rows - 3 - len(keys)
    body = [told_short(part, size.columns, glyphs.ellipsis) for part in exactly(lines, rows)]
    return [status, *body, rule(size.columns, glyphs), *(fit(part, size.columns) for part in keys)]


def plain_page(size: Size, glyphs: Glyphs, lines: Sequence[Line], keys: Sequence[Action]) -> list[Line]:
    """A page for a screen that has no table yet."""
    if too_small(size):
        return small_page(size)
    return whole(
        size,
        glyphs,
        status=status_line("dicegames", "", size.columns),
        lines=inside(lines, 3),
        actions=keys,
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


def action_lines(actions: Sequence[Action], width: int) -> list[Line]:
    """Keys with their labels: in one line if they fit, else moves first and general keys in a line of their own.

    No label is ever left out. What does not fit in three lines is cut at the end; `?` lists all keys.
    """
    together = _actions(actions)
    if width_of(together) <= width:
        return [together]
    groups = ([a for a in actions if not a.general], [a for a in actions if a.general])
    lines = [row for group in groups for row in _rows_of(group, width)]
    return lines[:_MOST_ACTION_ROWS]


def _rows_of(actions: Sequence[Action], width: int) -> list[Line]:
    """As many lines as it takes."""
    rows: list[Line] = []
    row: list[Action] = []
    for action in actions:
        if row and width_of(_actions([*row, action])) > width:
            rows.append(_actions(row))
            row = []
        row.append(action)
    return [*rows, _actions(row)] if row else rows


def _actions(actions: Sequence[Action]) -> Line:
    """One line. A wider gap is between the moves and the general keys."""
    shown: Line = []
    for before, action in zip([None, *actions], actions, strict=False):
        gap = " " if before is None else "   " if action.general and not before.general else "  "
        shown += [("", gap), ("key", f"[{action.key}]"), ("", f" {action.label}")]
    return shown

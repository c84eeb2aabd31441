"""The table of players. It scrolls if there are many. It always shows you, the leader and the player to move."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line, fit, pad, shorten
from dicegames_protocol.text import columns

LEAST_CELL = 5
"""Columns of a round on the score sheet, at least."""
LEAST_NAMED = 7
"""Columns of a player where the score sheet has a line for each round."""
MOST_ROUNDS_SHOWN = 1000
LONGEST_NOTE = len("AWAY, held 15:00")
"""Columns that a note can have, whatever the names are."""


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    score: str
    note: str
    tag: str = ""
    """What stands behind the name and is never cut, such as " (host)"."""
    mark: str = " "
    style: str = ""
    pinned: bool = False
    share: float | None = None
    """The score as a share of the best score, for a bar if there is room."""
    seat: int = -1
    """Whose row it is, for what the sheet says about the rounds."""


@dataclass(frozen=True, slots=True)
class Head:
    name: str = "PLAYER"
    score: str = "SCORE"
    note: str = ""


class Sheet(Protocol):
    """The rounds of a game, for a score sheet."""

    def heads(self, most: int) -> list[str]:
        """The numbers of the last rounds, `most` at the most."""
        ...

    def cells(self, seat: int, most: int) -> list[str]:
        """What a seat has won in each of them."""
        ...


def scoreboard(
    head: Head,
    rows: Sequence[Row],
    width: int,
    height: int,
    scroll: int,
    glyphs: Glyphs,
    sheet: Sheet | None = None,
) -> list[Line]:
    """The heading and as many rows as fit, from `scroll` on. With a sheet, the last rounds that fit are in between."""
    names, scores, free = _widths(head, rows, width)
    shown = visible(rows, height - 1, scroll, glyphs)
    cells, wide = _cells(sheet, shown, free) if sheet else ({}, 0)
    rounds = "".join(f"{text:>{wide}}" for text in cells.get(-1, ()))
    heading = f" {pad(head.name, names)}{rounds} {head.score:>{scores}}  {head.note}"
    lines: list[Line] = [fit([("head", heading)], width)]
    bars = 0 if cells else max(0, min(30, width - names - scores - 4 - 26))
    for row in shown:
        if not row.score and not row.note:
            lines.append(fit([(row.style, f"{row.mark}{row.name}")], width))
            continue
        name = pad(shorten(row.name, names - columns(row.tag), glyphs.ellipsis) + row.tag, names)
        rounds = "".join(f"{text:>{wide}}" for text in cells.get(row.seat, ()))
        line: Line = [(row.style, f"{row.mark}{name}"), ("dim", rounds), (row.style, f" {row.score:>{scores}}  ")]
        if bars >= 8 and row.share is not None:
            line = [*line, ("bar", pad(glyphs.full * round(row.share * (bars - 2)), bars - 1))]
        lines.append(fit([*line, (row.style, row.note)], width))
    return lines


def _widths(head: Head, rows: Sequence[Row], width: int) -> tuple[int, int, int]:
    """Columns for names, for scores, and what is left for rounds."""
    scores = max([columns(head.score), *(columns(row.score) for row in rows)], default=0)
    widest = max([columns(head.name), *(columns(row.name + row.tag) for row in rows)], default=0)
    notes = min(LONGEST_NOTE, max([columns(head.note), *(columns(row.note) for row in rows)]))
    names = max(6, min(max(widest, 9), width - scores - 4 - notes))
    return names, scores, width - names - scores - 4 - notes


def rounds_fit(head: Head, rows: Sequence[Row], width: int, sheet: Sheet) -> bool:
    """Whether all rounds have a column in the list of players."""
    cells, _ = _cells(sheet, rows, _widths(head, rows, width)[2])
    return len(cells.get(-1, ())) == len(sheet.heads(MOST_ROUNDS_SHOWN))


def rounds_below(rows: Sequence[Row], width: int, height: int, sheet: Sheet, glyphs: Glyphs) -> list[Line]:
    """The score sheet with a line for each round, the latest first. `rows`: the players, as many as fit beside."""
    heads = sheet.heads(height - 1)[::-1]
    rounds = max([columns("ROUND"), *(columns(text) for text in heads)]) + 1
    played = [row for row in rows if row.seat >= 0 and sheet.cells(row.seat, 1) not in ([], [""])]
    kept = with_pinned(played, max(1, (width - rounds) // LEAST_NAMED))
    if not kept or not heads:
        return []
    wide = min(14, (width - rounds) // len(kept))
    names = "".join(f"{'':>{wide - columns(name)}}{name}" for name in _names(kept, wide - 1, glyphs))
    lines: list[Line] = [[("head", f" {pad('ROUND', rounds)}{names}")]]
    cells = [sheet.cells(row.seat, height - 1)[::-1] for row in kept]
    for number, head in enumerate(heads):
        line: Line = [("dim", f" {pad(head, rounds)}")]
        for row, mine in zip(kept, cells, strict=True):
            line.append(("you" if row.style == "you" else "", f"{mine[number] if number < len(mine) else '':>{wide}}"))
        lines.append(line)
    return [fit(line, width) for line in lines]


def with_pinned(rows: Sequence[Row], most: int) -> list[Row]:
    """So many of the rows, in their order: yours first, and those that always show."""
    order = sorted(range(len(rows)), key=lambda number: (rows[number].style != "you", not rows[number].pinned, number))
    return [rows[number] for number in sorted(order[:most])]


def _names(rows: Sequence[Row], width: int, glyphs: Glyphs) -> list[str]:
    return [shorten(row.name, width, glyphs.ellipsis) for row in rows]


def _cells(sheet: Sheet, rows: Sequence[Row], free: int) -> tuple[dict[int, list[str]], int]:
    """What stands in the columns of the rounds, by seat, and how wide a column is. -1 is the heading."""
    most = free // LEAST_CELL
    if most < 1:
        return {}, 0
    cells = {-1: sheet.heads(most)} | {row.seat: sheet.cells(row.seat, most) for row in rows if row.seat >= 0}
    wide = max([LEAST_CELL, *(columns(text) + 1 for some in cells.values() for text in some)])
    kept = free // wide
    return {seat: some[-kept:] for seat, some in cells.items()} if kept else {}, wide


def visible(rows: Sequence[Row], height: int, scroll: int, glyphs: Glyphs) -> list[Row]:
    """The rows that are shown: a window, and around it the pinned rows that would be out of sight."""
    if len(rows) <= height:
        return list(rows)
    start = max(0, min(scroll, len(rows) - 1))
    pinned = [index for index, row in enumerate(rows) if row.pinned]
    for inner in range(height - 1, 0, -1):  # the window shrinks until everything pinned fits around it
        first = min(start, len(rows) - inner)
        window = range(first, first + inner)
        above = [index for index in pinned if index < first]
        below = [index for index in pinned if index > window[-1]]
        gap_above = first > len(above)
        gap_below = window[-1] + 1 + len(below) < len(rows)
        if len(above) + len(below) + inner + gap_above + gap_below <= height:
            hidden_above, hidden_below = first - len(above), len(rows) - 1 - window[-1] - len(below)
            up = [_gap(hidden_above, glyphs.up)] if gap_above else []
            down = [_gap(hidden_below, glyphs.down)] if gap_below else []
            shown = [rows[index] for index in window]
            return [*(rows[i] for i in above), *up, *shown, *down, *(rows[i] for i in below)]
    return [rows[index] for index in pinned[:height]]


def _gap(hidden: int, arrow: str) -> Row:
    return Row(f"{arrow} {hidden} more", "", "", style="dim")

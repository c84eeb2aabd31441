"""A review as lines of a screen: the players with their figures, what cost most, the graph, and each decision. Pure."""

from collections.abc import Sequence

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.review.figures import FIGURES, costliest_moves, explained, mark_word
from dicegames_client.review.review_text import MEANING, caveat, chance_series, even_chance, name_of, ordered
from dicegames_client.widgets.lines import Line, line, pad, shorten, shortened, wrap
from dicegames_client.widgets.plot import plot
from dicegames_protocol.messages.review import GameReview, ReviewedMove
from dicegames_protocol.text import columns

MARK_STYLES = {"best": "good", "fine": "dim", "slip": "warn", "mistake": "bad", "blunder": "bad"}
MOST_ROWS_OF_PLAYERS = 12
LEAST_GRAPH_ROWS = 5
_GRAPH_ROWS = 12
_TIED = "\N{NO-BREAK SPACE}"
"""Stands for a blank where no line may be broken. It is never shown."""
_MARK_COLUMNS = 14
"""Columns of the longest mark, 'mistake -9.9 %'."""


def figures_table(review: GameReview, width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The players with as many of their figures as fit."""
    players = ordered(review)
    cells = [[figure(player) for player in players] for _, figure in FIGURES]
    wide = [max(columns(text) for text in (head, *told)) for (head, _), told in zip(FIGURES, cells, strict=True)]
    names = min(max((columns(name_of(player)) for player in players), default=0), 24)
    shown = sum(names + sum(wide[:count]) + 2 * count <= width for count in range(1, len(wide) + 1))
    head = "".join(f"  {title:>{wide[place]}}" for place, (title, _) in enumerate(FIGURES[:shown]))
    lines: list[Line] = [line(" " * names + head, "head")]
    for number, player in enumerate(players[: max(1, rows - 1)]):
        told = "".join(f"  {cells[place][number]:>{wide[place]}}" for place in range(shown))
        lines.append([("", pad(shorten(name_of(player), names, glyphs.ellipsis), names)), ("big", told)])
    return lines


def costliest_lines(review: GameReview, width: int, most: int) -> list[list[Line]]:
    """The decisions that cost most, of all players together, the costliest first. Each is a few lines."""
    names = {player.seat: name_of(player) for player in review.players}
    found = [move for player in review.players for move in costliest_moves(review, player)]
    found.sort(key=lambda move: -move.cost)
    return [_one(move, names.get(move.seat, ""), width) for move in found[:most]]


def _one(move: ReviewedMove, name: str, width: int) -> list[Line]:
    mark = mark_word(move)
    said = f"{name}, {mark}"
    told = f"{said}: {explained(move)}".replace(" %", f"{_TIED}%")
    first, *rest = (part.replace(_TIED, " ") for part in wrap(told, width, indent="  "))
    if not first.startswith(said):
        return [line(part) for part in (first, *rest)]
    marked: Line = [("", f"{name}, "), (MARK_STYLES[move.mark], mark), ("", first[len(said) :])]
    return [marked, *(line(part) for part in rest)]


def graph_lines(review: GameReview, width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """The chance to win over the game. Empty where there is nothing to draw, or no room."""
    if len(review.curve) < 2 or rows < 2:
        return []
    return plot(chance_series(review), width, rows, glyphs, even_chance(review))


def panel_lines(review: GameReview, width: int, rows: int, glyphs: Glyphs) -> list[Line]:
    """As much as fits into a panel: the players, what cost most, and the graph."""
    lines = figures_table(review, width, min(rows, MOST_ROWS_OF_PLAYERS), glyphs)
    for told in costliest_lines(review, width, len(review.moves)):
        if len(lines) + len(told) > rows or len(lines) - len(review.players) > _GRAPH_ROWS:
            break
        lines += told
    left = rows - len(lines) - 1
    if left >= LEAST_GRAPH_ROWS:
        lines += [line("Chance to win, in percent", "dim"), *graph_lines(review, width, min(left, _GRAPH_ROWS), glyphs)]
    return lines


def page_lines(review: GameReview, width: int, glyphs: Glyphs) -> list[Line]:
    """All of it, to scroll."""
    about = f"{review.title}, game {review.game_no}. {caveat(review)}".rstrip()
    lines: list[Line] = [[], *(line(part) for part in wrap(about, width)), []]
    lines += figures_table(review, width, len(review.players) + 1, glyphs)
    costliest = costliest_lines(review, width, len(review.moves))
    nothing = [line("Nobody gave anything away.")]
    lines += [[], line("WHAT COST MOST", "head"), *([part for told in costliest for part in told] or nothing)]
    if graph := graph_lines(review, width, _GRAPH_ROWS, glyphs):
        lines += [[], line("THE CHANCE TO WIN, IN PERCENT", "head"), *graph]
    lines += [[], *(line(part, "dim") for text in MEANING for part in wrap(text, width))]
    if review.moves:
        lines += [[], line("MOVE BY MOVE", "head"), *_moves(review, review.moves, width, glyphs)]
    if review.left_out:
        lines.append(line(f"{review.left_out:,} more that cost little are left out.", "dim"))
    return lines


def _moves(review: GameReview, moves: Sequence[ReviewedMove], width: int, glyphs: Glyphs) -> list[Line]:
    names = {player.seat: name_of(player) for player in review.players}
    number = max(len(f"{move.seq}") for move in moves)
    wide = min(max(columns(name) for name in (*names.values(), "")), 16)
    lines: list[Line] = []
    for move in moves:
        better = f", best: {move.best}" if move.mark not in ("best", "fine") else ""
        away = " (the server, in their place)" if move.away else ""
        shown: Line = [
            ("dim", f"{move.seq:>{number}}  "),
            ("", pad(shorten(names.get(move.seat, ""), wide, glyphs.ellipsis), wide) + "  "),
            (MARK_STYLES[move.mark], pad(mark_word(move), _MARK_COLUMNS) + "  "),
            ("", f"{move.took}{better}{away}"),
        ]
        lines.append(shortened(shown, width, glyphs.ellipsis))
    return lines

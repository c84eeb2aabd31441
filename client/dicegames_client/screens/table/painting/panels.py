"""The table in a large window: panels in two or three columns. Pure.

Left: the stage, your chances, the plot and the rules. Right: players with their rounds, the story of the round, the
feed. From WIDE_COLUMNS on the feed has a column of its own.
"""

from collections.abc import Sequence

from dicegames_client.play.advice import share
from dicegames_client.play.scene import Scene
from dicegames_client.review.review_picture import panel_lines
from dicegames_client.screens.page_layout import Action, action_lines
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.pages.help import options_first_changed, table_keys
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.screens.table.painting.player_list import board, more_rounds, player_count, rounds
from dicegames_client.screens.table.painting.recap_picture import curves, told_in
from dicegames_client.screens.text_page import key_lines
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import bar
from dicegames_client.widgets.feed import Feed
from dicegames_client.widgets.lines import Line, beside, exactly, fit, inside, line, pad, wrap
from dicegames_client.widgets.panel import BORDER, Panel, stack
from dicegames_protocol.messages.server import Odds, RulesPage
from dicegames_protocol.text import columns, strip

LARGE_SIZE = Size(100, 30)
"""The smallest window with panels."""
WIDE_COLUMNS = 150
KEYS_FROM = 44
"""Rows of a wide window from which on there is room for all keys."""
GRAPH_FROM = 34
"""Rows for panels from which on there is room for a graph of the chances besides the plot."""
HOW_WELL_ROWS = 20
"""Most lines of the review there, besides the players."""
SHEET_FROM = 36
"""Rows of a window from which on the score sheet may have a line for each round."""
CURVE_ROWS = 5
"""Lines of the plot, at least."""
_MOST_PLAYERS = 14
"""Most lines of the list of players before the other panels get theirs."""


def is_large(size: Size) -> bool:
    return size.columns >= LARGE_SIZE.columns and size.rows >= LARGE_SIZE.rows


def panel_page(
    scene: Scene,
    context: PaintContext,
    feed: Feed,
    size: Size,
    *,
    status: Line,
    stage: Panel,
    actions: Sequence[Action],
) -> list[Line]:
    """The whole page but its last line."""
    keys = action_lines(actions, size.columns)
    height = size.rows - 2 - len(keys)
    wide = size.columns >= WIDE_COLUMNS
    left = size.columns * (42 if wide else 64) // 100
    middle = size.columns * 30 // 100 if wide else size.columns - left
    glyphs = scene.glyphs
    aside = [
        *_chances(scene, context),
        *_how_well(scene, context, left, height),
        *_curves(scene, context),
        *_remarkable(scene, context),
    ]
    by_rounds = size.rows >= SHEET_FROM and more_rounds(scene, context, middle - BORDER)
    table = [_players(scene, context, by_rounds), *(_rounds(scene, context) if by_rounds else []), *_story(scene, wide)]
    rules = _rules(scene, context)
    if wide and any(panel.least >= CURVE_ROWS for panel in aside):
        table += rules
    else:
        aside += rules
    if wide and height >= KEYS_FROM:
        table.append(_keys(scene, middle - BORDER - 2))
    talk = Panel("what happened", lambda width, rows: inside(feed.lines(width - 2, rows, glyphs), 1), 4)
    columns_of = beside(
        stack([stage, *aside] if aside else [stage], left, height, glyphs),
        stack(table if wide else [*table, talk], middle, height, glyphs),
        left,
    )
    if wide:
        rest = size.columns - left - middle
        columns_of = beside(columns_of, stack([talk], rest, height, glyphs), left + middle)
    return [status, *exactly(columns_of, height), *(fit(key, size.columns) for key in keys)]


def _players(scene: Scene, context: PaintContext, by_rounds: bool) -> Panel:
    """The list of players, with their rounds where there is room for all of them, or else with bars."""
    count = player_count(scene)
    title = {"waiting": "seats", "dealing": "seats", "over": "how it ended"}.get(scene.store.phase, "score sheet")
    return Panel(
        title,
        lambda width, rows: board(scene, context, width, rows, sheet=not by_rounds),
        least=min(count + 1, 5),
        most=min(max(count + 1, 3), _MOST_PLAYERS),
    )


def _rounds(scene: Scene, context: PaintContext) -> list[Panel]:
    """What everybody has won in each round: a line each, the latest first. The oldest ones go where rows are few."""
    count = len(context.recap.sheet.scores) - 1
    return [Panel("round by round", lambda width, rows: rounds(scene, context, width, rows), 3, min(count + 1, 12))]


def _story(scene: Scene, wide: bool) -> list[Panel]:
    """What has happened in this round, roll by roll."""
    view = view_of(scene.store.info.game)
    if not scene.playing:
        return []
    told = view.story(scene)
    most = max(6, min(len(told), 12))
    return [Panel(view.story_title, lambda width, rows: inside(told[-rows:], 1), 4, most, grows=wide)]


def _chances(scene: Scene, context: PaintContext) -> list[Panel]:
    odds = context.odds
    if odds is None or not odds.chances or not scene.playing:
        return []
    rows = len(odds.chances)
    whose = "your chances" if odds.seat == scene.wording.me else "chances"
    return [Panel(whose, lambda width, rows: _odds(odds, width, rows, scene), min(rows, 3), rows)]


def _odds(odds: Odds, width: int, rows: int, scene: Scene) -> list[Line]:
    wide = min(max(columns(strip(chance.what)) for chance in odds.chances), width - 20)
    bars = min(24, width - wide - 14)
    return [
        [
            ("", f" {pad(strip(chance.what)[:wide], wide + 2)}"),
            ("big", f"{share(chance):6.1%} "),
            *(bar(share(chance), bars, scene.glyphs) if bars >= 5 else []),
        ]
        for chance in odds.chances[:rows]
    ]


def _curves(scene: Scene, context: PaintContext) -> list[Panel]:
    """The plot, as soon as there is a line to draw."""
    if len(context.recap.laps) < 2 or scene.store.phase not in ("playing", "over"):
        return []
    over = scene.store.phase == "over"
    return [
        Panel(
            "how it went" if over else "how it goes",
            lambda width, rows: inside(curves(scene, context.recap, width - 2, rows), 1),
            CURVE_ROWS,
            14 if over else 10,
        )
    ]


def _remarkable(scene: Scene, context: PaintContext) -> list[Panel]:
    if scene.store.phase != "over" or not context.recap.best:
        return []
    title = "remarkable"
    return [Panel(title, lambda width, rows: inside(told_in(context.recap, width - 2, rows), 1), 3, 10)]


def _how_well(scene: Scene, context: PaintContext, width: int, height: int) -> list[Panel]:
    """How well everybody played, or in a line why that is not known. In a tall window with the graph."""
    review = context.review
    if scene.store.phase != "over" or not (review or context.no_review):
        return []
    if review is None:
        told = inside([line(part, "dim") for part in wrap(context.no_review, width - BORDER - 2)], 1)
        return [Panel("how well", lambda width, rows: told, 1, len(told))]
    tall = height >= GRAPH_FROM
    most = len(review.players) + (HOW_WELL_ROWS if tall else 6)
    wanted = len(panel_lines(review, width - BORDER - 2, most, scene.glyphs))
    return [
        Panel(
            "how well",
            lambda width, rows: inside(panel_lines(review, width - 2, rows, scene.glyphs), 1),
            min(wanted, 16 if tall else 7),
            wanted,
        )
    ]


def _keys(scene: Scene, width: int) -> Panel:
    """All keys of the table."""
    told = key_lines(table_keys(scene), width)
    return Panel("keys", lambda width, rows: inside(told[:rows], 1), 8, max(8, len(told)))


def _rules(scene: Scene, context: PaintContext) -> list[Panel]:
    """The rules in short: what scores, as many paragraphs as fit, and then the options."""
    page = context.rules
    if page is None:
        return []
    options = options_first_changed(scene.store.info)
    return [
        Panel("the rules in short", lambda width, rows: inside(short_rules(page, width - 2, rows, options), 1), 4, 30)
    ]


def short_rules(page: RulesPage, width: int, rows: int, options: Sequence[tuple[str, str, str]] = ()) -> list[Line]:
    """`options`: name, value and meaning of each option; they take the lines that the rules leave."""
    lines: list[Line] = []
    if page.table:
        wide = max(columns(strip(row.what)) for row in page.table) + 1
        points = max(len(row.points) for row in page.table)
        across = max(1, width // (wide + points + 3))
        down = -(-len(page.table) // across)
        if down <= rows:
            lines = [
                [("", "".join(f"{pad(strip(row.what), wide)}{row.points:>{points}}   " for row in page.table[n::down]))]
                for n in range(down)
            ]
    for paragraph in page.text:
        wrapped = wrap(strip(paragraph), width)
        if len(lines) + len(wrapped) + bool(lines) > rows:
            break
        lines += [*([[]] if lines else []), *(line(part, "dim") for part in wrapped)]
    else:
        lines += _short_options(options, width, rows - len(lines))
    return lines


def _short_options(options: Sequence[tuple[str, str, str]], width: int, rows: int) -> list[Line]:
    """As many options as fit, below a heading."""
    lines: list[Line] = [[], line("THE OPTIONS OF THIS TABLE", "head")]
    for name, value, about in options:
        wrapped = wrap(f"{name} {value}{f': {about}' if about else ''}", width, indent="  ")
        if len(lines) + len(wrapped) > rows:
            break
        lines += [line(part, "dim") for part in wrapped]
    return lines if len(lines) > 2 else []

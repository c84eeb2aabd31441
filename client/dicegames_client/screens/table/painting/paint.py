"""How the table looks in each of its phases. Pure: from a scene and a few more facts to lines."""

from collections.abc import Sequence

from dicegames_client.play.picking import best, choices, pickable
from dicegames_client.play.real_dice import MENDING, correctable_rolls, undo_of
from dicegames_client.play.scene import Scene
from dicegames_client.play.typed_commands import absent
from dicegames_client.screens.page_layout import Action, action_lines, page, regions, status_line
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.keys.dice_entry import by_keys
from dicegames_client.screens.table.keys.phase_keys import all_want_a_rematch, is_host
from dicegames_client.screens.table.painting.context import SILENCE_SECONDS, PaintContext
from dicegames_client.screens.table.painting.invitation_picture import invitation_picture
from dicegames_client.screens.table.painting.moment_picture import moment_picture
from dicegames_client.screens.table.painting.panels import is_large, panel_page
from dicegames_client.screens.table.painting.player_list import board, player_count
from dicegames_client.screens.table.painting.recap_picture import headline, recap_head, recap_picture
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import clock
from dicegames_client.widgets.feed import Feed
from dicegames_client.widgets.lines import Line, exactly, inside, line, shorten, text_of, wrap
from dicegames_client.widgets.panel import Panel
from dicegames_protocol.table import Offer
from dicegames_protocol.text import strip

LESSON_ROWS = 3
"""Lines above the picture for what to do in practice; the last one is empty."""


def table_page(
    scene: Scene, context: PaintContext, feed: Feed, size: Size, *, status: Line, actions: Sequence[Action]
) -> list[Line]:
    """The whole page: status, picture, players, feed and keys."""
    old = context.wire.lost_s is not None or bool(context.wire.ended)
    if is_large(size):
        rows = _roomy_rows(scene) + (LESSON_ROWS if context.lesson else 0)
        stage = Panel(
            "OLD" if old else _stage_title(scene),
            lambda width, rows: _dimmed(_with_lesson(scene, context, width, rows, panels=True), old),
            least=min(rows, 10),
            most=rows,
            style="status-bad" if old else "rule",
        )
        return panel_page(scene, context, feed, size, status=status, stage=stage, actions=actions)
    keys = action_lines(actions, size.columns)
    keys += [line(f" {part}", "dim") for part in _tip(context, size)[:-1]]
    wanted = _wanted_rows(scene) + (LESSON_ROWS if context.lesson else 0)
    room = regions(size, wanted, player_count(scene), len(keys))
    drawn = _with_lesson(scene, context, size.columns, room.picture)
    return page(
        size,
        scene.glyphs,
        status=status,
        picture=_dimmed(drawn, old),
        board=board(scene, context, room.board_width, room.board),
        feed=feed.lines(room.feed_width, room.board, scene.glyphs) if room.feed_width else [],
        actions=keys,
        room=room,
        mark="OLD" if old else "",
    )


def _dimmed(lines: list[Line], old: bool) -> list[Line]:
    return [[("old", text) for _, text in one] for one in lines] if old else lines


def _with_lesson(scene: Scene, context: PaintContext, width: int, rows: int, *, panels: bool = False) -> list[Line]:
    """The picture, and in practice above it what to do. `panels`: other panels show what it need not show."""
    if not context.lesson:
        return picture(scene, context, width, rows, panels=panels)
    said = [line(part, "notice") for part in wrap(context.lesson, width - 6)[: LESSON_ROWS - 1]]
    above = inside(exactly(said, LESSON_ROWS), 3)
    return [*above, *picture(scene, context, width, rows - LESSON_ROWS, panels=panels)]


def _stage_title(scene: Scene) -> str:
    """The title of the stage's panel."""
    match scene.store.phase:
        case "waiting" | "dealing":
            return "waiting for the game"
        case "over":
            return text_of(headline(scene)).strip()
    return view_of(scene.store.info.game).stage_title


def _tip(context: PaintContext, size: Size) -> list[str]:
    """The advice in as many lines as it takes. The last one is that of the footer."""
    return wrap(f"Tip: {context.advice}", size.columns - 2) if context.advice else []


def footer(scene: Scene, context: PaintContext, feed: Feed, size: Size) -> Line:
    """The last line, if there is nothing more urgent to say."""
    if context.wire.ended:
        return line(f" {strip(context.wire.ended)}", "bad")
    if context.wire.lost_s is not None:
        return line(" The connection is lost. This is how it stood; it goes on when you are back.", "dim")
    if feed.latest and not regions(size).feed_width and not context.advice:
        return line(f" {feed.latest.mark} {feed.latest.text}".replace("  ", " "), "dim")
    if context.advice:
        return line(f" {_tip(context, size)[-1]}", "dim")
    if not scene.store.seats:
        return line(" You are watching. Nothing you press can change the game.", "dim")
    return line(" [T] talk   (Enter sends, Esc or Ctrl-C cancels)", "dim")


def status(scene: Scene, context: PaintContext, width: int) -> Line:
    store = scene.store
    info = store.info
    title = strip(info.title)
    if info.phase == "waiting":
        left = f"Waiting room {info.code}  {title}, {strip(info.summary)}"
    else:
        head = {"over": "game over", "dealing": "dealing the dice"}.get(info.phase) or view_of(info.game).headline(
            scene
        )
        left = f"{title}  room {info.code}  {strip(head)}"
    wire = context.wire
    left = left if store.seats or wire.ended else f"WATCHING  {left}"
    if wire.ended:
        return status_line(left, "CLOSED", width, "status-bad")
    if wire.lost_s is not None:
        still = f"seat held {clock(wire.held_ms)}" if wire.held_ms > 0 else "seat no longer held"
        held = f", {still}" if store.seats else ""
        return status_line(left, f"RECONNECTING {wire.lost_s:.0f}s{held}", width, "status-bad")
    parts = [f"ok {wire.latency_ms}ms" if wire.latency_ms is not None else "ok"]
    if wire.silent_s >= SILENCE_SECONDS:
        parts = [f"NO ANSWER {wire.silent_s:.0f}s"]
    parts += [f"{store.watching} watching"] if store.watching else []
    if info.phase == "waiting" and info.host is not None:
        parts.append(f"host: {scene.name(info.host)}")
    return status_line(left, "  ".join(parts), width)


def picture(scene: Scene, context: PaintContext, width: int, rows: int, *, panels: bool = False) -> list[Line]:
    if context.moment:
        return moment_picture(scene, context.moment, width, rows)
    match scene.store.phase:
        case "waiting":
            return invitation_picture(scene, context, width, rows)
        case "dealing":
            return inside([[], line("The dice are being dealt" + scene.glyphs.ellipsis, "big")], 3)
        case "over":
            return recap_head(scene, width) if panels else recap_picture(scene, context.recap, width, rows)
    return view_of(scene.store.info.game).picture(scene, width, rows)


def _wanted_rows(scene: Scene) -> int:
    """Lines that the picture can use in a window without panels."""
    if scene.store.phase == "playing":
        return view_of(scene.store.info.game).tall
    return 14 if scene.store.phase == "over" else 8


def _roomy_rows(scene: Scene) -> int:
    """Lines that the picture can use in a panel."""
    if scene.store.phase == "playing":
        return view_of(scene.store.info.game).roomy
    return 4 if scene.store.phase == "over" else 14


ODDS = Action("O", "Odds", True)
REVIEW = Action("W", "Review", True)
TALKING = (Action("T", "Talk", True), Action("/", "Command", True), Action("?", "Help", True))


def actions(scene: Scene, context: PaintContext) -> Sequence[Action]:
    """What the keys do now."""
    store = scene.store
    close = Action("Q", "Close" if context.hosting else "Leave", True)
    if context.wire.ended:
        return [Action("Q", "Quit")]
    if context.wire.lost_s is not None:
        return [close]
    odds = [ODDS] if scene.playing and view_of(store.info.game).has_odds(store, scene.seat) else []
    if not store.seats:
        save = [Action("/save", "Log"), REVIEW] if store.phase == "over" else []
        sit = [Action("S", "Sit next game"), Action("N", "Next table"), *save]
        return [*sit, *odds, *TALKING, Action("Q", "Stop", True)]
    host = is_host(scene.store)
    bots = [Action("B", "Add bot"), Action("X", "Drop bot")] if store.info.bots else []
    match store.phase:
        case "waiting":
            ready = all(store.player(seat).get("ready") for seat in store.seats)
            mine = [Action("Y", "Not ready" if ready else "Ready")]
            if host:
                mine += [Action("S", "Start"), *bots, *_freeing(scene)]
            return [*mine, *TALKING, close]
        case "over":
            willing = all_want_a_rematch(store) or not all(store.player(seat).get("rematch") for seat in store.seats)
            again = [Action("M", "Rematch")] if willing else []
            mend = _mending(scene)
            return [
                *again,
                Action("S", "Save log"),
                Action("V", "Story", True),
                REVIEW,
                *(bots if host and not mend else []),
                *mend,
                *TALKING,
                close,
            ]
        case "dealing":
            return [*TALKING, close]
    return [*_moves(scene), *odds, *TALKING, close]


def _freeing(scene: Scene) -> list[Action]:
    """For the host, while somebody is away."""
    seat = next(iter(absent(scene.store)), None)
    if seat is None:
        return []
    return [Action("F", f"Free {shorten(scene.store.name(seat), 8, scene.glyphs.ellipsis)}'s seat")]


def _moves(scene: Scene) -> list[Action]:
    view = view_of(scene.store.info.game)
    offers = scene.offers
    found = [
        Action(_key_of(key, offers[take], scene), strip(view.label(scene, take, offers[take])))
        for key, take in scene.keys
    ]
    if all_of_it := best(offers):
        found.append(Action("A", f"All {choices(offers)[all_of_it].worth:,}"))
    able = any(store_offers.keys() - MENDING for store_offers in map(scene.store.offers, scene.store.seats))
    if len(scene.store.seats) > 1 and scene.seat is not None and able and scene.live:
        who = shorten(scene.store.name(scene.seat), 8, scene.glyphs.ellipsis)
        found.insert(0, Action("Tab", f"keys: {who}"))
    return [*found, *_mending(scene)]


def _key_of(key: str, offer: Offer, scene: Scene) -> str:
    """The key of an offer. Where real dice are typed, their faces are the keys."""
    typed = by_keys(offer) and offer.asks is None and not pickable(scene.offers)
    return f"1-{offer.sides or 6}" if typed else key.upper()


def _mending(scene: Scene) -> list[Action]:
    """Keys for rolls that were typed wrong."""
    undo = undo_of(scene.store) if scene.live else None
    correct = [Action("X", "Correct")] if undo or (scene.live and correctable_rolls(scene.store)) else []
    return [*([Action("U", "Take back")] if undo else []), *correct]

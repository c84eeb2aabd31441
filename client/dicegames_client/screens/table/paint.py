"""How the table looks in each of its phases. Pure: from a scene and a few more facts to lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dicegames_client.enter.invitation import Invitation
from dicegames_client.play.keys import FIXED
from dicegames_client.play.picking import best, choices
from dicegames_client.play.room_wording import unusual_options, waiting_for
from dicegames_client.play.scene import Scene
from dicegames_client.screens.page_layout import Action, Regions, action_line, page, regions, status_line
from dicegames_client.screens.screen import Size
from dicegames_client.screens.table.phase_keys import all_want_a_rematch, is_host
from dicegames_client.screens.table.recap import Recap
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import clock, seconds
from dicegames_client.widgets.feed import Feed
from dicegames_client.widgets.lines import Line, beside, broken, inside, line, shorten, width_of, wrap
from dicegames_client.widgets.plot import plot
from dicegames_client.widgets.scoreboard import Head, Row, scoreboard
from dicegames_protocol.text import strip

SILENCE_SECONDS = 2.0
"""Seconds without an answer before 'NO ANSWER' is shown."""


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The state of the connection."""

    latency_ms: int | None = None
    silent_s: float = 0.0
    """Seconds for which an answer of the server has been missing."""
    lost_s: float | None = None
    """Seconds since the connection was lost; None while it is up."""
    held_ms: int = 0
    """Milliseconds for which the seat is still held."""
    ended: str = ""
    """Why it ended for good; empty if it has not."""


@dataclass(frozen=True, slots=True)
class PaintContext:
    """What the painter needs besides the scene."""

    wire: ConnectionStatus = field(default_factory=ConnectionStatus)
    invited: Invitation = field(default_factory=Invitation)
    recap: Recap = field(default_factory=Recap)
    scroll: int | None = None
    away_ms: Mapping[int, int] = field(default_factory=dict)
    hosting: bool = False


def table_page(
    scene: Scene, context: PaintContext, feed: Feed, size: Size, *, status: Line, actions: Sequence[Action]
) -> list[Line]:
    """The whole page: status, picture, players, feed and keys."""
    room = regions(size, _wanted_rows(scene))
    old = context.wire.lost_s is not None or bool(context.wire.ended)
    drawn = picture(scene, context, size.columns, room.picture)
    return page(
        size,
        scene.glyphs,
        status=status,
        picture=[[("old", text) for _, text in one] for one in drawn] if old else drawn,
        board=board(scene, context, room),
        feed=feed.lines(room.feed_width, room.board) if room.feed_width else [],
        actions=action_line(actions, size.columns),
        room=room,
        mark="OLD" if old else "",
    )


def footer(scene: Scene, context: PaintContext, feed: Feed, size: Size) -> Line:
    """The last line, if there is nothing more urgent to say."""
    if context.wire.ended:
        return line(f" {strip(context.wire.ended)}", "bad")
    if context.wire.lost_s is not None:
        return line(" The connection is lost. This is how it stood; it goes on when you are back.", "dim")
    if feed.latest and not regions(size).feed_width:
        return line(f" {feed.latest.mark} {feed.latest.text}".replace("  ", " "), "dim")
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
        held = f", seat held {clock(wire.held_ms)}" if store.seats else ""
        return status_line(left, f"RECONNECTING {wire.lost_s:.0f}s{held}", width, "status-bad")
    parts = [f"ok {wire.latency_ms}ms" if wire.latency_ms is not None else "ok"]
    if wire.silent_s >= SILENCE_SECONDS:
        parts = [f"NO ANSWER {wire.silent_s:.0f}s"]
    parts += [f"{store.watching} watching"] if store.watching else []
    if info.phase == "waiting" and info.host is not None:
        parts.append(f"host: {scene.name(info.host)}")
    return status_line(left, "  ".join(parts), width)


def picture(scene: Scene, context: PaintContext, width: int, rows: int) -> list[Line]:
    match scene.store.phase:
        case "waiting":
            return _invitation(scene, context, width, rows)
        case "dealing":
            return inside([[], line("The dice are being dealt" + scene.glyphs.ellipsis, "big")], 3)
        case "over":
            return _recap(scene, context.recap, width, rows)
    return view_of(scene.store.info.game).picture(scene, width, rows)


def _wanted_rows(scene: Scene) -> int:
    """Lines for the picture in a tall window."""
    if scene.store.phase == "playing":
        return view_of(scene.store.info.game).tall
    return 14 if scene.store.phase == "over" else 8


def board(scene: Scene, context: PaintContext, room: Regions) -> list[Line]:
    """The list of players."""
    if scene.store.phase in ("waiting", "dealing"):
        head, rows = Head("SEAT PLAYER", "", "STATE"), _waiting_rows(scene, context)
    else:
        head, rows = view_of(scene.store.info.game).head, _playing_rows(scene, context)
        head = head if scene.playing else replace(head, note="")
    turn = next((index for index, row in enumerate(rows) if row.mark == ">"), 0)
    scroll = context.scroll if context.scroll is not None else max(0, turn - room.board // 2)
    return scoreboard(head, rows, room.board_width, room.board, scroll, scene.glyphs)


def _to_copy(text: str, width: int) -> list[Line]:
    """Text that the user selects with the mouse."""
    return [line(f"  {part}", "link") for part in broken(text, width - 5)]


def _join_keys(beside: str, width: int) -> list[Line]:
    """The line about the join line, with the keys for it: to its right, or below it."""
    keys: Line = [("key", "[K]"), ("", " QR code  "), ("key", "[C]"), ("", " Copy")]
    together: Line = [("", f"{beside}   "), *keys]
    return [together] if width_of(together) <= width else [line(beside), keys]


def _invitation(scene: Scene, context: PaintContext, width: int, height: int) -> list[Line]:
    info = scene.store.info
    lines: list[Line] = []
    if context.invited:
        secret = "  (and tell them the password)" if info.locked else ""
        head = _join_keys(f"{context.invited.heading}{secret}", width - 6)
        lines = [*head, [], *_to_copy(context.invited.line, width), []]
        others = [context.invited.by_browser, context.invited.near, context.invited.by_ssh]
        ways = [line(shorten(text, width - 6, scene.glyphs.ellipsis)) for text in others if text]
        lines += [*ways, []] if ways else []
    lines += [line(part) for part in wrap(waiting_for(scene.store), width - 6)]
    unusual = unusual_options(info)
    told = f"Options: {unusual}." if unusual else "The usual options."
    lines += [line(part, "dim") for part in wrap(f"{told} ? shows the rules.", width - 6)[:3]]
    firewall = [line(part, "dim") for part in wrap(context.invited.firewall, width - 6)]
    if context.invited.firewall and len([one for one in lines if one]) + len(firewall) <= height:
        lines += firewall
    while len(lines) > height and [] in lines:
        lines.remove([])
    return inside(lines, 3)


def _recap(scene: Scene, recap: Recap, width: int, rows: int) -> list[Line]:
    winners = [int(seat) for seat in scene.store.info.winners or ()]
    wording, glyphs = scene.wording, scene.glyphs
    if len(winners) == 1:
        said = f"{wording.does(winners[0], 'win')}!"
    else:
        said = f"{wording.all_of(winners)} share the win." if winners else "The game is over."
    mine = any(seat in scene.store.seats for seat in winners)
    head: Line = [("hot" if mine else "title", f" {said} "), ("", "   "), ("dim", _votes(scene))]
    series = recap.series(6)
    told_first = sorted(recap.best, key=lambda found: not found.kind.startswith(("Where", "Boldest", "Luckiest")))
    facts = [f"{found.kind}: {strip(found.sentence)}" for found in told_first]
    graph_width = min(width - 6, 46 if width < 110 else 72) if width >= 72 else 0
    graph = plot(series, graph_width, rows - 2, glyphs) if graph_width and len(recap.laps) > 1 else []
    room = width - 8 - (graph_width + 2 if graph else 0)
    told: list[Line] = []
    for fact in facts:
        wrapped = wrap(fact, room, indent="  ")
        if len(told) + len(wrapped) <= rows - 2:
            told += [line(part) for part in wrapped]
    return inside([head, [], *beside(graph, told, graph_width + 2 if graph else 0)], 3)


def _votes(scene: Scene) -> str:
    people = [player for player in scene.store.table["seats"].values() if not player.get("bot") and not player["left"]]
    votes = sum(player["rematch"] for player in people)
    if all_want_a_rematch(scene.store):
        missing = scene.store.info.least > len([p for p in scene.store.table["seats"].values() if not p["left"]])
        more = (
            "more players are needed" + (": B adds a bot" if is_host(scene.store) else "") if missing else "M starts it"
        )
        return f"all want a rematch; {more}"
    return f"{votes} of {len(people)} want a rematch" if votes else ""


def _waiting_rows(scene: Scene, context: PaintContext) -> list[Row]:
    store = scene.store
    info, mine = store.info, set(store.seats)
    rows: list[Row] = []
    for seat in range(info.capacity):
        player = store.table["seats"].get(str(seat))
        if player is None:
            if info.capacity <= 12:
                rows.append(Row(f"{seat + 1:<3}  empty", "", "", style="dim"))
            continue
        bot = f" ({strip(player['bot'])})" if player.get("bot") else " (bot)" if player.get("program") else ""
        marks = " (host)" if seat == info.host else bot
        marks += _ssh(player)
        ready = "READY" if player["ready"] or player.get("bot") else "not ready"
        note = _away(seat, context) or ready
        mark = "*" if seat in mine else " "
        style = "you" if seat in mine else ""
        name = f"{seat + 1:<3} {mark}{store.name(seat)}"
        rows.append(Row(name, "", note, marks, style=style, pinned=seat in mine))
    if info.capacity > 12 and len(rows) < info.capacity:
        rows.append(Row(f"     {info.capacity - len(rows)} seats are free", "", "", style="dim"))
    return rows


def _playing_rows(scene: Scene, context: PaintContext) -> list[Row]:
    store = scene.store
    view = view_of(store.info.game)
    turn, mine = view.turn(store), set(store.seats)
    entries = scene.game.get("seats", {})
    scores = {int(seat): view.score(entry) for seat, entry in entries.items()}
    top = max(scores.values(), default=0)
    leader = max(scores, key=lambda seat: scores[seat], default=None)
    if store.phase == "over":
        scores = dict(sorted(scores.items(), key=lambda item: -item[1]))
    order = [*scores, *(int(seat) for seat in store.table["seats"] if int(seat) not in scores)]
    rows = []
    for seat in order:
        player = store.player(seat)
        score, note = view.row(scene, seat)
        bot = " (bot)" if player.get("bot") or player.get("program") else ""
        plays = ", a bot plays" if store.phase == "playing" else ""
        gone = f"left{plays}" if player.get("left") else f"AWAY{plays}" if player.get("standin") else ""
        won = store.phase == "over" and seat in (store.info.winners or ())
        state = "WINNER" if won else gone or _away(seat, context) or note
        rows.append(
            Row(
                scene.name(seat),
                score,
                f"{state}{bot}".strip(),
                _ssh(player),
                mark="*" if seat in mine else ">" if seat == turn else " ",
                style="you" if seat in mine else "turn" if seat == turn or won else "",
                pinned=seat in mine or seat in (turn, leader),
                share=scores[seat] / top if top > 0 and seat in scores else None,
            )
        )
    return rows


def _ssh(player: Mapping[str, Any]) -> str:
    """Behind the name of somebody who plays over ssh."""
    return " (ssh)" if player.get("over_ssh") else ""


def _away(seat: int, context: PaintContext) -> str:
    if seat not in context.away_ms:
        return ""
    ms = context.away_ms[seat]
    return f"AWAY, held {seconds(ms) if ms < 60_000 else clock(ms)}"


GENERAL = (
    Action("O", "Odds", True),
    Action("T", "Talk", True),
    Action("/", "Cmd", True),
    Action("?", "Help", True),
)


def actions(scene: Scene, context: PaintContext) -> Sequence[Action]:
    """What the keys do now."""
    store = scene.store
    talk = [action for action in GENERAL if action.key != "O"]
    close = Action("Q", "Close" if context.hosting else "Leave")
    if context.wire.ended:
        return [Action("Q", "Quit")]
    if context.wire.lost_s is not None:
        return [close]
    if not store.seats:
        odds = GENERAL if scene.playing else talk
        return [Action("S", "Sit next game"), Action("N", "Next table"), *odds, Action("Q", "Stop")]
    host = is_host(scene.store)
    bots = [Action("B", "Add bot"), Action("X", "Drop bot", True)] if store.info.bots else []
    match store.phase:
        case "waiting":
            ready = all(store.player(seat).get("ready") for seat in store.seats)
            mine = [Action("Y", "Not ready" if ready else "Ready")]
            if host:
                mine += [Action("S", "Start"), *bots]
            return [*mine, *talk, close]
        case "over":
            willing = all_want_a_rematch(store) or not all(store.player(seat).get("rematch") for seat in store.seats)
            return [*([Action("M", "Rematch")] if willing else []), *(bots if host else []), *talk, close]
        case "dealing":
            return [*talk, close]
    return [*_moves(scene), *GENERAL, close]


def _moves(scene: Scene) -> list[Action]:
    view = view_of(scene.store.info.game)
    offers = scene.offers
    found = [
        Action(key.upper(), strip(view.label(scene, take, offers[take])), general=take in FIXED)
        for key, take in scene.keys
    ]
    if all_of_it := best(offers):
        found.append(Action("A", f"All {choices(offers)[all_of_it].worth:,}"))
    if len(scene.store.seats) > 1 and scene.seat is not None and found:
        who = shorten(scene.store.name(scene.seat), 8, scene.glyphs.ellipsis)
        found.insert(0, Action("Tab", f"keys: {who}"))
    return found

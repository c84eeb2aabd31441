"""The list of players at the table, in each of its phases. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dicegames_client.play.scene import Scene
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.views import view_of
from dicegames_client.widgets.bar import clock, seconds
from dicegames_client.widgets.lines import Line
from dicegames_client.widgets.scoreboard import Head, Row, rounds_below, rounds_fit, scoreboard
from dicegames_protocol.text import strip


def player_count(scene: Scene) -> int:
    """Lines that the list of players has without its heading."""
    seats = len(scene.store.table.get("seats", {}))
    waiting = scene.store.phase in ("waiting", "dealing")
    return max(seats, scene.store.info.capacity if waiting and scene.store.info.capacity <= 12 else 0)


def board(scene: Scene, context: PaintContext, width: int, height: int, *, sheet: bool = False) -> list[Line]:
    """The list of players. `sheet`: with what each has won in each round, where there is room."""
    head, rows = _head_and_rows(scene, context)
    turn = next((index for index, row in enumerate(rows) if row.mark == ">"), 0)
    rounds = context.recap.sheet if sheet and context.recap.sheet.scores else None
    scroll = context.scroll if context.scroll is not None else max(0, turn - height // 2)
    return scoreboard(head, rows, width, height, scroll, scene.glyphs, rounds)


def _head_and_rows(scene: Scene, context: PaintContext) -> tuple[Head, list[Row]]:
    if scene.store.phase in ("waiting", "dealing"):
        return Head("SEAT PLAYER", "", "STATE"), _waiting_rows(scene, context)
    head = view_of(scene.store.info.game).head
    return head if scene.playing else replace(head, note=""), _playing_rows(scene, context)


def more_rounds(scene: Scene, context: PaintContext, width: int) -> bool:
    """Whether there are more rounds than the list of players has columns for."""
    sheet = context.recap.sheet
    if len(sheet.scores) < 2 or scene.store.phase not in ("playing", "over"):
        return False
    return not rounds_fit(*_head_and_rows(scene, context), width, sheet)


def rounds(scene: Scene, context: PaintContext, width: int, height: int) -> list[Line]:
    """The score sheet with a line for each round."""
    _, rows = _head_and_rows(scene, context)
    return rounds_below(rows, width, height, context.recap.sheet, scene.glyphs)


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
        if player.get("rematch") and store.phase == "over" and not gone:
            state = f"{state}, rematch" if state else "wants a rematch"
        rows.append(
            Row(
                scene.name(seat),
                score,
                state,
                f"{bot}{_ssh(player)}",
                mark="*" if seat in mine else ">" if seat == turn else " ",
                style="you" if seat in mine else "turn" if seat == turn or won else "",
                pinned=seat in mine or seat in (turn, leader),
                share=scores[seat] / top if top > 0 and seat in scores else None,
                seat=seat,
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

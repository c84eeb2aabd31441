"""The picture of the waiting room: how friends come in, and what is waited for. Pure."""

from dicegames_client.play.room_wording import evening, unusual_options, waiting_for
from dicegames_client.play.scene import Scene
from dicegames_client.screens.table.painting.context import PaintContext
from dicegames_client.widgets.lines import Line, broken, inside, line, shorten, width_of, wrap


def _to_copy(text: str, width: int) -> list[Line]:
    """Text that the user selects with the mouse."""
    return [line(f"  {part}", "link") for part in broken(text, width - 5)]


def _join_keys(beside: str, width: int) -> list[Line]:
    """The line about the join line, with the keys for it: to its right, or below it."""
    keys: Line = [("key", "[K]"), ("", " QR code  "), ("key", "[C]"), ("", " Copy")]
    together: Line = [("", f"{beside}   "), *keys]
    return [together] if width_of(together) <= width else [line(beside), keys]


def invitation_picture(scene: Scene, context: PaintContext, width: int, height: int) -> list[Line]:
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
    lines += [line(part, "dim") for part in wrap(evening(scene.store), width - 6) if part]
    unusual = unusual_options(info)
    told = f"Options: {unusual}." if unusual else "The usual options."
    lines += [line(part, "dim") for part in wrap(f"{told} ? shows the rules.", width - 6)[:3]]
    firewall = [line(part, "dim") for part in wrap(context.invited.firewall, width - 6)]
    if context.invited.firewall and len([one for one in lines if one]) + len(firewall) <= height:
        lines += firewall
    while len(lines) > height and [] in lines:
        lines.remove([])
    return inside(lines, 3)

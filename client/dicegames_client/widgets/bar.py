"""Bars: how much of something is left, or how values compare."""

from dicegames_client.base.glyphs import Glyphs
from dicegames_client.widgets.lines import Line


def bar(share: float, width: int, glyphs: Glyphs, style: str = "bar") -> Line:
    """A bar between brackets, filled from the left."""
    full = round(max(0.0, min(1.0, share)) * width)
    return [("dim", "["), (style, glyphs.full * full), ("dim", glyphs.empty * (width - full)), ("dim", "]")]


def countdown(remaining_ms: int, whole_ms: int, width: int, glyphs: Glyphs) -> Line:
    """The time that is left. The colour changes in the last three seconds; the number says it without colour."""
    style = "bad" if remaining_ms <= 3000 else "bar"
    return bar(remaining_ms / whole_ms if whole_ms else 0, width, glyphs, style)


def seconds(ms: int) -> str:
    """Whole seconds, rounded up: a player who can still act never sees 0 s."""
    return f"{-(-max(0, ms) // 1000)}s"


def clock(ms: int) -> str:
    """Minutes and seconds, such as 14:54."""
    whole = -(-max(0, ms) // 1000)
    return f"{whole // 60}:{whole % 60:02}"

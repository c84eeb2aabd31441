"""Dice that tumble: an update that has come and is not shown yet."""

from dataclasses import dataclass

from dicegames_client.guest.events import News

TUMBLE_SECONDS = 0.7
"""Seconds that dice tumble."""
FRAME_SECONDS = 0.08
"""Seconds between two pictures of tumbling dice."""
MOST_TUMBLING = 20
"""Most dice that tumble while they are waited for."""


@dataclass(frozen=True, slots=True)
class Tumble:
    """An update whose dice still tumble."""

    news: News
    dice: int
    since: float

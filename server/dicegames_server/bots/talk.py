"""What bots say now and then about their own move and what came of it.

The words belong to the games: each module of a game in this package may define `remarks(event)`.
"""

import random
from collections.abc import Callable, Iterable

from dicegames_protocol.base import Event
from dicegames_protocol.messages.room_events import GameOver

REMARK_SHARE = 0.25
"""Probability that a bot speaks where it has something to say (0 to 1)."""
Remarks = Callable[[Event], tuple[str, ...]]
"""Gives all that can be said about an event. For most events that is nothing."""
_GAME_OVER = ("Good game.", "Another one?")
_RNG = random.Random()


def remark(events: Iterable[Event], seat: int, remarks: Remarks, rng: random.Random | None = None) -> str | None:
    """A few words about what the move of a bot has led to. None most of the time."""
    chance = rng or _RNG
    found = [words for event in events if (words := _words(event, seat, remarks))]
    if not found or chance.random() >= REMARK_SHARE:
        return None
    return chance.choice(found[-1])


def _words(event: Event, seat: int, remarks: Remarks) -> tuple[str, ...]:
    if getattr(event, "seat", seat) != seat:
        return ()
    return _GAME_OVER if isinstance(event, GameOver) else remarks(event)

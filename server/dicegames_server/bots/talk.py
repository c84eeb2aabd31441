"""What bots say, now and then, about what they have just done or what has just been done to them."""

import random
from collections.abc import Iterable

from dicegames_protocol.base import Event

OFTEN = 0.25
"""How often something is said where there is something to say."""
_WORDS: dict[str, tuple[str, ...]] = {
    "bust": ("Ouch.", "So much for that pot.", "Who ordered a seven?"),
    "doubles": ("More of that!", "Doubles suit me.", "That is a pot worth having."),
    "cashed_out": ("I have seen enough.", "Thank you, that will do.", "Better safe."),
    "held": ("I am staying.", "One more.", "Brave or foolish, we shall see."),
    "farkled": ("Not a single one.", "Well, that hurt.", "Zero. Lovely."),
    "hot": ("All six!", "They are on fire."),
    "banked": ("Into the bank.", "Mine now.", "That counts."),
    "nothing-left": ("All gone.", "Sevens everywhere.", "Nothing. Nothing at all."),
    "won": ("Good game.", "Close one.", "Shall we again?"),
    "game_over": ("Good game.", "Another one?"),
}


def remark(events: Iterable[Event], seat: int, rng: random.Random | None = None) -> str | None:
    """A few words about what a bot's move has led to; mostly none."""
    chance = rng or _RNG
    topics = [topic for event in events if (topic := _topic(event, seat)) in _WORDS]
    if not topics or chance.random() >= OFTEN:
        return None
    return chance.choice(_WORDS[topics[-1]])


def _topic(event: Event, seat: int) -> str:
    if getattr(event, "seat", seat) != seat:
        return ""
    special = str(getattr(event, "special", None) or getattr(event, "why", None))
    if getattr(event, "hot", False):
        return "hot"
    if special in _SPECIAL:
        return _SPECIAL[special]
    return str(getattr(event, "kind", ""))


_SPECIAL = {"bust": "bust", "doubles": "doubles", "first-doubles": "doubles", "nothing-left": "nothing-left"}
_RNG = random.Random()

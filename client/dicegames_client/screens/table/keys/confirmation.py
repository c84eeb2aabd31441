"""A yes-or-no question at the bottom of the table."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from dicegames_client.guest.store import Store
from dicegames_client.screens.page_layout import Action

DEAF_SECONDS = 0.3
"""Seconds after a question in which `y` does not count: it may be pasted, or meant for something else."""


YES_OR_NO = (Action("Y", "Yes"), Action("N", "No"))


class Answer(Enum):
    YES = "yes"
    NO = "no"
    TOO_SOON = "too soon"
    WHAT = "what"


@dataclass(frozen=True, slots=True)
class Confirmation:
    text: str
    since: float
    yes: Callable[[], None]
    leaves: bool = False
    """The question is about leaving: a second Ctrl-C means yes."""

    def answer(self, key: str, now: float) -> Answer:
        if key in ("ctrl-c", "ctrl-d") and self.leaves:
            return Answer.YES
        if key == "y":
            return Answer.YES if now - self.since >= DEAF_SECONDS else Answer.TOO_SOON
        return Answer.NO if key in ("n", "escape", "ctrl-c", "ctrl-d", "q") else Answer.WHAT


def why_stay(store: Store, hosting: bool) -> str | None:
    """What happens to others if we leave; None if nothing happens."""
    playing = store.phase == "playing" and any(str(seat) in store.game.get("seats", {}) for seat in store.seats)
    seats = store.table.get("seats", {}).items()
    friends = any(int(seat) not in store.seats and not player.get("bot") for seat, player in seats)
    if hosting and (playing or friends):
        return "The table closes for everyone"
    return "A bot plays on for you" if playing else None

"""A yes-or-no question at the bottom of the table."""

from collections.abc import Callable
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.screens.forms.confirm_screen import yes_or_no
from dicegames_client.screens.page_layout import Action

DEAF_SECONDS = 0.3
"""Seconds after a question in which `y` does not count: it may be pasted, or meant for something else."""


YES_OR_NO = (Action("Y", "Yes"), Action("N, Enter", "No"))


@dataclass(frozen=True, slots=True)
class Confirmation:
    text: str
    since: float
    yes: Callable[[], None]
    answered: Callable[[], None] = lambda: None
    """Called with either answer."""
    leaves: bool = False
    """The question is about leaving: a second Ctrl-C means yes."""

    def answer(self, key: str, now: float) -> bool | str:
        """Yes or no. A sentence: the key is no answer."""
        if key in ("ctrl-c", "ctrl-d") and self.leaves:
            return True
        if key in ("escape", "ctrl-c", "ctrl-d", "q"):
            return False
        answer = yes_or_no(key, usual=False)
        if answer:
            return now - self.since >= DEAF_SECONDS or "Not so fast: y once more."
        return "Press y or n." if answer is None else False


def why_stay(store: Store, hosting: bool) -> str | None:
    """What happens to others if we leave; None if nothing happens."""
    playing = store.phase == "playing" and any(str(seat) in store.game.get("seats", {}) for seat in store.seats)
    seats = store.table.get("seats", {}).items()
    friends = any(int(seat) not in store.seats and not player.get("bot") for seat, player in seats)
    if hosting and (playing or friends):
        return "The table closes for everyone"
    return "A bot plays on for you" if playing else None

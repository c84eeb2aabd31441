"""What a spectator can do: take a seat, and go on to the next table."""

from collections.abc import Callable
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.screens.screen import Prompt
from dicegames_client.screens.table.keys.phase_keys import room_after, why_no_seat
from dicegames_client.screens.table.outcome import Outcome
from dicegames_client.screens.table.typing.open_line import Purpose
from dicegames_protocol.messages.client import ListRooms, Request, Sit
from dicegames_protocol.messages.server import Error, Rooms
from dicegames_protocol.text import check_name

ONLY_WATCHING = "You are watching. Nothing you press can change the game."
NO_OTHER_TABLE = "There is no other table here."


@dataclass(slots=True)
class Watching:
    send: Callable[[Request], None]
    new_id: Callable[[], str]
    type_line: Callable[[Prompt, Purpose], None]
    name: str = ""
    """The name that is offered for a seat."""
    _sitting: str | None = None
    """The id of the request for a seat that is on its way."""

    def press(self, key: str) -> str:
        """A key. Returns a sentence where it does nothing."""
        match key:
            case "s":
                self.type_line(Prompt("Your name at the table: ", text=self.name), self._sit)
            case "n":
                self.send(ListRooms(id=self.new_id()))
            case _:
                return ONLY_WATCHING
        return ""

    def _sit(self, text: str, now: float) -> None:
        sit = Sit(id=self.new_id(), name=check_name(text))
        self._sitting = sit.id
        self.send(sit)

    def not_seated(self, error: Error) -> str | None:
        """Why the seat was refused. None: the error is about something else."""
        if error.id != self._sitting:
            return None
        self._sitting = None
        self.name = error.hint or self.name
        return why_no_seat(error)

    def next_table(self, found: Rooms, store: Store) -> Outcome | None:
        """How the visit ends that goes on at the next table. None: there is no other."""
        following = room_after(store.room, found.rooms)
        return Outcome(next_table=following) if following else None

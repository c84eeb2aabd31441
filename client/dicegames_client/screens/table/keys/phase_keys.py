"""Keys before and after a game: in the waiting room, and when it is over.

Pure: from a key to messages or a sentence.
"""

from collections.abc import Callable, Sequence

from dicegames_client.guest.store import Store
from dicegames_client.play.typed_commands import absent
from dicegames_protocol.messages.client import AddBot, Kick, Ready, Rematch, RemoveBot, Request, Start
from dicegames_protocol.messages.server import Error
from dicegames_protocol.table import RoomEntry
from dicegames_protocol.text import strip

Deed = list[Request] | str | None
"""What a key leads to: messages, a sentence that says why not, or None for an unknown key."""
NewId = Callable[[], str]


def in_the_waiting_room(key: str, store: Store, new_id: NewId) -> Deed:
    match key:
        case "y":
            ready = not all(store.player(seat).get("ready") for seat in store.seats)
            return [Ready(id=new_id(), seat=seat, ready=ready) for seat in store.seats]
        case "s" | "b" | "x" | "f" if not is_host(store):
            return "Only the host can do that. Y says that you are ready."
        case "s":
            return [Start(id=new_id())]
        case "f":
            seats = absent(store)[:1]
            return [Kick(id=new_id(), target=seat, away=True) for seat in seats] or "Nobody is away."
    return _bots(key, new_id)


def after_the_game(key: str, store: Store, new_id: NewId) -> Deed:
    if key == "m":
        willing = [seat for seat in store.seats if not store.player(seat).get("rematch")]
        if not willing and not all_want_a_rematch(store):
            return "You want a rematch already; it starts when all do, and enough are here."
        return [Rematch(id=new_id(), seat=seat) for seat in willing or store.seats[:1]]
    return _bots(key, new_id) if is_host(store) else None


def _bots(key: str, new_id: NewId) -> Deed:
    match key:
        case "b":
            return [AddBot(id=new_id())]
        case "x":
            return [RemoveBot(id=new_id())]
    return None


def is_host(store: Store) -> bool:
    return store.info.host in store.seats


def all_want_a_rematch(store: Store) -> bool:
    """Whether all people at the table want a rematch. If it does not start then, only players are missing."""
    people = [player for player in store.table["seats"].values() if not player.get("bot") and not player["left"]]
    return bool(people) and all(player["rematch"] for player in people)


def room_after(here: str | None, rooms: Sequence[RoomEntry]) -> str | None:
    """The next table to watch, or None if there is no other."""
    codes = [room.code for room in rooms]
    after = codes.index(here) + 1 if here in codes else 0
    return next((code for code in codes[after:] + codes[:after] if code != here), None)


def why_no_seat(error: Error) -> str:
    """A spectator's request for a seat was refused: the reason, and what to press."""
    said = strip(error.message).partition(" Join as")[0]
    again = f' Press S to sit as "{strip(error.hint)}", or type another name there.' if error.hint else ""
    return f"{said}{again}"

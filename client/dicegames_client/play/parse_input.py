"""What a typed line means: commands, moves for one of my seats, or a pick. Pure; for line mode and screen alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_move import NotUnderstood, Pick, read
from dicegames_client.play.typed_commands import COMMANDS, LOCAL, Unclear
from dicegames_client.play.wording import Story, quoted
from dicegames_client.views import view_of
from dicegames_protocol.messages.client import MakeMove, Request
from dicegames_protocol.table import Move
from dicegames_protocol.text import same_name

CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Meant:
    """One of: messages to send, dice that were picked, or a word that the client answers itself."""

    requests: tuple[Request, ...] = ()
    pick: tuple[int, Pick] | None = None
    local: str | None = None


def understand(line: str, store: Store, picked: Mapping[int, str], new_id: Callable[[], str]) -> Meant:
    """What is to be done, or NotUnderstood or Unclear with a sentence. `picked`: dice that were picked, by seat."""
    word, _, rest = line.removeprefix("/").partition(" ")
    word = word.lower()
    seat, typed = speaker(store, line.removeprefix("/"))
    offers = store.offers(seat) if seat is not None else {}
    first = typed.split(" ")[0].lower() if typed else ""
    is_command = word in COMMANDS or word in LOCAL
    if is_command and (line.startswith("/") or (typed == line and first not in offers)):
        return Meant(local=word) if word in LOCAL else Meant(_command(word, rest, seat, store, new_id))
    if seat is None:
        raise Unclear("You are watching. Type 'who', 'say', 'sit NAME' or 'quit'.")
    if offers and (store.phase == "playing" or first in offers):
        return _move(seat, typed, store, picked, new_id)
    if first in store.table["offers"] and "seat" in store.table["offers"][first]:
        made = MakeMove(id=new_id(), seq=store.seq, seat=seat, move=Move(take=first))
        return Meant((made,))  # the server says why not
    raise Unclear(nothing_to_do(typed, seat, store))


def speaker(store: Store, line: str) -> tuple[int | None, str]:
    """Who of us is meant, and the rest of the line: the one named first in it, or the one to play."""
    correctable = store.table.get("offers", {}).get(CORRECT, {}).get("seat")
    for seat in store.seats:
        name = store.name(seat)
        if len(store.seats) > 1 and same_name(line[: len(name)], name) and line[len(name) :][:1] in ("", " ", ","):
            rest = line[len(name) :].lstrip(" ,")
            mine = rest.lower().startswith(CORRECT) and correctable in store.seats
            return correctable if mine else seat, rest  # whoever says it, it is the last roll that is put right
    if not store.seats:
        return None, line
    take = line.split(" ")[0].lower()
    order = sorted(store.seats, key=lambda seat: seat != store.wanted())
    may = [seat for seat in order if take in store.offers(seat)]
    able = [seat for seat in order if store.offers(seat)]
    return next(iter([*may, *able, *order])), line


def nothing_to_do(line: str, seat: int, store: Store) -> str:
    """Why nothing comes of it."""
    if store.phase == "waiting":
        return f"'{line[:40]}' is not a command. Type {quoted(['ready', 'start', 'help'])}."
    if store.phase == "over":
        return f"The game is over. Type {quoted(['rematch', 'quit'])}."
    if str(seat) not in store.game.get("seats", {}):
        return "You play from the next game on. Type 'who' to see how it stands."
    return f"{view_of(store.info.game).idle(Story(store), seat)} Type 'who' to see how it stands."


def _command(word: str, rest: str, seat: int | None, store: Store, new_id: Callable[[], str]) -> tuple[Request, ...]:
    """The messages of a command. Around one keyboard, everybody is ready, or wants a rematch, together."""
    phase = {"ready": "waiting", "unready": "waiting", "rematch": "over"}.get(word)
    together = store.seats and phase == store.phase
    speakers: list[int | None] = list(store.seats) if together else [seat]
    return tuple(COMMANDS[word].build(store, speaker, rest, new_id()) for speaker in speakers)


def _move(seat: int, typed: str, store: Store, picked: Mapping[int, str], new_id: Callable[[], str]) -> Meant:
    offers = store.offers(seat)
    try:
        found = read(typed, offers, picked.get(seat))
    except NotUnderstood:
        if any(offer.needed for offer in offers.values()):
            raise
        raise Unclear(f"{nothing_to_do(typed, seat, store)} You may {quoted(offers)}.") from None
    if isinstance(found, Pick):
        return Meant(pick=(seat, found))
    return Meant((MakeMove(id=new_id(), seq=store.seq, seat=seat, move=found),))

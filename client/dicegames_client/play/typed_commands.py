"""What can be typed besides moves: a word, its help text, and the message that it becomes."""

from collections.abc import Callable
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_protocol.messages.client import (
    AddBot,
    ChangeOptions,
    Chat,
    GiveHost,
    Kick,
    Ready,
    Rematch,
    RemoveBot,
    Request,
    Sit,
    Start,
)
from dicegames_protocol.text import same_name


class Unclear(Exception):
    """A command that can't be carried out as typed. str() is a sentence."""


@dataclass(frozen=True, slots=True)
class Command:
    help: str
    build: Callable[[Store, int | None, str, str], Request]
    """(what is known, my seat, rest of the line, message id) -> the message."""


def _seat_named(store: Store, rest: str) -> int:
    for seat in store.table["seats"]:
        if same_name(rest.strip(), store.name(int(seat))):
            return int(seat)
    raise Unclear(f'Nobody here is called "{rest.strip()[:20]}".' if rest.strip() else "Say who, by name.")


def _options(rest: str) -> dict[str, object]:
    pairs = [word.partition("=") for word in rest.split()]
    if not pairs or any(not found or not name for name, found, _ in pairs):
        raise Unclear("Type for example: set rounds=5")
    return {name: value for name, _, value in pairs}


def _drop(store: Store, rest: str, id: str) -> RemoveBot:
    return RemoveBot(id=id, target=_seat_named(store, rest) if rest.strip() else None)


def _kick(store: Store, rest: str, id: str) -> Kick | RemoveBot:
    """A bot is somebody, too."""
    target = _seat_named(store, rest)
    return RemoveBot(id=id, target=target) if store.player(target).get("bot") else Kick(id=id, target=target)


def absent(store: Store) -> list[int]:
    """The seats of others who are away."""
    return sorted(seat for seat in store.away if seat not in store.seats and store.player(seat))


def _free(store: Store, rest: str, id: str) -> Kick:
    seats = [_seat_named(store, rest)] if rest.strip() else absent(store)
    if not seats:
        raise Unclear("Nobody is away.")
    return Kick(id=id, target=seats[0], away=True)


def _say(seat: int | None, rest: str, id: str) -> Chat:
    if not rest.strip():
        raise Unclear("Type for example: say hello")
    return Chat(id=id, seat=seat, text=rest[:2000])


COMMANDS: dict[str, Command] = {
    "ready": Command("ready to play", lambda _, seat, rest, id: Ready(id=id, seat=seat)),
    "unready": Command("not ready after all", lambda _, seat, rest, id: Ready(id=id, seat=seat, ready=False)),
    "start": Command("start the game (host)", lambda _, seat, rest, id: Start(id=id)),
    "bot": Command("add a bot (host)", lambda _, seat, rest, id: AddBot(id=id, level=rest.strip()[:16] or None)),
    "drop": Command("drop a bot (host)", lambda store, seat, rest, id: _drop(store, rest, id)),
    "kick": Command("kick NAME: remove somebody (host)", lambda store, seat, rest, id: _kick(store, rest, id)),
    "free": Command(
        "free NAME: free the seat of somebody who is away (host)",
        lambda store, seat, rest, id: _free(store, rest, id),
    ),
    "host": Command(
        "host NAME: hand over to somebody (host)",
        lambda store, seat, rest, id: GiveHost(id=id, target=_seat_named(store, rest)),
    ),
    "set": Command(
        "set rounds=5: change options before the game (host)",
        lambda _, seat, rest, id: ChangeOptions(id=id, options=_options(rest)),
    ),
    "say": Command("say TEXT: talk to everyone", lambda _, seat, rest, id: _say(seat, rest, id)),
    "rematch": Command("play again, when the game is over", lambda _, seat, rest, id: Rematch(id=id, seat=seat)),
    "sit": Command("sit NAME: take a seat, if you are watching", lambda _, seat, rest, id: Sit(id=id, name=rest[:64])),
}
LOCAL_COMMANDS = {
    "who": "who is here, and how it stands",
    "rules": "the rules of this table",
    "odds": "the chances of the next dice",
    "review": "how well everybody played, when the game is over",
    "invite": "the line with which friends join",
    "save": "save the log of this table in a file",
    "help": "this list",
    "quit": "leave the table",
}
ON_SCREEN_COMMANDS = {
    "find": "find WORD in what has happened",
    "feed": "all that has happened",
}
"""Commands that only the full screen has: in line mode, everything stays on the terminal."""
WITH_REAL_DICE = {
    "undo": "take the last roll back",
    "correct": "correct 5 3: put your last roll right; 'correct #2 5 3': roll 2 of the round",
}
QUIT_WORDS = ("quit", "leave", "exit", "q")

"""What a typed line means: a command, a move for one of my seats, or a pick. Pure; for line mode and screen."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.play.parse_move import NotUnderstood, Pick, parse_move
from dicegames_client.play.real_dice import correctable_rolls, why_not_mended
from dicegames_client.play.typed_commands import COMMANDS, LOCAL_COMMANDS, Unclear
from dicegames_client.play.wording import quoted
from dicegames_protocol.messages.client import MakeMove, Request
from dicegames_protocol.table import CORRECT, Move
from dicegames_protocol.text import same_name


@dataclass(frozen=True, slots=True)
class ParsedInput:
    """One of: messages to send, dice that were picked, or a command that the client answers itself."""

    requests: tuple[Request, ...] = ()
    pick: tuple[int, Pick] | None = None
    local: str | None = None
    rest: str = ""
    """What was typed after that command."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What a game knows about what can't be done now, in its own words."""

    idle: Callable[[int], str]
    """Why a seat can't act now."""
    dead: Callable[[int, str, str], str]
    """Why a seat can't make a move now: its word, and the dice chosen for it. Empty: it is unknown."""
    lying: Sequence[int] = ()
    """The dice on the table."""


def parse_input(
    line: str,
    store: Store,
    picked: Mapping[int, str],
    new_id: Callable[[], str],
    reasons: Reasons,
) -> ParsedInput:
    """Parse a typed line. `picked` is what was picked so far, by seat.

    Raises NotUnderstood or Unclear, with a sentence for the player.
    """
    word, _, rest = line.removeprefix("/").partition(" ")
    word = word.lower()
    seat, typed = speaker(store, line.removeprefix("/"))
    offers = store.offers(seat) if seat is not None else {}
    first = typed.split(" ")[0].lower() if typed else ""
    is_command = word in COMMANDS or word in LOCAL_COMMANDS
    if is_command and (line.startswith("/") or (typed == line and first not in offers)):
        if word in LOCAL_COMMANDS:
            return ParsedInput(local=word, rest=rest.strip())
        return ParsedInput(_command(word, rest, seat, store, new_id))
    if seat is None:
        raise Unclear("You are watching. Type 'who', 'rules', 'odds', 'review', 'say', 'sit NAME' or 'quit'.")
    if offers and (store.phase == "playing" or first in offers):
        return _move(seat, typed, store, picked, new_id, reasons)
    if first in store.table["offers"] and "seat" in store.table["offers"][first]:
        made = MakeMove(id=new_id(), seq=store.seq, seat=seat, move=Move(take=first))
        return ParsedInput((made,))  # the server answers why it is refused
    raise Unclear(why_not_mended(first, store) or _nothing_to_do(typed, seat, store, reasons))


def speaker(store: Store, line: str) -> tuple[int | None, str]:
    """Which of our seats is meant, and the rest of the line. It is the seat named first, or the seat to play."""
    for seat in store.seats:
        name = store.name(seat)
        if len(store.seats) > 1 and same_name(line[: len(name)], name) and line[len(name) :][:1] in ("", " ", ","):
            return seat, line[len(name) :].lstrip(" ,")
    if not store.seats:
        return None, line
    take = line.split(" ")[0].lower()
    if take == CORRECT and (rolls := correctable_rolls(store)):
        return rolls[-1].seat, line
    order = sorted(store.seats, key=lambda seat: seat != store.wanted())
    may = [seat for seat in order if take in store.offers(seat)]
    able = [seat for seat in order if store.offers(seat)]
    return next(iter([*may, *able, *order])), line


def _nothing_to_do(line: str, seat: int, store: Store, reasons: Reasons) -> str:
    """Why the line can do nothing now."""
    if store.phase == "waiting":
        known = ["ready", *(["start"] if store.info.host in store.seats else []), "help"]
        return f"'{line[:40]}' is not a command. Type {quoted(known)}."
    if store.phase == "over":
        return f"The game is over. Type {quoted(['rematch', 'review', 'quit'])}."
    if str(seat) not in store.game.get("seats", {}):
        return "You play from the next game on. Type 'who' to see how it stands."
    return f"{reasons.idle(seat)} Type 'who' to see how it stands."


def _command(word: str, rest: str, seat: int | None, store: Store, new_id: Callable[[], str]) -> tuple[Request, ...]:
    """The messages of a command. All people at one keyboard are ready, or want a rematch, together."""
    phase = {"ready": "waiting", "unready": "waiting", "rematch": "over"}.get(word)
    together = store.seats and phase == store.phase
    speakers: list[int | None] = list(store.seats) if together else [seat]
    return tuple(COMMANDS[word].build(store, speaker, rest, new_id()) for speaker in speakers)


def _move(
    seat: int,
    typed: str,
    store: Store,
    picked: Mapping[int, str],
    new_id: Callable[[], str],
    reasons: Reasons,
) -> ParsedInput:
    offers = store.offers(seat)

    def dead(take: str, chosen: str) -> str:
        return reasons.dead(seat, take, chosen)

    try:
        found = parse_move(typed, offers, picked.get(seat), reasons.lying, dead)
    except NotUnderstood:
        take = typed.split()[0].lower()
        if take in offers or any(offer.needed for offer in offers.values()) or dead(take, picked.get(seat, "")):
            raise
        raise Unclear(f"{_nothing_to_do(typed, seat, store, reasons)} You may {quoted(offers)}.") from None
    if isinstance(found, Pick):
        return ParsedInput(pick=(seat, found))
    return ParsedInput((MakeMove(id=new_id(), seq=store.seq, seat=seat, move=found),))

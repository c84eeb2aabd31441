"""Real dice that people type: which rolls can be corrected, and what a correction would change. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from dicegames_client.guest.store import Store
from dicegames_client.play.room_wording import taken_back
from dicegames_client.play.wording import Wording, dice
from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.messages.server import Preview, Update
from dicegames_protocol.table import CORRECT, UNDO, Move, Offer
from dicegames_protocol.text import strip

MENDING = (CORRECT, UNDO)
"""The offers for a typed roll that was wrong."""
HIDDEN = "The round would end. What comes then is hidden for now: it shows when you accept it."
NOT_CORRECTABLE = "There is no roll of yours that can be corrected now."
NOT_UNDOABLE = "There is no roll of yours to take back: only the last one can be."
_PLAYED_AGAIN = ("corrected", "taken_back")


@dataclass(frozen=True, slots=True)
class Correctable:
    """A roll that can be corrected, and the offer for it."""

    seat: int
    choice: str | None
    """Its number in the round, such as '#3'. None in rooms of an earlier version: it is the last roll."""
    faces: str
    offer: Offer


def correctable_rolls(store: Store, seats: Iterable[int] | None = None) -> list[Correctable]:
    """The rolls of these seats (mine, if none are named) that can be corrected, in the order in which they fell."""
    found: list[Correctable] = []
    for seat in store.seats if seats is None else seats:
        offer = store.offers(seat).get(CORRECT)
        if offer and offer.choices is None:
            found.append(Correctable(seat, None, "", offer))
        elif offer and offer.choices:
            found += [Correctable(seat, key, strip(choice.label or ""), offer) for key, choice in offer.choices.items()]
    return sorted(found, key=lambda roll: int((roll.choice or "#0")[1:]))


def undo_of(store: Store) -> tuple[int, Offer] | None:
    """Which of my seats may take the last roll back."""
    offers = ((seat, store.offers(seat).get(UNDO)) for seat in store.seats)
    return next(((seat, offer) for seat, offer in offers if offer), None)


def why_not_mended(take: str, store: Store) -> str:
    """Why no roll can be corrected or taken back, though dice are typed here. Empty: that is not what is asked."""
    if take not in MENDING or store.info.options.get("dice") != "entered" or store.phase not in ("playing", "over"):
        return ""
    return NOT_UNDOABLE if take == UNDO else NOT_CORRECTABLE


def what_it_does(store: Store, seat: int, move: Move) -> str:
    """Which roll a move puts right or takes back, in a sentence."""
    rolls = correctable_rolls(store, [seat])
    roll = next((roll for roll in rolls if roll.choice == move.choice), rolls[-1] if rolls else None)
    becomes = f"becomes {dice(move.faces)}" if move.faces else "is taken back"
    return strip(f"{store.name(seat)}: {roll.faces if roll and roll.faces else 'the last roll'} {becomes}.")


def typed_by_hand(update: Update) -> bool:
    """Whether the dice of an update lie on a real table: there is nothing to roll on the screen."""
    move = update.cause.move
    return move is not None and (move.faces is not None or move.take in MENDING)


def worth_telling(
    events: Sequence[JsonObject], thrown: Callable[[JsonObject], tuple[int, ...]]
) -> tuple[JsonObject, ...]:
    """The events of an update without those that a correction only repeats: what lies now, and what came of it.

    `thrown`: the dice of an event.
    """
    if not events or events[0]["kind"] not in _PLAYED_AGAIN:
        return tuple(events)
    last = max((number for number, event in enumerate(events) if thrown(event)), default=1)
    return (events[0], *events[last:])


def difference(store: Store, preview: Preview, *tellers: Callable[[Wording], list[str]]) -> list[tuple[str, str]]:
    """What a correction would change: sentences as they are, and as they would be. `tellers` tell the game."""
    after = replace(store, table=patch.apply(store.table, preview.patch))
    rows: list[tuple[str, str]] = []
    for tell in tellers:
        pairs = zip_longest(tell(Wording(store)), tell(Wording(after)), fillvalue="")
        rows += [(strip(now), strip(then)) for now, then in pairs if now != then]
    return rows


def lost_moves(store: Store, preview: Preview, also_undone: Callable[[Store, Store], str]) -> str:
    """What a correction takes back besides the roll. Empty: nothing. `also_undone`: what a game has in one move."""
    event = next((event for event in preview.events if event["kind"] in _PLAYED_AGAIN), None)
    if event is None:
        return ""
    after = replace(store, table=patch.apply(store.table, preview.patch))
    also = also_undone(store, after) if event["kind"] == "taken_back" and not preview.hidden else ""
    return strip(f"{also} {taken_back(event.get('undone', ()), Wording(store))}".strip())

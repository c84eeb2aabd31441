"""What somebody is about to play: the dice picked so far, and for which of their seats. It turns keys into wishes.

No rules here: keys, choices and what may be picked all come from the offers.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.play.keys import ALL, offer_keys
from dicegames_client.play.parse_move import faces_of
from dicegames_client.play.picking import add, best, chosen, key_of
from dicegames_client.play.scene import Scene
from dicegames_client.play.typed_commands import Unclear
from dicegames_client.play.wording import quoted
from dicegames_client.views import view_of
from dicegames_protocol.table import Move, Offer
from dicegames_protocol.text import strip


@dataclass(frozen=True, slots=True)
class Wish:
    """What a key in the game comes to: a move (perhaps to be confirmed, or with faces to be typed), or a sentence."""

    move: Move | None = None
    confirm: str = ""
    enter: int | None = None
    """So many faces of real dice have to be typed (0: as many as the choice says)."""
    say: str = ""


class Hand:
    def __init__(self) -> None:
        self.picked = ""
        self._chosen: int | None = None

    def clear(self) -> None:
        """Another state, another hand."""
        self.picked, self._chosen = "", None

    def pick(self, seat: int, choice: str) -> None:
        self._chosen, self.picked = seat, choice

    def seat(self, store: Store) -> int | None:
        """Which of our seats the keys act for."""
        seats = store.seats
        if self._chosen in seats:
            return self._chosen
        wanted = store.wanted()
        if wanted is not None or not seats:
            return wanted
        return next((seat for seat in seats if store.offers(seat)), seats[0])

    def keys(self, store: Store) -> tuple[tuple[str, str], ...]:
        """Key and offer, for those that the seat may take."""
        seat = self.seat(store)
        return tuple(offer_keys(store.offers(seat)).items()) if seat is not None else ()

    def press(self, key: str, scene: Scene) -> Wish | None:
        """What comes of a key; None where it means nothing here."""
        offers, keys = scene.offers, dict(scene.keys)
        if key in keys:
            return self._take(keys[key], offers[keys[key]], scene)
        if key == "tab" and len(scene.store.seats) > 1:
            return self._next_seat(scene)
        if not any(offer.choices for offer in offers.values()):
            return None
        if len(key) == 1 and key in "0123456789":
            picked = add(offers, self.picked, key)
            self.picked = picked or self.picked
            return Wish(say="" if picked else f"No {key} can be picked now.")
        if key in ("backspace", ALL):
            self.picked = self.picked[:-1] if key == "backspace" else best(offers)
            return Wish()
        return None

    def _take(self, take: str, offer: Offer, scene: Scene) -> Wish:
        """Take an offer, filled in with what is picked."""
        choice: str | None = None
        if offer.choices is not None:
            only = next(iter(offer.choices)) if len(offer.choices) == 1 else ""
            choice = key_of(self.picked) or only
            if choice not in offer.choices:
                return Wish(say=self._why_not(take, scene))
        label = strip(view_of(scene.store.info.game).label(scene, take, offer))
        confirm = f"{label} loses at once. Really? y/n" if offer.loses else ""
        return Wish(Move(take=take, choice=choice), confirm, offer.enter)

    def _why_not(self, take: str, scene: Scene) -> str:
        if not self.picked:
            return "Pick dice first: press their faces, or A for all."
        shown = " ".join(self.picked)
        if chosen(scene.offers, self.picked) is None:
            return f"{shown} can't be kept like that: pick more, or Backspace puts one back."
        can = [other for other, offer in scene.offers.items() if key_of(self.picked) in (offer.choices or {})]
        return f"{shown} is not enough to {take} yet. You can {quoted(can)}."

    def _next_seat(self, scene: Scene) -> Wish:
        able = [seat for seat in scene.store.seats if scene.store.offers(seat)]
        after = [seat for seat in able if scene.seat is not None and seat > scene.seat]
        self._chosen, self.picked = next(iter([*after, *able]), None), ""
        return Wish()


def with_faces(move: Move, offers: Mapping[str, Offer], text: str) -> Move:
    """A move of real dice with the faces that were typed; Unclear or NotUnderstood with a sentence."""
    if move.take not in offers:
        raise Unclear("The game has moved on; nothing was sent.")
    offer = offers[move.take]
    count = offer.enter or ((offer.choices or {})[move.choice].rolls if move.choice else None) or 0
    return move.but(faces=faces_of(text.replace(",", " ").split(), count, offer.sides or 6))

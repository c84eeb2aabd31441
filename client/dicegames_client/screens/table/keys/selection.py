"""What the player is about to play: the dice picked so far, and for which seat. It turns keys into intents.

No rules here: keys, choices and what may be picked all come from the offers.
"""

from dataclasses import dataclass

from dicegames_client.guest.store import Store
from dicegames_client.play.keys import PICK_ALL_KEY, offer_keys
from dicegames_client.play.picking import add, best, chosen, key_of, pickable, spelled_out
from dicegames_client.play.real_dice import MENDING
from dicegames_client.play.scene import Scene
from dicegames_client.play.wording import Wording, quoted
from dicegames_client.screens.table.typing.fill_in import FillIn
from dicegames_client.views import view_of
from dicegames_protocol.table import Move, Offer
from dicegames_protocol.text import strip


@dataclass(frozen=True, slots=True)
class Intent:
    """What a key in the game leads to: a move (it may have to be confirmed or filled in), or a sentence."""

    fill_in: FillIn | None = None
    confirm: str = ""
    say: str = ""


class Selection:
    def __init__(self) -> None:
        self.picked = ""
        self._chosen: int | None = None

    def clear(self) -> None:
        """The state has changed: discard what was picked."""
        self.picked, self._chosen = "", None

    def pick(self, seat: int, choice: str) -> None:
        self._chosen, self.picked = seat, choice

    def seat(self, store: Store) -> int | None:
        """Which of our seats the keys act for."""
        seats = store.seats
        if self._chosen in seats and store.offers(self._chosen).keys() - MENDING:
            return self._chosen
        wanted = store.wanted()
        if wanted is not None or not seats:
            return wanted
        return next((seat for seat in seats if store.offers(seat)), seats[0])

    def keys(self, store: Store) -> tuple[tuple[str, str], ...]:
        """Key and offer, for each offer that the seat may take."""
        seat = self.seat(store)
        found = offer_keys(spelled_out(store.offers(seat))).items() if seat is not None else ()
        return tuple((key, take) for key, take in found if take not in MENDING)

    def press(self, key: str, scene: Scene) -> Intent | None:
        """What a key leads to; None if it does nothing here."""
        offers, keys = scene.offers, dict(scene.keys)
        if key in keys:
            return self._take(keys[key], offers[keys[key]], scene)
        if key == "tab" and len(scene.store.seats) > 1:
            return self._next_seat(scene)
        if not pickable(offers):
            return None
        if len(key) == 1 and key in "0123456789":
            picked = add(offers, self.picked, key)
            self.picked = picked or self.picked
            return Intent(say="" if picked else f"No {key} can be picked now.")
        if key in ("backspace", PICK_ALL_KEY):
            self.picked = self.picked[:-1] if key == "backspace" else best(offers)
            return Intent()
        return None

    def _take(self, take: str, offer: Offer, scene: Scene) -> Intent:
        """Take an offer, with the dice that are picked."""
        choice: str | None = None
        only = next(iter(offer.choices)) if offer.choices and len(offer.choices) == 1 else None
        if offer.asks == "faces":
            choice = key_of(self.picked) or only
            if not offer.admits(choice):
                return Intent(say=self._why_not(take, scene))
        elif offer.asks == "name":
            choice = only
        label = strip(view_of(scene.store.info.game).label(scene, take, offer))
        confirm = f"{label} loses at once. Really? y/n" if offer.loses else ""
        alone = len(scene.store.seats) < 2 or scene.seat is None
        whose = "" if alone or scene.seat is None else scene.store.name(scene.seat)
        return Intent(FillIn(Move(take=take, choice=choice), offer, whose), confirm)

    def _why_not(self, take: str, scene: Scene) -> str:
        if not self.picked:
            return "Pick dice first: press their faces, or A for all."
        shown = " ".join(self.picked)
        if chosen(scene.offers, self.picked) is None:
            return f"{shown} can't be kept like that: pick more, or Backspace puts one back."
        if short := view_of(scene.store.info.game).not_enough(scene, take):
            return strip(short)
        can = [
            other
            for other, offer in scene.offers.items()
            if offer.asks == "faces" and offer.admits(key_of(self.picked))
        ]
        return f"{shown} is not enough to {take} yet. You can {quoted(can)}."

    def _next_seat(self, scene: Scene) -> Intent:
        able = [seat for seat in scene.store.seats if scene.store.offers(seat)]
        after = [seat for seat in able if scene.seat is not None and seat > scene.seat]
        self._chosen, self.picked = next(iter([*after, *able]), None), ""
        return Intent()


def why_idle(key: str, scene: Scene) -> str:
    """Why a key does nothing in the game now. Empty: it never does anything."""
    store, seat = scene.store, scene.seat
    offered = {take: Offer.model_validate(offer) for take, offer in store.table["offers"].items()}
    known = key in offer_keys(spelled_out(offered))
    if seat is None or len(key) > 1 or not key.isalnum() or (scene.offers and not known):
        return ""
    if str(seat) in store.game.get("seats", {}):
        return strip(view_of(store.info.game).idle(Wording(store), seat))
    return "You play from the next game on."

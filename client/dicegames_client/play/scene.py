"""What a view draws from: the state of a table, and what the user is doing there. A plain value."""

from dataclasses import dataclass

from dicegames_client.base.glyphs import UNICODE, Glyphs
from dicegames_client.guest.store import Store
from dicegames_client.play.picking import spelled_out
from dicegames_client.play.wording import Wording
from dicegames_protocol.base import JsonObject
from dicegames_protocol.table import Offer


@dataclass(frozen=True, slots=True)
class Scene:
    store: Store
    glyphs: Glyphs = UNICODE
    events: tuple[JsonObject, ...] = ()
    """What happened last in the game. The state does not show the roll that ended a turn."""
    seat: int | None = None
    """Which of my seats the keys act for; None for a spectator."""
    picked: str = ""
    """Faces that were picked so far, from the choices of an offer."""
    tumbling: tuple[int, ...] = ()
    """Faces of the dice while they tumble, or while they are typed."""
    typing: bool = False
    """They are typed. 0 is a face that is still missing."""
    coming: tuple[JsonObject, ...] = ()
    """The events of the update whose dice tumble."""
    story: tuple[JsonObject, ...] = ()
    """The events of this round so far."""
    timer_ms: int | None = None
    """Milliseconds that are left on the table's timer now."""
    live: bool = True
    """The connection is up: offers can be taken."""
    keys: tuple[tuple[str, str], ...] = ()
    """Key and offer, for each offer that the seat may take now."""

    @property
    def wording(self) -> Wording:
        return Wording(self.store)

    @property
    def game(self) -> JsonObject:
        return self.store.game

    @property
    def offers(self) -> dict[str, Offer]:
        return spelled_out(self.store.offers(self.seat)) if self.seat is not None and self.live else {}

    @property
    def playing(self) -> bool:
        return self.store.phase == "playing"

    @property
    def by_hand(self) -> bool:
        """Whether real dice are rolled, and their faces typed."""
        return bool(self.store.info.options.get("dice") == "entered")

    @property
    def whole_ms(self) -> int:
        """Milliseconds that the table's timer runs in all."""
        timer = self.store.table.get("room", {}).get("timer") or {}
        return int(timer.get("ms", 0))

    def event(self, *kinds: str) -> JsonObject | None:
        """The last event of one of these kinds, among `events`."""
        return next((event for event in reversed(self.events) if event["kind"] in kinds), None)

    def comes(self, kind: str) -> JsonObject | None:
        """The event of this kind that is shown when the dice lie."""
        return next((event for event in self.coming if event["kind"] == kind), None)

    def mine(self, seat: int) -> bool:
        return seat in self.store.seats

    def name(self, seat: int) -> str:
        return "you" if seat == self.wording.me else self.store.name(seat)

"""The faces of real dice, typed key by key. The last one that is needed ends it. Pure."""

from dataclasses import dataclass, replace

from dicegames_client.play.parse_move import dice_to_enter
from dicegames_protocol.table import Move, Offer

MOST_FACE_KEYS = 9
"""Sides of the dice whose faces are a single key."""


@dataclass(frozen=True, slots=True)
class DiceEntry:
    """A move whose dice are being typed."""

    move: Move
    offer: Offer
    seat: int
    faces: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return dice_to_enter(self.offer, self.move.choice)

    @property
    def sides(self) -> int:
        return self.offer.sides or 6

    @property
    def done(self) -> bool:
        return len(self.faces) >= self.count

    @property
    def filled(self) -> Move:
        return self.move.but(faces=self.faces)

    @property
    def dice(self) -> tuple[int, ...]:
        """The dice for the picture. 0: its face is still to be typed."""
        return self.faces + (0,) * (self.count - len(self.faces))

    def press(self, key: str) -> "DiceEntry | str | None":
        """The entry after a key, a sentence about a key that does nothing, or None: it is cancelled."""
        if key in ("escape", "ctrl-c"):
            return None
        if key == "backspace":
            return replace(self, faces=self.faces[:-1]) if self.faces else None
        if len(key) == 1 and key in "123456789"[: self.sides]:
            return replace(self, faces=(*self.faces, int(key)))
        if len(key) == 1 and key.isdigit():
            return f"A die has the faces 1 to {self.sides}; {key} is none of them."
        return f"Type the faces that you rolled, 1 to {self.sides}. Esc cancels."

    def told(self, what: str, width: int) -> str:
        """What has been typed, and what the keys do, in so many columns. `what`: whose roll it is."""
        typed = f"{what}: {' '.join(str(face) if face else '_' for face in self.dice)}   "
        long = f"{typed}faces 1 to {self.sides}, Backspace takes one back, Esc cancels"
        return long if len(long) <= width else f"{typed}1 to {self.sides}, Backspace, Esc"


def by_keys(offer: Offer) -> bool:
    """Whether the faces of an offer can be typed as single keys."""
    return offer.enter is not None and (offer.sides or 6) <= MOST_FACE_KEYS

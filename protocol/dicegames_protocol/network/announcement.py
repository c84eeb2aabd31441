"""What a server says about itself on the local network: enough to find it and to choose, nothing to trust."""

from collections.abc import Mapping
from typing import Self

from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN, Model
from dicegames_protocol.text import strip

SERVICE = "_dicegames._tcp.local."
LONGEST = 40
"""So many characters of a text are announced, and shown of what others announce."""


class Announcement(Model):
    name: str = ""
    """Whose table or server it is."""
    game: str = ""
    seats: str = ""
    """Such as 2/8: taken, and all there are."""
    rooms: int = 0
    protocol: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX)
    tls: bool = False

    @property
    def understood(self) -> bool:
        low, high = self.protocol
        return low <= PROTOCOL_MAX and high >= PROTOCOL_MIN

    def properties(self) -> dict[str, str]:
        """As DNS-SD carries it: short texts by name."""
        low, high = self.protocol
        return {
            "name": self.name[:LONGEST],
            "game": self.game[:LONGEST],
            "seats": self.seats,
            "rooms": str(self.rooms),
            "protocol": f"{low}-{high}",
            "tls": "1" if self.tls else "0",
        }

    @classmethod
    def read(cls, properties: Mapping[bytes, bytes | None]) -> Self:
        """Whatever a stranger announces becomes something that can be shown. Never fails."""
        told = {
            key.decode("ascii", "replace"): strip((value or b"").decode("utf-8", "replace"))[:LONGEST]
            for key, value in properties.items()
        }
        low, _, high = told.get("protocol", "").partition("-")
        rooms = told.get("rooms", "")
        return cls(
            name=told.get("name", ""),
            game=told.get("game", ""),
            seats=told.get("seats", ""),
            rooms=int(rooms) if rooms.isascii() and rooms.isdecimal() else 0,
            protocol=(_number(low), _number(high)),
            tls=told.get("tls") == "1",
        )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0

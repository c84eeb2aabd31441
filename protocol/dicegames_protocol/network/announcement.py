"""What a server announces on the local network: enough to find it and choose it. Clients must not trust it."""

from collections.abc import Mapping
from typing import Self

from dicegames_protocol.base import PROTOCOL_MAX, PROTOCOL_MIN, Model
from dicegames_protocol.text import strip

SERVICE = "_dicegames._tcp.local."
LONGEST_TEXT = 40
"""Most characters of a text that are announced, and most that are shown of an announcement from others."""


class Announcement(Model):
    name: str = ""
    """Name of the person whose table or server it is."""
    game: str = ""
    seats: str = ""
    """Seats taken and seats in all, such as 2/8."""
    rooms: int = 0
    protocol: tuple[int, int] = (PROTOCOL_MIN, PROTOCOL_MAX)
    tls: bool = False

    @property
    def understood(self) -> bool:
        """Whether the server and this program have a protocol version in common."""
        low, high = self.protocol
        return low <= PROTOCOL_MAX and high >= PROTOCOL_MIN

    def properties(self) -> dict[str, str]:
        """The announcement as properties of a DNS-SD service: name -> short text."""
        low, high = self.protocol
        return {
            "name": self.name[:LONGEST_TEXT],
            "game": self.game[:LONGEST_TEXT],
            "seats": self.seats,
            "rooms": str(self.rooms),
            "protocol": f"{low}-{high}",
            "tls": "1" if self.tls else "0",
        }

    @classmethod
    def read(cls, properties: Mapping[bytes, bytes | None]) -> Self:
        """Read the announcement of an unknown server, as text that is safe to show. Never fails."""
        told = {
            key.decode("ascii", "replace"): strip((value or b"").decode("utf-8", "replace"))[:LONGEST_TEXT]
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

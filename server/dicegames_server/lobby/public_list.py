"""The list of public rooms, as clients get it: in pages, and worked out once for all who ask within a second."""

from collections.abc import Callable

from dicegames_protocol.codec import encode, encode_around, join_json
from dicegames_protocol.table import RoomEntry
from dicegames_server.core.clock import Clock

ROOMS_PER_PAGE = 100
"""Most rooms in one answer."""
KEEP_SECONDS = 1.0
"""Seconds for which a list is given again. One of at most a page is made anew each time: that costs little."""


class PublicList:
    def __init__(self, clock: Clock, rooms: Callable[[], tuple[RoomEntry, ...]]) -> None:
        self._clock = clock
        self._rooms = rooms
        self._entries: tuple[RoomEntry, ...] = ()
        self._until = float("-inf")
        self._pages: dict[int, bytes] = {}
        """Pages that were encoded already, by the number of rooms before them."""

    def answer(self, id: str, skip: int) -> bytes:
        """The `rooms` message for one page."""
        if self._clock.now() >= self._until:
            self._entries = self._rooms()
            self._pages.clear()
            if len(self._entries) > ROOMS_PER_PAGE:
                self._until = self._clock.now() + KEEP_SECONDS
        page = self._pages.get(skip)
        if page is None:
            page = join_json(encode(entry) for entry in self._entries[skip : skip + ROOMS_PER_PAGE])
            if skip % ROOMS_PER_PAGE == 0:
                self._pages[skip] = page
        more = skip + ROOMS_PER_PAGE < len(self._entries)
        return encode_around({"type": "rooms", "id": id, **({"more": True} if more else {})}, "rooms", page)

"""Seeds for the dice: this client's part of the randomness, so that the server alone can't choose it.

A seed is made when a player is ready, and its hash goes with that message. The seed is revealed when the server has
committed to its own secret. It is saved, so that `verify` can say whether it was used.
"""

import secrets
from collections.abc import Callable

from dicegames_client.guest.store import Store
from dicegames_protocol.fairness import SEED_BYTES, commitment
from dicegames_protocol.messages.client import Ready, Rematch, Request, Reveal, Start
from dicegames_protocol.messages.server import Error, ServerMessage


class Seeds:
    def __init__(self, on_seed: Callable[[Store, int, bytes], None]) -> None:
        """`on_seed` is called with each seed that is revealed for a seat, so that it can be saved."""
        self._on_seed = on_seed
        self._seeds: dict[int, bytes] = {}
        self._on_their_way: dict[str, Reveal] = {}

    def add_commit(self, message: Request, store: Store) -> Request:
        """A message that leads to a game, with the hash of a new seed. Other messages stay as they are."""
        if not isinstance(message, Ready | Rematch | Start) or message.commit is not None or not store.seats:
            return message
        asked = None if isinstance(message, Start) else message.seat
        host = store.info.host
        seat = asked if asked is not None else host if host in store.seats else store.seats[0]
        assert seat is not None
        self._seeds[seat] = secrets.token_bytes(SEED_BYTES)
        return message.but(commit=commitment(self._seeds[seat]))

    def to_show(self, store: Store, new_id: Callable[[], str]) -> list[Reveal]:
        """The messages that reveal the seeds that the table waits for."""
        if not store.table or store.info.phase != "dealing":
            return []
        shown: list[Reveal] = []
        for seat in store.seats:
            seed = self._seeds.get(seat)
            if seed and store.player(seat).get("commit") == commitment(seed):
                self._on_seed(store, seat, seed)
                shown.append(Reveal(id=new_id(), seat=seat, seed=seed.hex()))
        self._on_their_way.update((reveal.id, reveal) for reveal in shown)
        return shown

    def to_show_again(self, message: ServerMessage) -> Reveal | None:
        """The seed that this message refuses by the rate limit, to be sent again, or None.

        A seed must not be lost because a player typed a lot.
        """
        id = getattr(message, "id", None)
        if isinstance(message, Error) and message.code == "rate_limited":
            return self._on_their_way.get(id) if id is not None else None
        self._on_their_way.pop(id or "", None)
        return None

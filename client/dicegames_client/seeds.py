"""Seeds for the dice: what this client adds to the chance of a game, so that the server alone can't choose it.

A seed is made when somebody is ready, its hash goes with the message, and it is shown when the server has bound itself.
Afterwards it is remembered, so that `verify` can say whether it was used.
"""

import secrets
from collections.abc import Iterator

from dicegames_client.store import Store
from dicegames_protocol.client_messages import Ready, Rematch, Request, Start
from dicegames_protocol.fairness import SEED_BYTES, commitment


class Seeds:
    def __init__(self) -> None:
        self._seeds: dict[int, bytes] = {}

    def add_commit(self, message: Request, store: Store) -> Request:
        """A message that leads to a game, with the hash of a new seed."""
        if not isinstance(message, Ready | Rematch | Start) or message.commit is not None or not store.seats:
            return message
        asked = None if isinstance(message, Start) else message.seat
        host = store.info.host
        seat = asked if asked is not None else host if host in store.seats else store.seats[0]
        assert seat is not None
        self._seeds[seat] = secrets.token_bytes(SEED_BYTES)
        return message.but(commit=commitment(self._seeds[seat]))

    def to_show(self, store: Store) -> Iterator[tuple[int, bytes]]:
        """Seeds that the table waits for: seat and seed."""
        if not store.table or store.info.phase != "dealing":
            return
        for seat in store.seats:
            seed = self._seeds.get(seat)
            if seed and store.player(seat).get("commit") == commitment(seed):
                yield seat, seed

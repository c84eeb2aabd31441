"""A player over a real connection that takes offers at random."""

import contextlib
import random
from collections.abc import Callable

from dicegames_client.base.errors import ClientError
from dicegames_client.guest.events import Alarm, Back, Finished, News
from dicegames_client.guest.guest import Guest
from dicegames_protocol.messages.server import Ack, Update
from dicegames_protocol.table import Move, Offer


class Robot:
    def __init__(self, guest: Guest, seed: int) -> None:
        self.guest = guest
        self._rng = random.Random(seed)
        self._tried: tuple[int, int] | None = None
        self.seqs: list[int] = []
        """Every update that was told, in order."""
        self.alarms: list[str] = []
        self._moves: set[str] = set()
        self.on_ack: Callable[[Ack], None] = lambda ack: None

    async def play(self) -> tuple[int, ...]:
        """Play until the game is over; returns the winners. A spectator only watches."""
        news = self.guest.news()
        await self._move()
        async for heard in news:
            assert not isinstance(heard, Finished), heard
            if isinstance(heard, Alarm) and heard.severe:
                self.alarms.append(heard.sentence)
            if isinstance(heard, Back):
                self._tried = None  # whatever became of the last move: the table says whether it is our turn
                await self._move()
            ack = heard.message if isinstance(heard, News) else None
            if isinstance(ack, Ack) and ack.id in self._moves:
                self.on_ack(ack)
            if isinstance(heard, News) and isinstance(heard.message, Update):
                self.seqs.append(heard.message.seq)
                if "game_over" in [event["kind"] for event in heard.message.events]:
                    winners = heard.after.info.winners
                    assert winners
                    return winners
                if heard.after.seq == self.guest.store.seq:  # nothing newer is known
                    await self._move()
        raise AssertionError("the news ended")

    async def _move(self) -> None:
        store = self.guest.store
        seat = store.wanted()
        if seat is None or self._tried == (seat, store.seq):
            return
        self._tried = (seat, store.seq)
        offers = store.offers(seat)
        with contextlib.suppress(ClientError):  # the connection is gone: it will come back
            self._moves.add(await self.guest.move(seat, self._choose(offers)))

    def _choose(self, offers: dict[str, Offer]) -> Move:
        take = self._rng.choice(sorted(offers))
        offer = offers[take]
        if offer.asks == "number":
            return Move(take=take, choice=str(self._rng.randint(offer.least or 0, offer.most or 0)))
        return Move(take=take, choice=self._rng.choice(sorted(offer.choices)) if offer.choices else None)

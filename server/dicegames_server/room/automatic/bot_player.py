"""Bots at a table: what one does when it has thought, and what it says."""

import asyncio

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Said
from dicegames_protocol.table import Move
from dicegames_server.bots import prepare, strategy_for
from dicegames_server.bots.talk import remark
from dicegames_server.table.state import Change, State


class BotsAtTable:
    def __init__(self, talk: bool) -> None:
        self._talk = talk
        self._preparing: asyncio.Future[None] | None = None

    def choose(self, state: State, seat: int) -> Move | None:
        """What the bot on this seat does now; None if it lets it pass."""
        assert state.match is not None
        return strategy_for(state.info.game, state.seats[seat]).choose(state.match, seat)

    def words(self, change: Change, seat: int) -> bytes | None:
        """Something for everyone to hear about the move that a bot has made, now and then."""
        player = change.state.seats[seat]
        text = remark(change.events, seat) if player.bot and self._talk else None
        return encode(Said(seat=seat, name=player.name, text=text)) if text else None

    def see(self, change: Change) -> None:
        """A bot sits down, or a game begins: what takes long is worked out in a thread, before anybody waits."""
        if change.cause.kind in ("add_bot", "deal") and change.state.seats.bots:
            loop = asyncio.get_running_loop()
            self._preparing = loop.run_in_executor(None, prepare, change.state.rules)

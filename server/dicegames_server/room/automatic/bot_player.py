"""Bots at a table: which move a bot makes, and what it says."""

import asyncio

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Said
from dicegames_protocol.table import Move
from dicegames_server.bots import prepare, remarks_of, strategy_for
from dicegames_server.bots.talk import remark
from dicegames_server.table.state import Change, State


class BotPlayer:
    def __init__(self, talk: bool) -> None:
        self._talk = talk
        self._preparing: asyncio.Future[None] | None = None

    def choose(self, state: State, seat: int) -> Move | None:
        """The move of the bot on this seat. None: it does nothing now."""
        assert state.match is not None
        return strategy_for(state.info.game, state.seats[seat]).choose(state.match.seen_by(seat), seat)

    def words(self, change: Change, seat: int) -> bytes | None:
        """A chat message of a bot about the move that it has made. None: it says nothing, as after most moves."""
        player = change.state.seats[seat]
        text = remark(change.events, seat, remarks_of(change.state.info.game)) if player.bot and self._talk else None
        return encode(Said(seat=seat, name=player.name, text=text)) if text else None

    def see(self, change: Change) -> None:
        """If a bot sits down or a game begins, compute in a thread what takes long, before anybody waits for it."""
        if change.cause.kind in ("add_bot", "deal") and change.state.seats.bots:
            loop = asyncio.get_running_loop()
            self._preparing = loop.run_in_executor(None, prepare, change.state.rules)

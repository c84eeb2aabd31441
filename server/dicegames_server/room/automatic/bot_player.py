"""Bots at a table: which move a bot makes, and what it says."""

import asyncio
import contextlib
from functools import partial

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Said
from dicegames_server.bots import prepare, remarks_of
from dicegames_server.bots.talk import remark
from dicegames_server.core.worker import TooMuch, Worker
from dicegames_server.table.bot_move import BotMove, bot_move, thinks_long
from dicegames_server.table.state import Change, State


class BotPlayer:
    def __init__(self, talk: bool, worker: Worker) -> None:
        self._talk = talk
        self._worker = worker
        self._preparing: asyncio.Future[None] | None = None

    async def choose(self, state: State, seat: int) -> BotMove | None:
        """The move of the bot on this seat. None: it does nothing now."""
        work = partial(bot_move, state, seat)
        if not thinks_long(state, seat):
            return work()
        try:
            return await self._worker.run(("bot", state.info.code), work)
        except TooMuch:
            return work(hurried=True)

    def words(self, change: Change, seat: int) -> bytes | None:
        """A chat message of a bot about the move that it has made. None: it says nothing, as after most moves."""
        player = change.state.seats[seat]
        text = remark(change.events, seat, remarks_of(change.state.info.game)) if player.bot and self._talk else None
        return encode(Said(seat=seat, name=player.name, text=text)) if text else None

    def see(self, change: Change) -> None:
        """If a bot sits down or a game begins, calculate what takes long, before anybody waits for it."""
        if change.cause.kind in ("add_bot", "roll", "start", "ready", "rematch") and change.state.seats.bots:
            self._preparing = asyncio.ensure_future(self._prepare(change.state))

    async def _prepare(self, state: State) -> None:
        with contextlib.suppress(TooMuch):  # then it is calculated when it is needed
            await self._worker.run(("prepare", state.info.code), partial(prepare, state.rules))

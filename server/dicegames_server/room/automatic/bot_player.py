"""Bots at a table: which move a bot makes, and what it says."""

import asyncio
import contextlib
from functools import partial

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Said
from dicegames_protocol.table import Move
from dicegames_server.bots import prepare, quick_strategy_for, remarks_of, strategy_for
from dicegames_server.bots.talk import remark
from dicegames_server.core.worker import TooMuch, Worker
from dicegames_server.table.state import Change, State


class BotPlayer:
    def __init__(self, talk: bool, worker: Worker) -> None:
        self._talk = talk
        self._worker = worker
        self._preparing: asyncio.Future[None] | None = None

    async def choose(self, state: State, seat: int) -> Move | None:
        """The move of the bot on this seat. None: it does nothing now.

        A bot that would have to think too long plays this move by a simpler rule.
        """
        assert state.match is not None
        strategy, match = strategy_for(state.info.game, state.seats[seat]), state.match.seen_by(seat)
        if not strategy.deep:
            return strategy.choose(match, seat)
        try:
            return await self._worker.run(("bot", state.info.code), partial(strategy.choose, match, seat))
        except TooMuch:
            return quick_strategy_for(state.info.game).choose(match, seat)

    def words(self, change: Change, seat: int) -> bytes | None:
        """A chat message of a bot about the move that it has made. None: it says nothing, as after most moves."""
        player = change.state.seats[seat]
        text = remark(change.events, seat, remarks_of(change.state.info.game)) if player.bot and self._talk else None
        return encode(Said(seat=seat, name=player.name, text=text)) if text else None

    def see(self, change: Change) -> None:
        """If a bot sits down or a game begins, calculate what takes long, before anybody waits for it."""
        if change.cause.kind in ("add_bot", "deal") and change.state.seats.bots:
            self._preparing = asyncio.ensure_future(self._prepare(change.state))

    async def _prepare(self, state: State) -> None:
        with contextlib.suppress(TooMuch):  # then it is calculated when it is needed
            await self._worker.run(("prepare", state.info.code), partial(prepare, state.rules))

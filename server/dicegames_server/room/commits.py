"""Commit, then acknowledge, then broadcast: every change of a room goes through here, in this order."""

import asyncio
from collections.abc import Callable

from dicegames_server.room.audience import Audience
from dicegames_server.room.environment import Environment
from dicegames_server.room.recovery import Recovery
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.storage.base import Conflict, Unknown, append
from dicegames_server.table.commands import Why, leave_seat
from dicegames_server.table.state import Change


def nothing() -> None:
    """The default acknowledgement: nobody waits for one."""


class Commits:
    def __init__(self, environment: Environment, update_log: UpdateLog, audience: Audience, recovery: Recovery) -> None:
        self._environment = environment
        self._update_log = update_log
        self._audience = audience
        self._recovery = recovery
        self._saving: asyncio.Future[None] | None = None
        self.last_at = environment.clock.now()
        """Time of the last commit or command, in seconds of the clock."""
        self.expired_at = float("-inf")
        """Time at which a seat became free because its player stayed away."""
        self.on_commit: Callable[[Change], None] = lambda change: None

    async def commit(self, change: Change, acknowledge: Callable[[], None] = nothing) -> None:
        """Commit a change. Returns when it is in the log, acknowledged and broadcast.

        Raises Unavailable if it could not be written; then it has not happened.
        """
        began = self._environment.clock.now()
        entry = self._update_log.entry(self._update_log.state, change)
        try:
            await append(self._environment.storage, entry)
        except (Unknown, Conflict):
            await self._recovery.settled(entry, acknowledge)
            return
        self.committed(change, entry.update, acknowledge, began)

    def committed(self, change: Change, update: bytes, acknowledge: Callable[[], None], began: float) -> None:
        """Storage has written the update: acknowledge and broadcast it. `began`: when the command came."""
        log = self._update_log
        before, log.state = log.state, change.state
        self.last_at = self._environment.clock.now()
        self._environment.metrics.committed(change.cause.kind == "move", self.last_at - began)
        acknowledge()
        self._audience.tell_private(log.state, log.state.seen_anew(before))
        self._audience.publish(update)
        self._audience.enter_phase(log.state.info.phase)
        self.on_commit(change)
        if any(event.kind == "game_over" for event in change.events):
            self._environment.games_over.tell(log.state.info.code, log.state.info.game_no)
        if log.snapshot_due:
            self._saving = asyncio.ensure_future(log.save_snapshot())  # nobody has to wait for it

    async def give_up(self, seat: int, why: Why, acknowledge: Callable[[], None] = nothing) -> None:
        """Give up a seat for good. `why` says whether the player wanted it."""
        await self.commit(leave_seat(self._update_log.state, seat, why), acknowledge)
        self._audience.drop_seat(seat)
        if why == "expired":
            self.expired_at = self._environment.clock.now()

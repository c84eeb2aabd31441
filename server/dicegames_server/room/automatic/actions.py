"""The actions when a timer is due: bots move, turns time out, seats are given up, heartbeats are sent."""

from collections.abc import Hashable

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Heartbeat
from dicegames_server.room.audience import Audience
from dicegames_server.room.automatic.bot_player import BotPlayer
from dicegames_server.room.automatic.schedule import Schedule
from dicegames_server.room.automatic.timers import Timers
from dicegames_server.room.commits import Commits
from dicegames_server.room.environment import Environment
from dicegames_server.room.mailbox import Mailbox
from dicegames_server.room.update_log import UpdateLog
from dicegames_server.table.commands import stand_in
from dicegames_server.table.draw import redraw, unshown
from dicegames_server.table.play import play_for, time_up
from dicegames_server.table.roll import roll
from dicegames_server.table.state import Change


class AutomaticActions:
    def __init__(
        self,
        environment: Environment,
        mailbox: Mailbox,
        update_log: UpdateLog,
        audience: Audience,
        commits: Commits,
    ) -> None:
        self._dice = environment.dice
        self._mailbox = mailbox
        self._update_log = update_log
        self._audience = audience
        self._commits = commits
        self._bots = BotPlayer(environment.settings.bot_talk, environment.worker)
        self._schedule = Schedule(environment.settings, environment.pace)
        self._timers = Timers(environment.clock, self._due)
        self._over = False

    def end(self) -> None:
        """The room has ended: stop all timers for good."""
        self._over = True
        self._timers.end()

    def committed(self, change: Change) -> None:
        """A change was committed: adjust the timers if needed, and show the change to the bots."""
        if not self._over:
            state, seat = change.state, change.cause.seat
            if self._schedule.same(state, self._audience):
                pass
            elif seat is not None and self._schedule.only(state, self._audience, seat):
                self._reschedule_bot(seat)
            else:
                self.reschedule()
            self._bots.see(change)

    def reschedule(self) -> None:
        """Start and cancel timers, so that exactly those run that the room's state needs."""
        if not self._over:
            self._timers.sync(self._schedule.timers(self._update_log.state, self._audience))

    def _reschedule_bot(self, seat: int) -> None:
        """The same for the timer of one bot, if a bot plays this seat."""
        state = self._update_log.state
        key = self._schedule.bot_key(state, seat)
        if self._schedule.wakes(state, seat):
            self._timers.start(key, self._schedule.thinking_seconds())
        else:
            self._timers.cancel(key)

    @property
    def timer_ms(self) -> int | None:
        """Milliseconds left on the timer that everybody sees. None: there is none."""
        timer = self._update_log.state.info.timer
        return None if timer is None else self._timers.remaining_ms(("table", timer.since))

    def _due(self, key: Hashable) -> None:
        self._mailbox.post(lambda _: self._on_timer(key))

    async def _on_timer(self, key: Hashable) -> None:
        """Do what the timer is for. If that fails, the timer is started again."""
        try:
            await self._do(key)
        except BaseException:
            self.reschedule()
            raise
        if not _is_bot(key):  # what a bot's move changes is rescheduled when it is committed
            self.reschedule()

    async def _do(self, key: Hashable) -> None:
        state, commits = self._update_log.state, self._commits
        if self._over or state.abandoned:
            return
        match key:
            case ("links", draw, _):
                if state.pending and state.pending.draw == draw:
                    await self._links_due()
            case ("table", since):
                await self._let_waiting_bots_decide(since)
                if self._runs(since):
                    await commits.commit(time_up(self._update_log.state, self._dice))
            case ("bot", int(seat), _) if state.match and self._schedule.plays(state, seat):
                await self._play_bot(seat)
            case ("grace", int(seat), _):
                await commits.commit(stand_in(state, seat, on=True))
            case ("back", int(seat)) if not self._audience.is_away(seat) and state.seats[seat].standin:
                await commits.commit(stand_in(state, seat, on=False))
            case ("hold", int(seat), _) if self._audience.is_away(seat) and key == self._audience.hold_key(seat):
                await commits.give_up(seat, "expired")
            case "heartbeat":
                beat = Heartbeat(
                    epoch=state.epoch,
                    seq=state.seq,
                    hash=self._update_log.hash(),
                    head=state.head or None,
                    timer_ms=self.timer_ms,
                )
                self._audience.tell_private(state, again=True)  # sent whole: a hash of it could be guessed from
                self._audience.publish(encode(beat))

    async def _play_bot(self, seat: int) -> None:
        """The bot's thinking time is over: it moves, perhaps with a remark, or it passes."""
        state = self._update_log.state
        choice = await self._bots.choose(state, seat)
        if choice is None or self._schedule.looks_again(state, seat):
            self._schedule.passes(state, seat)
        if choice is None:
            return
        try:
            await self._told(play_for(state, seat, choice.move, "bot", self._dice, hurried=choice.hurried))
        except BaseException:
            self._schedule.forget(seat)
            raise

    async def _let_waiting_bots_decide(self, since: object) -> None:
        """The time of a window is up. The bots that left the first word to others decide in the last moment."""
        for seat in self._schedule.waiting(self._update_log.state):
            if not self._runs(since):
                return
            if self._schedule.waits(self._update_log.state, seat):
                await self._play_bot(seat)

    def _runs(self, since: object) -> bool:
        """Whether the timer that everybody sees, which began then, is still the one of this state."""
        state = self._update_log.state
        return state.info.timer is not None and state.info.timer.since == since and not state.pending

    async def roll(self) -> None:
        """All links are there: draw the dice, and play on with them."""
        await self._told(roll(self._update_log.state, self._dice))

    async def _links_due(self) -> None:
        """Do not wait any longer for links. Those who have not shown theirs are out, and the dice are drawn anew."""
        state = self._update_log.state
        if unshown(state):
            await self._commits.commit(redraw(state))
        else:
            await self.roll()

    async def _told(self, change: Change) -> None:
        """Commit a change. If a bot has moved, it may say something."""
        await self._commits.commit(change)
        seat = change.cause.seat
        if change.cause.by == "bot" and seat is not None and (words := self._bots.words(change, seat)):
            self._audience.publish(words)


def _is_bot(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[0] == "bot"

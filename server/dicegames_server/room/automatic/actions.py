"""What happens in a room by itself: bots think and move, time runs out, seats are given up, hearts beat."""

from collections.abc import Hashable
from typing import TYPE_CHECKING

from dicegames_protocol.codec import encode
from dicegames_protocol.messages.server import Heartbeat
from dicegames_server.room.automatic.bot_player import BotsAtTable
from dicegames_server.room.automatic.schedule import Agenda
from dicegames_server.room.automatic.timers import Timers
from dicegames_server.room.environment import House
from dicegames_server.table.commands import stand_in
from dicegames_server.table.deal import deal
from dicegames_server.table.play import play_for, time_up
from dicegames_server.table.state import Change

if TYPE_CHECKING:
    from dicegames_server.room.room import Room


class Clockwork:
    def __init__(self, room: "Room", house: House) -> None:
        self._room: Room | None = room
        self._dice = house.dice
        self._bots = BotsAtTable(house.settings.bot_talk)
        self._agenda = Agenda(house.settings, house.pace)
        self._timers = Timers(house.clock, self._fired)

    @property
    def room(self) -> "Room":
        assert self._room, "an inbox that is closed hands out no jobs"
        return self._room

    def end(self) -> None:
        """The room has ended: nothing happens any more, and it is let go."""
        self._timers.end()
        self._room = None

    def see(self, change: Change) -> None:
        """What was committed may call for other timers, and for a bot's attention."""
        if self._room:
            if not self._agenda.same(self._room.state, self._room.audience):
                self.wind()
            self._bots.see(change)

    def wind(self) -> None:
        """Have exactly the timers run that the room calls for."""
        if self._room:
            self._timers.sync(self._agenda.timers(self._room.state, self._room.audience))

    @property
    def timer_ms(self) -> int | None:
        """What remains of the timer that everybody sees."""
        timer = self.room.state.info.timer
        return None if timer is None else self._timers.remaining_ms(("table", timer.since))

    def _fired(self, key: Hashable) -> None:
        self.room.inbox.post(lambda _: self._on_timer(key))

    async def _on_timer(self, key: Hashable) -> None:
        """A timer whose work could not be done now is asked for again."""
        try:
            await self._do(key)
        finally:
            self.wind()

    async def _do(self, key: Hashable) -> None:
        room, state = self.room, self.room.state
        match key:
            case ("table", _) if state.info.phase == "dealing":
                await room.commit(deal(state, self._dice))
            case ("table", _):
                await room.commit(time_up(state, self._dice))
            case ("bot", int(seat), basis) if state.match:
                await self._play_bot(room, seat, basis)
            case ("grace", int(seat), _):
                await room.commit(stand_in(state, seat, on=True))
            case ("hold", int(seat)):
                await room.give_up(seat, "expired")
            case "heartbeat":
                beat = Heartbeat(seq=state.seq, hash=room.stream.hash(state), timer_ms=self.timer_ms)
                room.audience.publish(encode(beat))

    async def _play_bot(self, room: "Room", seat: int, basis: Hashable) -> None:
        """A bot has thought: it moves, perhaps with a word, or lets it pass."""
        move = self._bots.choose(room.state, seat)
        if move is None:
            self._agenda.passes(seat, basis)
            return
        change = play_for(room.state, seat, move, "bot", self._dice)
        await room.commit(change)
        if words := self._bots.words(change, seat):
            room.audience.publish(words)

"""What a room waits for: which timers its state calls for, as keys that name the reason."""

from collections.abc import Callable, Hashable

from dicegames_protocol.table import Timer
from dicegames_server.bots import Strategy, strategy_for
from dicegames_server.room.audience import Audience
from dicegames_server.settings import Settings
from dicegames_server.table.state import State


class Agenda:
    """The keys: ("table", since) the timer that all see; ("bot", seat, …) a bot thinks; ("grace", seat, …) an absent
    player is waited for; ("hold", seat) an absent player's seat is kept; "heartbeat".
    """

    def __init__(self, settings: Settings, pace: Callable[[], float]) -> None:
        """`pace` says each time how much of `bot_seconds` a bot thinks."""
        self._settings = settings
        self._pace = pace
        self._bots: tuple[object, list[tuple[int, Strategy]]] = (None, [])
        self._passed: tuple[Hashable, set[int]] = (None, set())
        """Bots that let the present state pass: they are not asked again about it."""
        self._told: tuple[Timer | None, bool] | None = None
        """What the timers followed from, where it was only the table and its audience."""

    def timers(self, state: State, audience: Audience) -> dict[Hashable, float]:
        """Key -> seconds, for Timers.sync."""
        settings = self._settings
        wanted: dict[Hashable, float] = {("hold", seat): settings.seat_seconds for seat in audience.away}
        if audience:
            wanted["heartbeat"] = settings.heartbeat_seconds
        if state.info.timer:
            wanted["table", state.info.timer.since] = state.info.timer.ms / 1000
        if state.match and state.playing:
            basis = (state.info.game_no, state.match.basis)
            passed = self._passed[1] if self._passed[0] == basis else ()
            for seat, strategy in self._bot_seats(state):
                if strategy.wakes(state.match, seat) and seat not in passed:
                    wanted["bot", seat, basis] = settings.bot_seconds * self._pace()
            for seat in audience.away:
                player = state.seats.get(seat)
                if player and not player.standin and state.match.waits_for(seat):
                    wanted["grace", seat, basis] = settings.grace_seconds
        simple = not audience.away and not self._bot_seats(state)
        self._told = (state.info.timer, bool(audience)) if simple else None
        return wanted

    def same(self, state: State, audience: Audience) -> bool:
        """Whether the timers are what they were: after most moves of people who are all there, they are."""
        return self._told == (state.info.timer, bool(audience)) and not audience.away and not self._bot_seats(state)

    def passes(self, seat: int, basis: Hashable) -> None:
        """A bot has looked at a state and does nothing."""
        if self._passed[0] != basis:
            self._passed = (basis, set())
        self._passed[1].add(seat)

    def _bot_seats(self, state: State) -> list[tuple[int, Strategy]]:
        """Seats that the server plays, found again only when somebody sat down, left or came back."""
        players = state.seats.players
        if self._bots[0] is not players:
            mine = [
                (int(seat), strategy_for(state.info.game, player))
                for seat, player in players.items()
                if player.bot or player.left or player.standin
            ]
            self._bots = (players, mine)
        return self._bots[1]

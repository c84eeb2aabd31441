"""Which timers a room's state needs. Each has a key that names its reason."""

from collections.abc import Callable, Hashable

from dicegames_protocol.table import Timer
from dicegames_server.bots import Strategy, strategy_for
from dicegames_server.room.audience import Audience
from dicegames_server.settings import Settings
from dicegames_server.table.state import State


class Schedule:
    """The timers of a room. Their keys:

    ("table", since)      the timer that everybody sees
    ("bot", seat, …)      a bot thinks
    ("grace", seat, …)    the game waits for an absent player, before a bot stands in
    ("hold", seat)        an absent player's seat is held
    "heartbeat"           the next heartbeat
    """

    def __init__(self, settings: Settings, pace: Callable[[], float]) -> None:
        """`pace` is called for each bot move. It gives the factor by which `bot_seconds` is multiplied."""
        self._settings = settings
        self._pace = pace
        self._bots: tuple[object, list[tuple[int, Strategy]]] = (None, [])
        self._passed: tuple[Hashable, set[int]] = (None, set())
        """The bots that do nothing in the present state. They are not asked again about it."""
        self._told: tuple[Timer | None, bool] | None = None
        """What the last timers were computed from, if it was only the table timer and whether anybody is connected."""

    def timers(self, state: State, audience: Audience) -> dict[Hashable, float]:
        """The timers that are needed now: key -> seconds, for Timers.sync."""
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
                if strategy.wakes(state.match.seen_by(seat), seat) and seat not in passed:
                    wanted["bot", seat, basis] = settings.bot_seconds * self._pace()
            for seat in audience.away:
                player = state.seats.get(seat)
                if player and not player.standin and state.match.waits_for(seat):
                    wanted["grace", seat, basis] = settings.grace_seconds
        simple = not audience.away and not self._bot_seats(state)
        self._told = (state.info.timer, bool(audience)) if simple else None
        return wanted

    def same(self, state: State, audience: Audience) -> bool:
        """Whether the timers have not changed. That is so after most moves, if no player is away and no bot plays."""
        return self._told == (state.info.timer, bool(audience)) and not audience.away and not self._bot_seats(state)

    def passes(self, seat: int, basis: Hashable) -> None:
        """A bot has looked at this state and does nothing. It is not asked again until the state changes."""
        if self._passed[0] != basis:
            self._passed = (basis, set())
        self._passed[1].add(seat)

    def _bot_seats(self, state: State) -> list[tuple[int, Strategy]]:
        """The seats that the server plays. Computed again only when the players have changed."""
        players = state.seats.players
        if self._bots[0] is not players:
            mine = [
                (int(seat), strategy_for(state.info.game, player))
                for seat, player in players.items()
                if player.bot or player.left or player.standin
            ]
            self._bots = (players, mine)
        return self._bots[1]

"""What a room waits for: which timers its state calls for, as keys that name the reason."""

from collections.abc import Hashable

from dicegames_server.audience import Audience
from dicegames_server.settings import Settings
from dicegames_server.state import State


class Agenda:
    """The keys: ("table", since) the timer that all see; ("bot", seat, …) a bot thinks; ("grace", seat, …) an absent
    player is waited for; ("hold", seat) an absent player's seat is kept; "heartbeat".
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._bots: tuple[object, list[int]] = (None, [])

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
            for seat in self._bot_seats(state):
                if state.match.waits_for(seat):
                    wanted["bot", seat, basis] = settings.bot_seconds
            for seat in audience.away:
                player = state.seats.get(seat)
                if player and not player.standin and state.match.waits_for(seat):
                    wanted["grace", seat, basis] = settings.grace_seconds
        return wanted

    def _bot_seats(self, state: State) -> list[int]:
        """Seats that the server plays, found again only when somebody sat down, left or came back."""
        players = state.seats.players
        if self._bots[0] is not players:
            mine = [int(seat) for seat, player in players.items() if player.bot or player.left or player.standin]
            self._bots = (players, mine)
        return self._bots[1]

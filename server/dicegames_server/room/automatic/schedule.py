"""Which timers a room's state needs. Each has a key that names its reason.

A room may have a thousand bots, so planning follows what has changed. Where the game waits for one seat and no bot
watches the others, only that seat is looked at. Where many may act, all are looked at once; then, as long as the moves
that are offered stay the same, a move of one seat changes only the timer of that seat.
"""

from collections.abc import Callable, Hashable, Iterable
from typing import NamedTuple

from dicegames_protocol.table import Offer, Timer
from dicegames_server.bots import Strategy, strategy_for
from dicegames_server.games.match import Match
from dicegames_server.room.audience import Audience
from dicegames_server.settings import Settings
from dicegames_server.table.draw import unshown
from dicegames_server.table.state import State

BACK_SECONDS = 1.0
"""Seconds after which a stand-in whose player is back goes, where that could not be saved at once."""
SHOW_SECONDS = 2.0
"""Seconds that a client has to show its link, once a draw is decided."""


class Plan(NamedTuple):
    """What the timers were planned from, besides who is away."""

    timer: Timer | None
    connected: bool
    players: object
    basis: Hashable
    offers: dict[str, Offer] | None
    watching: bool
    draw: int | None


class Schedule:
    """The timers of a room. Their keys:

    ("table", since)      the timer that everybody sees
    ("bot", seat, …)      a bot thinks
    ("links", draw, …)    the links of a draw are waited for
    ("grace", seat, …)    the game waits for an absent player, before a bot stands in
    ("back", seat)        a stand-in whose player is back goes
    ("hold", seat, …)     an absent player's seat is held
    "heartbeat"           the next heartbeat
    """

    def __init__(self, settings: Settings, pace: Callable[[], float]) -> None:
        """`pace` is called for each bot move. It gives the factor by which `bot_seconds` is multiplied."""
        self._settings = settings
        self._pace = pace
        self._bots: tuple[object, dict[int, Strategy], set[Strategy]] = (None, {}, set())
        self._passed: dict[int, Hashable] = {}
        """What bots saw when they had nothing more to do. They are not asked again until they see something else."""
        self._waiting = False
        """Whether a bot leaves the first word to others."""
        self._plan: Plan | None = None
        """What the last timers were planned from. None: nobody knows, or somebody is away."""

    def timers(self, state: State, audience: Audience) -> dict[Hashable, float]:
        """The timers that are needed now: key -> seconds, for Timers.sync."""
        settings = self._settings
        wanted: dict[Hashable, float] = {audience.hold_key(seat): audience.hold_seconds for seat in audience.away}
        if audience:
            wanted["heartbeat"] = settings.heartbeat_seconds
        if state.info.timer:
            wanted["table", state.info.timer.since] = state.info.timer.ms / 1000
        if state.pending:
            wanted[self._links_key(state, audience)] = self._links_seconds(state, audience)
        elif state.match and state.playing:
            for seat in self._movers(state):
                wanted[self.bot_key(state, seat)] = self.thinking_seconds()
            for seat in self._bot_seats(state):
                if state.seats[seat].standin and not audience.is_away(seat):
                    wanted["back", seat] = BACK_SECONDS
            for seat in audience.away:
                player = state.seats.get(seat)
                if player and not player.standin and state.match.waits_for(seat):
                    wanted["grace", seat, _basis(state)] = settings.grace_seconds
        self._plan = None if audience.away else self._plan_for(state, audience)
        return wanted

    def same(self, state: State, audience: Audience) -> bool:
        """Whether the timers have not changed. That is so after most moves, if no player is away and no bot plays."""
        plan = self._plan
        if plan is None or self._bot_seats(state) or audience.away:
            return False
        draw = state.pending.draw if state.pending else None
        return plan.timer == state.info.timer and plan.connected == bool(audience) and plan.draw == draw

    def only(self, state: State, audience: Audience, seat: int | None) -> bool:
        """Whether a move of this seat has changed no timer but perhaps its own."""
        if self._plan is None or seat is None or audience.away or not state.playing or state.pending or self._waiting:
            return False
        return self._plan == self._plan_for(state, audience)

    def _links_key(self, state: State, audience: Audience) -> Hashable:
        """The key changes when nobody is left whom it is worth waiting for."""
        assert state.pending
        return ("links", state.pending.draw, "nobody comes" if self._hopeless(state, audience) else "waiting")

    def _links_seconds(self, state: State, audience: Audience) -> float:
        """Seconds to wait for links: none if all who are missing are away, and longer if all have to come back."""
        return 0.0 if self._hopeless(state, audience) else max(SHOW_SECONDS, audience.patience)

    def _hopeless(self, state: State, audience: Audience) -> bool:
        """Whether there is nothing to wait for: all links are there, or nobody is who could show one."""
        missing = unshown(state)
        return not missing or (
            audience.patience <= 0 and not any(audience.may_answer(seat, SHOW_SECONDS) for seat in missing)
        )

    def plays(self, state: State, seat: int) -> bool:
        """Whether a bot plays this seat."""
        return seat in self._bot_seats(state)

    def wakes(self, state: State, seat: int) -> bool:
        """Whether this seat is a bot's, and the bot should move now."""
        return seat in self._bot_seats(state) and self._wakes(state, seat)

    def bot_key(self, state: State, seat: int) -> Hashable:
        return ("bot", seat, _basis(state))

    def thinking_seconds(self) -> float:
        return self._settings.bot_seconds * self._pace()

    def passes(self, state: State, seat: int) -> None:
        """A bot has looked at this state and does nothing. It is not asked again until it sees something else."""
        self._passed[seat] = self._seen(state, seat)

    def looks_again(self, state: State, seat: int) -> bool:
        """Whether a bot that moves now will be asked again when it sees something else, and not before."""
        return self._strategy(state, seat).sees(_match(state).seen_by(seat), seat) is not None

    def forget(self, seat: int) -> None:
        """The bot is asked again, whatever it saw."""
        self._passed.pop(seat, None)

    def waiting(self, state: State) -> list[int]:
        """The bots that leave the first word to others, and have not decided."""
        if state.match is None or not state.playing:
            return []
        return [seat for seat in self._lookers(state) if self.waits(state, seat)]

    def waits(self, state: State, seat: int) -> bool:
        return self._strategy(state, seat).waits(_match(state).seen_by(seat), seat)

    def _plan_for(self, state: State, audience: Audience) -> Plan:
        match = state.match if state.playing else None
        return Plan(
            timer=state.info.timer,
            connected=bool(audience),
            players=state.seats.players,
            basis=_basis(state),
            offers=match.offers if match else None,
            watching=self._watching(state),
            draw=state.pending.draw if state.pending else None,
        )

    def _lookers(self, state: State) -> Iterable[int]:
        """The bots that may have something to do: the one that the game waits for, or all of them."""
        assert state.match
        bots, turn = self._bot_seats(state), state.match.rules.turn(state.match.state)
        if turn is None or self._watching(state):
            return bots
        return [turn] if turn in bots else ()

    def _movers(self, state: State) -> list[int]:
        """The bots that move now: of those who leave the first word to others, all or none."""
        match = _match(state)
        seats = [seat for seat in self._lookers(state) if self._wakes(state, seat)]
        waiting = {seat for seat in seats if self.waits(state, seat)}
        self._waiting = bool(waiting)
        if waiting and any(match.waits_for(int(seat)) for seat in match.state.seats if int(seat) not in waiting):
            return [seat for seat in seats if seat not in waiting]
        return seats

    def _watching(self, state: State) -> bool:
        """Whether a bot may act although the game does not wait for it."""
        match = state.match if state.playing else None
        return match is not None and any(strategy.watches(match) for strategy in self._bots[2])

    def _wakes(self, state: State, seat: int) -> bool:
        if seat in self._passed and self._passed[seat] == self._seen(state, seat):
            return False
        return self._strategy(state, seat).wakes(_match(state).seen_by(seat), seat)

    def _seen(self, state: State, seat: int) -> Hashable:
        return _basis(state), self._strategy(state, seat).sees(_match(state).seen_by(seat), seat)

    def _strategy(self, state: State, seat: int) -> Strategy:
        return self._bot_seats(state)[seat]

    def _bot_seats(self, state: State) -> dict[int, Strategy]:
        """The seats that the server plays. Computed again only when the players have changed."""
        players = state.seats.players
        if self._bots[0] is not players:
            mine = {
                int(seat): strategy_for(state.info.game, player)
                for seat, player in players.items()
                if player.bot or player.left or player.standin
            }
            self._bots = (players, mine, set(mine.values()))
            self._passed = {seat: seen for seat, seen in self._passed.items() if seat in mine}
        return self._bots[1]


def _match(state: State) -> Match:
    assert state.match
    return state.match


def _basis(state: State) -> Hashable:
    return None if state.match is None else (state.info.game_no, state.match.basis)

"""Everything about a room that must survive a restart, and how the next state is made. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dicegames_protocol import patch
from dicegames_protocol.base import Event, JsonObject
from dicegames_protocol.messages.client import ChainLink
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair, Move, Offer, Pending, RoomInfo, Timer
from dicegames_server.core.value import Value
from dicegames_server.games.base import Act, Rules
from dicegames_server.games.match import Match
from dicegames_server.table.seats import Seats

NOTHING_OFFERED: dict[str, Offer] = {}
NO_BESTS: dict[int, dict[str, int]] = {}
ABANDONED = "This game was abandoned, and its dice were shown. Nothing is played any more."
DEAL_MS = 5000
"""Scheme 1: milliseconds that the clients had to reveal their seeds."""


@dataclass(frozen=True)
class State(Value):
    info: RoomInfo
    seats: Seats
    rules: Rules[Any, Any]
    epoch: int = 1
    match: Match | None = None
    starter: int | None = None
    fair: Fair | None = None
    secret: bytes = b""
    """The seed of the server's hash chain in this game. Published when the game is over."""
    links: int = 0
    """How many links of its chain the server has shown in this game."""
    act: Act | None = None
    """The act that the pending draw is for. None: there is no such draw, or it is for the start of the game."""
    shown: dict[int, ChainLink] = field(default_factory=dict)
    """Seat -> link, for the links that were shown so far for the pending draw. They are not in the log yet."""
    decided: int = 0
    """How many draws were decided in this game so far, those that were done anew included."""
    key: bytes = b""
    """Scheme 1, in a log of an earlier version: it decides every die of the game. Otherwise empty."""
    sealed: dict[int, Move] = field(default_factory=dict)
    """Number of the update -> move, for moves of this game whose choice is still secret."""
    abandoned: bool = False
    """Whether the game was abandoned. Its secret is published then, so nothing may be played after that."""
    draws: int = 0
    """Draws that were done in this game so far."""
    head: str = ""
    """Hash of the last update, in hex. The next update names it. Empty: it is not known."""
    seq: int = 0
    """Number of the last update."""
    basis_seq: int = 0
    """Number of the update that last changed what moves depend on. A move whose player saw an older one is stale."""

    @property
    def playing(self) -> bool:
        return self.info.phase == "playing"

    @property
    def bests(self) -> dict[int, dict[str, int]]:
        """The records of this game."""
        return self.match.bests if self.match else NO_BESTS

    @property
    def pending(self) -> Pending | None:
        """The draw that is decided, and whose dice are not known yet. Nobody can move meanwhile."""
        return self.fair.pending if self.fair else None

    def public(self) -> dict[str, Any]:
        """What everyone sees, in the form of the protocol's `Table`."""
        table: dict[str, Any] = {"room": self.info, "seats": self.seats.players, "offers": {}}
        if self.fair is not None:
            table["fair"] = self.fair
        if self.match is not None:
            match = self.match.seen_by(None)
            table |= {"game": match.state, "offers": NOTHING_OFFERED if self.pending else match.offers}
        return table

    def seen_anew(self, before: "State") -> Collection[int] | None:
        """Seats whose private part may differ from the one in the state before. None: any of them."""
        if not self.rules.hides:
            return ()
        if self.match is None or before.match is None or self.info.game_no != before.info.game_no:
            return None
        return self.rules.sees_anew(before.match.state, self.match.state)

    def private(self, seat: int) -> JsonObject:
        """What only this seat sees, as a merge patch for `public`. Empty in most games."""
        if self.match is None or not self.rules.hides:
            return {}
        shown, mine = self.match.seen_by(None), self.match.seen_by(seat)
        if self.pending:
            return patch.changes({"game": shown.state}, {"game": mine.state})
        return patch.changes({"game": shown.state, "offers": shown.offers}, {"game": mine.state, "offers": mine.offers})


class Change(NamedTuple):
    """The next state, with the cause and the events that its update tells."""

    state: State
    cause: Cause
    events: tuple[Event, ...]


def change(state: State, before: State, cause: Cause, events: tuple[Event, ...]) -> Change:
    """The change to `state` with its number, and with host, timer and basis brought up to date."""
    seq = before.seq + 1
    moved = state.match is not before.match and _basis(state) != _basis(before)
    if state.fair is not before.fair and (state.pending is None) != (before.pending is None):
        moved = True
    info = state.info
    if info.host != state.seats.host:
        info = info.but(host=state.seats.host)
    timer = _timer(state, seq)
    if (timer or info.timer) and _timed(state) != _timed(before):
        info = info.but(timer=timer)
    basis_seq = seq if moved else before.basis_seq
    if info is not state.info or seq != state.seq or basis_seq != state.basis_seq:
        state = state.but(info=info, seq=seq, basis_seq=basis_seq)
    return Change(state, cause, events)


def waited_for(state: State) -> int | None:
    """The first seat that the game waits for. None where there is none."""
    match = state.match
    if match is None:
        return None
    turn = match.rules.turn(match.state)
    if turn is not None:
        return turn
    return next((int(seat) for seat in match.state.seats if match.waits_for(int(seat))), None)


def _basis(state: State) -> object:
    return None if state.match is None else (state.info.game_no, state.match.basis)


def _timed(state: State) -> object:
    """What the timer is for. While this stays the same, the timer keeps running."""
    timer = _timer(state, 0)
    if timer is None or timer.kind == "deal":
        return timer
    return timer, _basis(state), waited_for(state) if timer.kind == "turn" else None


def _timer(state: State, seq: int) -> Timer | None:
    if state.info.phase == "dealing" and state.fair and state.fair.scheme is None:
        return Timer(kind="deal", ms=DEAL_MS, since=seq)
    if state.match is None or not state.playing or state.pending:
        return None
    ms = state.match.rules.timer(state.match.state)
    if ms is not None:
        return Timer(kind="window", ms=ms, since=seq)
    return Timer(kind="turn", ms=state.info.turn_limit * 1000, since=seq) if state.info.turn_limit else None

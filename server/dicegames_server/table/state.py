"""Everything about a room that must survive a restart, and how the next state is made. Pure."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from dicegames_protocol import fairness, patch
from dicegames_protocol.base import Event, JsonObject
from dicegames_protocol.messages.server import Cause
from dicegames_protocol.table import Fair, Move, RoomInfo, Timer
from dicegames_server.core.value import Value
from dicegames_server.games.base import Rules
from dicegames_server.games.match import Match
from dicegames_server.table.seats import Seats

ABANDONED = "This game was abandoned, and its dice were shown. Nothing is played any more."
DEAL_MS = 5000
"""Milliseconds that the clients have to reveal their seeds."""


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
    """The server's part of the dice of this game, besides the seeds. Published when the game is over."""
    key: bytes = b""
    """Made from secret and seeds. It decides every die of the game."""
    revealed: dict[int, bytes] = field(default_factory=dict)
    """Seat -> seed, for the seeds that were revealed so far, while the game is being dealt."""
    bests: dict[int, dict[str, int]] = field(default_factory=dict)
    """Seat -> what -> the largest value in this game (`Rules.notable`)."""
    sealed: dict[int, Move] = field(default_factory=dict)
    """Number of the update -> move, for moves of this game whose choice stays secret until it is over."""
    abandoned: bool = False
    """Whether the game was abandoned. Its secret is published then, so nothing may be played after that."""
    draws: int = 0
    """Draws of the server in this game so far."""
    seq: int = 0
    """Number of the last update."""
    basis_seq: int = 0
    """Number of the update that last changed what moves depend on. A move whose player saw an older one is stale."""

    @property
    def playing(self) -> bool:
        return self.info.phase == "playing"

    def public(self) -> dict[str, Any]:
        """What everyone sees, in the form of the protocol's `Table`."""
        table: dict[str, Any] = {"room": self.info, "seats": self.seats.players, "offers": {}}
        if self.fair is not None:
            table["fair"] = self.fair
        if self.match is not None:
            match = self.match.seen_by(None)
            table |= {"game": match.state, "offers": match.offers}
        return table

    def private(self, seat: int) -> JsonObject:
        """What only this seat sees, as a merge patch for `public`. Empty in most games."""
        if self.match is None or not self.rules.hides:
            return {}
        shown, mine = self.match.seen_by(None), self.match.seen_by(seat)
        return patch.changes({"game": shown.state, "offers": shown.offers}, {"game": mine.state, "offers": mine.offers})


class Change(NamedTuple):
    """The next state, with the cause and the events that its update tells."""

    state: State
    cause: Cause
    events: tuple[Event, ...]


def dice_key(secret: bytes, fair: Fair, info: RoomInfo) -> bytes:
    """The key that decides all dice of a game, made from public facts and the server's secret."""
    seeds = [(int(seat), bytes.fromhex(seed)) for seat, seed in (fair.seeds or {}).items()]
    transcript = fairness.transcript(
        commit=fair.commit, epoch=fair.epoch, game=info.game, room=info.code, rules=info.rules, seats=seeds
    )
    return fairness.key(secret, transcript)


def change(state: State, before: State, cause: Cause, events: tuple[Event, ...]) -> Change:
    """The change to `state` with its number, and with host, timer and basis brought up to date."""
    seq = before.seq + 1
    moved = state.match is not before.match and _basis(state) != _basis(before)
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
    if state.info.phase == "dealing":
        return Timer(kind="deal", ms=DEAL_MS, since=seq)
    if state.match is None or not state.playing:
        return None
    ms = state.match.rules.timer(state.match.state)
    if ms is not None:
        return Timer(kind="window", ms=ms, since=seq)
    return Timer(kind="turn", ms=state.info.turn_limit * 1000, since=seq) if state.info.turn_limit else None

"""What the client knows: an immutable value. Only messages from the server lead to the next one.

The table is the JSON that the server's merge patches apply to. `receive` returns the next value and a verdict: the
message is news, or old (seen already), or there is a gap before it and the client has to resume.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from dicegames_protocol import patch
from dicegames_protocol.base import JsonObject
from dicegames_protocol.codec import state_hash
from dicegames_protocol.messages.checking import WHOLE, check_events, check_game, check_table, check_whole
from dicegames_protocol.messages.server import (
    CaughtUp,
    Heartbeat,
    Joined,
    Left,
    Presence,
    Private,
    ServerMessage,
    Snapshot,
    Update,
)
from dicegames_protocol.table import Offer, RoomInfo, Table, offers_to
from dicegames_protocol.text import strip


class Verdict(Enum):
    NEWS = "news"
    OLD = "old"
    GAP = "gap"


@dataclass(frozen=True, slots=True)
class Store:
    room: str | None = None
    epoch: int = 0
    seq: int = 0
    table: JsonObject = field(default_factory=dict)
    tokens: dict[int, str] = field(default_factory=dict)
    """My seats, each with the secret token that takes it back."""
    private: dict[int, JsonObject] = field(default_factory=dict)
    """What only my seats see: a merge patch of the table for each seat."""
    coming: dict[int, Private] = field(default_factory=dict)
    """The same for the next update, which has not come yet."""
    away: dict[int, int] = field(default_factory=dict)
    """Seats whose player is away, each with the milliseconds that it is still held."""
    watching: int = 0
    """Number of spectators."""
    timer_ms: int | None = None

    def receive(self, message: ServerMessage) -> tuple["Store", Verdict]:
        """The next value. Raises Nonsense if the message fits to no table that can be shown."""
        match message:
            case Update():
                return self._update(message)
            case Joined():
                table = _table(message.snapshot)
                check_table(table, WHOLE)
                same = self.room == message.room
                tokens = self.tokens if same else {}
                if message.seat is not None and message.seat_token is not None:
                    tokens = {**tokens, message.seat: message.seat_token}
                joined = replace(
                    self,
                    room=message.room,
                    epoch=message.epoch,
                    seq=message.seq,
                    table=table,
                    tokens=tokens,
                    private=self.private if same else {},
                    coming={},
                    away={},
                    timer_ms=message.timer_ms,
                )
                return joined, Verdict.NEWS
            case Snapshot():
                table = _table(message.snapshot)
                check_table(table, WHOLE)
                whole = replace(self, epoch=message.epoch, seq=message.seq, table=table, private={}, coming={})
                return whole, Verdict.NEWS
            case Private():
                held = replace(self, coming={**self.coming, message.seat: message})
                return held._with_private(), Verdict.NEWS
            case CaughtUp() | Heartbeat():
                return self._compare(message)
            case Presence():
                away = {seat: ms for seat, ms in self.away.items() if seat not in message.here}
                away |= {int(seat): ms for seat, ms in message.away.items()}
                return replace(self, away=away, watching=message.watching), Verdict.NEWS
            case Left():
                kept = {} if message.seat is None else {s: t for s, t in self.tokens.items() if s != message.seat}
                private = {seat: part for seat, part in self.private.items() if seat in kept}
                return replace(self, tokens=kept, private=private), Verdict.NEWS
        return self, Verdict.NEWS

    def _with_private(self) -> "Store":
        """Apply what only my seats see, as far as it belongs to the update that we have."""
        now = {seat: told.patch for seat, told in self.coming.items() if told.seq <= self.seq}
        if not now:
            return self
        later = {seat: told for seat, told in self.coming.items() if seat not in now}
        private = {seat: part for seat, part in {**self.private, **now}.items() if part}
        seen = replace(self, private=private, coming=later)
        if self.table.get("game"):
            check_game(str(self.table["room"]["game"]), seen.game)
        return seen

    def _update(self, message: Update) -> tuple["Store", Verdict]:
        if message.seq <= self.seq:
            return self, Verdict.OLD
        if message.seq > self.seq + 1:
            return self, Verdict.GAP
        table = patch.apply(self.table, message.patch)
        check_whole(table)
        check_table(table, message.patch)
        check_events(str(table["room"]["game"]), message.events)
        timer = message.patch.get("room", {}).get("timer", ...) if message.patch.get("room") else ...
        timer_ms = self.timer_ms if timer is ... else None if timer is None else table["room"]["timer"]["ms"]
        away = still_away(self.away, message)
        after = replace(self, seq=message.seq, table=table, timer_ms=timer_ms, away=away)
        return after._with_private() if self.coming else after, Verdict.NEWS

    def _compare(self, message: CaughtUp | Heartbeat) -> tuple["Store", Verdict]:
        """Compare our table with the hash of the server's table.

        A wrong table must not be patched: epoch 0 asks for a snapshot.
        """
        if message.seq > self.seq:
            return self, Verdict.GAP
        if message.seq == self.seq and state_hash(self.table) != message.hash:
            return replace(self, epoch=0), Verdict.GAP
        epoch = message.epoch if isinstance(message, CaughtUp) or message.seq == self.seq else self.epoch
        return replace(self, timer_ms=message.timer_ms, epoch=epoch), Verdict.NEWS

    # What a view reads.

    @property
    def info(self) -> RoomInfo:
        return RoomInfo.model_validate(self.table["room"])

    @property
    def phase(self) -> str:
        return str(self.table.get("room", {}).get("phase", ""))

    @property
    def rolling(self) -> JsonObject | None:
        """The draw that is decided, and whose dice are not known yet. Nobody can move meanwhile."""
        pending: JsonObject | None = (self.table.get("fair") or {}).get("pending")
        return pending

    @property
    def game(self) -> JsonObject:
        """The state of the game, including what only my seats see."""
        game: JsonObject = self.table.get("game") or {}
        for part in self.private.values():
            game = patch.apply(game, part.get("game", {}))
        return game

    @property
    def seats(self) -> list[int]:
        """My seats, in order."""
        return sorted(seat for seat in self.tokens if str(seat) in self.table.get("seats", {}))

    def player(self, seat: int) -> JsonObject:
        player: JsonObject = self.table.get("seats", {}).get(str(seat), {})
        return player

    def name(self, seat: int) -> str:
        """A name that is safe to show: stripped again here, whatever the server let through."""
        return strip(self.player(seat).get("name", f"seat {seat + 1}"))

    def offers(self, seat: int) -> dict[str, Offer]:
        """The offers that a seat may take now. Those that the game waits for come first."""
        entry = self.game.get("seats", {}).get(str(seat))
        table = patch.apply(self.table.get("offers", {}), self.private.get(seat, {}).get("offers", {}))
        offers = {key: Offer.model_validate(offer) for key, offer in table.items()}
        mine = offers_to(seat, offers, entry)
        return dict(sorted(mine.items(), key=lambda item: not item[1].needed))

    def wanted(self) -> int | None:
        """The first of my seats that the game waits for."""
        for seat in self.seats:
            if any(offer.needed for offer in self.offers(seat).values()):
                return seat
        return None


def still_away(away: dict[int, int], update: Update) -> dict[int, int]:
    """Who is away after an update: another player has no part in the absence of the one before."""
    changed = update.patch.get("seats")
    return {seat: ms for seat, ms in away.items() if not _is_new(changed.get(str(seat), {}))} if changed else away


def _is_new(change: JsonObject | None) -> bool:
    """Whether a patch of a player says that the player has left, or that somebody else sits there."""
    return change is None or "name" in change or bool(change.get("left"))


def _table(table: Table) -> JsonObject:
    dumped: Any = patch.dump(table)
    return dict(dumped)

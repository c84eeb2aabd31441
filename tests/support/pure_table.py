"""A table without a server: commands in, changes out."""

import itertools
from collections.abc import Iterable
from typing import Any

import pytest

from dicegames_protocol.codec import encode_ascii, update_hash
from dicegames_protocol.fairness.chain import USABLE, Chain, hashed
from dicegames_protocol.messages.client import ChainLink, MakeMove, Start
from dicegames_protocol.messages.server import Update
from dicegames_protocol.patch import changes, dump
from dicegames_protocol.table import Move
from dicegames_server.core.errors import Refused
from dicegames_server.games.base import Faces
from dicegames_server.games.dice import Dice
from dicegames_server.table.commands import TableCommand, decide, take_seat
from dicegames_server.table.create_room import LOG_FORMAT, open_room
from dicegames_server.table.draw import next_of, show, unshown
from dicegames_server.table.roll import roll
from dicegames_server.table.state import Change, State
from support.dice import ScriptedDice


class PureTable:
    """The latest state, and all updates that led to it."""

    def __init__(
        self,
        game: str,
        *names: str,
        rolls: tuple[Faces, ...] = (),
        dice: Dice | None = None,
        capacity: int = 8,
        turn_limit: int = 0,
        bots: bool = True,
        entered: bool = False,
        format: int | None = LOG_FORMAT,
        **options: Any,
    ) -> None:
        self.dice = dice or ScriptedDice(*rolls)
        self.updates: list[Update] = []
        self._ids = itertools.count(1)
        options |= {"dice": "entered"} if entered else {}
        opened = open_room("KQ7M", game, options, capacity, True, False, turn_limit, bots, format=format)
        self.state = opened.state
        self.take(opened, before={})
        for name in names:
            self.sit(name)

    def take(self, change: Change, before: dict[str, Any] | None = None) -> Change:
        """Go on from a change, and note its update as the room would."""
        shown = self.state.public() if before is None else before
        self.state = change.state
        self.updates.append(
            Update(
                seq=change.state.seq,
                cause=change.cause,
                events=dump(change.events),
                patch=changes(shown, change.state.public()),
            )
        )
        return change

    def sit(self, name: str, **fields: Any) -> Change:
        return self.take(take_seat(self.state, name, f"token of {name}", **fields)[0])

    def do(self, seat: int | None, command: MakeMove | TableCommand) -> Change:
        return self.take(decide(self.state, seat, command, self.dice))

    def start(self, seat: int = 0) -> "PureTable":
        self.do(seat, Start(id="start"))
        return self

    def move(self, seat: int, take: str, *, seq: int | None = None, **fields: Any) -> Change:
        return self.do(seat, self.moving(take, seq=seq, **fields))

    def moving(self, take: str, *, seq: int | None = None, **fields: Any) -> MakeMove:
        seen = self.state.seq if seq is None else seq
        return MakeMove(id=f"{next(self._ids)}", seq=seen, move=Move(take=take, **fields))

    def refused(self, seat: int | None, command: MakeMove | TableCommand) -> tuple[str, str]:
        """The code and the sentence of a refusal; nothing has changed then."""
        with pytest.raises(Refused) as refused:
            decide(self.state, seat, command, self.dice)
        return refused.value.code, refused.value.message

    @property
    def lines(self) -> list[bytes]:
        """The log, as it is kept."""
        return chained([update.model_dump(mode="json", exclude_none=True) for update in self.updates])

    def show(self, *owners: "Owner") -> Change | None:
        """Let these show their links. When all links are there, the dice roll."""
        for owner in owners:
            assert self.state.pending
            self.state = show(self.state, owner.seat, self.state.pending.draw, owner.next(self.state))
        return None if unshown(self.state) else self.take(roll(self.state, self.dice))

    def names(self) -> dict[str, str]:
        return {seat: player.name for seat, player in self.state.seats.players.items()}


class Owner:
    """A seat that has a chain."""

    def __init__(self, seat: int, seed: bytes) -> None:
        self.seat = seat
        self.chain = Chain(seed * 32)
        self.tip = self.chain.tip.hex()

    def next(self, state: State) -> ChainLink:
        """The link that comes next."""
        assert state.fair
        known = next_of(state.fair, self.seat)
        number = next(n for n in range(1, USABLE + 1) if hashed(self.chain.link(n)).hex() == known)
        return ChainLink(link=self.chain.link(number).hex())


def chained(log: Iterable[dict[str, Any]]) -> list[bytes]:
    """These updates as lines of a log, each with the hash of the one before."""
    lines: list[bytes] = []
    for update in log:
        prev = {"prev": update_hash(lines[-1])} if lines else {}
        lines.append(encode_ascii({**{key: value for key, value in update.items() if key != "prev"}, **prev}))
    return lines


def events_of(change: Change) -> list[dict[str, Any]]:
    return [event.model_dump(exclude_none=True) for event in change.events]


def kinds(change: Change) -> list[str]:
    return [event.kind for event in change.events]

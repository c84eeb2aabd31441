"""Faults that are planted into the production code, to see that the simulation finds such faults."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from dicegames_protocol.messages.client import MakeMove
from dicegames_server.core.peer import Peer
from dicegames_server.room.audience import Audience
from dicegames_server.room.moves import Moves


def ack_before_commit(patch: pytest.MonkeyPatch) -> None:
    """A move is acknowledged before storage has it."""
    decided = Moves._decided

    def hasty(self: Moves, *arguments: Any) -> Any:
        move = decided(self, *arguments)
        if move:
            self._acknowledge(move, move.entry.seq)
        return move

    patch.setattr(Moves, "_decided", hasty)


def lost_update(patch: pytest.MonkeyPatch) -> None:
    """Now and then one listener is left out."""
    turns = itertools.count(1)

    def forgetful(self: Audience, data: bytes) -> None:
        peers: Iterable[Peer] = list(self.peers)
        if data.startswith(b'{"type":"update"') and next(turns) % 50 == 0:
            peers = list(peers)[1:]
        for peer in peers:
            peer.send(data)

    patch.setattr(Audience, "publish", forgetful)


def repeat_acts_again(patch: pytest.MonkeyPatch) -> None:
    """A repeated move is taken for a new one."""
    decided = Moves._decided

    def naive(self: Moves, peer: Peer, message: MakeMove, *rest: Any) -> Any:
        seat = message.seat or 0
        if self._answers.get(seat, message.id):
            self._answers.forget(seat)
            message = message.but(seq=self._update_log.state.seq)
        return decided(self, peer, message, *rest)

    patch.setattr(Moves, "_decided", naive)


PLANTS: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    ack_before_commit: "where the log has",
    lost_update: "one was lost",
    repeat_acts_again: "",
}
"""Each with a part of what is said of it; the last one may be noticed in several ways."""

"""Rounds: first what has arrived is handled, then what has to go out is written, each many at a time.

Between two calls into the kernel a processor forgets much of what it knew about the code it was running; a server that
reads, thinks, writes, reads, thinks, writes runs all of it cold. So frames are collected as they come in, handled one
after the other, and only then written, everything for the same peer in one piece. Under load a move costs a quarter
less; a table of a thousand who all cash out at once is told in a few thousand large writes instead of a million small
ones. Where one frame comes at a time, a round is one frame, and nobody waits for anything.
"""

import asyncio
from collections import deque
from time import monotonic
from typing import Protocol

LEAST = 16
"""So many frames are handled, if they are there, before anything is written: more would make the first ones wait."""
PEERS_PER_FRAME = 4
"""Where many peers have to be told, more frames are handled first: one for so many peers."""
LONGEST = 0.02
"""Seconds after which a round ends and lets others have the event loop; what is left is handled in the next one."""

LOOK_AT_CLOCK = 32
"""Writes between two looks at the clock."""


class Peer(Protocol):
    """Keeps what came from it, and what is to go out, itself."""

    def handle(self) -> None:
        """One frame that has arrived."""

    def write(self) -> None:
        """All that has to go out."""


class Rounds:
    def __init__(self) -> None:
        self._arrived: deque[Peer] = deque()
        self._leaving: deque[Peer] = deque()
        self._due = False

    def arrives(self, peer: Peer) -> None:
        """A frame came from this peer. It is handled in the next round. Asked for once for each frame."""
        self._arrived.append(peer)
        if not self._due:
            self._call()

    def leaves(self, peer: Peer) -> None:
        """There is something to write to this peer. Asked for once per round."""
        self._leaving.append(peer)
        if not self._due:
            self._call()

    def write_all(self) -> None:
        self._write(float("inf"))

    def _call(self) -> None:
        self._due = True
        asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        end = monotonic() + LONGEST
        while self._arrived or self._leaving:
            self._handle()
            self._write(end)
            if monotonic() >= end:
                break
        self._due = False
        if self._arrived or self._leaving:
            self._call()

    def _handle(self) -> None:
        handled = 0
        while self._arrived and (handled < LEAST or handled * PEERS_PER_FRAME < len(self._leaving)):
            self._arrived.popleft().handle()
            handled += 1

    def _write(self, end: float) -> None:
        written = 0
        while self._leaving:
            self._leaving.popleft().write()
            written += 1
            if not written % LOOK_AT_CLOCK and monotonic() >= end:
                break

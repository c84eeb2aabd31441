"""Batching: first all frames that have arrived are handled, then all output is written.

After a call into the kernel, much of the server's code is no longer in the caches of the processor. A server that
reads, computes and writes for each single frame therefore runs with cold caches. So frames are collected as they
arrive, handled one after the other, and only then the output is written, all of it for one peer in one piece.

Under load, a move costs 10 % less (docs/architecture/a-move.md). When a table of a thousand players all cash out at
once, there are a few thousand large writes instead of a million small ones. When only one frame comes at a time, a
batch is this one frame, and nothing is delayed.
"""

import asyncio
from collections import deque
from time import monotonic
from typing import Protocol

LEAST_FRAMES = 16
"""Frames that are handled, if so many have arrived, before anything is written. More would delay the first ones."""
PEERS_PER_FRAME = 4
"""If many peers wait for output, more frames are handled first: one for each so many peers."""
LONGEST_SECONDS = 0.02
"""Seconds after which a batch ends, so that other tasks get the event loop. The rest is handled in the next batch."""

WRITES_PER_CLOCK_CHECK = 32
"""Writes between two checks of the clock."""


class BatchPeer(Protocol):
    """A peer that queues its own incoming frames and its own output."""

    def handle(self) -> None:
        """Handle one frame that has arrived."""

    def write(self) -> None:
        """Write all output that is queued."""


class Batching:
    def __init__(self) -> None:
        self._arrived: deque[BatchPeer] = deque()
        self._leaving: deque[BatchPeer] = deque()
        self._due = False

    def arrives(self, peer: BatchPeer) -> None:
        """A frame came from this peer. It is handled in the next batch. Call this once for each frame."""
        self._arrived.append(peer)
        if not self._due:
            self._call()

    def leaves(self, peer: BatchPeer) -> None:
        """There is output for this peer. Call this once per batch, with the first output."""
        self._leaving.append(peer)
        if not self._due:
            self._call()

    def write_all(self) -> None:
        self._write(float("inf"))

    def _call(self) -> None:
        self._due = True
        asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        end = monotonic() + LONGEST_SECONDS
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
        while self._arrived and (handled < LEAST_FRAMES or handled * PEERS_PER_FRAME < len(self._leaving)):
            self._arrived.popleft().handle()
            handled += 1

    def _write(self, end: float) -> None:
        written = 0
        while self._leaving:
            self._leaving.popleft().write()
            written += 1
            if not written % WRITES_PER_CLOCK_CHECK and monotonic() >= end:
                break

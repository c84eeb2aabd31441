"""Measures the lag of the event loop: the delay that every player on this server feels. And a watchdog beside it.

The probe runs on the loop and measures how late it is. The watchdog is a thread. If the probe is late for more than
STALL_SECONDS, the watchdog logs once what the loop is doing, with its stack, and counts a stall.

A stall is the server's own fault only. Time in which the operating system lets the loop wait for a processor, or in
which the whole process was stopped, does not count.
"""

import logging
import sys
import threading
import time
import traceback

from dicegames_server.core.clock import Clock, Handle
from dicegames_server.core.metrics import Metrics
from dicegames_server.core.system import waited_seconds

log = logging.getLogger("dicegames.loop")
PROBE_SECONDS = 0.05
"""Seconds between two probes. A pause of the event loop that lasts longer is always noticed."""
STALL_SECONDS = 0.25
"""Seconds for which the loop may be held before it is logged and counted."""
WATCH_SECONDS = 0.1
"""Seconds between two looks of the watchdog."""
STACK_LINES = 12
"""Frames of the stack that are logged, the innermost ones."""


class LoopLag:
    def __init__(self, clock: Clock, metrics: Metrics) -> None:
        self._clock = clock
        self._metrics = metrics
        self._next: Handle | None = None
        self._watchdog = Watchdog(metrics)

    def start(self) -> None:
        self._watchdog.start()
        self._probe()

    def stop(self) -> None:
        self._watchdog.stop()
        if self._next:
            self._next.cancel()

    def _probe(self) -> None:
        self._due = self._clock.now() + PROBE_SECONDS
        self._next = self._clock.call_later(PROBE_SECONDS, self._beat)

    def _beat(self) -> None:
        late = max(0.0, self._clock.now() - self._due)
        self._metrics.lag.add(late)
        self._metrics.longest_lag = max(self._metrics.longest_lag, late)
        self._watchdog.beat()
        self._probe()


class Watchdog:
    """Start it on the thread of the loop. Call `beat` whenever the loop comes round."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._told = False
        """Whether the present stall was logged."""

    def start(self) -> None:
        self._loop_thread = threading.get_ident()
        self._native_id = threading.get_native_id()
        self._mark()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()

    def beat(self) -> None:
        """The loop comes round. What held it without letting the watchdog look is counted here, without a stack."""
        busy = time.thread_time() - self._busy
        if busy > STALL_SECONDS + PROBE_SECONDS and not self._told:
            self._count(busy, "")
        self._mark()

    def _mark(self) -> None:
        self._waited = self._waited_seconds()
        self._busy = time.thread_time()
        self._told = False
        self._at = time.monotonic()

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._ended.wait(WATCH_SECONDS):
            now = time.monotonic()
            if now - before < 2 * WATCH_SECONDS:  # else this thread could not run either: the process was stopped
                self._look(now)
            before = now

    def _look(self, now: float) -> None:
        held = now - self._at - PROBE_SECONDS
        if held <= STALL_SECONDS or self._told:
            return
        held -= self._waited_seconds() - self._waited
        frame = sys._current_frames().get(self._loop_thread)
        if held > STALL_SECONDS and frame is not None:
            self._told = True
            self._count(held, "".join(traceback.format_list(traceback.extract_stack(frame)[-STACK_LINES:])))

    def _count(self, held: float, stack: str) -> None:
        self._metrics.stalls += 1
        where = f", by:\n{stack}" if stack else ""
        log.warning("the event loop has been held for %d ms%s", round(held * 1000), where)

    def _waited_seconds(self) -> float:
        """Seconds for which the loop's thread was ready to run and waited for a processor. 0 where nobody tells."""
        return waited_seconds(self._native_id)

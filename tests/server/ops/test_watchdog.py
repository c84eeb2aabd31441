"""The watchdog: what holds the event loop is logged once, with its stack, and counted."""

import logging
import threading
import time

import pytest

from dicegames_server.core.metrics import Metrics
from dicegames_server.ops import loop_lag
from dicegames_server.ops.loop_lag import STALL_SECONDS, Watchdog


class Watched(Watchdog):
    """Its thread does not run: the test looks itself, at the time that it likes."""

    def __init__(self, metrics: Metrics) -> None:
        super().__init__(metrics)
        self.waited = 0.0

    def start(self) -> None:
        super().start()
        self.stop()

    def look(self, seconds: float) -> None:
        self._look(self._at + loop_lag.PROBE_SECONDS + seconds)

    def _waited_seconds(self) -> float:
        return getattr(self, "waited", 0.0)


@pytest.fixture
def watched() -> Watched:
    made = Watched(Metrics())
    made.start()
    return made


def test_what_holds_the_loop_is_logged_once_with_its_stack(watched: Watched, caplog: pytest.LogCaptureFixture) -> None:
    watched.look(STALL_SECONDS - 0.01)
    assert not caplog.records
    watched.look(STALL_SECONDS + 0.01)
    watched.look(STALL_SECONDS + 5)
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "held for 260 ms" in record.getMessage()
    assert "test_watchdog.py" in record.getMessage()
    assert watched._metrics.stalls == 1
    watched.beat()  # it goes on, and is held again
    watched.look(STALL_SECONDS + 0.01)
    assert watched._metrics.stalls == 2


def test_waiting_for_a_processor_is_not_the_servers_fault(watched: Watched) -> None:
    watched.waited = 10.0
    watched.look(STALL_SECONDS + 9)
    assert watched._metrics.stalls == 0
    watched.look(STALL_SECONDS + 11)
    assert watched._metrics.stalls == 1


def test_what_keeps_the_watchdog_itself_from_looking_is_counted_afterwards(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "thread_time", lambda: watched._busy + 1.0)
    watched.beat()
    assert watched._metrics.stalls == 1


def test_the_real_thread_notices(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_lag, "STALL_SECONDS", 0.0)
    metrics, told = Metrics(), threading.Event()
    dog = Watchdog(metrics)
    monkeypatch.setattr(dog, "_count", lambda held, stack: told.set())
    dog.start()
    assert told.wait(30)
    dog.stop()

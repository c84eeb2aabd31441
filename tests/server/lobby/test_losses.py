"""A room that another node has taken is left alone for a while: longer each time, and not in step."""

import pytest

from dicegames_server.lobby.nodes.losses import FORGET_LEASES, LONGEST_WAIT_SECONDS, Losses
from support.clock import FakeClock

LEASE = 2.0


def test_the_wait_grows_with_every_loss_and_has_an_end() -> None:
    clock = FakeClock()
    losses = Losses(clock, LEASE, jitter=lambda: 1.0)
    assert losses.wait_seconds("KQ7M") == 0
    assert [losses.note("KQ7M") for _ in range(5)] == [2, 4, 8, 8, 8]
    assert losses.wait_seconds("ABCD") == 0
    clock.advance(5)
    assert losses.wait_seconds("KQ7M") == 3
    clock.advance(3)
    assert losses.wait_seconds("KQ7M") == 0


def test_after_a_long_time_the_next_loss_is_the_first() -> None:
    clock = FakeClock()
    losses = Losses(clock, LEASE, jitter=lambda: 1.0)
    losses.note("KQ7M")
    losses.note("KQ7M")
    clock.advance(FORGET_LEASES * LEASE)
    assert losses.note("KQ7M") == LEASE


@pytest.mark.parametrize(("jitter", "wait"), [(0.0, 1.0), (0.5, 1.5), (1.0, 2.0)])
def test_nodes_do_not_try_in_step(jitter: float, wait: float) -> None:
    assert Losses(FakeClock(), LEASE, jitter=lambda: jitter).note("KQ7M") == wait


def test_nobody_waits_longer_than_a_player_would() -> None:
    losses = Losses(FakeClock(), 3600, jitter=lambda: 1.0)
    assert losses.note("KQ7M") == LONGEST_WAIT_SECONDS

"""For the operator of the server: its admin pages, and draining."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from dicegames_protocol.codec import parse_object
from dicegames_protocol.messages.client import Create, Rematch
from dicegames_protocol.messages.server import ServerNotice
from dicegames_server.core.metrics import BOUNDS, Histogram
from dicegames_server.lobby.drain import Drain
from dicegames_server.ops.admin import Admin
from dicegames_server.ops.loop_lag import PROBE_SECONDS, LoopLag
from dicegames_server.ops.status import Status
from support.hall import Hall

TOKEN = "a secret"


def admin_of(hall: Hall) -> tuple[Admin, list[float]]:
    asked: list[float] = []
    return Admin(hall.environment.metrics, Status(hall.environment, hall.lobby, "1.2.3"), TOKEN, asked.append), asked


async def test_status_counts_what_is_going_on() -> None:
    hall = Hall((3, 4))
    ana, _ = await hall.table("doubles", "ana", "bo")
    await (await hall.peer()).watch(ana.store.room or "")
    await ana.move("roll")
    admin, _ = admin_of(hall)
    await hall.wait(5)
    page = admin.answer("GET", "/status", "")
    assert (page.status, page.kind) == (200, "application/json")
    told = parse_object(page.text)
    assert told["up_seconds"] == 5
    assert [told[key] for key in ("rooms", "playing", "players", "spectators", "moves")] == [1, 1, 2, 1, 1]


async def test_metrics_are_what_prometheus_reads() -> None:
    hall = Hall((3, 4))
    ana, bo = await hall.table("doubles", "ana", "bo")
    await ana.move("roll")
    bo.drain()
    await bo.refused(bo.moving("nonsense"))
    hall.environment.metrics.cuts["too_slow"] += 2
    page = admin_of(hall)[0].answer("GET", "/metrics", "")
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(page.text)
        for sample in family.samples
    }
    assert samples["dicegames_rooms",] == 1
    assert samples["dicegames_moves_total",] == 1
    assert samples["dicegames_cuts_total", "too_slow"] == 2
    assert samples["dicegames_errors_total", "illegal_move"] == 1
    assert samples["dicegames_move_seconds_count",] == 1
    assert samples["dicegames_commit_seconds_count",] >= 5
    assert samples["dicegames_loop_lag_seconds_count",] == 0


def test_times_fall_into_their_buckets() -> None:
    times = Histogram()
    for seconds in (0, BOUNDS[0], 0.0007, 99):
        times.add(seconds)
    assert (times.counts[0], times.counts[1], times.counts[-1], sum(times.counts)) == (2, 1, 1, 4)


@pytest.mark.parametrize(
    ("method", "target", "authorization", "status"),
    [
        ("GET", "/healthz", "", 200),
        ("HEAD", "/healthz", "", 200),
        ("GET", "/ready", "", 200),
        ("GET", "/", "", 404),
        ("GET", "http://[", "", 400),
        ("GET", "/drain", f"Bearer {TOKEN}", 404),
        ("POST", "/drain", "", 401),
        ("POST", "/drain", "Bearer wrong", 401),
        ("POST", "/drain", "Bearer \xff", 401),
        ("POST", "/drain?within=-1", f"Bearer {TOKEN}", 400),
        ("POST", "/drain?within=nan", f"Bearer {TOKEN}", 400),
        ("POST", "/drain?within=soon", f"Bearer {TOKEN}", 400),
        ("POST", "/drain?within=30", f"Bearer {TOKEN}", 200),
    ],
)
async def test_pages_and_who_may_see_them(method: str, target: str, authorization: str, status: int) -> None:
    admin, asked = admin_of(Hall())
    assert admin.answer(method, target, authorization).status == status
    assert asked == ([30] if status == 200 and method == "POST" else [])


async def test_without_a_token_nobody_drains() -> None:
    hall = Hall()
    admin = Admin(hall.environment.metrics, Status(hall.environment, hall.lobby, "1.2.3"), "", lambda seconds: None)
    assert admin.answer("POST", "/drain", "Bearer ").status == 401


async def test_a_drained_server_finishes_its_games_and_begins_no_new_ones() -> None:
    hall = Hall()
    ana, bo = await hall.table("double-or-nothing", "ana", "bo", options={"target": 3})
    over: list[bool] = []
    drain = Drain(hall.lobby, hall.clock, lambda: over.append(True))
    admin, _ = admin_of(hall)
    drain.begin(600)
    drain.begin(600)
    hall.drain(ana, bo)
    assert [message for message in ana.seen if isinstance(message, ServerNotice)] == [
        ServerNotice(message="The server is about to restart: no new games for the moment.")
    ]
    assert admin.answer("GET", "/healthz", "").status == 503
    assert admin.answer("GET", "/ready", "").status == 404
    await hall.wait(60, ana, bo)
    assert not over
    error = await (await hall.peer()).refused(Create(id="x", game="doubles", name="cy"))
    assert error.code == "unavailable"
    while ana.phase == "playing":
        mover = ana if ana.store.table["offers"]["add"].get("seat") == ana.seat else bo
        await mover.move("add")
        hall.drain(ana, bo)
    assert (await ana.refused(Rematch(id="again"))).code == "unavailable"
    await hall.wait(1)
    assert over == [True]


async def test_a_drain_does_not_wait_for_ever() -> None:
    hall = Hall()
    await hall.table("doubles", "ana", "bo")
    over: list[bool] = []
    Drain(hall.lobby, hall.clock, lambda: over.append(True)).begin(30)
    await hall.wait(29)
    assert not over
    await hall.wait(2)
    assert over == [True]


def test_a_late_loop_is_noticed() -> None:
    from dicegames_server.core.metrics import Metrics
    from support.clock import FakeClock

    clock, metrics = FakeClock(), Metrics()
    pulse = LoopLag(clock, metrics)
    pulse.start()
    clock.advance(PROBE_SECONDS)
    assert (sum(metrics.lag.counts), metrics.longest_lag) == (1, 0)
    pulse.stop()
    clock.advance(PROBE_SECONDS)
    assert sum(metrics.lag.counts) == 1

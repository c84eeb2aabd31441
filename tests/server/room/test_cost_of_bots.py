"""What bots cost: planning follows what changed, and what may take long is left to the worker."""

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import pytest

from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_protocol.messages.client import AddBot, AskOdds, ChangeOptions, Create, Leave, Start
from dicegames_protocol.messages.server import Ack, Odds, Update
from dicegames_server.bots.theory.farkle import outlook
from dicegames_server.bots.theory.farkle.duel import HouseRules
from dicegames_server.bots.theory.farkle.points import for_points, to_reach
from dicegames_server.bots.theory.farkle.turn import MOST_ROWS, Turn
from dicegames_server.bots.theory.sevens_outlook import Position, best_turn
from dicegames_server.bots.theory.sevens_totals import Cells
from dicegames_server.core.worker import TooMuch
from dicegames_server.games.farkle import Farkle
from dicegames_server.games.match import Match
from support.hall import Hall, Peer

T = TypeVar("T")
BOTS = 100


class Recording:
    """A worker that notes who wants what, and refuses what it is told to refuse."""

    def __init__(self, *refuses: str) -> None:
        self.refuses = refuses
        self.keys: list[Hashable] = []

    async def run(self, key: Hashable, work: Callable[[], T]) -> T:
        self.keys.append(key)
        if isinstance(key, tuple) and key[0] in self.refuses:
            raise TooMuch
        return work()

    def asked(self, kind: str) -> bool:
        return any(isinstance(key, tuple) and key[0] == kind for key in self.keys)


async def with_bots(hall: Hall, game: str, count: int, level: str, **fields: Any) -> Peer:
    ana = await hall.peer()
    await ana.create(game, "ana", seats=count + 1 if game != "double-or-nothing" else 2, **fields)
    await ana.expect(Ack, AddBot(id="bots", count=count, level=level))
    await ana.expect(Ack, Start(id="start"))
    await hall.settle()
    return ana


@pytest.mark.parametrize(("game", "level"), [("sevens", "expert"), ("doubles", "steady"), ("farkle", "steady")])
async def test_planning_follows_what_changed(game: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full look at all bots after every update cost 15 rooms of 1,000 bots 169 ms of everybody's time."""
    looks = 0
    real = Match.may

    def counted(match: Match, seat: int) -> Any:
        nonlocal looks
        looks += 1
        return real(match, seat)

    hall = Hall(bots_per_address=0)
    ana = await with_bots(hall, game, BOTS, level)
    eva = await hall.peer()
    await eva.watch(hall.room(ana).code)
    await ana.expect(Ack, Leave(id="leave"))
    await hall.wait(1, eva)
    monkeypatch.setattr(Match, "may", counted)
    before = len(eva.updates)
    for _ in range(3 * BOTS):
        await hall.wait(1, eva)
    updates = len(eva.updates) - before
    assert updates >= 2 * BOTS, "hardly anything happened"
    assert looks <= 20 * updates, f"{looks / updates:.0f} looks at a seat for each update"


async def test_odds_experts_and_options_are_worked_out_in_the_worker() -> None:
    worker = Recording()
    hall = Hall((1, 2, 3, 4, 6, 6), (1, 2, 3, 4, 6, 6), worker=worker)
    ana = await with_bots(hall, "farkle", 1, "expert")
    assert worker.asked("options")
    assert worker.asked("prepare")
    await ana.expect(Odds, AskOdds(id="odds"))
    assert worker.asked("odds")
    await ana.move("roll")
    await ana.move("bank", choice="1")
    await hall.wait(1, ana)
    await hall.wait(1, ana)
    assert worker.asked("bot")


async def test_a_bot_that_would_think_too_long_plays_by_a_simpler_rule() -> None:
    hall = Hall((1, 2, 3, 4, 6, 6), (1, 1, 3, 4, 6, 6), worker=Recording("bot", "prepare"))
    ana = await with_bots(hall, "farkle", 1, "expert")
    await ana.move("roll")
    await ana.move("bank", choice="1")
    before = len(ana.updates)
    await hall.wait(1, ana)
    await hall.wait(1, ana)
    assert len(ana.updates) >= before + 2


async def test_odds_that_are_too_large_are_said_so() -> None:
    hall = Hall((1, 2, 3, 4, 6, 6), worker=Recording("odds"))
    (ana, _) = await hall.table("farkle", "ana", "bo")
    odds = await ana.expect(Odds, AskOdds(id="odds"))
    assert odds.note == "That is too large to work out now."


async def test_options_that_lead_to_no_end_are_refused() -> None:
    hall = Hall()
    ana = await hall.peer()
    refused = await ana.refused(Create(id="c", game="farkle", name="ana", options={"opening": 9000}))
    assert refused.code == "bad_message" and "opening is out of reach" in refused.message
    await ana.create("farkle", "ana")
    refused = await ana.refused(ChangeOptions(id="o", options={"minimum": 9000}))
    assert "minimum is out of reach" in refused.message
    assert not [update for update in ana.updates if isinstance(update, Update) and update.cause.kind == "options"]


def test_the_work_does_not_grow_with_options_and_scores() -> None:
    """The case from outside: a straight worth a million, with single fives of 25 points."""
    options = FarkleOptions.read({"straight": 1_000_000, "values": {"5": 25}, "target": 1_000_000})
    scoring = Farkle(options).scoring
    rules = HouseRules(scoring, options.target, 0, 0)

    def position(left: tuple[int, ...], coming: int | None) -> outlook.Position:
        return outlook.Position(rules, outlook.Standing(left, coming), 0, 0)

    turns: list[Turn] = [
        to_reach(scoring, 10_000_000),
        to_reach(scoring, 10**9),
        outlook.best_turn(position((-(10**8), *(-(10**9),) * 8), 8)),
        outlook.best_turn(position((10**6,) * 9, None)),
        for_points(scoring, 1_000_000, options.target),
    ]
    for turn in turns:
        turn.of_rolling(0, 6)
        assert turn.rows <= MOST_ROWS + 1


@pytest.mark.parametrize("to_come", [0, 3, 900])
def test_an_expert_of_sevens_reckons_with_a_few_rivals_only(to_come: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 1,000 players the exact chances took minutes."""
    seen: list[int] = []
    real = Cells.below

    def counted(cells: Cells, total: float, turns: int) -> list[float]:
        seen.append(cells.number)
        return real(cells, total, turns)

    monkeypatch.setattr(Cells, "below", counted)
    best_turn(Position(tuple(range(1000)), 0, to_come))
    assert 0 < len(seen) < 150
    assert max(seen) < 1000

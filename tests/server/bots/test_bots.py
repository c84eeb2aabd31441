"""Bots at the table, and bots against each other."""

import random
from itertools import pairwise

import pytest

from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games import keys
from dicegames_protocol.messages.client import AddBot, Join, Start
from dicegames_protocol.messages.server import Ack, Joined, Said
from dicegames_protocol.table import Move
from dicegames_server import bots
from dicegames_server.bots import remarks_of, strategies_of
from dicegames_server.bots.anything import Anything
from dicegames_server.bots.arena.contestants import ArenaError
from dicegames_server.bots.arena.contests import check, interval, play_one, report, run, run_all, table
from dicegames_server.bots.doubles_windows import ThirdSeven
from dicegames_server.bots.talk import remark
from dicegames_server.games import rules_of
from dicegames_server.games.match import Match
from support.hall import Hall
from support.throwaway import GAMES as THROWAWAY
from support.throwaway import throwaway_games

GAMES = {"double-or-nothing": 600, "sevens": 600, "farkle": 60, "doubles": 40}
QUICK = {"farkle": {"target": 3000}, "doubles": {"rounds": 4}}


def share(game: str, one: str, two: str, games: int) -> float:
    tally = run(game, [one, two], QUICK.get(game, {}), range(games), seed=5)
    return tally.wins[0] / tally.games


def has_bots(game: str) -> bool:
    """A game need not have strategies of its own: then bots take any of its offers, on every level."""
    return type(strategies_of(game, random.Random())["expert"]) is not Anything


@pytest.mark.parametrize("game", [key for key in keys() if has_bots(key)])
@pytest.mark.parametrize(("better", "worse"), [(two, one) for one, two in pairwise(LEVELS)])
def test_each_level_beats_the_one_below(game: str, better: str, worse: str) -> None:
    """The short form; docs/bots.md has the command for ten thousand games."""
    assert share(game, better, worse, GAMES.get(game, 100)) > 0.5


def test_a_game_without_bots_of_its_own_is_played_all_the_same() -> None:
    with throwaway_games():
        for game in THROWAWAY:
            assert not has_bots(game)
            assert run(game, list(LEVELS), {}, range(3), seed=1).games == 3


@pytest.mark.parametrize("fixed", ["at-300", "at-500", "at-1000", "at-2000", "at-5000", "third-seven"])
def test_no_fixed_pot_beats_the_expert(fixed: str) -> None:
    assert share("doubles", "expert", fixed, 30) > 0.5


def test_experts_do_not_ruin_each_other_at_doubles() -> None:
    """Among several players, a steady bot must not be the one who profits."""
    tally = run("doubles", ["expert", "expert", "steady"], {}, range(30), seed=3)
    assert min(tally.wins[:2]) > tally.wins[2]


def test_the_expert_never_loses_a_won_game() -> None:
    """From 1 to 20 the second player wins."""
    rules = rules_of("double-or-nothing")
    assert rules
    for number in range(1000):
        rng = random.Random(number)
        bots = strategies_of("double-or-nothing", rng)
        other = ("easy", "steady", "expert")[number % 3]
        match, _ = play_one(rules(rules.options_type.read({"first": "1"})), [bots[other], bots["expert"]], rng)
        assert match.winners == (1,)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("farkle", {"preset": "boxed", "target": 2000}),
        ("farkle", {"preset": "kcd", "three-farkles": 500}),
        ("farkle", {"values": "111=333,5=55", "target": 2000, "minimum": 300}),
        ("doubles", {"rounds": "2-4"}),
        ("doubles", {"rounds": 2, "window": 0}),
        ("sevens", {"rounds": 1}),
        ("double-or-nothing", {"target": 97, "start": 5, "best-of": 3}),
    ],
)
def test_experts_play_under_any_options(game: str, options: dict[str, object]) -> None:
    names = ["expert", "steady"] if game == "double-or-nothing" else ["expert", "steady", "easy"]
    assert run(game, names, options, range(6), seed=2).games == 6


@pytest.mark.parametrize("game", keys())
@pytest.mark.parametrize("level", LEVELS)
async def test_bots_play_at_a_table(game: str, level: str) -> None:
    hall = Hall(bot_seconds=0.5)
    ana = await hall.peer()
    await ana.create(game, options={"rounds": 1} if game in ("doubles", "sevens") else QUICK.get(game, {}))
    await ana.expect(Ack, AddBot(id="1", level=level))
    await ana.expect(Ack, Start(id="2"))
    for _ in range(400):
        await hall.wait(12, ana)
        if ana.store.wanted() is not None:
            take = next(iter(ana.store.offers(ana.seat)))
            choices = ana.store.offers(ana.seat)[take].choices
            await ana.move(take, choice=next(iter(choices)) if choices else None)
        if ana.phase == "over":
            break
    assert ana.phase == "over"
    hall.check(ana)


async def test_a_bot_that_lets_it_pass_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked once about each state of the game, and again when the state has changed."""
    asked: list[int] = []

    class Passing(ThirdSeven):
        def wakes(self, match: Match, seat: int) -> bool:
            return bool(match.may(seat))

        def choose(self, match: Match, seat: int) -> Move | None:
            asked.append(seat)
            return None

    monkeypatch.setattr(bots, "_made", lambda game: lambda rng: {"steady": Passing()})
    monkeypatch.setattr(bots, "_known", lambda game: {"steady": Passing()})
    hall = Hall((3, 4), (1, 2), bot_seconds=1)
    ana = await hall.peer()
    await ana.create("doubles", options={"window": 0})
    await ana.expect(Ack, AddBot(id="1"))
    await ana.expect(Ack, Start(id="2"))
    await ana.move("roll")
    for _ in range(5):
        await hall.wait(2, ana)
    assert len(asked) == 1
    await ana.move("cash")  # what others cash out does not matter to it
    await hall.wait(2, ana)
    assert len(asked) == 1


async def test_bots_talk_and_can_be_told_not_to() -> None:
    for talks in (True, False):
        hall = Hall(bot_seconds=1, bot_talk=talks)
        ana = await hall.peer()
        await ana.create("farkle", options={"target": 5000})
        await ana.expect(Ack, AddBot(id="1", count=3, level="easy"))
        await ana.expect(Ack, Start(id="2"))
        for _ in range(300):
            await hall.wait(1, ana)
            if ana.store.wanted() is not None:
                offer = ana.store.offers(ana.seat)["roll"]
                await ana.move("roll", choice=next(iter(offer.choices)) if offer.choices else None)
            if ana.phase == "over":
                break
        assert any(isinstance(message, Said) for message in ana.seen) == talks


def test_mostly_nothing_is_said() -> None:
    assert remark((), 0, remarks_of("doubles")) is None


def test_the_arena_says_what_can_not_be_played() -> None:
    with pytest.raises(ArenaError, match="There is no game called 'chess'"):
        check("chess", ["easy"], {})
    with pytest.raises(ArenaError, match="There is no bot 'genius' for sevens"):
        check("sevens", ["genius", "easy"], {})
    with pytest.raises(ArenaError, match="Double or Nothing is for 2 players; here are 3"):
        check("double-or-nothing", ["easy"] * 3, {})


def test_the_arena_is_repeatable_and_counts() -> None:
    tallies = [run("sevens", ["expert", "easy", "steady"], {}, range(20), seed=4) for _ in range(2)]
    assert tallies[0].wins == tallies[1].wins
    assert sum(tallies[0].wins) == pytest.approx(20)
    (*_, whole) = run_all("sevens", ["expert", "easy", "steady"], {}, 20, 4, jobs=1)
    assert whole.wins == tallies[0].wins
    assert "20 games" in report(table(["expert", "easy", "steady"], whole), whole)[-1]
    low, high = interval(50, 100)
    assert (round(low, 3), round(high, 3)) == (0.404, 0.596)


async def test_a_table_without_bots() -> None:
    hall = Hall()
    ana, program = await hall.peer(), await hall.peer()
    room = (await ana.create("farkle", bots=False)).room
    assert (await ana.refused(AddBot(id="1"))).code == "unauthorized"
    error = await program.refused(Join(id="2", room=room, name="robot", program=True))
    assert error.message == "There are no bots at this table: it was opened without them."
    other = (await (await hall.peer()).create("farkle", name="deb")).room
    joined = await program.expect(Joined, Join(id="3", room=other, name="robot", program=True))
    assert joined.snapshot.seats["1"].program


WILD_OPTIONS: dict[str, list[dict[str, object]]] = {
    "farkle": [
        {"values": "2=20,3=30,4=40,6=60", "target": 2000},  # nothing is ever lost: ties went on for ever
        {"values": {str(face): 1_000_000 for face in range(1, 7)}, "target": 50},
        {"straight": 1_000_000, "values": {"5": 25}},
        {"values": {str(face) * number: 1 for face in range(1, 7) for number in range(1, 7)}, "target": 200},
    ],
    "doubles": [{"rounds": 1, "window": 0}, {"rounds": "1-60"}],
    "sevens": [{"rounds": 1}],
    "double-or-nothing": [{"target": 1000, "start": 999}, {"target": 2, "best_of": 99}],
}
MOST_MOVES = 5000


def some_options(game: str, rng: random.Random) -> dict[str, object]:
    """Random options of a game, of which many make no sense; short enough to be played."""
    if game != "farkle":
        return {}
    scale = rng.choice([1, 25, 100, 1000, 1_000_000])
    kinds = [str(face) * number for face in range(1, 7) for number in range(1, 7)]
    return {
        "table": rng.choice(["multiplier", "doubling", "set-value"]),
        "values": {key: rng.randint(0, scale) for key in rng.sample(kinds, rng.randint(0, 36))},
        "target": rng.randint(50, 2000),
        **{name: rng.choice([0, 0, rng.randint(1, scale)]) for name in ("straight", "three_pairs", "two_triplets")},
        **{name: rng.choice([0, rng.randint(1, 1000)]) for name in ("opening", "minimum", "three_farkles")},
    }


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("game", keys())
def test_every_level_plays_any_options_to_the_end(game: str, level: str) -> None:
    """What `endless` admits, bots can end: with two and with five of a level at the table."""
    rng = random.Random(7)
    wild = [*WILD_OPTIONS[game], *(some_options(game, rng) for _ in range(2 if level == "expert" else 5))]
    played = 0
    for options in wild:
        kind = rules_of(game)
        assert kind
        rules = kind(kind.options_type.read(options))
        if rules.endless():
            continue
        for many in {2, rules.most or 5} if options == WILD_OPTIONS[game][0] else {2}:
            strategy = strategies_of(game, rng)[level]
            try:
                play_one(rules, [strategy] * many, rng, most_moves=MOST_MOVES * many)
            except ArenaError:
                pytest.fail(f"no end after {MOST_MOVES * many} moves of {many} bots: {options}")
            played += 1
    assert played >= len(WILD_OPTIONS[game])

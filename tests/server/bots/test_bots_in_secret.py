"""Bots of Doubles in sealed windows: nobody waits for anybody, and nobody sees what others have decided."""

import random

import pytest

from dicegames_protocol.games.doubles import DoublesOptions, DoublesState
from dicegames_protocol.table import Move
from dicegames_server.bots import exploiters_of, strategies_of
from dicegames_server.bots.arena.contests import run
from dicegames_server.games.doubles import Doubles
from dicegames_server.games.match import Match

SEVENS = [(6, 1), (5, 2), (4, 3)]


def window(players: int, *, sealed: bool, pots: int = 0) -> Match:
    rules = Doubles(DoublesOptions.read({"sealed": sealed, "rounds": 3}))
    match, _ = Match.start(rules, range(players), None, ())
    for faces in [*SEVENS[:2], *[(6, 6)] * pots, SEVENS[2]]:
        assert isinstance(match.state, DoublesState)
        match, _ = match.play(match.check(match.state.roller, Move(take="roll")), faces)
    return match


@pytest.mark.parametrize("players", [2, 3, 6])
@pytest.mark.parametrize("pots", [0, 2, 4])
def test_the_expert_decides_by_the_same_mix_as_in_the_open(players: int, pots: int) -> None:
    secret, known = window(players, sealed=True, pots=pots), window(players, sealed=False, pots=pots)
    for seed in range(40):
        expert = {sealed: strategies_of("doubles", random.Random(seed))["expert"] for sealed in (True, False)}
        in_secret = expert[True].choose(secret.seen_by(1), 1)
        in_the_open = expert[False].choose(known.seen_by(1), 1)
        assert in_secret and in_the_open
        assert (in_secret.take, in_secret.choice) == ("decide", in_the_open.take)


@pytest.mark.parametrize("name", ["expert", "steady", "easy", *exploiters_of("doubles", random.Random(1))])
def test_nobody_waits_and_nobody_sees(name: str) -> None:
    """Each decides the same, whatever the others have decided before it."""

    def decided(*before: str) -> Move | None:
        match = window(4, sealed=True, pots=2)
        for seat, choice in enumerate(before, start=1):
            match, _ = match.play(match.check(seat, Move(take="decide", choice=choice)), ())
        rng = random.Random(5)
        bot = {**exploiters_of("doubles", rng), **strategies_of("doubles", rng)}[name]
        seen = match.seen_by(0)
        assert bot.wakes(seen, 0) and not bot.waits(seen, 0)
        return bot.choose(seen, 0)

    found = {decided(*before) for before in [(), ("cash",), ("hold",), ("cash", "cash"), ("hold", "cash")]}
    assert len(found) == 1 and next(iter(found)) is not None


@pytest.mark.parametrize("names", [("expert", "shadow"), ("expert", "easy", "third-seven")])
def test_the_arena_plays_sealed_games_to_the_end(names: tuple[str, ...]) -> None:
    assert run("doubles", names, {"sealed": True, "rounds": 2}, range(6), seed=1).games == 6

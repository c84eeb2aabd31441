"""The moves of bots are worked out again by `verify`: whoever changes them has to change their version, too."""

import hashlib
import random

import pytest

from dicegames_protocol.bot_levels import LEVELS
from dicegames_protocol.games import keys
from dicegames_protocol.table import Player
from dicegames_server.bots import BOTS_VERSION, strategy_with
from dicegames_server.games import rules_of
from dicegames_server.games.base import Need
from dicegames_server.games.match import Match

MOVES = 120
PLAYED = {
    (2, "double-or-nothing"): "cf50bdab42844e67",
    (2, "doubles"): "fa9755dd288995eb",
    (2, "farkle"): "8faa43e0b1be957b",
    (2, "sevens"): "b36406a3c65d3c0c",
}
"""Version and game -> a hash of what its bots played."""


def faces(rng: random.Random, need: Need | None) -> tuple[int, ...]:
    return tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()


def moves_of(game: str) -> str:
    kind = rules_of(game)
    assert kind
    rules = kind(kind.options_type.read({}))
    played = hashlib.sha256()
    for level in LEVELS:
        rng = random.Random(f"{game}/{level}")
        left = MOVES
        while left:
            match, _ = Match.start(rules, [0, 1], None, faces(rng, rules.opening(None)))
            while match.winners is None and left:
                left -= 1
                seat = next(seat for seat in (0, 1) if match.waits_for(seat))
                strategy = strategy_with(game, Player(name="bot", bot=level), rng.getrandbits(64))
                move = strategy.choose(match.seen_by(seat), seat)
                assert move
                played.update(move.model_dump_json().encode())
                act = match.check(seat, move, "bot")
                match, _ = match.play(act, faces(rng, match.needs(act)))
    return played.hexdigest()[:16]


@pytest.mark.parametrize("game", keys())
def test_bots_of_one_version_always_play_the_same(game: str) -> None:
    told = "If a bot plays otherwise on purpose, count BOTS_VERSION up, and write its hash into this table."
    assert moves_of(game) == PLAYED.get((BOTS_VERSION, game)), told

"""How long the review of a game takes, from its log alone: the first time under these rules, and once more.

    .venv/bin/python tests/bench/review.py

Bots play whole games of about ten rounds. The first time includes what is worked out once for the rules.
"""

import random
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from dicegames_server.audit.review.reviewing import review, whole
from dicegames_server.bots import strategies_of
from support.dice import ScriptedDice
from support.pure_table import PureTable

GAMES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("double-or-nothing", 2, {"best_of": 3}),
    ("doubles", 2, {"rounds": 10}),
    ("doubles", 6, {"rounds": 10}),
    ("sevens", 2, {"rounds": 10}),
    ("sevens", 6, {"rounds": 10}),
    ("farkle", 2, {"target": 500}),
    ("farkle", 2, {"target": 5000}),
    ("farkle", 2, {}),
    ("farkle", 4, {}),
)
NAMES = ("ana", "bo", "cy", "di", "ed", "flo")


def played(game: str, players: int, options: dict[str, Any]) -> PureTable:
    """A whole game of steady bots."""
    table = PureTable(game, *NAMES[:players], dice=ScriptedDice(seed=7), **options).start()
    bot = strategies_of(game, random.Random(7))["steady"]
    while table.state.playing:
        match = table.state.match
        assert match
        seat = next(seat for seat in range(players) if match.waits_for(seat))
        move = bot.choose(match, seat)
        assert move
        table.move(seat, move.take, choice=move.choice)
    return table


def main() -> None:
    print(f"{'game':<19}{'players':>8}{'updates':>9}{'decisions':>11}{'first':>10}{'again':>10}")
    for game, players, options in GAMES:
        table = played(game, players, options)
        seconds = []
        for _ in range(2):
            began = time.perf_counter()
            found = whole(review(table.updates))
            seconds.append(time.perf_counter() - began)
        decisions = sum(player.decisions for player in found.players)
        told = "".join(f"{second:>8.2f} s" for second in seconds)
        print(f"{game:<19}{players:>8}{len(table.updates):>9}{decisions:>11}{told}  {options or ''}")


if __name__ == "__main__":
    main()

"""How often experts of Sevens win at tables of several, far more precisely than by counting wins.

    .venv/bin/python tests/bench/sevens_tables.py expert,steady,steady,steady --games 5000

If everybody were steady, the chance of each player after any turn would be known exactly. So each turn of an expert has
a worth: what it adds to these chances on average, compared with a steady turn. The share of wins is the fair share and
all that was added. That is no approximation: only which totals come up is chance.
"""

import argparse
import random
import sys
from bisect import bisect
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from statistics import fmean, stdev

sys.path.insert(0, str(Path(__file__).parents[1]))

from dicegames_server.bots.theory.sevens import MOST
from dicegames_server.bots.theory.sevens_outlook import Position, best_turn
from dicegames_server.bots.theory.sevens_totals import highest, mixed
from support.sevens_turns import steady_turn

STEADY = steady_turn()
SURE = 2.576
"""Standard errors on each side, for 99 %."""


@lru_cache
def steady_sums(turns: int) -> list[float]:
    """How likely so many steady turns are to bring fewer than 0, 1, 2 … points."""
    found = [1.0]
    for _ in range(turns):
        found = [
            sum(found[points - end] * STEADY[end] for end in range(MOST + 1) if 0 <= points - end < len(found))
            for points in range(len(found) + MOST)
        ]
    return list(accumulate(found, initial=0.0))


def below(total: int, turns: int, first: int, last: int) -> list[float]:
    table = steady_sums(turns)
    return [table[min(max(points - total, 0), len(table) - 1)] for points in range(first, last + 2)]


def chances(position: Position, ends: Sequence[float]) -> list[float]:
    """The chances of all after a turn that ends so, if everybody is steady from then on."""
    totals, place, to_come = position
    turns = [to_come + (number > place) for number in range(len(totals))]
    last = max(total + MOST * (more + 1) for total, more in zip(totals, turns, strict=True))
    rows = [below(total, more, max(totals), last) for total, more in zip(totals, turns, strict=True)]
    mine = [(share, below(totals[place] + end, to_come, max(totals), last)) for end, share in enumerate(ends) if share]
    rows[place] = mixed(mine)
    return highest(rows)


@lru_cache(maxsize=4096)
def expert_turn(position: Position) -> list[float]:
    return best_turn(position).ends()


def play(seats: Sequence[str], rounds: int, rng: random.Random) -> list[float]:
    """Play a game, seated by chance. Gives what the turns of experts added to the chance of each seat."""
    added, total = [0.0] * len(seats), [0] * len(seats)
    playing = rng.sample(range(len(seats)), len(seats))
    while len(playing) > 1:
        for place, seat in enumerate(playing):
            lowest = min(total[other] for other in playing)
            totals = tuple(total[other] - lowest for other in playing)
            position = Position(totals, place, max(0, rounds - 1))
            ends = STEADY
            if seats[seat] == "expert":
                ends = expert_turn(position)
                both = zip(playing, chances(position, ends), chances(position, STEADY), strict=True)
                for other, after, otherwise in both:
                    added[other] += after - otherwise
            total[seat] += min(MOST, bisect(list(accumulate(ends)), rng.random()))
        rounds -= 1
        if rounds <= 0:
            playing = [seat for seat in playing if total[seat] == max(total[other] for other in playing)]
    return added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seats", help="expert or steady for each seat, with commas")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    seats, rng = asked.seats.split(","), random.Random(asked.seed)
    games = [play(seats, asked.rounds, rng) for _ in range(asked.games)]
    for name in dict.fromkeys(seats):
        own = [number for number, other in enumerate(seats) if other == name]
        found = [1 / len(seats) + fmean(game[number] for number in own) for game in games]
        half = SURE * stdev(found) / len(found) ** 0.5
        low, high = fmean(found) - half, fmean(found) + half
        fair = f"fair is {1 / len(seats):.2%}"
        print(f"{name:<8} wins {fmean(found):.2%} of its games, 99 % interval {low:.2%} to {high:.2%}; {fair}")


if __name__ == "__main__":
    main()

"""How often the expert of Farkle wins against perfect play, one against one, worked out without playing.

    .venv/bin/python tests/bench/farkle_strength.py --target 2000

Perfect play is solved exactly, which takes a minute. Each turn of both is then known with all its ends, and so is the
chance to win of the expert from every pair of scores. 0.5 is perfect: nobody can win more against perfect play.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from dicegames_protocol.games.farkle import FarkleOptions
from dicegames_server.bots.theory.farkle.duel import Duel, HouseRules, duel
from dicegames_server.bots.theory.farkle.outlook import Position, Standing, best_turn
from dicegames_server.bots.theory.farkle.points import for_points
from dicegames_server.bots.theory.farkle.turn import Ends, step
from dicegames_server.games.farkle_scoring import Scoring

SWEEPS = 80
"""How often two chances that depend on each other are worked out. Each sweep makes the error ten times smaller."""
Chances = dict[tuple[int, int], float]
"""Points left to whoever is to move and to the other one -> the chance of the expert."""


def strength(known: Duel, expert: HouseRules, *, points: bool = False) -> float:
    """What the expert wins from the start, if both begin equally often. `points`: it plays for points instead."""
    apart, target = step(expert.scoring), expert.target
    first: Chances = {}
    second: Chances = {}
    left = range(apart, target + 1, apart)
    for total in range(2 * apart, 2 * target + 1, apart):
        for mine in left:
            theirs = total - mine
            if theirs not in left or theirs > mine:
                continue
            pairs = {(mine, theirs), (theirs, mine)}
            found = []
            for one, two in pairs:
                ours, perfect = of_expert(expert, one, two, points=points), known.turn(one, two).ends()
                won = banked(known, ours, one, two, second), banked(known, perfect, one, two, first, of_expert=False)
                found.append((one, two, ours.farkle, won[0], perfect.farkle, won[1]))
                first[one, two] = second[one, two] = 0.5
            for _ in range(SWEEPS):
                for one, two, our_farkle, ours_won, their_farkle, theirs_won in found:
                    first[one, two] = ours_won + our_farkle * second[two, one]
                    second[one, two] = theirs_won + their_farkle * first[two, one]
    return (first[target, target] + second[target, target]) / 2


def of_expert(rules: HouseRules, mine: int, theirs: int, *, points: bool) -> Ends:
    if points:
        return for_points(rules.scoring, 0, rules.target).ends()
    return best_turn(Position(rules, Standing((mine, theirs)), 0, 0)).ends()


def banked(known: Duel, ends: Ends, mine: int, theirs: int, after: Chances, *, of_expert: bool = True) -> float:
    """The chance that the expert wins and the turn is banked. `of_expert`: it is the expert's turn."""
    total = 0.0
    for points, chance in ends.banked.items():
        left = mine - points
        if left > 0:
            total += chance * after[theirs, left]
        else:
            overtaken = known.last_word.overtakes(theirs - left)
            total += chance * (1 - overtaken if of_expert else overtaken)
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", type=int, default=2000)
    target = parser.parse_args().target
    scoring = Scoring.of(FarkleOptions())
    began = time.perf_counter()
    duel(scoring, target, 0, 0).work_out()
    print(f"target {target:,}: the expert's chances took {time.perf_counter() - began:.2f} s")
    perfect = Duel(HouseRules(scoring, target, 0, 0, most_exact=target))
    perfect.work_out()
    print(f"the best turn for points wins {strength(perfect, HouseRules(scoring, target, 0, 0), points=True):.4f}")
    print(f"the expert wins               {strength(perfect, HouseRules(scoring, target, 0, 0)):.4f}")


if __name__ == "__main__":
    main()

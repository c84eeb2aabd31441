"""How many mutants of the pure core the tests kill. A sample of 50 takes about ten minutes.

    .venv/bin/python tests/mutation/run.py [--only games/doubles.py,...] [--sample N] [--seed S]

A mutant is a module with one small change: a `<` that is `<=`, a 4 that is 5, a `not` too many. It is killed when one
of the module's tests fails, or takes four times as long as usual. A mutant that survives is a change that nobody would
notice. cosmic-ray finds the mutants; they live in a temporary copy of the checkout, one at a time.

With `--sample` so many mutants of each module are tried, chosen by the seed; without it all of them, which takes
the better part of an hour. Mutants that tell nothing about the tests are left out, and counted at the end: those in
annotations, type aliases and protocols; those of @dataclass, @lru_cache and @abstractmethod; == made `is`; == made <
before a word; and what is not Python any more.
"""

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

try:
    from mutation.mutants import LEFT_OUT, mutants
except ImportError:
    sys.exit("Mutation tests need one more package: pip install -e '.[mutation]'")
from mutation.trial import Trial, copied

GOLDEN, CONTRACT = "tests/server/games/test_golden.py", "tests/contract/test_rules.py"
ROOM, DEAL = "tests/server/room/test_room.py", "tests/server/table/test_deal.py"
HIDDEN = "tests/server/room/test_hidden.py"
QUESTIONS, AUDIT = "tests/server/table/test_questions.py", "tests/server/audit/test_audit.py"
DOUBLES, SEVENS, FARKLE = (
    "tests/server/games/test_doubles.py",
    "tests/server/games/test_sevens.py",
    "tests/server/games/test_farkle.py",
)
DOUBLE_OR_NOTHING, MATCH_EDGES = (
    "tests/server/games/test_double_or_nothing.py",
    "tests/server/games/test_match_edges.py",
)
PLAY_EDGES, COMMANDS_EDGES = "tests/server/table/test_play_edges.py", "tests/server/table/test_commands_edges.py"
FAIRNESS, CODEC = "tests/protocol/test_fairness.py", "tests/protocol/test_codec.py"


def edges(file: str) -> str:
    """The tests that were written against mutants; they come first, because they are quick."""
    return file.replace(".py", "_edges.py")


def only(words: str) -> list[str]:
    """Whole playouts take seconds and notice little that the others do not."""
    return ["-k", f"({words}) and not playouts"]


TESTS: dict[str, list[str]] = {
    "games/base.py": [MATCH_EDGES, DOUBLES, SEVENS, FARKLE, DOUBLE_OR_NOTHING, GOLDEN],
    "games/match.py": [MATCH_EDGES, DOUBLES, FARKLE, DOUBLE_OR_NOTHING, CONTRACT, *only("rules")],
    "games/dice.py": [FAIRNESS, PLAY_EDGES],
    "games/doubles.py": [edges(DOUBLES), DOUBLES, GOLDEN, CONTRACT, *only("doubles")],
    "games/sevens.py": [edges(SEVENS), SEVENS, GOLDEN, CONTRACT, *only("sevens")],
    "games/farkle.py": [edges(FARKLE), FARKLE, GOLDEN, CONTRACT, *only("farkle")],
    "games/farkle_scoring.py": [edges(FARKLE), FARKLE, GOLDEN],
    "games/double_or_nothing.py": [edges(DOUBLE_OR_NOTHING), DOUBLE_OR_NOTHING, GOLDEN, CONTRACT, *only("double")],
    "games/double_or_nothing_solution.py": [edges(DOUBLE_OR_NOTHING), DOUBLE_OR_NOTHING, QUESTIONS],
    "table/state.py": [PLAY_EDGES, COMMANDS_EDGES, edges(DEAL), DEAL, ROOM, HIDDEN, "tests/server/room/test_moves.py"],
    "table/seats.py": ["tests/server/table/test_seats_edges.py", COMMANDS_EDGES, ROOM, DEAL],
    "table/create_room.py": [COMMANDS_EDGES, ROOM, GOLDEN],
    "table/commands.py": [COMMANDS_EDGES, PLAY_EDGES, edges(DEAL), ROOM, DEAL],
    "table/deal.py": [DEAL, COMMANDS_EDGES, ROOM],
    "table/draw.py": [DEAL],
    "table/play.py": [PLAY_EDGES, ROOM, HIDDEN, GOLDEN, "tests/server/lobby/test_history.py"],
    "table/questions.py": [PLAY_EDGES, QUESTIONS, HIDDEN],
    "audit/replay.py": [edges(AUDIT), AUDIT, HIDDEN, "-k", "not edit_is_noticed"],
    "audit/audit.py": [edges(AUDIT), AUDIT, HIDDEN, "-k", "not edit_is_noticed"],
    "fairness/chain.py": [FAIRNESS],
    "fairness/scheme.py": [FAIRNESS],
    "fairness/inspector.py": ["tests/fair", AUDIT],
    "codec.py": [edges(CODEC), CODEC],
}
"""Of each module: the fewest tests that could kill its mutants."""


def path_of(module: str) -> str:
    return f"server/dicegames_server/{module}" if "/" in module else f"protocol/dicegames_protocol/{module}"


def run(wanted: list[str], sample: int | None, seed: int) -> None:
    began = time.monotonic()
    tried: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    with copied() as copy:
        for module in wanted:
            path = path_of(module)
            source = (copy / path).read_text(encoding="utf-8")
            found, of, without = mutants(source, sample, random.Random(f"{seed} {module}"))
            left_out += without
            if not found:
                print(f"{module:36} has nothing to mutate", flush=True)
                continue
            trial = Trial(copy, path, TESTS[module])
            seconds = trial.prepare()
            survivors = [mutant for mutant in found if not trial.kills(mutant.source)]
            tried[module], killed[module] = len(found), len(found) - len(survivors)
            late = f", {trial.late} killed by the time limit" if trial.late else ""
            print(f"{_row(module, tried, killed)}  of {of:4}, tests {seconds:4.1f} s{late}", flush=True)
            for mutant in survivors:
                print(f"    {path}:{mutant.line}  {mutant.change}", flush=True)
    print()
    for module in tried:
        print(_row(module, tried, killed))
    total = Counter({"all": tried.total()}), Counter({"all": killed.total()})
    print(f"{_row('all', *total)}  in {time.monotonic() - began:.0f} s")
    print("\nLeft out:")
    for why, told in LEFT_OUT.items():
        print(f"{left_out[why]:6}  {told}")


def _row(name: str, tried: Counter[str], killed: Counter[str]) -> str:
    share = killed[name] / tried[name] if tried[name] else 1.0
    return f"{name:36} {tried[name]:5} mutants {killed[name]:5} killed {share:7.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", default=",".join(TESTS), help=f"some of: {', '.join(TESTS)} (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants of each module (default: all)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which ones (default: 1)")
    arguments = parser.parse_args()
    wanted = list(dict.fromkeys(arguments.only.replace(" ", "").split(",")))
    if unknown := [name for name in wanted if name not in TESTS]:
        parser.error(f"there is no module '{unknown[0]}'; there are {', '.join(TESTS)}")
    try:
        run(wanted, arguments.sample, arguments.seed)
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()

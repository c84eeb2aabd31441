"""Bots against each other, without sockets, on all cores: who wins how often, and how sure that is."""

import concurrent.futures
import math
import os
import random
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dicegames_protocol.table import Move
from dicegames_server.bots import Strategy, strategies_of
from dicegames_server.games import keys, rules_of
from dicegames_server.games.base import Rules
from dicegames_server.games.match import Match

TURN_ENDS = ("scored", "banked", "farkled", "cashed_out", "round_over", "chose")
LONGEST = 100_000
"""Moves after which a game is given up as endless."""


class ArenaError(Exception):
    """Something that can't be played; str() is a sentence."""


@dataclass(slots=True)
class Tally:
    """What came of some games, by place in the list of strategies."""

    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    wins: list[float] = field(default_factory=list)
    points: list[float] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        self.games, self.turns, self.seconds = (
            self.games + other.games,
            self.turns + other.turns,
            self.seconds + other.seconds,
        )
        self.wins = [a + b for a, b in zip(self.wins or [0.0] * len(other.wins), other.wins, strict=True)]
        self.points = [a + b for a, b in zip(self.points or [0.0] * len(other.points), other.points, strict=True)]


def check(game: str, names: Sequence[str], options: Mapping[str, Any]) -> Rules[Any, Any]:
    """The rules of an arena, or ArenaError."""
    rules = rules_of(game)
    if rules is None:
        raise ArenaError(f"There is no game called '{game[:32]}'. The games are: {', '.join(keys())}.")
    known = strategies_of(game, random.Random())
    for name in names:
        if name not in known:
            raise ArenaError(f"There is no bot '{name[:32]}' for {game}. There are: {', '.join(known)}.")
    if not rules.least <= len(names) <= (rules.most or 1000):
        many = f"{rules.least}{'' if rules.most == rules.least else ' or more'}"
        raise ArenaError(f"{rules.title} is for {many} players; --seats names {len(names)}.")
    if options.get("dice") == "entered":
        raise ArenaError("Bots have no dice of their own to roll: dice=entered is for people.")
    return rules(rules.options_type.read(options))


def play_one(rules: Rules[Any, Any], bots: Sequence[Strategy], rng: random.Random) -> tuple[Match, int]:
    """One game; bots sit in this order. Gives how it ended, and how many turns it took."""
    seats = list(range(len(bots)))
    need = rules.opening(None)
    faces = tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()
    match, _ = Match.start(rules, seats, None, faces)
    turns = moves = 0
    while match.winners is None:
        asked = [seat for seat in seats if bots[seat].wakes(match, seat)]
        rng.shuffle(asked)
        acted = False
        for seat in sorted(asked, key=match.waits_for):  # those who may act before the dice roll come first
            move = bots[seat].choose(match, seat) if match.may(seat) else None
            if move is None:
                continue
            match, ended = _play(match, seat, move, rng)
            turns, moves, acted = turns + ended, moves + 1, True
            break
        if not acted or moves > LONGEST:
            raise ArenaError("This game does not end: nobody moves.")
    return match, turns


def _play(match: Match, seat: int, move: Move, rng: random.Random) -> tuple[Match, int]:
    act = match.check(seat, move, "bot")
    need = match.needs(act)
    faces = tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()
    after, events = match.play(act, faces)
    return after, sum(getattr(event, "kind", "") in TURN_ENDS for event in events)


def run(game: str, names: Sequence[str], options: Mapping[str, Any], games: range, seed: int) -> Tally:
    """Some games in this process. In game n everybody moves on by n seats, so that nobody is favoured."""
    rules = check(game, names, options)
    tally = Tally(wins=[0.0] * len(names), points=[0.0] * len(names))
    began = time.process_time()
    for number in games:
        rng = random.Random(f"{seed}/{number}")
        known = strategies_of(game, rng)
        order = [(place + number) % len(names) for place in range(len(names))]
        match, turns = play_one(rules, [known[names[place]] for place in order], rng)
        assert match.winners is not None
        for seat in match.winners:
            tally.wins[order[seat]] += 1 / len(match.winners)
        for seat, points in rules.scores(match.state).items():
            tally.points[order[seat]] += points
        tally.games, tally.turns = tally.games + 1, tally.turns + turns
    tally.seconds = time.process_time() - began
    return tally


def run_all(
    game: str, names: Sequence[str], options: Mapping[str, Any], games: int, seed: int, jobs: int | None = None
) -> Iterator[Tally]:
    """All games, on all cores; gives the tally so far after every part."""
    check(game, names, options)
    if jobs is not None and jobs < 1:
        raise ArenaError("--jobs must be at least 1.")
    jobs = jobs or os.cpu_count() or 1
    part = max(1, min(games // (jobs * 50), 50))
    parts = [range(first, min(first + part, games)) for first in range(0, games, part)]
    total = Tally()
    if jobs == 1:
        for numbers in parts:
            total.add(run(game, names, options, numbers, seed))
            yield total
        return
    pool = concurrent.futures.ProcessPoolExecutor(
        jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)
    )
    try:
        work = [pool.submit(run, game, names, options, numbers, seed) for numbers in parts]
        for done in concurrent.futures.as_completed(work):
            total.add(done.result())
            yield total
    finally:  # whoever stops in the middle does not want the rest
        workers = list((pool._processes or {}).values())  # there is no public way to end them in the middle of a game
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()


def interval(wins: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval for a share; 95 % with z = 1.96."""
    share, square = wins / games, z * z / games
    centre = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / games + square / (4 * games)) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


def table(names: Sequence[str], tally: Tally) -> list[dict[str, Any]]:
    rows = []
    for place, name in enumerate(names):
        low, high = interval(tally.wins[place], tally.games)
        rows.append(
            {
                "bot": name,
                "games": tally.games,
                "wins": round(tally.wins[place], 2),
                "share": round(tally.wins[place] / tally.games, 5),
                "low": round(low, 5),
                "high": round(high, 5),
                "points": round(tally.points[place] / tally.games, 2),
            }
        )
    return rows


def report(rows: Sequence[Mapping[str, Any]], tally: Tally) -> list[str]:
    lines = [f"{'bot':<14}{'wins':>10}{'share':>9}   {'95 % interval':<20}{'points':>14}"]
    for row in rows:
        sure = f"{row['low']:.2%} to {row['high']:.2%}"
        lines += [f"{row['bot']:<14}{row['wins']:>10,.1f}{row['share']:>9.2%}   {sure:<20}{row['points']:>14,.2f}"]
    rate = tally.turns / tally.seconds if tally.seconds else 0.0
    games = f"{tally.games:,} game{'s' if tally.games != 1 else ''}"
    lines.append(f"{games}, {tally.turns:,} turns, {rate:,.0f} turns per second and core")
    return lines


def progress(done: int, games: int, began: float) -> None:
    """A bar on stderr, where somebody looks."""
    if sys.stderr.isatty():
        full = 30 * done // games
        rate = done / max(1e-9, time.monotonic() - began)
        bar = f"[{'#' * full}{'.' * (30 - full)}]"
        print(f"\r{bar} {done}/{games}  {rate:.0f} games/s ", end="", file=sys.stderr, flush=True)
        if done == games:
            print(file=sys.stderr)

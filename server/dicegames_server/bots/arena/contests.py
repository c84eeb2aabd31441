"""Bots play against each other, without sockets and on all cores: who wins how often, with a confidence interval."""

import concurrent.futures
import math
import os
import random
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dicegames_protocol.table import Move
from dicegames_protocol.text import did_you_mean, strip
from dicegames_server.bots import Strategy
from dicegames_server.bots.arena.contestants import ArenaError, contestants
from dicegames_server.games import keys, rules_of
from dicegames_server.games.base import Rules
from dicegames_server.games.match import Match

N = TypeVar("N", int, float)
MOST_PLAYERS = 1000
MOST_MOVES = 100_000
"""Most moves of a game. With more, it counts as endless."""


@dataclass(slots=True)
class Tally:
    """The results of some games. The lists are in the order of the list of strategies."""

    games: int = 0
    moves: int = 0
    seconds: float = 0.0
    wins: list[float] = field(default_factory=list)
    """A win that n share counts as 1/n."""
    ties: list[int] = field(default_factory=list)
    """Wins that were shared."""
    losses: list[int] = field(default_factory=list)
    points: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, seats: int) -> "Tally":
        return cls(wins=[0.0] * seats, ties=[0] * seats, losses=[0] * seats, points=[0.0] * seats)

    def add(self, other: "Tally") -> None:
        self.games, self.moves, self.seconds = (
            self.games + other.games,
            self.moves + other.moves,
            self.seconds + other.seconds,
        )
        self.wins, self.points = _sums(self.wins, other.wins), _sums(self.points, other.points)
        self.ties, self.losses = _sums(self.ties, other.ties), _sums(self.losses, other.losses)

    def outright(self, place: int) -> int:
        """Wins that were not shared."""
        return self.games - self.ties[place] - self.losses[place]


def _sums(mine: list[N], others: list[N]) -> list[N]:
    return [a + b for a, b in zip(mine, others, strict=True)] if mine else list(others)


def game_called(name: str) -> type[Rules[Any, Any]]:
    rules = rules_of(name)
    if rules is None:
        meant = did_you_mean(name, keys())
        raise ArenaError(f"There is no game called '{name[:32]}'.{meant} The games are: {', '.join(keys())}.")
    return rules


def check(game: str, names: Sequence[str], options: Mapping[str, Any]) -> Rules[Any, Any]:
    """The rules for these games. Raises ArenaError where game, bots or options can't be used."""
    rules = game_called(game)
    contestants(game, names, random.Random())
    if not rules.least <= len(names) <= (rules.most or MOST_PLAYERS):
        many = f"{rules.least}{'' if rules.most == rules.least else ' or more'}"
        raise ArenaError(f"{rules.title} is for {many} players; here are {len(names)}.")
    if options.get("dice") == "entered":
        raise ArenaError("Bots have no dice of their own to roll: dice=entered is for people.")
    return rules(rules.options_type.read(options))


def play_one(
    rules: Rules[Any, Any], bots: Sequence[Strategy], rng: random.Random, most_moves: int = MOST_MOVES
) -> tuple[Match, int]:
    """Play one game, with the bots seated in this order. Gives the match at its end, and the number of moves.

    Raises ArenaError after `most_moves` moves without an end.
    """
    seats = list(range(len(bots)))
    need = rules.opening(None)
    faces = tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()
    match, _ = Match.start(rules, seats, None, faces)
    moves = 0
    while match.winners is None:
        asked = [seat for seat in seats if bots[seat].wakes(match.seen_by(seat), seat)]
        rng.shuffle(asked)
        waiting = [seat for seat in asked if bots[seat].waits(match.seen_by(seat), seat)]
        acted = 0
        for seat in sorted(set(asked) - set(waiting), key=lambda seat: (match.waits_for(seat), asked.index(seat))):
            move = bots[seat].choose(match.seen_by(seat), seat) if match.may(seat) else None
            if move is None:
                continue
            match = _play(match, seat, move, rng)
            acted = 1
            break
        if not acted:
            match, acted = _decide_together(match, bots, waiting, rng)
        moves += acted
        if not acted or moves > most_moves:
            raise ArenaError("This game does not end: nobody moves.")
    return match, moves


def _decide_together(
    match: Match, bots: Sequence[Strategy], waiting: Sequence[int], rng: random.Random
) -> tuple[Match, int]:
    """All who left the first word to others decide now, and nobody knows what the others decide."""
    chosen = [(seat, bots[seat].choose(match.seen_by(seat), seat)) for seat in waiting]
    basis, moves = match.basis, 0
    for seat, move in sorted(chosen, key=lambda pair: pair[1] in _mild_moves(match, waiting)):
        if move is not None and match.basis == basis and move.take in match.may(seat):
            match, moves = _play(match, seat, move, rng), moves + 1
    return match, moves


def _mild_moves(match: Match, seats: Sequence[int]) -> list[Move]:
    """What changes least comes last: the game goes on when all have decided."""
    return [match.rules.mild(match.state, seat) for seat in seats]


def _play(match: Match, seat: int, move: Move, rng: random.Random) -> Match:
    act = match.check(seat, move, "bot")
    need = match.needs(act)
    faces = tuple(rng.randint(1, need.sides) for _ in range(need.count)) if need else ()
    return match.play(act, faces)[0]


def run(game: str, names: Sequence[str], options: Mapping[str, Any], games: range, seed: int) -> Tally:
    """Play some games in this process. In game n all bots move on by n seats, so that none has an advantage."""
    rules = check(game, names, options)
    tally = Tally.of(len(names))
    began = time.process_time()
    for number in games:
        rng = random.Random(f"{seed}/{number}")
        bots = contestants(game, names, rng)
        order = [(place + number) % len(names) for place in range(len(names))]
        match, moves = play_one(rules, [bots[place] for place in order], rng)
        assert match.winners is not None
        for seat, place in enumerate(order):
            if seat not in match.winners:
                tally.losses[place] += 1
                continue
            tally.wins[place] += 1 / len(match.winners)
            tally.ties[place] += len(match.winners) > 1
        for seat, points in rules.scores(match.state).items():
            tally.points[order[seat]] += points
        tally.games, tally.moves = tally.games + 1, tally.moves + moves
    tally.seconds = time.process_time() - began
    return tally


def run_all(
    game: str, names: Sequence[str], options: Mapping[str, Any], games: int, seed: int, jobs: int | None = None
) -> Iterator[Tally]:
    """Play all games, on all cores. Gives the tally so far after every part."""
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
    finally:  # a caller that stops early does not want the rest
        workers = list((pool._processes or {}).values())  # there is no public way to end them in the middle of a game
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.terminate()


def interval(wins: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson score interval for a share: 95 % with z = 1.96."""
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
                "bot": strip(name),
                "games": tally.games,
                "wins": tally.outright(place),
                "ties": tally.ties[place],
                "losses": tally.losses[place],
                "share": round(tally.wins[place] / tally.games, 5),
                "low": round(low, 5),
                "high": round(high, 5),
                "points": round(tally.points[place] / tally.games, 2),
            }
        )
    return rows


def report(rows: Sequence[Mapping[str, Any]], tally: Tally) -> list[str]:
    wide = width_for(row["bot"] for row in rows)
    lines = [f"{'bot':<{wide}}{COUNTED}{'share':>9}   {'95 % interval':<20}{'points':>14}"]
    for row in rows:
        sure = f"{row['low']:.2%} to {row['high']:.2%}"
        lines.append(f"{row['bot']:<{wide}}{counted(row)}{row['share']:>9.2%}   {sure:<20}{row['points']:>14,.2f}")
    return [*lines, speed(tally)]


COUNTED = f"{'wins':>10}{'ties':>8}{'losses':>10}"


def counted(row: Mapping[str, Any]) -> str:
    return f"{row['wins']:>10,}{row['ties']:>8,}{row['losses']:>10,}"


def width_for(names: Iterable[str]) -> int:
    """Columns for these names, and space after them."""
    return max(14, *(len(name) + 2 for name in names))


def speed(tally: Tally) -> str:
    rate = tally.moves / tally.seconds if tally.seconds else 0.0
    games = f"{tally.games:,} game{'s' if tally.games != 1 else ''}"
    return f"{games}, {tally.moves:,} moves, {rate:,.0f} moves per second and core"


def progress(done: int, games: int, began: float) -> None:
    """Draw a progress bar on stderr, if that is a terminal."""
    if sys.stderr.isatty():
        full = 30 * done // games
        rate = done / max(1e-9, time.monotonic() - began)
        bar = f"[{'#' * full}{'.' * (30 - full)}]"
        print(f"\r{bar} {done}/{games}  {rate:.0f} games/s ", end="", file=sys.stderr, flush=True)
        if done == games:
            print(file=sys.stderr)
